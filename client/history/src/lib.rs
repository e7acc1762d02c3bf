//! The command `editctl-history`: shows what the journal has about changes, as one diff (`diff`), line by line (`blame`)
//! or as a page (`report`). Changes nothing; the page is written where the user says.

mod blame;
mod choice;
mod context;
mod diff;
mod escape;
mod inverse;
mod page;
mod past;
mod report;
mod walk;

use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use editctl::failure::{ExitStatus, Failure};
use editctl::show::error::ErrorInJson;
use editctl::show::{self, OutputStyle};

use context::ReviewContext;
use serde::Serialize;

const AFTER: &str = "\
Exit status: 0 done; 1 refused; 2 usage; 4 no daemon; 5 input/output or internal.";

/// Shows the changes that the journal has
#[derive(Parser, Debug)]
#[command(name = "editctl", bin_name = "editctl", version = editctl::VERSION, after_help = AFTER, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true, disable_help_subcommand = true)]
struct CommandLine {
    #[command(flatten)]
    everywhere: GlobalFlags,
    #[command(subcommand)]
    command: Command,
}

/// Flags that every command has.
#[derive(Args, Debug)]
struct GlobalFlags {
    /// The workspace [default: the nearest parent of the current folder with .editd.toml or .git, else that folder]
    #[arg(long, global = true, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// For `diff` and `report`: only entries of this session [default without --since and --mark: EDITCTL_SESSION, else
    /// the one of this terminal or program]
    #[arg(long, global = true, value_name = "NAME")]
    session: Option<String>,
    /// Print a JSON object
    #[arg(long, global = true)]
    json: bool,
    /// The socket of the daemon, if it was started with --socket
    #[arg(long, global = true, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Do not start a daemon if none is running
    #[arg(long, global = true)]
    no_spawn: bool,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Print the net change of a session, or since a point in time, as one unified diff
    ///
    /// For each path, the content before the first entry is compared with the content after the last one. `git apply` and
    /// `patch` apply the diff. Binary files are named in lines that begin with #.
    Diff(diff::DiffArgs),
    /// Show for each line of a file the entry, session, time and label that wrote it
    Blame(blame::BlameArgs),
    /// Write the entries and their net change to an HTML page, for instance for a pull request
    Report(report::ReportArgs),
}

/// The output of a command.
struct CommandOutput {
    out: Vec<u8>,
    /// Sentences for standard error.
    notes: Vec<String>,
}

/// Returns the definition of a command of this program, with the flags that every command has.
#[must_use]
pub fn command(name: &'static str) -> clap::Command {
    let whole = CommandLine::command();
    let flags: Vec<clap::Arg> = whole.get_arguments().map(|flag| flag.clone().global(false)).collect();
    let command = whole.find_subcommand(name).cloned();
    command.unwrap_or_else(|| clap::Command::new(name)).args(flags)
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let line = CommandLine::parse();
    let style = OutputStyle::of_this_terminal(line.everywhere.json);
    let status = match run(line, &style) {
        Ok(output) => print(&output, &style),
        Err(failure) => fail(&failure, &style),
    };
    status.code()
}

fn run(line: CommandLine, style: &OutputStyle) -> Result<CommandOutput, Failure> {
    let context = ReviewContext::open(line.everywhere, style)?;
    match line.command {
        Command::Diff(words) => diff::run(&context, &words),
        Command::Blame(words) => blame::run(&context, &words),
        Command::Report(words) => report::run(&context, &words),
    }
}

/// Returns an object as a line of JSON.
fn in_json(object: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let mut out = serde_json::to_vec(object)
        .map_err(|error| Failure::File("the output cannot be written as JSON".into(), error.into()))?;
    out.push(b'\n');
    Ok(out)
}

/// Prints the output. A closed pipe is no failure; a full disk is.
fn print(output: &CommandOutput, style: &OutputStyle) -> ExitStatus {
    let mut stdout = std::io::stdout().lock();
    let printed = stdout.write_all(&style.printed(&output.out)).and_then(|()| stdout.flush());
    output.notes.iter().for_each(|note| context::tell(note));
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            fail(&Failure::File("standard output".into(), error), style)
        }
        _ => ExitStatus::Done,
    }
}

/// Prints a failure: a JSON object on standard output, or text on standard error.
fn fail(failure: &Failure, style: &OutputStyle) -> ExitStatus {
    let error = failure.wire();
    // The status stays the same if the message cannot be printed.
    let _ = match serde_json::to_string(&ErrorInJson { error: &error }) {
        Ok(json) if style.json => writeln!(std::io::stdout(), "{json}"),
        _ => {
            let text = show::error::text(&error, &style.for_errors());
            std::io::stderr().lock().write_all(&style.for_errors().printed(text.as_bytes()))
        }
    };
    failure.exit()
}
