//! The bytes of contents that a job holds in memory: estimated before it has read any, counted when its changes are
//! known. It reads nothing.

use editd_engine::{EditFacts, Entry, State};
use editd_proto::message::OnStale;

use super::ParsedJob;
use super::resolve::Resolved;
use super::transaction::{FileChange, Transaction};
use crate::disk::ResolvedPath;
use crate::limits::{CHANGE_HOLDS, JOB_BYTES, JOB_HOLDS, MERGED_HOLDS};

/// Estimates the bytes that a job holds from the sizes of its files and texts.
pub(super) fn guess(resolved: &Resolved) -> usize {
    // More than a job may read is refused before it is read.
    let found = sizes(resolved.places.values()).min(JOB_BYTES);
    let edits = resolved.request.job.entries.iter().flat_map(Entry::edits);
    let given = edits.map(EditFacts::text_bytes).fold(0, usize::saturating_add);
    found.saturating_mul(holds(&resolved.request)).saturating_add(given.saturating_mul(CHANGE_HOLDS + 2))
}

/// Returns the bytes of the files at some paths, as of when they were resolved.
pub(super) fn sizes<'p>(places: impl Iterator<Item = &'p ResolvedPath>) -> usize {
    places.filter_map(ResolvedPath::stat).map(|stat| readable(stat.size)).fold(0, usize::saturating_add)
}

/// Returns the bytes that a job holds for each byte of its files.
pub(super) fn holds(request: &ParsedJob) -> usize {
    // Lines that are named by their numbers in an older version are merged, too.
    let names = |entry: &Entry| entry.base.is_some() && !entry.named_lines().is_empty();
    let merges = request.on_stale == Some(OnStale::Rebase) || request.job.entries.iter().any(names);
    if merges { JOB_HOLDS + MERGED_HOLDS } else { JOB_HOLDS }
}

/// Returns the bytes that are read of a file of a size: a file that is too large is not read.
pub fn readable(size: u64) -> usize {
    usize::try_from(size).ok().filter(|size| *size <= editd_proto::limits::FILE).unwrap_or(0)
}

/// Returns the bytes that a transaction holds while it is carried out.
pub(super) fn of_transaction(transaction: &Transaction) -> usize {
    let displaced = transaction.changes.iter().map(before).max().unwrap_or(0);
    transaction.changes.iter().map(of_change).fold(displaced, usize::saturating_add)
}

fn before(change: &FileChange) -> usize {
    change.before.as_ref().map_or(0, |found| found.bytes.len())
}

fn of_change(change: &FileChange) -> usize {
    let after = match &change.after {
        State::File { bytes, .. } => bytes.len(),
        State::Absent => 0,
    };
    let both = before(change).saturating_add(after);
    // A file that is rewritten in place is journaled from its first changed byte to its end.
    let in_place = change.before.as_ref().is_some_and(|found| found.links > 1);
    let splices = change.splices.iter().map(|splice| splice.old.len() + splice.new.len());
    let journaled = if in_place { both } else { splices.fold(0, usize::saturating_add) };
    both.saturating_add(journaled.saturating_mul(CHANGE_HOLDS))
}
