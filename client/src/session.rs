//! The session of a caller that names none: derived from the terminal or the program that runs the command. Pure but
//! for [`derive()`], which asks the system about processes.
//!
//! Two callers must never share a session unless they name it: the one would then be told nothing of what the other
//! changed. So the parents are followed up to the nearest process that stands for one caller:
//!
//! * a shell that leads the session of a terminal: the terminal;
//! * any other program (an agent runtime, an editor, a script): that program. A shell that was given its command with
//!   `-c` or on standard input, and programs that run one command, such as `timeout`, stand for their parent, also where
//!   each command has a session (`setsid`) or a terminal of its own.
//!
//! Programs that run commands for many callers (`sshd`, `cron`, a service manager, the first process of a container),
//! and those that adopt processes whose parent has ended, stand for nobody. Below them, what they started stands for
//! itself: a command line, or this command alone.
//!
//! *Limitations*: several agents of one program share its session unless the program names one for each. Without
//! `/proc` the program `ps` is asked. On Windows every command is a session of its own.

use std::fmt;
use std::path::Path;

use editd_proto::socket_path;

use crate::machine;
use crate::machine::process::{self, ProcessFacts};

/// The most parents that are followed.
const PARENTS: usize = 64;

/// Hexadecimal digits that tell apart processes with the same number.
const DIGITS: usize = 8;

/// Bytes of a program's name that a session's name has.
const NAME: usize = 24;

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "nu", "busybox"];

/// Programs that run the one command on their own command line.
const WRAPPERS: &[&str] = &[
    "bwrap", "chrt", "doas", "env", "find", "firejail", "flock", "ionice", "nice", "nohup", "nsenter",
    "script", "setpriv", "setsid", "stdbuf", "strace", "su", "sudo", "time", "timeout", "unshare", "xargs",
];

/// Programs that run commands for many callers: service managers, terminals, and `editd`, for validators and hooks.
/// The kernel keeps 15 bytes of a name.
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

/// A session that was derived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DerivedSession {
    /// Its name: the same for every command of one caller, and nobody else's.
    pub name: String,
    /// The process or terminal that it was derived from.
    pub origin: SessionOrigin,
}

/// The process or terminal that a session was derived from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SessionOrigin {
    /// A terminal, and the process that leads its session.
    Terminal(String, u32),
    /// A program that runs commands, and its process.
    Program(String, u32),
    /// Nothing that lasts longer than this command.
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

/// Derives the session of the process that runs this.
pub fn derive() -> DerivedSession {
    of_process(process::own_id(), process::process)
}

/// Derives the session of a process from what `look` says of it and its parents.
fn of_process(own: u32, look: impl Fn(u32) -> Option<ProcessFacts>) -> DerivedSession {
    match look(own).and_then(|facts| caller(facts, look)) {
        Some(Found::Terminal(leader)) => {
            let terminal = leader.terminal.clone().unwrap_or_default();
            let name = named(&terminal, &leader);
            DerivedSession { name, origin: SessionOrigin::Terminal(terminal, leader.id) }
        }
        Some(Found::Program(facts)) => {
            let program = facts.program.clone().unwrap_or_else(|| String::from("process"));
            let name = named(&format!("{}-{}", short(&program), facts.id), &facts);
            DerivedSession { name, origin: SessionOrigin::Program(program, facts.id) }
        }
        None => {
            // Unlike any other, whatever becomes of the number of this process.
            let name = format!("once-{own}-{:x}", machine::now_ns());
            DerivedSession { name, origin: SessionOrigin::Command }
        }
    }
}

/// The process that stands for the caller.
enum Found {
    Terminal(ProcessFacts),
    Program(ProcessFacts),
}

/// Follows the parents of `own`; `None` where it stands for itself.
fn caller(own: ProcessFacts, look: impl Fn(u32) -> Option<ProcessFacts>) -> Option<Found> {
    let id = own.id;
    let mut below = own;
    for _ in 0..PARENTS {
        let parent = Some(below.parent).filter(|parent| *parent != 0);
        let Some(above) = parent.and_then(&look).filter(|above| started_it(above, &below)) else { break };
        let lone = above.id == 1 && !shares_terminal(&above, &below);
        if lone || SERVERS.contains(&above.name.as_str()) {
            break;
        }
        let shell = shell(&above);
        if above.leads && above.terminal.is_some() && shell == Some(Reads::Input) {
            return Some(Found::Terminal(above));
        }
        if shell.is_none_or(|reads| reads == Reads::Script) && !is_wrapper(&above) {
            return Some(Found::Program(above));
        }
        below = above;
    }
    (below.id != id).then_some(Found::Program(below))
}

/// Returns false for a process that adopted another whose parent has ended: sessions are inherited or begun, so the
/// two belong to one, or the child leads its own.
fn started_it(above: &ProcessFacts, below: &ProcessFacts) -> bool {
    below.leads || below.session == above.session
}

/// Returns true for a process of the session of a terminal that `above` leads. The first process of a container adopts
/// all others, so that only this tells its own.
fn shares_terminal(above: &ProcessFacts, below: &ProcessFacts) -> bool {
    above.leads && above.terminal.is_some() && !below.leads && below.session == above.session
}

/// The source of a shell's commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// Its command line.
    Line,
    /// A file.
    Script,
    /// A terminal or standard input.
    Input,
}

/// Returns the source of the commands of a process that is a shell; `None` for any other process.
fn shell(facts: &ProcessFacts) -> Option<Reads> {
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
            return Some(Reads::Line);
        } else if word == "-s" {
            return Some(Reads::Input);
        } else if !word.starts_with(['-', '+']) {
            return Some(Reads::Script);
        } else {
            takes_value = matches!(word, "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file");
        }
    }
    Some(Reads::Input)
}

/// `-c`, alone or among others, as in `-lc`.
fn is_command_option(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word != "-norc" && word.contains('c')
}

fn is_wrapper(facts: &ProcessFacts) -> bool {
    facts.words.first().is_some_and(|word| WRAPPERS.contains(&process::base_name(word)))
}

/// `pts-3-1a2b3c4d`: readable, and unlike the name of any process that had or will have the same number.
fn named(prefix: &str, facts: &ProcessFacts) -> String {
    let terminal = facts.terminal.as_deref().unwrap_or_default();
    let whole = format!("{} {terminal} {} {}", facts.id, facts.started, process::numbering());
    let digits: String = socket_path::tag(Path::new(&whole)).chars().take(DIGITS).collect();
    format!("{}-{digits}", prefix.replace('/', "-"))
}

/// A program's name as part of a session's.
fn short(program: &str) -> String {
    program.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).take(NAME).collect()
}

#[cfg(test)]
mod tests;
