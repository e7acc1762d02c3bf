//! The line numbers of a refused edit whose lines have moved since they were read. The tools have no field that names a
//! version, so the refusal shows the lines as they are now: reading them gives their numbers a new meaning, and the
//! edit passes when it is sent again with them.

use editd_proto::error::{Excerpt, MovedLines};
use editd_proto::message::{FileOutcome, JobRequest, JobStatus, Receipt};
use editd_proto::{FilePath, RequestError};

use super::lines::{LineWindow, TEXT, fetch};
use super::read::NUMBERED;
use crate::context::CallTarget;

/// The lines that are shown before and behind those that an edit names.
const AROUND: u64 = 2;

/// The most lines that a refusal shows of a file.
const SHOWN: u64 = 400;

/// Shows the present lines in a refusal about lines that have moved, in place of the versions to name.
pub(crate) fn show_present(target: &CallTarget<'_>, receipt: &mut Receipt) {
    let Some(error) = &mut receipt.error else { return };
    let mut changed = show(target, error);
    for other in &mut error.others {
        changed |= show(target, other);
    }
    if changed {
        // The dialect has formatted the refusal as it was before.
        receipt.text = None;
    }
}

/// Returns true if each edit of a file replaced lines by as many, and the lines that have changed are among those that were
/// named: then no number has moved.
pub(crate) fn stay(job: &JobRequest, file: &FileOutcome) -> bool {
    let entries = job.files.iter().filter(|entry| entry.path == file.path);
    let mut named = Vec::new();
    for edit in entries.flat_map(|entry| &entry.edits) {
        let (Some(start), Some(end), Some(text), "lines") = (edit.start, edit.end, &edit.text, &*edit.op)
        else {
            return false;
        };
        if end.checked_sub(start).is_none_or(|more| text.lines().count() as u64 != more + 1) {
            return false;
        }
        named.push((start, end));
    }
    named.sort_unstable();
    named.dedup_by(|next, before| {
        let joins = next.0 <= before.1.saturating_add(1);
        before.1 = if joins { before.1.max(next.1) } else { before.1 };
        joins
    });
    let is_named =
        |(first, last): &(u64, u64)| named.iter().any(|(start, end)| start <= first && last <= end);
    file.status == JobStatus::Applied && file.to.is_none() && file.lines.0.iter().all(is_named)
}

/// Reads the lines that edits wrote in the place of as many others (see [`stay`]), so that a later edit by these numbers means
/// the result. Returns the lines if they have changed since, otherwise nothing.
pub(crate) fn read_result(target: &CallTarget<'_>, file: &FileOutcome) -> String {
    let mut changed = String::new();
    for &(first, last) in file.lines.0.iter().filter(|(first, last)| last >= first) {
        // Without an answer, the numbers refer to the lines that were read.
        let Ok(found) = fetch(target, file.path.clone(), LineWindow::Range(first, last), u64::MAX) else {
            continue;
        };
        if Some(&found.reply.version) != file.after.as_ref() {
            let lines = found.text(NUMBERED);
            let end = if lines.ends_with('\n') { "" } else { "\n" };
            changed.push_str(&format!("{} has changed since:\n{lines}{end}", file.path));
        }
    }
    changed
}

/// Rewrites a refusal. Returns false if it is about something else, or if the lines cannot be shown.
fn show(target: &CallTarget<'_>, error: &mut RequestError) -> bool {
    let (Some(path), false) = (&error.path, error.moved.is_empty()) else { return false };
    let windows = windows(&error.moved);
    if windows.iter().map(|(first, last)| last - first + 1).sum::<u64>() > SHOWN {
        return false;
    }
    let excerpts: Vec<Excerpt> =
        windows.into_iter().filter_map(|window| excerpt(target, path, window)).collect();
    if excerpts.is_empty() {
        return false;
    }
    let moved: Vec<String> = error.moved.iter().map(sentence).collect();
    error.message = format!(
        "{path}: {}; the lines below are as they are now and count as read: send the edit with their numbers",
        moved.join("; ")
    );
    error.excerpts = excerpts;
    error.moved.clear();
    error.diff = None;
    error.omitted_hunks = None;
    true
}

/// Returns the lines to show: around the numbers that the edits have, and around the lines that had them.
fn windows(moved: &[MovedLines]) -> Vec<(u64, u64)> {
    let named = moved.iter().flat_map(|one| [Some(one.lines), one.now]).flatten();
    let mut all: Vec<(u64, u64)> = named
        .map(|(first, last)| {
            let (first, last) = (first.min(last), first.max(last));
            (first.saturating_sub(AROUND).max(1), last.saturating_add(AROUND))
        })
        .collect();
    all.sort_unstable();
    let mut out: Vec<(u64, u64)> = Vec::new();
    for (first, last) in all {
        match out.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => out.push((first, last)),
        }
    }
    out
}

/// Reads lines; `None` if the file no longer has them.
fn excerpt(target: &CallTarget<'_>, path: &FilePath, (first, last): (u64, u64)) -> Option<Excerpt> {
    let found = fetch(target, path.clone(), LineWindow::Range(first, last), TEXT).ok()?;
    Some(Excerpt { line: found.reply.first_line, text: found.text? })
}

/// Says where lines are now that an edit names by the numbers under which they were read.
fn sentence(moved: &MovedLines) -> String {
    let place = |(first, last): (u64, u64)| match last {
        _ if last < first => format!("the place before line {first}"),
        _ if last == first => format!("line {first}"),
        _ => format!("lines {first} to {last}"),
    };
    let (one, named) = (moved.lines.1 <= moved.lines.0, place(moved.lines));
    match moved.now {
        Some(now) => format!("{named}, as read, {} {} now", if one { "is" } else { "are" }, place(now)),
        None => format!("{named}, as read, {} changed or removed", if one { "was" } else { "were" }),
    }
}
