//! The arguments of the command line and their help texts. `run` executes the commands.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use editctl::values;
use editd_proto::message::{Durability, JobMode, OnStale};

mod archive;
pub(crate) mod checks;
mod clip;
mod editing;
pub(crate) mod scope;
mod status;

pub(crate) use archive::{ExportArgs, ImportArgs};
pub(crate) use clip::ClipCommand;
pub(crate) use editing::{
    CreateArgs, EditArgs, MarkArgs, MoveArgs, ReadArgs, RedoArgs, ReplaceArgs, SymbolArgs, UndoArgs,
};
pub(crate) use status::StatusArgs;

const AFTER: &str = "\
Exit status: 0 done, unchanged, verified or queued; 1 refused or partial; 2 usage;
3 stale or unread; 4 no daemon; 5 input/output or internal.

Paths are relative to the current folder, or to the root of the workspace if the current folder is
outside of it. Paths within a JSON job are always relative to the root.

Environment: EDITCTL_SESSION (see --session), EDITCTL_ON_STALE (the default of --on-stale for the jobs
of the session: reject or rebase), EDITD_BIN (the daemon to start), NO_COLOR.";

/// Reads and edits files through editd, the daemon of a workspace
#[derive(Parser, Debug)]
#[command(name = "editctl", version = editctl::VERSION, after_help = AFTER, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) everywhere: GlobalFlags,
    #[command(flatten)]
    pub(crate) job: JobFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command has.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Common options")]
pub(crate) struct GlobalFlags {
    /// The workspace [default: the nearest parent folder with .editd.toml or .git, else the current folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The session, which owns receipts, clipboards and undo [default: EDITCTL_SESSION, else derived from the terminal
    /// or the program that runs editctl, see `status`]. For `log` and `undo` it also selects entries
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Print a JSON object (`watch`: one per line)
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The socket of the daemon, if it was started with --socket
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Do not start a daemon if none is running
    #[arg(long, global = true)]
    pub(crate) no_spawn: bool,
}

/// Flags of commands that change files. They may be in front of the command, too. A command neither lists nor accepts
/// the flags that do not apply to it, see `scope`.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Options of the job")]
pub(crate) struct JobFlags {
    /// Handling of issues that validators find: strict, interactive or verify_only
    #[arg(long, global = true, value_parser = values::mode)]
    pub(crate) mode: Option<JobMode>,
    /// Handling of content that changed since its base: reject or rebase [default: EDITCTL_ON_STALE for edits, else
    /// .editd.toml]
    #[arg(long, global = true, value_parser = values::on_stale)]
    pub(crate) on_stale: Option<OnStale>,
    /// The version on which the edit is based: a version, @JOB (the result of JOB), any, absent, blake3:HEX or
    /// sha256:HEX [default: the version that was read]
    #[arg(long, global = true, value_name = "VERSION")]
    pub(crate) base: Option<String>,
    /// Apply the edits that can be applied and report the rest
    #[arg(long, global = true)]
    pub(crate) partial: bool,
    /// The token of a verify_only reply: apply exactly that plan
    #[arg(long, global = true, value_name = "TOKEN")]
    pub(crate) verified: Option<String>,
    /// The similarity that fuzzy matching requires, 0.5 to 1
    #[arg(long, global = true, value_name = "X", value_parser = values::threshold)]
    pub(crate) threshold: Option<f64>,
    /// A key for the job; a job with the same key is applied only once
    #[arg(long, global = true, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// A description for the journal
    #[arg(long, global = true, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// The durability that the reply confirms: durable, full or relaxed
    #[arg(long, global = true, value_parser = values::durability)]
    pub(crate) durability: Option<Durability>,
    /// Queue the job durably and return its number at once; see `wait`
    #[arg(long, global = true)]
    pub(crate) detach: bool,
    /// Show diffs even if the output is no terminal; with --json, print the whole receipt
    #[arg(long, global = true, conflicts_with = "no_diff")]
    pub(crate) diff: bool,
    /// Do not show diffs
    #[arg(long, global = true)]
    pub(crate) no_diff: bool,
    /// Maximum size of the reply in bytes, without requested diffs; with --json, print the whole receipt
    #[arg(long, global = true, value_name = "BYTES")]
    pub(crate) budget: Option<u64>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Print a file byte for byte and record that it was read
    Read(ReadArgs),
    /// Run a job, written in JSON or as the payload of another tool
    Edit(EditArgs),
    /// List the dialects of payloads
    Dialects,
    /// List the commands, or show the help of one, or the fields, types and examples of an edit operation
    Help {
        /// A command, such as undo, an operation, such as chunk, or `operations`: all of them
        #[arg(value_name = "COMMAND|OP")]
        name: Option<String>,
    },
    /// Replace a text that occurs once
    Replace(ReplaceArgs),
    /// Create a new file and its folders; refused if the file exists
    Create(CreateArgs),
    /// Write a whole file; creates it and its folders if it does not exist
    Write(CreateArgs),
    /// Move a file
    Mv(MoveArgs),
    /// Delete a file
    Rm {
        /// The file
        path: PathBuf,
    },
    /// Edit a definition
    Symbol(SymbolArgs),
    /// List the definitions in a file
    Outline {
        /// The file
        path: PathBuf,
        /// Only definitions inside of at most N others
        #[arg(long, value_name = "N")]
        depth: Option<u64>,
    },
    /// Undo the last entry of the session, or the given entries
    ///
    /// Without JOB, --since, --to, --path and --session: the last entry of this session (see `status`). `undo --session S`
    /// undoes all entries of session S that are applied (with --since, --to or --path: those that also match). With JOB,
    /// --session only names the requesting session.
    Undo(UndoArgs),
    /// Undo the last undo of the session, or the given ones
    Redo(RedoArgs),
    /// Name the present state, so that `undo --to NAME` and `diff --mark NAME` can refer to it
    Mark(MarkArgs),
    /// List journal entries, newest first
    Log(LogArgs),
    /// Show a journal entry with its changes
    Show {
        /// The number of the entry
        #[arg(value_parser = values::job)]
        job: u64,
        /// Skip so many files of the entry
        #[arg(long, value_name = "FILES")]
        from: Option<u64>,
        /// Show the changed bytes in hexadecimal digits instead of diffs
        #[arg(long)]
        bytes: bool,
    },
    /// Print a content that a file had after (or before) a journal entry, byte for byte
    ///
    /// For an entry of rescued bytes, those bytes. A content that is not text is not sent to a terminal without --raw.
    Cat(CatArgs),
    /// Print the net change of a session, or since a time, as one diff
    #[command(disable_help_flag = true)]
    Diff {
        /// See `diff --help`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "PATH")]
        words: Vec<OsString>,
    },
    /// Show the entry that wrote each line of a file
    #[command(disable_help_flag = true)]
    Blame {
        /// See `blame --help`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "PATH")]
        words: Vec<OsString>,
    },
    /// Write entries and their net change to an HTML page
    #[command(disable_help_flag = true)]
    Report {
        /// See `report --help`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
        words: Vec<OsString>,
    },
    /// Use named clipboards of the session or (with a leading /) of the workspace
    #[command(subcommand)]
    Clip(ClipCommand),
    /// Remove the contents of a file from the journal; its entries remain and can no longer be undone
    Forget {
        /// The file; it need not exist any more
        path: PathBuf,
    },
    /// Print changes as they happen, until interrupted
    Watch {
        /// Globs of workspace paths [default: every file]
        globs: Vec<String>,
    },
    /// Show the state of the daemon, or the times of a job
    Status(StatusArgs),
    /// Print counters and latencies as OpenMetrics text, for a monitoring system
    Metrics,
    /// Show every setting, its value and its source
    ///
    /// Values of .editd.toml that do not apply are shown with the reason, and with what to do.
    Config,
    /// Check the journal, the staging folder and the database
    Doctor,
    /// Write a new state from all intact records of a damaged log; the daemon must be stopped
    ///
    /// Lists the entries, clipboards and keys that are lost, and keeps the damaged state under another name. Changes
    /// neither files of the workspace nor a state that is intact.
    Salvage {
        /// The state folder, if the daemon was started with --state
        #[arg(long, value_name = "DIR")]
        state: Option<PathBuf>,
    },
    /// Write the journal with its contents to a file of JSON lines, as a backup or for other tools
    ///
    /// The daemon goes on serving. The file contains what the files of the workspace contained: only the user can read it.
    Export(ExportArgs),
    /// Restore the journal from a file that `export` wrote; the daemon must be stopped, and the journal empty
    ///
    /// The whole file is checked before anything changes. Changes no file of the workspace.
    Import(ImportArgs),
    /// Show the commands in .editd.toml and its settings that need trust, and approve them
    Trust(TrustArgs),
    /// Show the results of the checks that ran after jobs
    Checks(checks::ChecksArgs),
    /// Stop the daemon after its jobs are finished and settled; never starts one
    Stop,
    /// Serve an agent runtime over the Model Context Protocol, on standard input and output
    ///
    /// Runs the program `editctl-mcp`, which must be beside this one or in PATH. One process is one session, with a name of
    /// its own if --session and EDITCTL_SESSION give none.
    Mcp {
        /// Offer the tools of this runtime, such as claude-code [default: read,edit,undo,history]
        #[arg(long = "as", value_name = "NAME")]
        runtime: Option<String>,
        /// Offer only these tools [default: all of them]
        #[arg(long, value_name = "NAMES")]
        tools: Option<String>,
    },
    /// Answer a hook of an agent runtime that keeps its own edit tools; the runtime runs it
    ///
    /// Runs the program `editctl-hook`, which has the options: see `hook --help`.
    #[command(disable_help_flag = true)]
    Hook {
        /// The runtime and the options
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "RUNTIME")]
        words: Vec<OsString>,
    },
    /// Write the server `editctl mcp` into the configuration of an agent runtime, or remove it
    ///
    /// Runs the program `editctl-setup`, which has the options: see `setup --help`.
    #[command(disable_help_flag = true)]
    Setup {
        /// The runtime and the options
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "RUNTIME")]
        words: Vec<OsString>,
    },
    /// Watch the journal on the whole screen of the terminal, and undo entries, files and hunks with keys
    ///
    /// Runs the program `editctl-ui`, which must be beside this one or in PATH.
    Ui,
    /// Wait for a detached job
    Wait(WaitArgs),
    /// Cancel a detached job that has not started
    Cancel {
        /// The number of the job
        #[arg(value_parser = values::job)]
        job: u64,
    },
}

#[derive(Args, Debug)]
pub(crate) struct LogArgs {
    /// Only entries that changed this file
    #[arg(long)]
    pub(crate) path: Option<PathBuf>,
    /// Only this entry and later ones: an entry (17), an age (10m, 2h), or a time (14:30, 2026-11-20T10:00)
    #[arg(long, value_name = "TIME_OR_ENTRY")]
    pub(crate) since: Option<String>,
    /// Only entries with a lower number, for the next page
    #[arg(long, value_name = "JOB", value_parser = values::job)]
    pub(crate) before: Option<u64>,
    /// Maximum number of entries [default: 100]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
}

#[derive(Args, Debug)]
pub(crate) struct CatArgs {
    /// The file and the number of the entry, such as src/main.rs@17
    #[arg(value_name = "PATH@ENTRY")]
    pub(crate) content: PathBuf,
    /// The content before the entry
    #[arg(long)]
    pub(crate) before: bool,
    /// Send the bytes to a terminal even if they are not text: it may obey them
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TrustArgs {
    /// Approve without a question, if .editd.toml has this hash
    #[arg(long, value_name = "HASH", conflicts_with_all = ["show", "revoke"])]
    pub(crate) yes: Option<String>,
    /// Only show them
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) show: bool,
    /// Withdraw every approval for this workspace
    #[arg(long)]
    pub(crate) revoke: bool,
}

#[derive(Args, Debug)]
pub(crate) struct WaitArgs {
    /// The number of the job
    #[arg(value_parser = values::job)]
    pub(crate) job: u64,
    /// Maximum time, such as 30s or 10m [default: until the job ends]
    #[arg(long, value_name = "TIME", value_parser = values::patience)]
    pub(crate) timeout: Option<u64>,
}

impl Command {
    /// Returns true if `--session` names the entries that are meant, and not the session of the caller.
    pub(crate) fn selects_by_session(&self) -> bool {
        matches!(self, Self::Undo(words) if words.jobs.is_empty())
    }

    /// Returns true if the command depends on earlier commands of its session, or later ones depend on it.
    pub(crate) fn uses_its_session(&self) -> bool {
        let named = |name: &str| !name.starts_with('/');
        match self {
            Self::Read(_) => true,
            Self::Undo(words) => words.is_of_last(),
            Self::Redo(words) => words.jobs.is_empty(),
            Self::Clip(
                ClipCommand::Show { name } | ClipCommand::Set { name, .. } | ClipCommand::Rm { name },
            ) => named(name),
            Self::Clip(ClipCommand::Copy { name, to }) => named(name) || named(to),
            _ => false,
        }
    }
}

/// Parses a command line that starts with the program name.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<CommandLine, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    let mut command = scope::scoped(CommandLine::command(), &words);
    let matches = command.try_get_matches_from_mut(words)?;
    scope::check(&mut command, &matches)?;
    CommandLine::from_arg_matches(&matches)
}

/// Returns the list of the commands and the common options.
pub(crate) fn overview() -> String {
    CommandLine::command().render_help().to_string()
}

/// Returns the names of the commands.
pub(crate) fn commands() -> Vec<String> {
    CommandLine::command().get_subcommands().map(|one| one.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests;
