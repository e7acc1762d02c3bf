//! Derives the session of a caller that names none from its terminal or from the program that runs the command. Only
//! [`derive()`] asks the system about processes; the rest is pure.
//!
//! Two callers must not share a session unless they name it, since neither would be told about the changes of the
//! other. So the parents of the process are followed up to the nearest one that represents a single caller:
//!
//! * A shell that leads the session of a terminal represents the terminal.
//! * Any other program (an agent runtime, an editor, a script) represents itself. A shell that got its command with
//!   `-c` or on standard input, and programs that run one command, such as `timeout`, represent their parent, even if
//!   each command has its own session (`setsid`) or terminal.
//!
//! Programs that run commands for many callers (`sshd`, `cron`, a service manager, the first process of a container),
//! and processes that adopt orphans, represent no caller. The process that they started then represents itself: a
//! command line, or only this command.
//!
//! *Limitations*: several agents in one program share its session unless the program names one for each. Without
//! `/proc` the program `ps` is used. On Windows every command has its own session.

use std::fmt;
use std::path::Path;

use editd_proto::socket_path;

use crate::machine;
use crate::machine::process::{self, ProcessFacts};

/// The variable with which a program names its session.
pub const VARIABLE: &str = "EDITCTL_SESSION";

/// Maximum number of parents that are followed.
const PARENTS: usize = 64;

/// Number of hexadecimal digits that distinguish processes with the same id.
const DIGITS: usize = 8;

/// Maximum number of bytes of a program's name in the name of a session.
const NAME: usize = 24;

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "nu", "busybox"];

/// Programs that run the single command on their command line.
const WRAPPERS: &[&str] = &[
    "bwrap", "chrt", "doas", "env", "find", "firejail", "flock", "ionice", "nice", "nohup", "nsenter",
    "script", "setpriv", "setsid", "stdbuf", "strace", "su", "sudo", "time", "timeout", "unshare", "xargs",
];

/// Programs that run commands for many callers: service managers, terminals, and `editd`, for validators and hooks. The
/// kernel keeps 15 bytes of a name.
const SERVERS: &[&str] = &[
    "alacritty",
    "anacron",
    "atd",
    "catatonit",
    "conmon",
    "containerd-shim",
    "cron",
    "crond",
    "docker-init",
    "dockerd",
    "dropbear",
    "dumb-init",
    "editd",
    "foot",
    "ghostty",
    "gnome-terminal-",
    "inetd",
    "init",
    "iTerm2",
    "kitty",
    "konsole",
    "launchd",
    "login",
    "mosh-server",
    "podman",
    "runc",
    "runsv",
    "s6-supervise",
    "s6-svscan",
    "screen",
    "sshd",
    "sshd-auth",
    "sshd-session",
    "supervisord",
    "systemd",
    "Terminal",
    "terminator",
    "tini",
    "tmux",
    "tmux: server",
    "ttyd",
    "urxvt",
    "wezterm-gui",
    "wezterm-mux-ser",
    "xfce4-terminal",
    "xinetd",
    "xterm",
    "zellij",
];

/// A derived session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DerivedSession {
    /// The name, which is the same for all commands of one caller and different for all others.
    pub name: String,
    /// The process or terminal from which it was derived.
    pub origin: SessionOrigin,
}

/// The process or terminal from which a session was derived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SessionOrigin {
    /// A terminal, and the process that leads its session.
    Terminal(String, u32),
    /// A program that runs commands, and its process.
    Program(String, u32),
    /// Only this command, since no process with a longer life was found.
    Command,
}

impl fmt::Display for SessionOrigin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terminal(name, leader) => write!(out, "terminal {name}, process {leader}"),
            Self::Program(name, id) => write!(out, "{name}, process {id}"),
            Self::Command => out.write_str("this command alone"),
        }
    }
}

/// Returns the session that the environment names.
///
/// # Errors
/// A message for the user: the name is not UTF-8.
pub fn from_environment() -> Result<Option<String>, String> {
    let named = machine::variable(VARIABLE).map(|name| name.into_string());
    named.transpose().map_err(|_| format!("{VARIABLE} is not UTF-8; give it another name"))
}

/// Derives the session of this process.
pub fn derive() -> DerivedSession {
    of_process(process::own_id(), process::process)
}

/// Derives the session of a process from the facts that `look` returns about it and its parents.
fn of_process(own: u32, facts_of: impl Fn(u32) -> Option<ProcessFacts>) -> DerivedSession {
    match facts_of(own).and_then(|facts| caller(facts, facts_of)) {
        Some(CallerProcess::Terminal(leader)) => {
            let terminal = leader.terminal.clone().unwrap_or_default();
            let name = named(&terminal, &leader);
            DerivedSession { name, origin: SessionOrigin::Terminal(terminal, leader.id) }
        }
        Some(CallerProcess::Program(facts)) => {
            let program = facts.program.clone().unwrap_or_else(|| String::from("process"));
            let name = named(&format!("{}-{}", short(&program), facts.id), &facts);
            DerivedSession { name, origin: SessionOrigin::Program(program, facts.id) }
        }
        None => {
            // The name differs from all others even if the process id is reused.
            let name = format!("once-{own}-{:x}", machine::now_ns());
            DerivedSession { name, origin: SessionOrigin::Command }
        }
    }
}

/// The process that represents the caller.
enum CallerProcess {
    Terminal(ProcessFacts),
    Program(ProcessFacts),
}

/// Follows the parents of `own`. Returns `None` if no parent represents the caller.
fn caller(own: ProcessFacts, facts_of: impl Fn(u32) -> Option<ProcessFacts>) -> Option<CallerProcess> {
    let id = own.id;
    let mut below = own;
    for _ in 0..PARENTS {
        let parent = Some(below.parent).filter(|parent| *parent != 0);
        let Some(above) = parent.and_then(&facts_of).filter(|above| started_it(above, &below)) else { break };
        let lone = above.id == 1 && !shares_terminal(&above, &below);
        if lone || SERVERS.contains(&above.name.as_str()) {
            break;
        }
        let shell = shell(&above);
        if above.leads && above.terminal.is_some() && shell == Some(CommandSource::Input) {
            return Some(CallerProcess::Terminal(above));
        }
        if shell.is_none_or(|reads| reads == CommandSource::Script) && !is_wrapper(&above) {
            return Some(CallerProcess::Program(above));
        }
        below = above;
    }
    (below.id != id).then_some(CallerProcess::Program(below))
}

/// Returns false if `above` adopted `below` after its parent had ended: a child is in the session of its parent or
/// leads its own.
fn started_it(above: &ProcessFacts, below: &ProcessFacts) -> bool {
    below.leads || below.session == above.session
}

/// Returns true if both are in the session of a terminal that `above` leads. The first process of a container adopts
/// all orphans, and only this distinguishes its own children.
fn shares_terminal(above: &ProcessFacts, below: &ProcessFacts) -> bool {
    above.leads && above.terminal.is_some() && !below.leads && below.session == above.session
}

/// The source of a shell's commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CommandSource {
    /// The command line.
    Line,
    /// A file.
    Script,
    /// A terminal or standard input.
    Input,
}

/// Returns the source of a shell's commands, or `None` if the process is no shell.
fn shell(facts: &ProcessFacts) -> Option<CommandSource> {
    let mut words = facts.words.iter().map(String::as_str);
    let mut called = process::base_name(words.next()?);
    if called == "busybox" {
        called = words.next()?;
    }
    if !SHELLS.contains(&called) {
        return None;
    }
    let mut takes_value = false;
    for word in words {
        if takes_value {
            takes_value = false;
        } else if word == "--command" || is_command_option(word) {
            return Some(CommandSource::Line);
        } else if word == "-s" {
            return Some(CommandSource::Input);
        } else if !word.starts_with(['-', '+']) {
            return Some(CommandSource::Script);
        } else {
            takes_value = matches!(word, "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file");
        }
    }
    Some(CommandSource::Input)
}

/// Returns true for `-c`, alone or combined as in `-lc`.
fn is_command_option(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word != "-norc" && word.contains('c')
}

fn is_wrapper(facts: &ProcessFacts) -> bool {
    facts.words.first().is_some_and(|word| WRAPPERS.contains(&process::base_name(word)))
}

/// Returns a readable name, such as `pts-3-1a2b3c4d`, that differs from the name of any other process with the same id.
fn named(prefix: &str, facts: &ProcessFacts) -> String {
    let terminal = facts.terminal.as_deref().unwrap_or_default();
    let whole = format!("{} {terminal} {} {}", facts.id, facts.started, process::numbering());
    let digits: String = socket_path::tag(Path::new(&whole)).chars().take(DIGITS).collect();
    format!("{}-{digits}", prefix.replace('/', "-"))
}

/// Returns the name of a program as it is used in the name of a session.
fn short(program: &str) -> String {
    program.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).take(NAME).collect()
}

#[cfg(test)]
mod tests;
