//! The commands `mcp`, `setup` and `ui`: each runs a program of its own in the place of this one, so that this one stays small.

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
    let own = [("--as", runtime.map(OsString::from)), ("--tools", tools.map(OsString::from))];
    become_program("mcp", &connecting(flags, own))
}

/// Runs `editctl-ui`.
pub(super) fn ui(flags: GlobalFlags) -> Result<CommandOutput, Failure> {
    become_program("ui", &connecting(flags, []))
}

/// Returns the flags that choose a daemon and a session, and those of the program.
fn connecting<const N: usize>(flags: GlobalFlags, own: [(&str, Option<OsString>); N]) -> Vec<OsString> {
    let common = [
        ("--workspace", flags.workspace.map(OsString::from)),
        ("--session", flags.session.map(OsString::from)),
        ("--socket", flags.socket.map(OsString::from)),
    ];
    let given = common.into_iter().chain(own).filter_map(|(flag, value)| Some([flag.into(), value?]));
    let mut all: Vec<OsString> = given.flatten().collect();
    if flags.no_spawn {
        all.push("--no-spawn".into());
    }
    all
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
