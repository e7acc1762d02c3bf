//! The words of the command line. It only says what may be written; what it means stands in `run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use editd_proto::message::{Durability, JobMode, OnStale};

mod scope;
pub(crate) mod values;

use values::Hunks;

const AFTER: &str = "\
Exit status: 0 done, unchanged or verified; 1 refused; 2 usage; 3 stale or unread; 4 no daemon;
5 input/output or internal.

Paths are relative to the current folder, or to the root of the workspace for a caller who stands
outside of it. Paths within a JSON job are always relative to the root.

Environment: EDITCTL_SESSION (see --session), EDITCTL_ON_STALE (what the jobs of the session do without
--on-stale: reject or rebase), EDITD_BIN (the daemon to start), NO_COLOR.";

/// Reads and edits files through editd, the one process in a workspace through which edits go
#[derive(Parser, Debug)]
#[command(name = "editctl", version, after_help = AFTER, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Line {
    #[command(flatten)]
    pub(crate) everywhere: Everywhere,
    #[command(flatten)]
    pub(crate) job: JobFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command understands.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Everywhere {
    /// The workspace; else the nearest folder upward with an .editd.toml or .git, else the current one
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The session, which owns receipts, clipboards and undo; else EDITCTL_SESSION, else derived from the terminal or
    /// the
    /// program that runs editctl (see `status`). For `log` and `undo` it also selects
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Print one JSON object (`watch`: one a line)
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The daemon's socket, where it was started with --socket
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Do not start a daemon where none runs
    #[arg(long, global = true)]
    pub(crate) no_spawn: bool,
}

/// Flags of what changes files. They may stand before the command, too; a command to which one means nothing neither
/// lists nor accepts it, see `scope`.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Options of the job")]
pub(crate) struct JobFlags {
    /// What to do with what validators say: strict, interactive or verify_only
    #[arg(long, global = true, value_parser = values::mode)]
    pub(crate) mode: Option<JobMode>,
    /// The action when the content changed since its base: reject or rebase; for edits else EDITCTL_ON_STALE, else
    /// what .editd.toml says
    #[arg(long, global = true, value_parser = values::on_stale)]
    pub(crate) on_stale: Option<OnStale>,
    /// The version that the edit starts from, @JOB (what JOB left), any, absent, blake3:HEX, sha256:HEX; else the receipt
    #[arg(long, global = true, value_name = "VERSION")]
    pub(crate) base: Option<String>,
    /// Apply what resolves and report the rest
    #[arg(long, global = true)]
    pub(crate) partial: bool,
    /// Similarity that fuzzy matching accepts, 0.5 to 1
    #[arg(long, global = true, value_name = "X", value_parser = values::threshold)]
    pub(crate) threshold: Option<f64>,
    /// The same key is the same job, however often it is sent
    #[arg(long, global = true, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Why, for the journal
    #[arg(long, global = true, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// When the reply may be sent: durable, full or relaxed
    #[arg(long, global = true, value_parser = values::durability)]
    pub(crate) durability: Option<Durability>,
    /// Queue the job durably and return at once with its number; see `wait`
    #[arg(long, global = true)]
    pub(crate) detach: bool,
    /// Show diffs also where they go to no terminal; with --json, the receipt in full
    #[arg(long, global = true, conflicts_with = "no_diff")]
    pub(crate) diff: bool,
    /// Do not show diffs
    #[arg(long, global = true)]
    pub(crate) no_diff: bool,
    /// Bytes that the reply may have, beside diffs that were asked for; with --json, the receipt in full
    #[arg(long, global = true, value_name = "BYTES")]
    pub(crate) budget: Option<u64>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Print a file, byte for byte, and get a receipt for it
    Read(Read),
    /// Run a job, written in JSON or as another tool's payload
    Edit(Edit),
    /// List the dialects in which a payload may be written
    Dialects,
    /// Show an operation of edits with its fields, their types and examples; all where none is named
    Help {
        /// The operation, such as replace or chunk
        op: Option<String>,
    },
    /// Replace a text that stands at one place
    Replace(Replace),
    /// Make a new file, and its folders; refused where something is
    Create(Create),
    /// List the definitions in a file
    Outline {
        /// The file
        path: PathBuf,
        /// Only definitions that lie in at most so many others
        #[arg(long, value_name = "N")]
        depth: Option<u64>,
    },
    /// Take back the session's last entry, or those that are named
    ///
    /// Without JOB, --since, --path or --session: the last entry of this session (see `status`), whose name
    /// comes from EDITCTL_SESSION or is derived. `undo --session S` takes back everything of session S that stands
    /// (with --since or --path: of those). With JOB, --session only says who asks.
    Undo(Undo),
    /// Take back an undo: the session's last, or those that are named
    Redo(Redo),
    /// List journal entries, newest first
    Log(Log),
    /// Show one journal entry with its changes
    Show {
        /// Its number
        #[arg(value_parser = values::job)]
        job: u64,
        /// Pass over so many of its files
        #[arg(long, value_name = "FILES")]
        from: Option<u64>,
    },
    /// Named clipboards, of the session or (with a leading /) of the workspace
    #[command(subcommand)]
    Clip(Clip),
    /// Print changes as they happen, until interrupted
    Watch {
        /// Which files, as globs of workspace paths; every file where none is given
        globs: Vec<String>,
    },
    /// Show the daemon's state
    Status,
    /// Check journal, staging folder and database
    Doctor,
    /// Show the commands that .editd.toml brings, and let them run
    Trust(Trust),
    /// Ask the daemon to finish, settle and leave; never starts one
    Stop,
    /// Wait for a detached job
    Wait(Wait),
    /// Withdraw a detached job that has not begun
    Cancel {
        /// Its number
        #[arg(value_parser = values::job)]
        job: u64,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Read {
    /// The file
    pub(crate) path: PathBuf,
    /// Only these lines, from 1, inclusive; A-B, A:, :B and one number are fine too
    #[arg(long, value_name = "A:B", value_parser = values::lines)]
    pub(crate) lines: Option<(u64, u64)>,
    /// Only this definition, by name path such as Class/method (see `outline`)
    #[arg(long, value_name = "NAME", conflicts_with = "lines")]
    pub(crate) symbol: Option<String>,
    /// Of the definition its body alone
    #[arg(long, requires = "symbol")]
    pub(crate) body: bool,
    /// Put `N | ` before each line
    #[arg(long)]
    pub(crate) numbers: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Edit {
    /// The job: {"files": [{"path", "base", "edits"}]}; with --path its edits alone, or one of them. Or the
    /// payload of another tool. Standard input where it is - or absent
    pub(crate) file: Option<PathBuf>,
    /// Whose payload it is (see `dialects`); else it is native, or recognised by its fields or first
    /// marker
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// The file that the edits are for
    #[arg(long)]
    pub(crate) path: Option<PathBuf>,
    /// The token of a verify_only reply: apply exactly that
    #[arg(long, value_name = "TOKEN")]
    pub(crate) verified: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Replace {
    /// The file
    pub(crate) path: PathBuf,
    /// The text that is there, literally
    #[arg(allow_hyphen_values = true)]
    pub(crate) old: Option<String>,
    /// The text that shall be there, literally. (A text that looks like a flag of editctl stands behind --)
    #[arg(allow_hyphen_values = true)]
    pub(crate) new: Option<String>,
    /// Take the old text from a file (- is standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) old_file: Option<PathBuf>,
    /// Take the new text from a file (- is standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) new_file: Option<PathBuf>,
    /// Every occurrence
    #[arg(long)]
    pub(crate) all: bool,
    /// How many occurrences there must be
    #[arg(long, value_name = "N")]
    pub(crate) expect: Option<u64>,
    /// The line near which it stands, where there are several
    #[arg(long, value_name = "LINE")]
    pub(crate) near: Option<u64>,
    /// The loosest comparison allowed, such as exact, eol or indent
    #[arg(long = "match", value_name = "RUNG")]
    pub(crate) loosest: Option<String>,
    /// Compare and replace whole lines
    #[arg(long)]
    pub(crate) whole_lines: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// The file
    pub(crate) path: PathBuf,
    /// Its text, literally; standard input where it is - or neither it nor --file is given
    #[arg(allow_hyphen_values = true, conflicts_with = "file")]
    pub(crate) text: Option<String>,
    /// Take the text from a file (- is standard input)
    #[arg(long)]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Undo {
    /// Entries by their numbers
    #[arg(value_name = "JOB", value_parser = values::job)]
    pub(crate) jobs: Vec<u64>,
    /// Every entry since: 10m, 2h, 2026-11-20T10:00Z, or milliseconds since 1970
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// With JOB: only what it changed in this file; may be repeated. Else the newest entry that touches it
    #[arg(long = "path", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// With JOB: only these hunks of its change of one file, as `show` numbers them: 2, 1,3 or 2-4
    #[arg(long = "hunk", value_name = "N", value_parser = values::hunks, requires = "jobs")]
    pub(crate) hunks: Vec<Hunks>,
    /// Show what would be undone, and write nothing; the same as --mode verify_only
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Redo {
    /// Undo entries by their numbers, or the entries that they took back
    #[arg(value_name = "JOB", value_parser = values::job)]
    pub(crate) jobs: Vec<u64>,
    /// With JOB: only what it changed in this file; may be repeated
    #[arg(long = "path", value_name = "PATH", requires = "jobs")]
    pub(crate) paths: Vec<PathBuf>,
    /// With JOB: only these hunks of its change of one file, as `show` numbers them: 2, 1,3 or 2-4
    #[arg(long = "hunk", value_name = "N", value_parser = values::hunks, requires = "jobs")]
    pub(crate) hunks: Vec<Hunks>,
    /// Show what would be redone, and write nothing; the same as --mode verify_only
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Log {
    /// Only entries that touch this file
    #[arg(long)]
    pub(crate) path: Option<PathBuf>,
    /// Only entries since: 10m, 2h, 2026-11-20T10:00Z, or milliseconds since 1970
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only entries below this number: the next page
    #[arg(long, value_name = "JOB")]
    pub(crate) before: Option<u64>,
    /// How many; 100 where absent
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Clip {
    /// List them
    List,
    /// Print one, byte for byte
    Show {
        /// Its name
        name: String,
    },
    /// Store a text in one
    Set {
        /// Its name
        name: String,
        /// The text, literally; standard input where neither it nor --file is given
        #[arg(allow_hyphen_values = true, conflicts_with = "file")]
        text: Option<String>,
        /// Take the text from a file (- is standard input)
        #[arg(long)]
        file: Option<PathBuf>,
    },
    /// Copy one to another
    Copy {
        /// Its name
        name: String,
        /// The other's name
        to: String,
    },
    /// Remove one
    Rm {
        /// Its name
        name: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Trust {
    /// Do not ask: record this hash, if it is what is there
    #[arg(long, value_name = "HASH", conflicts_with_all = ["show", "revoke"])]
    pub(crate) yes: Option<String>,
    /// Only show them
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) show: bool,
    /// Forget everything that was recorded for this workspace
    #[arg(long)]
    pub(crate) revoke: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Wait {
    /// Its number
    #[arg(value_parser = values::job)]
    pub(crate) job: u64,
    /// How long, such as 30s or 10m; an hour where absent
    #[arg(long, value_name = "TIME", value_parser = values::patience)]
    pub(crate) timeout: Option<u64>,
}

impl Command {
    /// Returns true where what it does is for later commands of its session, or uses what earlier ones did.
    pub(crate) fn uses_its_session(&self) -> bool {
        let named = |name: &str| !name.starts_with('/');
        match self {
            Self::Read(_) => true,
            Self::Undo(words) => words.jobs.is_empty() && words.since.is_none() && words.paths.is_empty(),
            Self::Redo(words) => words.jobs.is_empty(),
            Self::Clip(Clip::Show { name } | Clip::Set { name, .. } | Clip::Rm { name }) => named(name),
            Self::Clip(Clip::Copy { name, to }) => named(name) || named(to),
            _ => false,
        }
    }
}

/// Reads a command line, program name first.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Line, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    let mut command = scope::scoped(Line::command(), &words);
    let matches = command.try_get_matches_from_mut(words)?;
    scope::check(&mut command, &matches)?;
    Line::from_arg_matches(&matches)
}

#[cfg(test)]
mod tests;
