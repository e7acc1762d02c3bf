//! The commands `mcp`, `hook`, `setup`, `ui`, `diff`, `blame` and `report`: each runs another program in the place of this one, so
//! that this one stays small.

use std::ffi::OsString;
use std::io::ErrorKind;

use editctl::daemon::become_companion;
use editctl::machine;

use super::CommandOutput;
use crate::args::GlobalFlags;
use editctl::failure::{ExitStatus, Failure};

/// Flags with their values, if they have one.
type NamedValues = Vec<(&'static str, Option<OsString>)>;

/// Runs `editctl-mcp`.
pub(super) fn mcp(
    flags: GlobalFlags,
    runtime: Option<String>,
    tools: Option<String>,
) -> Result<CommandOutput, Failure> {
    let no_spawn = flags.no_spawn;
    let mut named = connecting(flags);
    named.extend([("--as", runtime.map(OsString::from)), ("--tools", tools.map(OsString::from))]);
    become_program("mcp", &given(named, "--no-spawn", no_spawn))
}

/// Runs `editctl-hook`, which parses the words and has their help.
pub(super) fn hook(flags: GlobalFlags, words: Vec<OsString>) -> Result<CommandOutput, Failure> {
    let no_spawn = flags.no_spawn;
    let mut all = given(connecting(flags), "--no-spawn", no_spawn);
    all.extend(words);
    become_program("hook", &all)
}

/// Runs `editctl-ui`.
pub(super) fn ui(flags: GlobalFlags) -> Result<CommandOutput, Failure> {
    let no_spawn = flags.no_spawn;
    become_program("ui", &given(connecting(flags), "--no-spawn", no_spawn))
}

/// Runs `editctl-setup`, which parses the words and has their help.
pub(super) fn setup(flags: GlobalFlags, words: Vec<OsString>) -> Result<CommandOutput, Failure> {
    let named = vec![
        ("--program", machine::own_program().map(OsString::from)),
        ("--workspace", flags.workspace.map(OsString::from)),
    ];
    let mut all = given(named, "--json", flags.json);
    all.extend(words);
    become_program("setup", &all)
}

/// Runs `editctl-history`, which parses the words of the command and has its help.
pub(super) fn history(
    flags: GlobalFlags,
    command: &str,
    words: Vec<OsString>,
) -> Result<CommandOutput, Failure> {
    let (json, no_spawn) = (flags.json, flags.no_spawn);
    let mut all = vec![OsString::from(command)];
    all.extend(given(connecting(flags), "--no-spawn", no_spawn));
    all.extend(json.then(|| "--json".into()));
    all.extend(with_escape(command, words));
    become_program("history", &all)
}

/// Returns the words with the `--` in front of them, which the parser takes for its own, also behind common options.
fn with_escape(command: &str, words: Vec<OsString>) -> Vec<OsString> {
    let given: Vec<OsString> = std::env::args_os().skip_while(|word| word != command).skip(1).collect();
    let escaped = given.iter().position(|word| word == "--").and_then(|at| given.get(at..));
    escaped
        .filter(|escaped| escaped.get(1..) == Some(&words))
        .map_or_else(|| words.clone(), <[OsString]>::to_vec)
}

/// Returns the flags that choose a daemon and a session.
fn connecting(flags: GlobalFlags) -> NamedValues {
    vec![
        ("--workspace", flags.workspace.map(OsString::from)),
        ("--session", flags.session.map(OsString::from)),
        ("--socket", flags.socket.map(OsString::from)),
    ]
}

/// Returns the words for the flags that have a value, and for the switch if it is set. A value may look like a flag.
fn given(named: NamedValues, switch: &str, is_set: bool) -> Vec<OsString> {
    let mut all = Vec::new();
    for (flag, value) in named {
        all.extend(value.map(|value| {
            let mut word = OsString::from(flag);
            word.push("=");
            word.push(value);
            word
        }));
    }
    if is_set {
        all.push(switch.into());
    }
    all
}

/// Runs a program of this installation in the place of this one. Returns only if it cannot, or on Windows.
fn become_program(name: &str, words: &[OsString]) -> Result<CommandOutput, Failure> {
    match become_companion(name, words) {
        Ok(status) if status.success() => Ok(CommandOutput::text("")),
        Ok(status) => {
            let exit = ExitStatus::of_program(status.code());
            Ok(CommandOutput { exit, ..CommandOutput::text("") })
        }
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
