//! The part of an entry that an undo or redo is about, the question about it, and the result.

use editctl::show::letters::one_line;
use editctl::show::{OutputStyle, error, receipt};
use editd_proto::RequestError;
use editd_proto::error::WouldApply;
use editd_proto::ids::JobId;
use editd_proto::message::{HunkChoice, JobStatus, OnStale, Receipt, UndoRequest};

use super::detail::EntryPart;
use super::entry_row::EntryRow;

/// Maximum number of paths in a question. Further ones are counted.
const PATHS: usize = 6;

/// An undo or a redo.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UndoTarget {
    pub(crate) entry: u64,
    pub(crate) part: EntryPart,
    /// Redo instead of undo.
    pub(crate) redo: bool,
    /// Merge it with later changes.
    pub(crate) rebase: bool,
    /// The part, in words.
    subject: String,
}

impl UndoTarget {
    /// Returns the word for what is done: `undo` or `redo`.
    pub(crate) fn verb(&self) -> &'static str {
        if self.redo { "redo" } else { "undo" }
    }

    /// Returns the target for this part of an entry.
    pub(crate) fn new(row: &EntryRow, part: EntryPart, redo: bool) -> Self {
        let subject = subject(row, &part);
        Self { entry: row.id, part, redo, rebase: false, subject }
    }

    /// Returns the same with a merge.
    pub(crate) fn merged(&self) -> Self {
        Self { rebase: true, ..self.clone() }
    }

    /// Returns the question to the user, which says what will be changed.
    pub(crate) fn question(&self) -> String {
        let merged = if self.rebase { ", and merge it with the later changes" } else { "" };
        format!("{} {}{merged}?", self.verb(), self.subject)
    }

    /// Returns the request with this key.
    pub(crate) fn request(&self, key: String) -> UndoRequest {
        let (paths, hunks) = match &self.part {
            EntryPart::Entry => (Vec::new(), Vec::new()),
            EntryPart::File(path) => (vec![path.clone()], Vec::new()),
            EntryPart::Renamed(from, to) => (vec![from.clone(), to.clone()], Vec::new()),
            EntryPart::Hunk(path, hunk) => (vec![path.clone()], vec![HunkChoice::One(hunk.hunk)]),
        };
        UndoRequest {
            jobs: vec![JobId(self.entry)],
            paths,
            hunks,
            key: Some(key),
            on_stale: if self.rebase { OnStale::Rebase } else { OnStale::Reject },
            diff: Some(false),
            ..UndoRequest::default()
        }
    }
}

/// Returns the words for a part of an entry.
fn subject(row: &EntryRow, part: &EntryPart) -> String {
    let label = if row.label.is_empty() { String::new() } else { format!(" {}", row.label) };
    let entry = format!("entry {} of {}{label}", row.id, row.shown_session());
    match part {
        EntryPart::Entry => {
            let shown = row.paths.len().min(PATHS);
            let paths: Vec<&str> = row.paths.iter().take(shown).map(String::as_str).collect();
            let more = row.files.saturating_sub(shown as u64);
            let more = if more > 0 { format!(" and {more} more files") } else { String::new() };
            let (added, removed) = (row.added, row.removed);
            format!("all of {entry} (+{added} -{removed} in {}{more})", paths.join(", "))
        }
        EntryPart::File(path) => format!("only {} of {entry}", one_line(&path.display())),
        EntryPart::Renamed(from, to) => {
            let (from, to) = (one_line(&from.display()), one_line(&to.display()));
            format!("only the rename {from} \u{2192} {to} of {entry}")
        }
        EntryPart::Hunk(path, hunk) => {
            let path = one_line(&path.display());
            let (number, line, added, removed) = (hunk.hunk, hunk.line, hunk.added, hunk.removed);
            format!("only hunk {number} of {path} (line {line}, +{added} -{removed}) of {entry}")
        }
    }
}

/// The result of an undo or redo.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UndoResult {
    /// The daemon refused it.
    pub(crate) refused: bool,
    /// It was refused since the file changed later, and would succeed with a merge.
    pub(crate) can_merge: bool,
    /// The text for the user, with colours that [`editctl::show::letters::runs`] finds.
    pub(crate) text: String,
    /// The text has more than the result: warnings, or commands that ran.
    pub(crate) has_details: bool,
}

impl UndoResult {
    /// Formats a receipt.
    pub(crate) fn of(target: &UndoTarget, reply: &Receipt, style: &OutputStyle) -> Self {
        let done = if target.redo { "redone" } else { "undone" };
        let texts = receipt::text(reply, &style.of(done));
        let refused = reply.status == JobStatus::Refused;
        let warned = reply.files.iter().any(|file| !file.warnings.is_empty() || !file.issues.is_empty());
        Self {
            refused,
            can_merge: reply.error.as_ref().is_some_and(|error| error.would_apply == Some(WouldApply::Clean)),
            text: texts.out + &texts.err,
            has_details: !refused && (warned || !reply.hooks.is_empty()),
        }
    }

    /// Returns the result of a request without a receipt.
    pub(crate) fn failed(error: &RequestError, style: &OutputStyle) -> Self {
        Self { refused: true, can_merge: false, text: error::text(error, style), has_details: false }
    }
}
