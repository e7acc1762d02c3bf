//! How many bytes of contents a job has in hand: guessed before it has read any, counted once it is known what it makes.
//! Pure.

use editd_engine::{EditFacts, Entry, State};
use editd_proto::message::OnStale;

use super::ParsedJob;
use super::resolve::Resolved;
use super::transaction::{FileChange, Transaction};
use crate::disk::ResolvedPath;
use crate::limits::{CHANGE_HOLDS, JOB_BYTES, JOB_HOLDS, MERGED_HOLDS};

/// What a job is likely to hold, by the sizes of its files and texts.
pub(super) fn guess(resolved: &Resolved) -> usize {
    // More than a job may read is refused before it is read.
    let found = sizes(resolved.places.values()).min(JOB_BYTES);
    let edits = resolved.request.job.entries.iter().flat_map(Entry::edits);
    let given = edits.map(EditFacts::text_bytes).fold(0, usize::saturating_add);
    found.saturating_mul(holds(&resolved.request)).saturating_add(given.saturating_mul(CHANGE_HOLDS + 2))
}

/// Bytes of the files at some places, as they were when they were resolved.
pub(super) fn sizes<'p>(places: impl Iterator<Item = &'p ResolvedPath>) -> usize {
    places.filter_map(ResolvedPath::stat).map(|stat| readable(stat.size)).fold(0, usize::saturating_add)
}

/// How many times the size of its files a job holds.
pub(super) fn holds(request: &ParsedJob) -> usize {
    // Lines that are named by the number of an older version are merged, too.
    let names = |entry: &Entry| entry.base.is_some() && !entry.named_lines().is_empty();
    let merges = request.on_stale == Some(OnStale::Rebase) || request.job.entries.iter().any(names);
    if merges { JOB_HOLDS + MERGED_HOLDS } else { JOB_HOLDS }
}

/// The bytes that are read of a file of a size: what is too large is not read.
pub fn readable(size: u64) -> usize {
    usize::try_from(size).ok().filter(|size| *size <= editd_proto::limits::FILE).unwrap_or(0)
}

/// What carrying a draft out holds.
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
    // What is rewritten in place is journaled from its first changed byte to its end.
    let in_place = change.before.as_ref().is_some_and(|found| found.links > 1);
    let splices = change.splices.iter().map(|splice| splice.old.len() + splice.new.len());
    let journaled = if in_place { both } else { splices.fold(0, usize::saturating_add) };
    both.saturating_add(journaled.saturating_mul(CHANGE_HOLDS))
}
