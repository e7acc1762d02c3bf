//! The command `editctl-setup`: writes the MCP server `editctl mcp`, or the hooks of `editctl hook`, into the configuration
//! file of an agent runtime, or removes them. It changes nothing else in the file, and no other file.

mod config_file;
mod format;
mod hook_run;
mod hooks;
mod json;
mod next_steps;
mod place;
mod plugin;
mod program;
mod report;
mod run;
mod runtime;
mod toml;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, ValueEnum};
use editctl::runtime::Runtime;
use editctl::show::OutputStyle;
use report::Report;
use run::DecidedChange;

const AFTER: &str = "\
Without --project and --user, the file is the one of the project, which everybody who works on it may share:
.mcp.json, .cursor/mcp.json, .vscode/mcp.json, opencode.json, .gemini/settings.json, .qwen/settings.json.
Codex and Zed get the file of the user. The hooks go into .claude/settings.json, hooks.json of Codex and Cursor,
.github/hooks/editctl.json, .gemini/settings.json, .qwen/settings.json and the plugin .opencode/plugins/editctl.js.

Exit status: 0 done or unchanged; 1 refused; 2 usage; 5 input/output.";

/// Writes the server `editctl mcp`, or the hooks, into the configuration of an agent runtime
///
/// Shows the change as a diff. Changes nothing else in the file, and nothing at all if the entry is there. The server is for
/// agents that edit with the tools of editd, --hooks is for those that keep their own, --all is for both.
#[derive(Parser, Debug)]
#[command(name = "editctl setup", bin_name = "editctl setup", version = editctl::VERSION, after_help = AFTER, max_term_width = 100)]
struct CommandLine {
    /// The runtime
    #[arg(value_enum)]
    runtime: Runtime,
    /// Write the hooks instead of the server: the runtime keeps its own edit tools, and editd records what they do
    #[arg(long)]
    hooks: bool,
    /// Write the server and the hooks
    #[arg(long, conflicts_with = "hooks")]
    all: bool,
    /// With --hooks for claude-code: use .claude/settings.local.json, which is not shared
    #[arg(long, requires = "hooks", conflicts_with = "user")]
    local: bool,
    /// Remove the entry; removes the file, too, if it has only what setup wrote
    #[arg(long)]
    remove: bool,
    /// Only show the change
    #[arg(long)]
    dry_run: bool,
    /// Use the file of the project
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Use the file of the user
    #[arg(long)]
    user: bool,
    /// Replace or remove an entry that setup did not write; follow a link out of the project
    #[arg(long)]
    force: bool,
    /// The folder of the project [default: the nearest parent of the current folder with .editd.toml or .git, else that
    /// folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Print a JSON object, with --all one for each file
    #[arg(long)]
    json: bool,
    /// The program `editctl` that was started
    #[arg(long, hide = true)]
    program: Option<PathBuf>,
}

/// The reason for which a file was not written.
#[derive(Debug)]
pub(crate) enum SetupError {
    /// The options do not fit the runtime.
    Usage(String),
    /// The file or the entry is not as it must be.
    Refused(String),
    /// The system failed at a file.
    File(PathBuf, std::io::Error),
}

impl SetupError {
    /// Returns the exit status.
    fn status(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Refused(_) => 1,
            Self::File(..) => 5,
        }
    }

    /// Returns the message for the user.
    fn message(&self) -> String {
        match self {
            Self::Usage(message) | Self::Refused(message) => message.clone(),
            Self::File(path, error) => format!("{}: {error}", path.display()),
        }
    }
}

/// Adds the runtimes to the error of a line that names none.
fn with_runtimes(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::MissingRequiredArgument {
        let names: Vec<String> = Runtime::value_variants()
            .iter()
            .filter_map(Runtime::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        let tip = format!("the runtimes are {}", names.join(", "));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Returns the definition of the command line, for the manual page and the completions.
#[must_use]
pub fn command() -> clap::Command {
    CommandLine::command()
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let mut line = CommandLine::try_parse().unwrap_or_else(|error| with_runtimes(error).exit());
    let style = OutputStyle::of_this_terminal(line.json);
    if line.all
        && let Err(error) = hook_run::hooks_of(line.runtime, "--all")
    {
        return ExitCode::from(print(&line, &style, &Err(error)));
    }
    // What was written last is removed first, so that a file that has both is restored.
    let turns = if line.all { vec![line.remove, !line.remove] } else { vec![line.hooks] };
    // All is decided before anything is written, so that a refusal leaves every file as it was.
    let mut decided: Vec<DecidedChange> = Vec::new();
    for hooks in turns {
        line.hooks = hooks;
        match run::decide(&line, decided.last()) {
            Ok(change) => decided.push(change),
            Err(error) => return ExitCode::from(print(&line, &style, &Err(error))),
        }
    }
    for change in decided {
        let status = print(&line, &style, &change.write(&line));
        if status != 0 {
            return ExitCode::from(status);
        }
    }
    ExitCode::SUCCESS
}

/// Prints the report of a run, or the reason for which it did nothing. Returns the exit status.
fn print(line: &CommandLine, style: &OutputStyle, done: &Result<Report, SetupError>) -> u8 {
    let (out, status) = match done {
        Ok(report) if line.json => (report::json(report), 0),
        Ok(report) => (report::text(report, style), 0),
        Err(error) if line.json => (report::error(&error.message()), error.status()),
        Err(error) => {
            let text = format!("editctl setup: {}\n", error.message());
            // The status stays the same if the message cannot be printed.
            let _ = std::io::stderr().lock().write_all(&style.for_errors().printed(text.as_bytes()));
            return error.status();
        }
    };
    let mut stdout = std::io::stdout().lock();
    let printed = stdout.write_all(&style.printed(out.as_bytes())).and_then(|()| stdout.flush());
    match printed {
        // The reader needs no more of it.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe && status == 0 => 5,
        _ => status,
    }
}

#[cfg(test)]
mod tests;
