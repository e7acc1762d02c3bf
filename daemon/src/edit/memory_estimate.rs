//! Estimates the bytes of contents that a job holds in memory, before it has read any. It reads nothing.

use editd_engine::{EditFacts, JobEntry};
use editd_proto::message::OnStale;

use super::ParsedJob;
use super::resolve::ResolvedJob;
use crate::disk::ResolvedPath;
use crate::limits::{CHANGE_HOLDS, JOB_BYTES, JOB_HOLDS, MERGED_HOLDS};
use crate::state::readable;

/// Estimates the bytes that a job holds from the sizes of its files and texts.
pub(super) fn guess(resolved: &ResolvedJob) -> usize {
    // More than a job may read is refused before it is read.
    let found = sizes(resolved.places.values()).min(JOB_BYTES);
    let edits = resolved.request.job.entries.iter().flat_map(JobEntry::edits);
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
    let names = |entry: &JobEntry| entry.base.is_some() && !entry.named_lines().is_empty();
    let merges = request.on_stale == Some(OnStale::Rebase) || request.job.entries.iter().any(names);
    if merges { JOB_HOLDS + MERGED_HOLDS } else { JOB_HOLDS }
}
