//! The answer to a diff in the terms of `patch`: each file, and the hunks that need a line. Only written changes are
//! reported as done.

use std::fmt::Write;

use editd_types::{EditOutcome, EditStatus, ErrorCode, FileOutcome, FilePath, JobStatus, RequestError};

use super::parse::DiffHunk;
use crate::dialect::explain::{each, explain, found_otherwise, loose_rung, notes, plain, with_details};
use crate::dialect::summary::{add_job, changes};
use crate::dialect::{PayloadOutcome, ReplyFormat};
use crate::limits;

/// The data of an entry that its reply needs.
#[derive(Debug)]
pub(super) struct FileReply {
    /// The file.
    path: FilePath,
    /// The path to which the file moves.
    pub(super) to: Option<FilePath>,
    /// The name of the file in the diff.
    known: FilePath,
    verb: &'static str,
    /// True if the reply names the file only when it fails.
    quiet: bool,
    /// The lines of its hunks in the diff.
    pub(super) hunks: Vec<u64>,
}

impl FileReply {
    fn new(verb: &'static str, path: &FilePath) -> Self {
        Self { path: path.clone(), to: None, known: path.clone(), verb, quiet: false, hunks: Vec::new() }
    }

    /// Creates the data of a file that is moved away for another.
    pub(super) fn aside(path: &FilePath) -> Self {
        Self { quiet: true, ..Self::new("moving", path) }
    }

    /// Creates the data of a file that is deleted and must be empty.
    pub(super) fn quiet(path: &FilePath) -> Self {
        Self { quiet: true, ..Self::new("removing", path) }
    }

    /// Sets the name of the file in the diff, and its new name.
    pub(super) fn known_as(self, known: &FilePath, to: Option<FilePath>) -> Self {
        Self { known: known.clone(), to, ..self }
    }

    /// Creates the data of a changed file.
    pub(super) fn changed(path: &FilePath, hunks: &[DiffHunk]) -> Self {
        Self { hunks: hunks.iter().map(|hunk| hunk.line).collect(), ..Self::new("patching", path) }
    }

    /// Creates the data of a created file.
    pub(super) fn created(path: &FilePath) -> Self {
        Self::new("creating", path)
    }

    /// Creates the data of a deleted file.
    pub(super) fn deleted(path: &FilePath) -> Self {
        Self::new("removing", path)
    }

    /// Creates the data of a copied file.
    pub(super) fn copied(from: &FilePath, to: &FilePath) -> Self {
        Self { to: Some(to.clone()), ..Self::new("copying", from) }
    }

    fn head(&self) -> String {
        match &self.to {
            Some(to) if self.verb == "patching" => {
                format!("patching file {to} (renamed from {})", self.known)
            }
            Some(to) => format!("{} file {} to {to}", self.verb, self.known),
            None => format!("{} file {}", self.verb, self.known),
        }
    }
}

/// The words of one payload.
#[derive(Debug)]
pub(super) struct UnifiedDiffReply {
    /// The data of the entries, in their order.
    pub(super) entries: Vec<FileReply>,
}

/// Returns the message of a refused payload.
pub(super) fn refused(error: &RequestError) -> String {
    format!("malformed patch: {}", error.message)
}

impl ReplyFormat for UnifiedDiffReply {
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String {
        let PayloadOutcome::Receipt(receipt) = outcome else { return String::new() };
        let mut out = match receipt.status {
            JobStatus::Applied => String::new(),
            JobStatus::Partial => "Only part of the diff was applied.\n".to_owned(),
            JobStatus::Unchanged if follows(&receipt.files) => {
                "The files have this content already, except for line breaks, which follow the file; nothing changed.\n"
                    .to_owned()
            }
            JobStatus::Unchanged => "The files have this content already; nothing changed.\n".to_owned(),
            JobStatus::Verified => "The diff would apply; nothing was written, as requested.\n".to_owned(),
            JobStatus::Queued => "The diff is queued; nothing is written yet.\n".to_owned(),
            JobStatus::Refused => String::new(),
        };
        let mut left = limits::BLOCKS_DETAILED;
        if !matches!(receipt.status, JobStatus::Refused | JobStatus::Queued) {
            for (reply, file) in self.entries.iter().zip(&receipt.files) {
                if !reply.quiet || file.status == JobStatus::Refused {
                    reply.file(file, &mut left, &mut out);
                }
            }
        }
        if let (JobStatus::Refused, Some(error)) = (receipt.status, &receipt.error) {
            for error in each(error) {
                self.failed(&error, &mut out);
            }
            _ = writeln!(out, "error: patch does not apply; nothing was written.");
        }
        if matches!(receipt.status, JobStatus::Applied | JobStatus::Partial) {
            add_job(&mut out, receipt);
        }
        out.trim_end().to_owned()
    }
}

impl UnifiedDiffReply {
    fn failed(&self, error: &RequestError, out: &mut String) {
        let index = error.edit.and_then(|edit| usize::try_from(edit.checked_sub(1)?).ok());
        let named = error.file.and_then(|file| self.entries.get(usize::try_from(file.checked_sub(1)?).ok()?));
        let own = || self.entries.iter().filter(|reply| error.path.as_ref() == Some(&reply.path));
        // A path may have several entries: the right one has at least as many hunks as the number of the hunk.
        let hunk = own().find(|reply| index.is_some_and(|index| reply.hunks.len() > index));
        match named.or(hunk).or_else(|| own().next()) {
            Some(reply) => reply.failed(error, out),
            None => _ = writeln!(out, "{}", explain(error)),
        }
    }
}

impl FileReply {
    fn file(&self, file: &FileOutcome, left: &mut usize, out: &mut String) {
        let lines = changes(file).map(|lines| format!(" ({lines})")).unwrap_or_default();
        _ = writeln!(out, "{}{lines}", self.head());
        for (number, edit) in (1u64..).zip(&file.edits) {
            let error = edit.error.as_ref().filter(|_| edit.status == EditStatus::Refused);
            let noted = match error {
                Some(error) => Some(self.failure(Some(number), error)),
                None => succeeded(number, edit),
            };
            if let (Some(noted), true) = (noted, *left > 0) {
                *left -= 1;
                _ = writeln!(out, "{noted}");
            }
        }
        for note in notes(file) {
            _ = writeln!(out, "{note}");
        }
    }

    fn failed(&self, error: &RequestError, out: &mut String) {
        _ = writeln!(out, "{}", self.head());
        _ = writeln!(out, "{}", self.failure(error.edit, error));
    }

    fn failure(&self, edit: Option<u64>, error: &RequestError) -> String {
        let place = |number: u64| {
            let index = usize::try_from(number.checked_sub(1)?).ok()?;
            Some(format!("Hunk #{number} (line {} of the diff)", self.hunks.get(index)?))
        };
        let lead = edit.and_then(place).map(|place| format!("{place} FAILED: ")).unwrap_or_default();
        let sentence = match (error.code, error.other_edit.and_then(place)) {
            (ErrorCode::Ambiguous, _) if error.readings.is_empty() && error.line.is_none() => format!(
                "its lines are not unique, they occur at {} places; quote more lines of context, or correct the line in its header",
                error.found.unwrap_or(0)
            ),
            (ErrorCode::Overlap, Some(other)) => {
                format!("it is overlapping with {other}; make them one hunk")
            }
            (ErrorCode::Missing, _) => match &self.to {
                Some(to) => format!(
                    "{} does not exist; if {to} is its new name, this rename is done already: leave it out",
                    self.known
                ),
                None if self.verb == "removing" => {
                    format!("{} does not exist; if it was removed already, leave it out", self.known)
                }
                None => format!("{} does not exist; a new file has `--- /dev/null`", self.known),
            },
            (ErrorCode::Exists, _) if error.message.contains(" exists;") => {
                format!("{}; a diff overwrites no file", error.message.split(';').next().unwrap_or_default())
            }
            (ErrorCode::NotFound, _) if error.searched.is_some() => {
                let more = found_otherwise(error).map(|more| format!(": {more}")).unwrap_or_default();
                format!("its lines were not found in {}{more}", self.known)
            }
            _ => plain(error),
        };
        with_details(error, format!("{lead}{sentence}"))
    }
}

/// Returns true if line breaks of the diff were converted to those of the file.
fn follows(files: &[FileOutcome]) -> bool {
    files.iter().flat_map(|file| &file.edits).any(|edit| edit.converted_breaks.is_some())
}

/// Returns the message for a hunk that was found elsewhere or not exactly as quoted.
fn succeeded(number: u64, edit: &EditOutcome) -> Option<String> {
    let moved = edit.moved.filter(|lines| *lines != 0);
    let rung = loose_rung(edit);
    let (first, _) = edit.lines.filter(|_| moved.is_some() || rung.is_some())?;
    let mut reply = format!("Hunk #{number} succeeded at {first}");
    if let Some(lines) = moved {
        let s = if lines.unsigned_abs() == 1 { "" } else { "s" };
        let _ = write!(reply, " (offset {lines} line{s})");
    }
    if let Some(rung) = rung {
        let _ = write!(reply, ", matched by `{rung}`");
    }
    reply.push('.');
    Some(reply)
}
