//! The arguments of the commands that read and change files.

use std::path::PathBuf;

use clap::Args;
use editctl::values::{self, HunkList};

#[derive(Args, Debug)]
pub(crate) struct ReadArgs {
    /// The file
    pub(crate) path: PathBuf,
    /// Only these lines, from 1, inclusive; also A-B, A:, :B and a single number
    #[arg(long, value_name = "A:B", value_parser = values::lines)]
    pub(crate) lines: Option<(u64, u64)>,
    /// Only this definition, by name path such as Class/method (see `outline`)
    #[arg(long, value_name = "NAME", conflicts_with = "lines")]
    pub(crate) symbol: Option<String>,
    /// Only the body of the definition
    #[arg(long, requires = "symbol")]
    pub(crate) body: bool,
    /// Print `N | ` in front of each line
    #[arg(long)]
    pub(crate) numbers: bool,
}

#[derive(Args, Debug)]
pub(crate) struct EditArgs {
    /// The file with the job {"files": [{"path", "base", "edits"}]}, with --path only its edits or one edit, or with the
    /// payload of another tool [default: -, standard input]
    pub(crate) file: Option<PathBuf>,
    /// The dialect of the payload (see `dialects`) [default: native, or recognised by the fields or the first marker]
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// The file to edit
    #[arg(long)]
    pub(crate) path: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct ReplaceArgs {
    /// The file
    pub(crate) path: PathBuf,
    /// The text to replace, literally
    #[arg(allow_hyphen_values = true)]
    pub(crate) old: Option<String>,
    /// The new text, literally. (Put -- in front of a text that looks like a flag of editctl)
    #[arg(allow_hyphen_values = true)]
    pub(crate) new: Option<String>,
    /// Read the old text from a file (- is standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) old_file: Option<PathBuf>,
    /// Read the new text from a file (- is standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) new_file: Option<PathBuf>,
    /// Replace every occurrence
    #[arg(long)]
    pub(crate) all: bool,
    /// The number of occurrences that there must be
    #[arg(long, value_name = "N")]
    pub(crate) expect: Option<u64>,
    /// The line at which the text begins, if it occurs several times; a line up to 40 away is enough if no other place
    /// is that near
    #[arg(long, value_name = "LINE")]
    pub(crate) near: Option<u64>,
    /// The loosest comparison to use, such as exact, eol or indent
    #[arg(long = "match", value_name = "RUNG")]
    pub(crate) loosest: Option<String>,
    /// Compare and replace whole lines
    #[arg(long)]
    pub(crate) whole_lines: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CreateArgs {
    /// The file
    pub(crate) path: PathBuf,
    /// The text, literally; standard input if it is -, or if neither TEXT nor --file is given
    #[arg(allow_hyphen_values = true, conflicts_with = "file")]
    pub(crate) text: Option<String>,
    /// Read the text from a file (- is standard input)
    #[arg(long)]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct MoveArgs {
    /// The file
    pub(crate) path: PathBuf,
    /// The new path
    pub(crate) to: PathBuf,
    /// Replace a file at the new path
    #[arg(long)]
    pub(crate) overwrite: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SymbolArgs {
    /// The file
    pub(crate) path: PathBuf,
    /// The definition, by name path such as Class/method (see `outline`)
    pub(crate) name: String,
    /// The text, literally; standard input if it is -, or if neither TEXT nor --file is given
    #[arg(allow_hyphen_values = true, conflicts_with_all = ["file", "delete"])]
    pub(crate) text: Option<String>,
    /// Read the text from a file (- is standard input)
    #[arg(long, conflicts_with = "delete")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) action: SymbolAction,
}

/// The action of `symbol`: one of them.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct SymbolAction {
    /// Replace the body
    #[arg(long)]
    pub(crate) replace_body: bool,
    /// Replace the whole definition
    #[arg(long)]
    pub(crate) replace: bool,
    /// Insert the text before the definition
    #[arg(long)]
    pub(crate) insert_before: bool,
    /// Insert the text behind the definition
    #[arg(long)]
    pub(crate) insert_after: bool,
    /// Delete the definition
    #[arg(long)]
    pub(crate) delete: bool,
}

#[derive(Args, Debug)]
pub(crate) struct UndoArgs {
    /// The numbers of the entries
    #[arg(value_name = "JOB", value_parser = values::job)]
    pub(crate) jobs: Vec<u64>,
    /// This entry and all later ones: an entry (17), an age (10m, 2h), or a time (14:30, 2026-11-20T10:00)
    #[arg(long, value_name = "TIME_OR_ENTRY", conflicts_with = "jobs")]
    pub(crate) since: Option<String>,
    /// Everything after the newest mark of this name, of all sessions and other programs unless --session names one
    #[arg(long, value_name = "NAME", conflicts_with_all = ["jobs", "since"])]
    pub(crate) to: Option<String>,
    /// With JOB: undo only the changes of this file; may be repeated. Else: the newest entry that changed it
    #[arg(long = "path", value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// With JOB: undo only these hunks of a file, as numbered by `show`: 2, 1,3 or 2-4
    #[arg(long = "hunk", value_name = "N", value_parser = values::hunks, requires = "jobs")]
    pub(crate) hunks: Vec<HunkList>,
    /// Show the effect and write nothing; the same as --mode verify_only
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl UndoArgs {
    /// Returns true if the last entry of the session is meant.
    pub(crate) fn is_of_last(&self) -> bool {
        self.jobs.is_empty() && self.since.is_none() && self.to.is_none() && self.paths.is_empty()
    }
}

#[derive(Args, Debug)]
pub(crate) struct MarkArgs {
    /// The name; if it is used again, it means the newest mark
    pub(crate) name: String,
}

#[derive(Args, Debug)]
pub(crate) struct RedoArgs {
    /// The numbers of undo entries, or of the entries that they undid
    #[arg(value_name = "JOB", value_parser = values::job)]
    pub(crate) jobs: Vec<u64>,
    /// With JOB: redo only the changes of this file; may be repeated
    #[arg(long = "path", value_name = "PATH", allow_hyphen_values = true, requires = "jobs")]
    pub(crate) paths: Vec<PathBuf>,
    /// With JOB: redo only these hunks of a file, as numbered by `show`: 2, 1,3 or 2-4
    #[arg(long = "hunk", value_name = "N", value_parser = values::hunks, requires = "jobs")]
    pub(crate) hunks: Vec<HunkList>,
    /// Show the effect and write nothing; the same as --mode verify_only
    #[arg(long)]
    pub(crate) dry_run: bool,
}
