//! The command `editctl-ui`: a terminal interface to the journal of a workspace. It shows entries while agents edit, and
//! undoes entries, files and hunks through the daemon. Never writes to a file of the workspace.
//!
//! `state` decides, `view` draws, and only `shell` has effects.

mod shell;
mod state;
mod view;

#[cfg(test)]
mod tests;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use editctl::{Workspace, machine, session, show};

use shell::ShellError;
use shell::daemon::DaemonAddress;
use view::Palette;

const AFTER: &str = "\
Exit status: 0 done; 2 usage or no terminal; 5 input/output. The key ? lists the keys.";

/// Shows the journal of a workspace while agents edit it, and undoes entries, files and hunks
#[derive(Parser, Debug)]
#[command(name = "editctl ui", bin_name = "editctl ui", version = editctl::VERSION, after_help = AFTER, max_term_width = 100)]
struct CommandLine {
    /// The workspace [default: the nearest parent of the current folder with .editd.toml or .git, else that folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// The session that undoes and redoes [default: EDITCTL_SESSION, else derived from the terminal]
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// The socket of the daemon, if it was started with --socket
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Do not start a daemon if none is running
    #[arg(long)]
    no_spawn: bool,
}

/// Returns the definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    CommandLine::command()
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    match run(CommandLine::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let message = show::letters::one_line(&error.to_string());
            // If this fails, the message cannot be reported anywhere.
            let _ = writeln!(std::io::stderr(), "editctl ui: {message}");
            ExitCode::from(error.status())
        }
    }
}

fn run(line: CommandLine) -> Result<(), ShellError> {
    if !std::io::stdout().is_terminal() {
        let message = "standard output is not a terminal; use `editctl log`, `show` and `watch` for text";
        return Err(ShellError::Usage(message.to_owned()));
    }
    if machine::variable("TERM").is_some_and(|term| term == "dumb") {
        let message = "the terminal cannot move its cursor (TERM is `dumb`); use `editctl log` and `show`";
        return Err(ShellError::Usage(message.to_owned()));
    }
    let current = machine::current_folder().map_err(|error| ShellError::File(".".into(), error))?;
    let workspace = Workspace::choose(line.workspace.as_deref(), &current).map_err(ShellError::Usage)?;
    let named = session::from_environment().map_err(ShellError::Usage)?;
    let session = line.session.or(named).unwrap_or_else(|| session::derive().name);
    let address = DaemonAddress { workspace, session, socket: line.socket, no_spawn: line.no_spawn };
    let palette = Palette { colours: machine::variable("NO_COLOR").is_none() };
    shell::run(address, palette)
}
