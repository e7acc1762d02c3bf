//! The commands `mcp` and `setup`: each runs a program of its own in the place of this one, so that this one stays small.

use std::ffi::OsString;
use std::io::ErrorKind;

use editctl::daemon::become_companion;
use editctl::machine;

use super::CommandOutput;
use crate::args::GlobalFlags;
use crate::failure::{ExitStatus, Failure};

/// Runs `editctl-mcp`.
pub(super) fn mcp(
    flags: GlobalFlags,
    runtime: Option<String>,
    tools: Option<String>,
) -> Result<CommandOutput, Failure> {
    let named = [
        ("--workspace", flags.workspace.map(OsString::from)),
        ("--session", flags.session.map(OsString::from)),
        ("--socket", flags.socket.map(OsString::from)),
        ("--as", runtime.map(OsString::from)),
        ("--tools", tools.map(OsString::from)),
    ];
    let given = named.into_iter().filter_map(|(flag, value)| Some([flag.into(), value?]));
    let mut all: Vec<OsString> = given.flatten().collect();
    if flags.no_spawn {
        all.push("--no-spawn".into());
    }
    become_program("mcp", &all)
}

/// Runs `editctl-setup`, which parses the words and has their help.
pub(super) fn setup(flags: GlobalFlags, words: Vec<OsString>) -> Result<CommandOutput, Failure> {
    let named = [
        ("--program", machine::own_program().map(OsString::from)),
        ("--workspace", flags.workspace.map(OsString::from)),
    ];
    let given = named.into_iter().filter_map(|(flag, value)| Some([flag.into(), value?]));
    let mut all: Vec<OsString> = given.flatten().collect();
    if flags.json {
        all.push("--json".into());
    }
    all.extend(words);
    become_program("setup", &all)
}

/// Runs a program of this installation in the place of this one. Returns only if it cannot, or on Windows.
fn become_program(name: &str, words: &[OsString]) -> Result<CommandOutput, Failure> {
    match become_companion(name, words) {
        Ok(status) if status.success() => Ok(CommandOutput::text("")),
        Ok(_) => Ok(CommandOutput { exit: ExitStatus::Fault, ..CommandOutput::text("") }),
        Err((program, error)) => {
            let install = match error.kind() {
                ErrorKind::NotFound => {
                    format!("; install it beside editctl: `cargo install --path client/{name}`")
                }
                _ => String::new(),
            };
            Err(Failure::File(format!("{}{install}", program.display()), error))
        }
    }
}
