//! The output of a run.

use std::fmt::Write;
use std::path::PathBuf;

use editctl::runtime::Runtime;
use editctl::show::{self, OutputStyle};
use serde_json::json;

use crate::format::NAME;

/// The result for the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// A new file with the entry.
    Created,
    /// The entry is new in the file.
    Added,
    /// The entry has another value.
    Replaced,
    /// The entry is gone.
    Removed,
    /// The file is gone.
    Deleted,
    /// Nothing had to be changed.
    Unchanged,
}

/// The subject of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    /// The MCP server.
    Server,
    /// The hooks.
    Hooks,
}

impl Subject {
    /// Returns the words for messages.
    fn words(self) -> String {
        match self {
            Self::Server => format!("the server `{NAME}`"),
            Self::Hooks => format!("the hooks of `{NAME}`"),
        }
    }
}

/// A report about a run.
#[derive(Debug)]
pub(crate) struct Report {
    /// The runtime.
    pub(crate) runtime: Runtime,
    /// The subject.
    pub(crate) subject: Subject,
    /// The file, with links resolved.
    pub(crate) file: PathBuf,
    /// The result.
    pub(crate) outcome: Outcome,
    /// Set if nothing was to be written.
    pub(crate) dry_run: bool,
    /// The change as a unified diff.
    pub(crate) diff: String,
    /// Facts and next steps, one sentence each.
    pub(crate) notes: Vec<String>,
}

impl Outcome {
    /// Returns the word for JSON.
    fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Added => "added",
            Self::Replaced => "replaced",
            Self::Removed => "removed",
            Self::Deleted => "deleted",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Returns the report as text: the diff, the result, and the notes.
pub(crate) fn text(report: &Report, style: &OutputStyle) -> String {
    let mut out = String::new();
    show::diff::add(&mut out, &report.diff, style);
    let name = report.runtime.name();
    let (file, what) = (report.file.display(), report.subject.words());
    let result = match report.outcome {
        Outcome::Created => format!("created {file} with {what}"),
        Outcome::Added => format!("added {what} to {file}"),
        Outcome::Replaced => format!("replaced {what} in {file}"),
        Outcome::Removed => format!("removed {what} from {file}"),
        Outcome::Deleted => format!("deleted {file}, which had only {what}"),
        Outcome::Unchanged => format!("unchanged: {file} is as it should be"),
    };
    let condition = if report.dry_run { "not done (--dry-run): " } else { "" };
    // Writing to a string does not fail.
    let _ = writeln!(out, "{name}: {condition}{result}");
    for note in &report.notes {
        let _ = writeln!(out, "* {note}");
    }
    out
}

/// Returns the report as a JSON object.
pub(crate) fn json(report: &Report) -> String {
    let object = json!({
        "runtime": report.runtime.name(),
        "file": report.file.to_string_lossy(),
        "status": report.outcome.word(),
        "dry_run": report.dry_run,
        "diff": report.diff,
        "notes": report.notes,
    });
    format!("{object}\n")
}

/// Returns a refusal as a JSON object.
pub(crate) fn error(message: &str) -> String {
    format!("{}\n", json!({ "error": { "message": message } }))
}
