//! The command `mcp`: runs the program `editctl-mcp`, which is a separate one so that this one stays small.

use std::ffi::OsString;
use std::io::ErrorKind;

use editctl::daemon::become_companion;

use super::CommandOutput;
use crate::args::GlobalFlags;
use crate::failure::{ExitStatus, Failure};

pub(super) fn run(flags: GlobalFlags, tools: Option<String>) -> Result<CommandOutput, Failure> {
    let named = [
        ("--workspace", flags.workspace.map(OsString::from)),
        ("--session", flags.session.map(OsString::from)),
        ("--socket", flags.socket.map(OsString::from)),
        ("--tools", tools.map(OsString::from)),
    ];
    let given = named.into_iter().filter_map(|(flag, value)| Some([flag.into(), value?]));
    let mut all: Vec<OsString> = given.flatten().collect();
    if flags.no_spawn {
        all.push("--no-spawn".into());
    }
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
