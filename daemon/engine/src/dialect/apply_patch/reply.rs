//! Formats the reply to an envelope in the terms of its callers: the changed files, or the failure and its line in the
//! envelope. Only written changes are reported as done.

use std::fmt::Write;

use editd_types::{EditStatus, ErrorCode, FileOutcome, FilePath, JobStatus, Receipt, RequestError};

use super::envelope::PatchHunk;
use crate::dialect::explain::{
    failures, found_otherwise, left_out, loose_rung, notes, plain, span, with_details,
};
use crate::dialect::summary::{add_job, changes};
use crate::dialect::{PayloadOutcome, ReplyFormat};
use crate::limits;

/// The change of a file, as the reply lists it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verb {
    /// The file was created.
    Add,
    /// The file was changed.
    Modify,
    /// The file was deleted.
    Delete,
}

impl Verb {
    fn letter(self) -> char {
        match self {
            Self::Add => 'A',
            Self::Modify => 'M',
            Self::Delete => 'D',
        }
    }
}

/// The data of an entry that its reply needs.
#[derive(Debug)]
pub(super) struct PatchedFile {
    /// The change of the file.
    pub(super) verb: Verb,
    /// The path of the file before the change.
    pub(super) from: FilePath,
    /// The path of the file after the change.
    pub(super) path: FilePath,
    /// Its hunks.
    pub(super) hunks: Vec<PatchedHunk>,
}

/// The data of a hunk that its reply needs.
#[derive(Debug)]
pub(super) struct PatchedHunk {
    line: u64,
    /// The lines that it looks for, shortened as in messages.
    old: String,
}

impl PatchedFile {
    /// Creates an entry without hunks.
    pub(super) fn new(verb: Verb, path: &FilePath) -> Self {
        Self { verb, from: path.clone(), path: path.clone(), hunks: Vec::new() }
    }

    /// Remembers a hunk.
    pub(super) fn remember(&mut self, hunk: &PatchHunk<'_>) {
        let old = hunk.text.lines().filter(|line| !line.starts_with(['+', '\\']));
        let shown: Vec<String> = old
            .take(editd_types::limits::NEAR_MISS_LINES)
            .map(|line| crate::locate::excerpt(line.get(1..).unwrap_or(""), 0))
            .collect();
        self.hunks.push(PatchedHunk { line: hunk.line, old: shown.join("\n") });
    }
}

/// The words of one payload.
#[derive(Debug)]
pub(super) struct ApplyPatchReply {
    /// The data of the entries, in their order.
    pub(super) entries: Vec<PatchedFile>,
}

/// Returns the message of a refused payload.
pub(super) fn refused(error: &RequestError) -> String {
    match error.line {
        Some(line) => {
            let lead = format!("line {line}: ");
            let what = error.message.strip_prefix(&lead).unwrap_or(&error.message);
            format!("Invalid patch hunk on line {line}: {what}")
        }
        None => format!("Invalid patch: {}", error.message),
    }
}

impl ReplyFormat for ApplyPatchReply {
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String {
        let PayloadOutcome::Receipt(receipt) = outcome else { return String::new() };
        let mut out = self.head(receipt);
        for (at, file) in receipt.files.iter().enumerate() {
            for (number, error) in left_out(file).take(limits::BLOCKS_DETAILED) {
                _ = write!(out, "\n{}", self.failure(Some(at), Some(number), error));
            }
            for note in self.loose(at, file).take(limits::BLOCKS_DETAILED) {
                _ = write!(out, "\n{note}");
            }
            for note in notes(file) {
                _ = write!(out, "\n{note}");
            }
        }
        out
    }
}

impl ApplyPatchReply {
    fn head(&self, receipt: &Receipt) -> String {
        match (receipt.status, &receipt.error) {
            (JobStatus::Applied | JobStatus::Partial, _) => {
                let mut out = "Success. Updated the following files:".to_owned();
                if receipt.status == JobStatus::Partial {
                    out = "Only part of the patch was applied. Updated the following files:".to_owned();
                }
                let done = self.entries.iter().zip(&receipt.files).filter(|(_, file)| changed(file));
                for (patched, file) in done {
                    let lines = changes(file).map(|lines| format!(" ({lines})")).unwrap_or_default();
                    _ = write!(out, "\n{} {}{lines}", patched.verb.letter(), patched.path);
                }
                add_job(&mut out, receipt);
                out
            }
            (JobStatus::Unchanged, _) => {
                "Success. The files have this content already; nothing changed.".to_owned()
            }
            (JobStatus::Verified, _) => {
                "The patch would apply; nothing was written, as requested.".to_owned()
            }
            (JobStatus::Queued, _) => "The patch is queued; nothing is written yet.".to_owned(),
            (JobStatus::Refused, Some(error)) => {
                failures(error, |error| self.failure(None, error.edit, error))
            }
            (JobStatus::Refused, None) => "The patch was refused; nothing was written.".to_owned(),
        }
    }

    /// Returns a sentence for each hunk of a file that did not match exactly as quoted.
    fn loose(&self, entry: usize, file: &FileOutcome) -> impl Iterator<Item = String> {
        let hunks = self.entries.get(entry).map_or(&[][..], |patched| &patched.hunks);
        hunks.iter().zip(&file.edits).filter_map(|(hunk, edit)| {
            let (first, last) = edit.lines?;
            Some(format!(
                "Hunk on line {} matched {} as `{}`.",
                hunk.line,
                span(first, last),
                loose_rung(edit)?
            ))
        })
    }

    /// Returns the hunk that an error is about.
    fn hunk(&self, entry: Option<usize>, edit: Option<u64>, error: &RequestError) -> Option<&PatchedHunk> {
        let index = usize::try_from(edit?.checked_sub(1)?).ok()?;
        let named = |patched: &&PatchedFile| {
            error.path.as_ref() == Some(&patched.from) && patched.hunks.len() > index
        };
        let patched = match entry {
            Some(at) => self.entries.get(at),
            None => self.entries.iter().find(named),
        };
        patched?.hunks.get(index)
    }

    /// Returns the message for a hunk or a file that was refused.
    fn failure(&self, entry: Option<usize>, edit: Option<u64>, error: &RequestError) -> String {
        let path = error.path.as_ref().map(ToString::to_string).unwrap_or_default();
        let hunk = self.hunk(entry, edit, error);
        let other = self.hunk(entry, error.other_edit, error);
        let sentence = match (error.code, hunk) {
            (ErrorCode::NotFound, _) if error.marker.is_some() => {
                let header = error.marker.as_deref().unwrap_or_default();
                format!("Failed to find context '{header}' in {path}")
            }
            (ErrorCode::NotFound, Some(hunk)) if error.searched.is_some() => {
                let more = found_otherwise(error).map(|more| format!("\n({more})")).unwrap_or_default();
                format!("Failed to find expected lines in {path}:\n{}{more}", hunk.old)
            }
            (ErrorCode::Ambiguous, _) if error.readings.is_empty() => format!(
                "Failed to find a unique place in {path}: the expected lines are not unique, they occur at {} places; quote more lines, or name the class or function above them behind `@@`",
                error.found.unwrap_or(0)
            ),
            (ErrorCode::Missing, _) => format!("Failed to read file to update {path}: it does not exist"),
            (ErrorCode::Exists, _) => format!(
                "{}; a patch overwrites no file: update it, or delete it first",
                error.message.split(';').next().unwrap_or_default()
            ),
            (ErrorCode::Overlap, _) => format!(
                "it is overlapping in {path} with the hunk on line {}; make them one hunk",
                other.map_or(0, |other| other.line)
            ),
            _ => {
                let message = plain(error);
                if message.contains(&path) { message } else { format!("{path}: {message}") }
            }
        };
        let place = hunk.map(|hunk| format!("Hunk on line {}: ", hunk.line)).unwrap_or_default();
        with_details(error, format!("{place}{sentence}"))
    }
}

fn changed(file: &FileOutcome) -> bool {
    file.status == JobStatus::Applied
        || file
            .edits
            .iter()
            .any(|edit| file.status == JobStatus::Partial && edit.status == EditStatus::Applied)
}
