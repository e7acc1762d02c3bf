//! Formats the reply to a command in the terms of its callers, with a numbered snippet of the changed lines. It shows
//! the content of the reply, and reads no file.

use std::fmt::Write;

use editd_types::{ErrorCode, FileOutcome, FilePath, JobStatus, Receipt, RequestError};

use super::fields::EditorCommand;
use crate::dialect::explain::{explain, loose_rung, notes, with_details};
use crate::dialect::summary::{Detail, add_summary};
use crate::dialect::{PayloadOutcome, ReplyFormat, ShownFile};
use crate::locate::excerpt;

/// The words of one payload.
#[derive(Debug)]
pub(super) struct TextEditorReply {
    command: EditorCommand,
    path: FilePath,
    /// The text to find, shortened.
    old: String,
}

impl TextEditorReply {
    /// Creates the reply format for this command.
    pub(super) fn new(command: EditorCommand, path: &FilePath, old: Option<&str>) -> Self {
        Self { command, path: path.clone(), old: excerpt(old.unwrap_or_default(), 0) }
    }
}

/// Returns the message of a refused payload.
pub(super) fn refused(error: &RequestError) -> String {
    explain(error)
}

impl ReplyFormat for TextEditorReply {
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String {
        match outcome {
            PayloadOutcome::Read(read) => self.shown(read),
            PayloadOutcome::Receipt(receipt) => {
                let mut out = self.outcome(receipt);
                if matches!(receipt.status, JobStatus::Applied | JobStatus::Partial) {
                    add_summary(&mut out, receipt, Detail::Changes);
                }
                for file in &receipt.files {
                    for note in notes(file) {
                        _ = write!(out, "\n{note}");
                    }
                }
                out
            }
        }
    }
}

impl TextEditorReply {
    fn shown(&self, read: &ShownFile<'_>) -> String {
        let Some(text) = read.text else {
            let nul = read.bytes.is_none_or(|bytes| bytes.contains(&0));
            let name =
                if nul { "" } else { "; if it is, name its encoding under `[[encodings]]` in .editd.toml" };
            return format!("{} is not text; it has {} bytes{name}", self.path, read.size);
        };
        let mut out = format!("Here's the result of running `cat -n` on {}:\n", self.path);
        let stop = if read.line_ending == "cr" { '\r' } else { '\n' };
        for (number, line) in (read.first_line..).zip(text.split_inclusive(stop)) {
            numbered(&mut out, number, line);
        }
        out
    }

    fn outcome(&self, receipt: &Receipt) -> String {
        let path = &self.path;
        let file = receipt.files.first();
        match (receipt.status, self.command, &receipt.error) {
            (JobStatus::Refused, _, Some(error)) => self.failure(error),
            (JobStatus::Refused, _, None) => format!("{path} was not changed."),
            (JobStatus::Unchanged, ..) => {
                format!("The file {path} has this content already; nothing changed.")
            }
            (JobStatus::Verified, ..) => {
                format!("The file {path} would be edited; nothing was written, as requested.")
            }
            (JobStatus::Queued, ..) => {
                format!("The edit of {path} is queued; nothing is written yet.")
            }
            (_, EditorCommand::Create, _) => format!("File created successfully at: {path}"),
            (_, EditorCommand::UndoEdit, _) => {
                let head = format!("Last edit to {path} undone successfully.");
                snippet(file).map_or(head.clone(), |snippet| format!("{head} {}", self.around(&snippet)))
            }
            _ => {
                let head = format!("The file {path} has been edited.");
                let Some(snippet) = snippet(file) else { return head };
                format!(
                    "{head} {}{}Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.",
                    self.around(&snippet),
                    self.loosely(file)
                )
            }
        }
    }

    fn around(&self, snippet: &str) -> String {
        format!("Here's the result of running `cat -n` on a snippet of {}:\n{snippet}", self.path)
    }

    /// Returns a line that tells the rung of a match that was not exact.
    fn loosely(&self, file: Option<&FileOutcome>) -> String {
        let rung = file.and_then(|file| file.edits.first()).and_then(loose_rung);
        rung.map(|rung| format!("old_str did not appear verbatim; it matched as `{rung}`.\n"))
            .unwrap_or_default()
    }

    fn failure(&self, error: &RequestError) -> String {
        let (path, old) = (&self.path, &self.old);
        match (error.code, self.command) {
            (ErrorCode::NotFound, EditorCommand::StrReplace) => with_details(
                error,
                match &error.cause {
                    Some(cause) => format!(
                        "No replacement was performed, old_str `{old}` did not appear verbatim in {path}; {cause}"
                    ),
                    None => format!(
                        "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
                    ),
                },
            ),
            (ErrorCode::Ambiguous, EditorCommand::StrReplace) if !error.readings.is_empty() => {
                with_details(error, format!("No replacement was performed: {}", error.message))
            }
            (ErrorCode::Ambiguous, EditorCommand::StrReplace) => {
                let lines: Vec<String> =
                    error.candidates.iter().map(|place| place.line.to_string()).collect();
                let more = error.found.unwrap_or(0).saturating_sub(lines.len() as u64);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!(
                    "No replacement was performed. Multiple occurrences of old_str `{old}` in lines [{}]{more}. Please ensure it is unique",
                    lines.join(", ")
                )
            }
            (ErrorCode::NotFound, EditorCommand::UndoEdit) => format!("No edit history found for {path}."),
            (ErrorCode::Missing, _) => {
                with_details(error, format!("The path {path} does not exist. Please provide a valid path."))
            }
            (ErrorCode::Exists, EditorCommand::Create) => {
                format!("File already exists at: {path}. Cannot overwrite files using command `create`.")
            }
            (ErrorCode::OutOfRange, EditorCommand::Insert) => format!(
                "Invalid `insert_line` parameter. It should be within the range of lines of the file: [0, {}]",
                error.lines.unwrap_or(0)
            ),
            (ErrorCode::OutOfRange, EditorCommand::View) if error.lines == Some(0) => {
                format!("Invalid `view_range`. The file {path} is empty.")
            }
            (ErrorCode::OutOfRange, EditorCommand::View) => format!(
                "Invalid `view_range`. Its first line should be within the range of lines of the file: [1, {}]",
                error.lines.unwrap_or(0)
            ),
            _ => explain(error),
        }
    }
}

/// Returns the numbered lines after a change that its diff shows, with a line of dots between two hunks.
fn snippet(file: Option<&FileOutcome>) -> Option<String> {
    let diff = file?.diff.as_ref()?;
    let mut out = String::new();
    let mut number = None;
    for line in diff.split_inclusive('\n') {
        match (line.as_bytes().first(), number) {
            (Some(b'@'), _) => {
                if !out.is_empty() {
                    out.push_str("...\n");
                }
                number = first_line(line);
            }
            (Some(b' ' | b'+'), Some(at)) => {
                numbered(&mut out, at, line.get(1..).unwrap_or_default());
                number = at.checked_add(1);
            }
            _ => {}
        }
    }
    (!out.is_empty()).then_some(out)
}

/// Returns the first line of the new side in the header of a hunk.
fn first_line(header: &str) -> Option<u64> {
    let (_, new) = header.split_once(" +")?;
    new.split([',', ' ']).next()?.parse().ok()
}

fn numbered(out: &mut String, number: u64, line: &str) {
    _ = writeln!(out, "{number:6}\t{}", line.trim_end_matches(['\n', '\r']));
}
