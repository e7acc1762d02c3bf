//! Formats the outcome of the blocks in the terms of the original tool. It shows the content of the receipt, and reads
//! no file.

use std::borrow::Cow;
use std::fmt::Write;

use editd_types::{
    EditOutcome, EditStatus, ErrorCode, FileOutcome, FilePath, JobStatus, Receipt, RequestError,
};

use crate::dialect::explain::{each, loose_rung, notes, plain, present_lines, readings, span};
use crate::dialect::summary::{Detail, add_summary};
use crate::dialect::{PayloadOutcome, ReplyFormat};
use crate::limits;

/// The data of the payload about one file.
#[derive(Debug)]
pub(super) struct FileBlocks {
    /// The path.
    pub(super) path: FilePath,
    /// True if the path comes from a line of the text.
    pub(super) guessed: bool,
    /// The line at which each block should start.
    pub(super) near: Vec<Option<u64>>,
}

/// The wording for one payload.
#[derive(Debug)]
pub(super) struct SearchReplaceReply {
    /// The files, in the order of the entries.
    pub(super) files: Vec<FileBlocks>,
}

impl ReplyFormat for SearchReplaceReply {
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String {
        let PayloadOutcome::Receipt(receipt) = outcome else { return String::new() };
        let mut out = self.head(receipt);
        if matches!(receipt.status, JobStatus::Applied | JobStatus::Partial) {
            add_summary(&mut out, receipt, Detail::Changes);
            out.push('\n');
        }
        let mut left = limits::BLOCKS_DETAILED;
        for file in &receipt.files {
            self.file(file, receipt.status, &mut left, &mut out);
        }
        let errors = receipt.error.iter().flat_map(each);
        for error in errors.filter(|error| !stands_at_a_block(error, receipt)) {
            let path = error.path.as_ref();
            let place = path.map(ToString::to_string).unwrap_or_default();
            out.push('\n');
            self.failure(&place, path, &error, &mut out);
        }
        out.trim_end().to_owned()
    }
}

impl SearchReplaceReply {
    fn head(&self, receipt: &Receipt) -> String {
        let edits = || receipt.files.iter().flat_map(|file| &file.edits);
        let total = self.files.iter().map(|said| said.near.len()).sum::<usize>();
        let failed = edits().filter(|edit| edit.status == EditStatus::Refused).count();
        let idle = edits().filter(|edit| edit.status == EditStatus::Unchanged).count();
        // A receipt from the journal may not have the single edits.
        let held = total.saturating_sub(failed + idle);
        let same = if idle > 0 { format!("; {idle} changed nothing") } else { String::new() };
        match receipt.status {
            JobStatus::Applied => format!("Applied {held} of {total} blocks{same}.\n"),
            JobStatus::Partial => format!("Applied {held} of {total} blocks{same}; {failed} failed.\n"),
            JobStatus::Verified => {
                format!("{held} of {total} blocks would apply{same}; nothing is written.\n")
            }
            JobStatus::Unchanged => format!("Nothing to change: {idle} of {total} blocks changed nothing.\n"),
            JobStatus::Refused => "Failed to apply any diffs.\n".to_owned(),
            JobStatus::Queued => format!("Queued {total} blocks.\n"),
        }
    }

    fn file(&self, file: &FileOutcome, status: JobStatus, left: &mut usize, out: &mut String) {
        let held = file.edits.iter().filter(|edit| edit.status == EditStatus::Applied).count();
        let start = out.len();
        match file.edits.len() {
            // The summary names the files.
            _ if status == JobStatus::Applied => {}
            0 => _ = writeln!(out, "{}", file.path),
            all => _ = writeln!(out, "{}: {held} of {all} blocks", file.path),
        }
        for (edit, number) in file.edits.iter().zip(1..) {
            if *left == 0 && edit.error.is_some() {
                _ = writeln!(out, "- the blocks from {number} on are left out here");
                break;
            }
            match &edit.error {
                None if *left == 0 => {}
                None => *left -= usize::from(found(edit, number, out)),
                Some(error) => {
                    *left -= 1;
                    if !out.ends_with("\n\n") {
                        out.push('\n');
                    }
                    let error = RequestError { edit: error.edit.or(Some(number)), ..(**error).clone() };
                    self.failure(&file.path.to_string(), Some(&file.path), &error, out);
                    out.push('\n');
                }
            }
        }
        for note in notes(file) {
            _ = writeln!(out, "- {note}");
        }
        if status == JobStatus::Applied && self.files.len() > 1 && out.len() > start {
            out.insert_str(start, &format!("{}:\n", file.path));
        }
    }

    fn failure(&self, place: &str, path: Option<&FilePath>, error: &RequestError, out: &mut String) {
        let block = error.edit.map(|edit| format!("block {edit}"));
        let parts: Vec<&str> = [place, block.as_deref().unwrap_or_default()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        let lead = if parts.is_empty() { String::new() } else { format!("{}: ", parts.join(", ")) };
        // An error with a line is about a text that was found: its similarity does not matter.
        if error.code == ErrorCode::NotFound && error.line.is_none() {
            not_found(&lead, self.near(path, error.edit), error, out);
            return;
        }
        let guessed = self.files.iter().any(|said| Some(&said.path) == path && said.guessed);
        _ = writeln!(out, "{lead}{}", sentence(error, guessed));
        for candidate in &error.candidates {
            _ = writeln!(out, "{} | {}", candidate.line, candidate.text);
        }
        match present_lines(error).trim_start_matches('\n') {
            "" => {}
            lines => _ = writeln!(out, "{lines}"),
        }
        if !error.readings.is_empty() {
            _ = writeln!(out, "{}", readings(error).trim_start_matches('\n'));
        }
    }

    fn near(&self, path: Option<&FilePath>, edit: Option<u64>) -> Option<u64> {
        let said = self.files.iter().find(|said| Some(&said.path) == path)?;
        let index = usize::try_from(edit?.checked_sub(1)?).ok()?;
        said.near.get(index).copied().flatten()
    }
}

/// Returns true if the error of a `partial` job is also the error of one of its blocks, which reports it.
fn stands_at_a_block(error: &RequestError, receipt: &Receipt) -> bool {
    let mut edits = receipt.files.iter().flat_map(|file| &file.edits);
    edits.any(|edit| edit.error.as_ref().is_some_and(|own| (own.code, own.edit) == (error.code, error.edit)))
}

/// Reports a text that no rung found, with the nearest text and its similarity.
fn not_found(lead: &str, near: Option<u64>, error: &RequestError, out: &mut String) {
    let at = near.map(|line| format!(" at line: {line}")).unwrap_or_default();
    let best = error.near_misses.first();
    let score = percent(best.map_or(0.0, |near| near.score));
    let needed = percent(error.needed.unwrap_or(1.0));
    _ = writeln!(
        out,
        "{lead}No sufficiently similar match found{at} ({score}% similar, needs {needed}%)\n\n\
             Debug Info:\n- Similarity Score: {score}%\n- Required Threshold: {needed}%"
    );
    if let Some((first, last)) = error.searched.or(error.lines.map(|last| (1, last))) {
        let from = near.map(|line| format!(", starting at line {line}")).unwrap_or_default();
        _ = writeln!(out, "- Search Range: lines {first} to {last}{from}");
    }
    let tip = error.cause.as_deref().unwrap_or("read the file again and quote the present text");
    _ = writeln!(out, "- Tip: {tip}");
    if let Some(best) = best {
        _ = writeln!(out, "\nBest Match Found:\n{}", best.text.trim_end_matches('\n'));
    }
}

/// Reports a block that was not found as quoted: its lines, offset and rung. Returns true if there was something to
/// report.
fn found(edit: &EditOutcome, number: u64, out: &mut String) -> bool {
    let loose = loose_rung(edit);
    let moved = edit.moved.filter(|lines| *lines != 0);
    let Some((first, last)) = edit.lines.filter(|_| loose.is_some() || moved.is_some()) else {
        return false;
    };
    _ = write!(out, "- block {number}: {}", span(first, last));
    if let Some(lines) = moved {
        let side = if lines > 0 { "below" } else { "above" };
        _ = write!(out, ", {} {side} its start line", lines.unsigned_abs());
    }
    if let Some(rung) = loose {
        _ = write!(out, ", matched by `{rung}`");
    }
    if let Some(score) = edit.score {
        _ = write!(out, " ({}% similar)", percent(score));
    }
    out.push('\n');
    true
}

/// Returns the message of a block's refusal, without the parts that only a native job has.
fn sentence(error: &RequestError, guessed: bool) -> Cow<'_, str> {
    if let (ErrorCode::Missing, Some(cause)) = (error.code, &error.cause) {
        return format!("the file does not exist; {cause}").into();
    }
    match (error.code, error.edit, error.other_edit) {
        (ErrorCode::Missing, ..) if guessed => {
            "no file has this name, which is what the last line before the block says; put the file's path there, on a line of its own"
                .into()
        }
        (ErrorCode::Missing, ..) => {
            "the file does not exist; check the path, or make it with a block whose SEARCH part is empty".into()
        }
        (ErrorCode::Overlap, Some(edit), Some(other)) => {
            let line = error.line.map(|line| format!(" at line {line}")).unwrap_or_default();
            format!("blocks {other} and {edit} are overlapping{line}; make them one block").into()
        }
        (ErrorCode::Ambiguous, ..) if error.found.is_some() && error.readings.is_empty() => format!(
            "the SEARCH text is not unique, it occurs at {} places; quote more lines around the one you mean, or give its \
             `:start_line:`",
            error.found.unwrap_or(0)
        )
        .into(),
        (ErrorCode::Ambiguous, ..) => error.message.replace("`near`", "its `:start_line:`").into(),
        _ => plain(error).into(),
    }
}

fn percent(score: f64) -> u64 {
    // A saturating cast: no score is outside 0 to 1, and rounding down never claims a match.
    (score * 100.0 + 1e-6) as u64
}
