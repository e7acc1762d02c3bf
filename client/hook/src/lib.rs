//! The command `editctl-hook`: answers the hooks of agent runtimes that keep their own edit tools. It records what the tools
//! show, denies the change of a file that changed since the agent read it, and names the agent as the author of what its
//! tools change. Never writes to a file of the workspace.
//!
//! *Invariants*: the call of a tool is denied only for a file that changed. If anything fails or takes too long, the call is
//! allowed, and the reason goes to standard error. The exit status is then 0: runtimes treat others as denials.

mod act;
mod answer;
mod call;
mod limits;
mod patch;
mod payload;
mod runtime;
mod search;

use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use clap::{CommandFactory, Parser};
use editctl::runtime::Runtime;
use editctl::{machine, session};

use act::HookDecision;
use call::ToolCall;
use limits::{PATIENCE, PAYLOAD};
use runtime::HookRunner;

const AFTER: &str = "\
`editctl setup RUNTIME --hooks` writes the hooks into the configuration of a runtime.

Environment: EDITCTL_SESSION (see --session), EDITD_BIN (the daemon to start).

Exit status: 0, also if the call is denied, which the output says; 1 for wrong options.";

/// Answers a hook of an agent runtime that keeps its own edit tools; the runtime runs it
///
/// Reads the payload of the hook from standard input, and prints the answer in the form of the runtime. After a tool has shown
/// a file, records that as read. Before a tool changes a file, denies the call if the file changed since the agent read it,
/// and shows the change. After the call, names the agent's session as the author of the changes. If editd is not available,
/// the call is allowed.
#[derive(Parser, Debug)]
#[command(name = "editctl hook", bin_name = "editctl hook", version = editctl::VERSION, after_help = AFTER, max_term_width = 100)]
pub(crate) struct HookOptions {
    /// The runtime
    #[arg(value_parser = runtime::parser(), value_name = "RUNTIME")]
    pub(crate) runtime: Runtime,
    /// The workspace [default: the nearest parent of the project's folder with .editd.toml or .git, else that folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The session, which owns receipts and undo [default: EDITCTL_SESSION, else the session in the payload]
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// The socket of the daemon, if it was started with --socket
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Do not start a daemon if none is running
    #[arg(long)]
    pub(crate) no_spawn: bool,
}

/// Prints a message to standard error, which runtimes log.
pub(crate) fn tell(words: &str) {
    let line: String = words.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    // If this fails, the message cannot be reported anywhere.
    let _ = writeln!(std::io::stderr(), "editctl hook: {line}");
}

/// Returns the definition of the command line, for the manual page and the completions.
#[must_use]
pub fn command() -> clap::Command {
    HookOptions::command()
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let mut options = match HookOptions::try_parse() {
        Ok(options) => options,
        Err(error) => {
            // The usual status of wrong options would deny every call.
            let _ = error.print();
            return ExitCode::from(u8::from(error.use_stderr()));
        }
    };
    let named = session::from_environment().unwrap_or_else(|why| {
        tell(&format!("{why}; the session of the payload is used"));
        None
    });
    options.session = options.session.or(named);
    let runtime = options.runtime;
    let (sender, receiver) = mpsc::channel();
    let is_read = Arc::new(AtomicBool::new(false));
    let read = Arc::clone(&is_read);
    let started = std::thread::Builder::new().name("hook".to_owned()).spawn(move || {
        // If nobody waits any more, the answer is not needed.
        let _ = sender.send(answer(&options, &read));
    });
    let out = match started.map(|_| receiver.recv_timeout(PATIENCE)) {
        Ok(Ok(Ok(out))) => out,
        Ok(Ok(Err(why))) => {
            tell(&format!("{why}; the call is allowed without editd"));
            answer::allowed(runtime)
        }
        Ok(Err(_)) => {
            let seconds = PATIENCE.as_secs();
            let missed = match is_read.load(Ordering::Acquire) {
                true => "editd did not answer",
                false => "the runtime did not end the payload (its end of standard input is still open)",
            };
            tell(&format!("{missed} within {seconds} s; the call is allowed without editd"));
            answer::allowed(runtime)
        }
        Err(error) => {
            tell(&format!("no thread can be started: {error}; the call is allowed without editd"));
            answer::allowed(runtime)
        }
    };
    let mut stdout = std::io::stdout().lock();
    let printed = stdout.write_all(out.as_bytes()).and_then(|()| stdout.flush());
    if let Err(error) = printed.as_ref().map_err(std::io::Error::kind)
        && error != ErrorKind::BrokenPipe
    {
        tell("the answer cannot be printed");
    }
    ExitCode::SUCCESS
}

/// Returns the answer to the payload on standard input. Sets `is_read` at its end.
fn answer(options: &HookOptions, is_read: &AtomicBool) -> Result<String, String> {
    let bytes = machine::read_whole(None, PAYLOAD).map_err(|error| format!("the payload: {error}"))?;
    is_read.store(true, Ordering::Release);
    let payload = payload::parse(&bytes).map_err(|error| format!("the payload is no JSON: {error}"))?;
    let is_set = |name: &str| machine::variable(name).is_some();
    if let Some(runner) = HookRunner::of(&payload, &is_set)
        && runner != HookRunner::Known(options.runtime)
    {
        let (own, other) = (options.runtime.name(), runner.name());
        tell(&format!("a hook of {own} that is run by {other} does nothing; set {other} up on its own"));
        return Ok(answer::allowed(options.runtime));
    }
    let Some(call) = ToolCall::of(&payload)? else { return Ok(answer::allowed(options.runtime)) };
    match act::act(options, &call).map_err(|failure| failure.0)? {
        HookDecision::Allow => Ok(answer::allowed(options.runtime)),
        HookDecision::Deny(error) => {
            Ok(answer::denied(options.runtime, &call.event, &answer::reason(&error)))
        }
    }
}

#[cfg(test)]
mod tests;
