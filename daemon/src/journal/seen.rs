//! The reply and the read receipts of an entry that recovery seals, since its job could not: its session is told and has
//! seen what it would have seen with the reply of the job. It changes no file.

use std::sync::Arc;

use editd_engine::{FileState, LineChange};
use editd_proto::ids::ContentHash;
use editd_proto::message::{EntryKind, Receipt};

use super::change;
use super::recover::repair::find;
use crate::disk::Observation;
use crate::receipt::{self, KnownChange, ReceiptContent};
use crate::record::{Entry, FileRecord, ReadReceipt};
use crate::state::WorkspaceState;

/// The most bytes of a file that are read for a receipt. The session must read a larger one again.
const READ: usize = 16 * 1024 * 1024;

/// A file before and after a change.
type States = (FileState, FileState);

/// Returns the receipts of the entry's session for its files, and adds the changed lines to the reply of its job.
pub(super) fn receipts_of(state: &WorkspaceState, entry: &Entry, reply: &mut Receipt) -> Vec<ReadReceipt> {
    let mut receipts = Vec::with_capacity(entry.files.len());
    for (file, outcome) in entry.files.iter().zip(&mut reply.files) {
        let states = file.after.as_ref().and_then(|meta| states(state, file, meta.hash));
        if let Some((before, after)) = &states {
            let splices = file.planned(before.bytes(), after.bytes(), 0);
            LineChange::new(before, after, &splices).describe(outcome);
        }
        receipts.push(receipt_of(state, entry, file, states.as_ref()));
    }
    receipts
}

/// Returns the receipt of the entry's session for one of its files, whose states are given if they are known.
fn receipt_of(
    state: &WorkspaceState,
    entry: &Entry,
    file: &FileRecord,
    states: Option<&States>,
) -> ReadReceipt {
    let now = state.clock.wall_ms();
    let earlier = state.store.seen(&entry.session, &file.path).ok().flatten();
    let shown = match file.after.as_ref().map(|meta| meta.hash) {
        None => receipt::absent(now),
        Some(hash) => known_lines(entry, file, earlier.as_ref(), (hash, states), now).unwrap_or_else(|| {
            // It knows the version, but none of the lines.
            let numbered = earlier.map_or_else(Vec::new, |seen| receipt::numbered::lost(&seen.numbered));
            ReceiptContent { hash: Some(hash), ranges: vec![receipt::NO_LINES], numbered, time: now }
        }),
    };
    receipt::of_session(&entry.session, &file.path, shown)
}

/// Returns the receipt with the lines; `None` if a content is not known any more, or if the entry does not tell what its job
/// showed.
fn known_lines(
    entry: &Entry,
    file: &FileRecord,
    earlier: Option<&ReadReceipt>,
    (hash, states): (ContentHash, Option<&States>),
    now: u64,
) -> Option<ReceiptContent> {
    // A new file may be one that the job moved, which shows none of its lines.
    let may_be_moved = file.before.is_none() && entry.files.iter().any(|other| other.after.is_none());
    let is_of_job = matches!(entry.kind, EntryKind::Edit | EntryKind::Undo | EntryKind::Redo);
    if may_be_moved || !is_of_job {
        return None;
    }
    let (before, after) = states?;
    let splices = file.planned(before.bytes(), after.bytes(), 0);
    let known = KnownChange::new((before.bytes(), after.bytes()), &splices);
    let had = file.before.as_ref().map(|meta| meta.hash);
    // It may bring back what another session wrote.
    let may_be_foreign = matches!(entry.kind, EntryKind::Undo | EntryKind::Redo);
    Some(receipt::written(earlier, (had, hash), &known, may_be_foreign, now))
}

/// Returns the states of a file before and after the change: of kept contents, or of the file and what the splices make of
/// it.
fn states(state: &WorkspaceState, file: &FileRecord, hash: ContentHash) -> Option<States> {
    if let Some(kept) = change::states(state, file, None) {
        return Some(kept);
    }
    let place = find(state, file).ok()??;
    let Ok(Observation::File(found)) = state.disk.observe_within(&place, READ) else { return None };
    if found.meta.hash != hash {
        return None;
    }
    let before = editd_engine::apply(&found.bytes, &editd_engine::invert(&file.splices))?;
    let is_right =
        file.before.as_ref().is_none_or(|meta| crate::disk::observation::hash(&before) == meta.hash);
    if !is_right {
        return None;
    }
    let mode = found.meta.mode;
    let before = match &file.before {
        None => FileState::Absent,
        Some(meta) => FileState::File { bytes: Arc::from(before), mode: meta.mode },
    };
    Some((before, FileState::File { bytes: found.bytes, mode }))
}

#[cfg(all(test, unix))]
mod tests;
