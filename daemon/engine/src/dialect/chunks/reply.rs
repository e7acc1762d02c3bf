//! Formats the reply as the users of the tool know it: `OK`, or the failed check of each chunk. It reads no file.

use std::fmt::Write;

use editd_types::{EditStatus, ErrorCode, JobStatus, Receipt, RequestError};

use crate::dialect::explain::{failures, loose_rung, plain, present_lines, readings, with_details};
use crate::dialect::summary::{Detail, add_summary};
use crate::dialect::{PayloadOutcome, ReplyFormat};
use crate::op::ChunkCheck;

/// The wording of answers.
pub(super) struct ChunksReply;

impl ReplyFormat for ChunksReply {
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String {
        match outcome {
            PayloadOutcome::Receipt(receipt) => format_receipt(receipt),
            PayloadOutcome::Read(_) => "OK".to_owned(),
        }
    }
}

fn format_receipt(receipt: &Receipt) -> String {
    let edits = || receipt.files.iter().flat_map(|file| &file.edits);
    let refused = |error: Option<&RequestError>| match error {
        Some(error) => failures(error, failure),
        None => "Error: nothing was applied".to_owned(),
    };
    let mut text = match receipt.status {
        JobStatus::Applied => "OK".to_owned(),
        JobStatus::Unchanged => "OK: the file is like that already, nothing changed".to_owned(),
        JobStatus::Verified => "OK: every chunk passes, nothing was written".to_owned(),
        JobStatus::Queued => "OK: queued, not applied yet".to_owned(),
        JobStatus::Refused => return refused(receipt.error.as_ref()),
        JobStatus::Partial => {
            let done = edits().filter(|edit| edit.status != EditStatus::Refused).count();
            format!("Error: only {done} of {} chunks applied", edits().count())
        }
    };
    if matches!(receipt.status, JobStatus::Applied | JobStatus::Partial) {
        add_summary(&mut text, receipt, Detail::Changes);
    }
    for (at, edit) in edits().enumerate() {
        match (&edit.error, loose_rung(edit).zip(edit.lines)) {
            (Some(error), _) => _ = write!(text, "\n{}", failure(error)),
            (None, Some((rung, (first, last)))) => {
                _ = write!(text, "\nChunk {} matched lines {first} to {last} only at `{rung}`", at + 1);
            }
            (None, None) => {}
        }
    }
    for file in &receipt.files {
        for issue in &file.issues {
            _ = write!(text, "\nIssue: {issue}");
        }
        for warning in &file.warnings {
            _ = write!(text, "\nWarning: {warning}");
        }
    }
    text
}

/// Returns the message of a refusal: the chunk, the name and number of the check, and the places that were compared.
pub(super) fn failure(error: &RequestError) -> String {
    let about_chunk =
        error.check.is_some() || matches!(error.code, ErrorCode::Malformed | ErrorCode::Overlap);
    let Some(chunk) = error.edit.filter(|_| about_chunk) else { return about_all(error) };
    let mut text = format!("Chunk {chunk} validation failed: ");
    if let Some(check) = &error.check {
        _ = write!(text, "{}: ", failed(check));
    }
    match (error.code, error.other_edit) {
        (ErrorCode::Overlap, Some(other)) => {
            let line = error.line.map_or_else(String::new, |line| format!(" at line {line}"));
            _ = write!(text, "it is overlapping with chunk {other}{line}; make them one chunk");
        }
        _ => {
            let keyword = match error.code {
                ErrorCode::NotFound => "not found: ",
                ErrorCode::Ambiguous if error.readings.is_empty() => "not unique: ",
                _ => "",
            };
            text.extend([keyword, &error.message]);
        }
    }
    if !error.fallen.is_empty() {
        _ = write!(text, "\nCandidate positions that failed validation:");
    }
    for fallen in &error.fallen {
        _ = write!(text, "\n- line {}: {}: {}", fallen.line, failed(&fallen.check), fallen.reason);
    }
    for place in &error.candidates {
        _ = write!(text, "\n- line {}: {}", place.line, place.text);
    }
    text.push_str(&readings(error));
    if let (true, Some(near)) = (error.fallen.is_empty(), error.near_misses.first()) {
        _ = write!(text, "\nThe nearest lines:\n{}", near.text.trim_end_matches('\n'));
    }
    text
}

/// Returns the message of a refusal that concerns the file or the payload as a whole.
fn about_all(error: &RequestError) -> String {
    match error.code {
        ErrorCode::Unsupported => {
            format!("Error: {}; leave out line, column and name_path to search the whole file", error.message)
        }
        ErrorCode::Missing => with_details(error, format!("Error: {}", plain(error))),
        _ => format!("Error: {}{}", plain(error), present_lines(error)),
    }
}

fn failed(check: &str) -> String {
    let name = check.replace('_', " ");
    match ChunkCheck::number(check) {
        Some(number) => format!("Check {number} failed ({name})"),
        None => format!("Check failed ({name})"),
    }
}
