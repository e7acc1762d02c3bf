//! The command `help`: the help of a command or of an edit operation. Needs no daemon.

use editctl::failure::Failure;
use editctl::show::OutputStyle;
use editd_proto::operation;

use super::CommandOutput;
use crate::args;

/// The name under which `help` shows all operations.
const OPERATIONS: &str = "operations";

/// The text of `help` behind the commands.
const MORE: &str = "\n`editctl help COMMAND` shows the options of a command, `editctl help operations` all edit operations of a job.\n";

/// The text of `help` behind the operations.
const BASES: &str = r#"
base: the version on which an entry of `files` is based [default: the version that this session has read]
  "af1349b9f5f9"          a version from `read` or an error
  "@17"                   the result of job 17: a reply has it once, for all files of the job
  "blake3:…", "sha256:…"  a hash of the whole content, 64 digits
  "any", "absent"         any content; no file
  e.g. {"files": [{"path": "src/a.rs", "base": "@17", "edits": [{"op": "lines", "start": 3, "end": 3, "text": "new"}]}]}
"#;

/// Returns the help of a command or an operation, of all operations, or without a name the list of commands.
///
/// # Errors
/// The name is neither.
pub(super) fn run(name: Option<&str>, style: &OutputStyle) -> Result<CommandOutput, Failure> {
    let Some(name) = name else { return Ok(CommandOutput::text(args::overview() + MORE)) };
    if name == OPERATIONS {
        return Ok(CommandOutput::text(operation::manual() + BASES));
    }
    let commands = args::commands();
    let is_command = commands.iter().any(|command| command == name);
    if let Some(operation) = operation::operation(name) {
        let err = match is_command {
            true => format!("editctl: `editctl {name} --help` shows the command of this name\n"),
            false => String::new(),
        };
        return Ok(CommandOutput { err, ..CommandOutput::text(operation.help()) });
    }
    if is_command {
        return match args::parse(["editctl", name, "--help"].map(Into::into)) {
            // The help of a command that passes its words to another program.
            Ok(line) => super::run(line, style),
            Err(shown) => Ok(CommandOutput::text(shown.to_string())),
        };
    }
    Err(Failure::Usage(unknown(name, &commands)))
}

fn unknown(name: &str, commands: &[String]) -> String {
    let operations: Vec<&str> = operation::OPERATIONS.iter().map(|operation| operation.name).collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let known = [operations.as_slice(), commands.as_slice()].concat();
    let near = operation::nearest(name, &known).map(|near| format!("did you mean {near}? "));
    format!(
        "there is no command and no operation {name:?}; {}the operations are {}; the commands are {}",
        near.unwrap_or_default(),
        operations.join(", "),
        commands.join(", ")
    )
}
