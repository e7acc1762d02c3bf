//! The lines of files that the refusals of a job show, with one limit for all of them, and the read receipts for
//! exactly those lines: lines that a refusal leaves out stay unseen.

use std::sync::Arc;

use editd_engine::{FileState, PlannedChange};
use editd_proto::error::{Excerpt, RequestError};
use editd_proto::path::FilePath;

use super::ParsedJob;
use super::staleness::CheckedJob;
use crate::caller::Caller;
use crate::disk::{FileSnapshot, Observation};
use crate::journal::past;
use crate::limits::REFUSAL_SHOWS;
use crate::receipt::lines::{SplicedContent, cut_lines, last_line};
use crate::receipt::ranges::LineRange;
use crate::receipt::{self, KnownChange, NO_LINES, numbered, ranges};
use crate::record::{ReadReceipt, Record};
use crate::state::WorkspaceState;

/// Returns the bytes that the refusals of a job may show of its files: half of the reply's budget, since the rest of
/// the refusal needs space, too.
pub(super) fn room_of(request: &ParsedJob) -> usize {
    let named = request.budget.map(|bytes| usize::try_from(bytes / 2).unwrap_or(usize::MAX));
    named.map_or(REFUSAL_SHOWS, |bytes| bytes.min(editd_proto::limits::DIFF))
}

/// The difference between the content that a session knew and the present one.
pub(super) struct ChangeSinceRead {
    /// The content that it knew; `None` if that is no longer stored.
    pub(super) old: Option<Arc<[u8]>>,
    /// The changes from that content to the present one.
    pub(super) splices: Vec<editd_engine::Splice>,
}

impl ChangeSinceRead {
    /// Computes what changed since a receipt, if there is memory to spare for that.
    pub(super) fn find(
        state: &WorkspaceState,
        checked: &CheckedJob,
        seen: &ReadReceipt,
        found: &FileSnapshot,
    ) -> Self {
        let base = checked.bases.get(&seen.path).filter(|base| Some(base.hash) == seen.hash);
        let old = match base {
            Some(base) => Some(base.bytes.clone()),
            None => {
                let now = (found.meta.hash, &*found.bytes);
                past::of_receipt(state, seen, now, &checked.patience).map(Arc::from)
            }
        };
        let splices = old.as_deref().map(|old| editd_engine::splices_between(old, &found.bytes));
        Self { old, splices: splices.unwrap_or_default() }
    }

    /// Returns the receipt of the session after it was shown some lines; `shown.1` is true if it was shown all changes.
    pub(super) fn renewed(
        &self,
        seen: &ReadReceipt,
        found: &FileSnapshot,
        shown: (&[(u64, u64)], bool),
        now: u64,
    ) -> receipt::ReceiptContent {
        match &self.old {
            Some(old) => {
                let change = KnownChange::new((old, &found.bytes), &self.splices);
                receipt::changed_by_others(seen, found.meta.hash, &change, shown, now)
            }
            None => receipt::glimpsed(Some(seen), found.meta.hash, shown.0, now),
        }
    }
}

/// Returns as many of some lines as a refusal may still show: the excerpts, and the ranges of lines in them.
pub(super) fn excerpts(
    state: &WorkspaceState,
    checked: &CheckedJob,
    (path, bytes): (&FilePath, &[u8]),
    wanted: &[(u64, u64)],
) -> (Vec<Excerpt>, Vec<(u64, u64)>) {
    let (mut excerpts, mut shown) = (Vec::new(), Vec::new());
    let (options, last_text) = (state.options([path]), last_text_line(bytes));
    for &(first, last) in wanted {
        let view = editd_engine::view(bytes, Some((first, last.max(first))), path, &options);
        let Some(text) = view.ok().and_then(|view| view.text) else { continue };
        let left = checked.diffs.get();
        let (mut end, mut lines) = (0, 0);
        for line in text.split_inclusive('\n') {
            if end + line.len() > left {
                break;
            }
            (end, lines) = (end + line.len(), lines + 1);
        }
        let Some(part) = text.get(..end).filter(|_| lines > 0) else { break };
        checked.diffs.set(left - end);
        let to = match first + lines - 1 {
            _ if end == text.len() => last,
            to => to,
        };
        shown.push(with_last_line((first, to), bytes, last_text));
        excerpts.push(Excerpt { line: first, text: part.to_owned() });
        if end < text.len() {
            break;
        }
    }
    (excerpts, shown)
}

/// Returns the last line of a content that a refusal can show: people do not count the empty line after the last line
/// break, and a text that is inserted there follows the line above.
pub(super) fn last_text_line(content: &[u8]) -> u64 {
    let end = last_line(content);
    if cut_lines(content, (end, end)).is_empty() { end.saturating_sub(1).max(1) } else { end }
}

/// Returns lines that a refusal shows, with the empty line at the end of the content if they have the last line of text
/// (`last_text`): its line break is shown with it.
pub(super) fn with_last_line((first, last): LineRange, content: &[u8], last_text: u64) -> LineRange {
    (first, if last == last_text { last_line(content) } else { last })
}

/// Returns true if some lines cover others.
pub(super) fn cover(shown: &[(u64, u64)], wanted: &[(u64, u64)]) -> bool {
    let shown = ranges::union(shown.to_vec());
    wanted.iter().all(|range| ranges::covers(&shown, *range))
}

/// Adds lines that an `unread` refusal shows to the session's receipt for the present content, which keeps the lines of
/// `needed` that it has.
pub(super) fn widen(
    state: &WorkspaceState,
    checked: &CheckedJob,
    (path, error): (&FilePath, &RequestError),
    (shown, needed): (Vec<LineRange>, &[LineRange]),
) {
    let Some(found) = checked.snapshot.observations.get(path).and_then(Observation::found) else { return };
    let now = state.clock.wall_ms();
    let renewed = match checked.seen.get(path) {
        _ if shown.is_empty() => return,
        Some(seen) if seen.hash == Some(found.meta.hash) => {
            let numbered = numbered::without_end(&seen.numbered, &shown, last_text_line(&found.bytes));
            let seen = ReadReceipt { numbered, ..seen.clone() };
            receipt::widened(&seen, &shown, needed, now)
        }
        Some(seen) => {
            ChangeSinceRead::find(state, checked, seen, found).renewed(seen, found, (&shown, false), now)
        }
        None => receipt::glimpsed(None, found.meta.hash, &shown, now),
    };
    checked.pending.add((path, error), Some(found), renewed, shown);
}

/// Records a receipt. If this fails, the session only needs one more read.
pub(super) fn record(
    state: &WorkspaceState,
    caller: &Caller,
    path: &FilePath,
    shown: receipt::ReceiptContent,
) {
    let _ = state.store.append(&[Record::ReadReceipt(receipt::of(caller, path, shown))]);
}

/// Returns the lines of the present content that a plan replaces without quoting them, and that some ranges do not cover.
pub(super) fn unseen_lines(
    plan: &editd_engine::Plan,
    (path, bytes): (&FilePath, &[u8]),
    seen: &[(u64, u64)],
) -> Vec<(u64, u64)> {
    let change = plan.changes.iter().find(|change| change.path == *path);
    let Some(change) = change else { return Vec::new() };
    if change.after == FileState::Absent {
        let whole = [(1, last_line(bytes))];
        let seen = if seen == [NO_LINES] { &[] } else { seen };
        if seen.is_empty() {
            return whole.to_vec();
        }
        return ranges::unseen(seen, &SplicedContent::new(bytes, &change.splices));
    }
    unseen_unquoted(change, bytes, seen)
}

/// Returns the lines of a content that a change replaces without quoting them, and that some ranges do not cover.
pub(super) fn unseen_unquoted(change: &PlannedChange, before: &[u8], seen: &[(u64, u64)]) -> Vec<(u64, u64)> {
    match change.quoted.unquoted.as_slice() {
        [] => ranges::unseen(seen, &SplicedContent::new(before, &change.splices)),
        unquoted => ranges::uncovered_of(seen, unquoted),
    }
}
