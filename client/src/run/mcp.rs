//! The command `mcp`: runs the program `editctl-mcp`, which is a separate one so that this one stays small.

use std::ffi::OsString;
use std::io::ErrorKind;

use editctl::daemon::become_companion;

use super::CommandOutput;
use crate::args::GlobalFlags;
use crate::failure::{ExitStatus, Failure};

pub(super) fn run(flags: &GlobalFlags, words: Vec<OsString>) -> Result<CommandOutput, Failure> {
    let mut all: Vec<OsString> = Vec::new();
    let named = [
        ("--workspace", flags.workspace.as_ref().map(|path| path.as_os_str().to_owned())),
        ("--session", flags.session.as_ref().map(OsString::from)),
        ("--socket", flags.socket.as_ref().map(|path| path.as_os_str().to_owned())),
    ];
    for (flag, value) in named {
        all.extend(value.into_iter().flat_map(|value| [OsString::from(flag), value]));
    }
    all.extend(words);
    match become_companion("mcp", &all) {
        Ok(status) if status.success() => Ok(CommandOutput::text("")),
        Ok(_) => Ok(CommandOutput { exit: ExitStatus::Fault, ..CommandOutput::text("") }),
        Err((program, error)) => {
            let install = match error.kind() {
                ErrorKind::NotFound => "; install it beside editctl: `cargo install --path client/mcp`",
                _ => "",
            };
            Err(Failure::File(format!("{}{install}", program.display()), error))
        }
    }
}
