//! The read receipts of an entry that recovery seals, since its job could not: its session has seen what it would have
//! seen with the reply. It changes no file.

use editd_proto::ids::ContentHash;
use editd_proto::message::EntryKind;

use super::change;
use super::recover::repair::find;
use crate::disk::Observation;
use crate::receipt::{self, KnownChange, ReceiptContent};
use crate::record::{Entry, FileRecord, ReadReceipt};
use crate::state::WorkspaceState;

/// The most bytes of a file that are read for a receipt. The session must read a larger one again.
const READ: usize = 16 * 1024 * 1024;

/// Returns the receipt of the entry's session for one of its files.
pub(super) fn receipt_of(state: &WorkspaceState, entry: &Entry, file: &FileRecord) -> ReadReceipt {
    let now = state.clock.wall_ms();
    let earlier = state.store.seen(&entry.session, &file.path).ok().flatten();
    let shown = match file.after.as_ref().map(|meta| meta.hash) {
        None => receipt::absent(now),
        Some(hash) => known_lines(state, entry, file, earlier.as_ref(), hash).unwrap_or_else(|| {
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
    state: &WorkspaceState,
    entry: &Entry,
    file: &FileRecord,
    earlier: Option<&ReadReceipt>,
    hash: ContentHash,
) -> Option<ReceiptContent> {
    // A new file may be one that the job moved, which shows none of its lines.
    let may_be_moved = file.before.is_none() && entry.files.iter().any(|other| other.after.is_none());
    let is_of_job = matches!(entry.kind, EntryKind::Edit | EntryKind::Undo | EntryKind::Redo);
    if may_be_moved || !is_of_job {
        return None;
    }
    let (before, after) = contents(state, file, hash)?;
    let splices = file.planned(&before, &after, 0);
    let now = state.clock.wall_ms();
    let known = KnownChange::new((&before, &after), &splices);
    let had = file.before.as_ref().map(|meta| meta.hash);
    // It may bring back what another session wrote.
    let may_be_foreign = matches!(entry.kind, EntryKind::Undo | EntryKind::Redo);
    Some(receipt::written(earlier, (had, hash), &known, may_be_foreign, now))
}

/// Returns the contents of a file before and after the change: kept ones, or the file and what the splices make of it.
fn contents(state: &WorkspaceState, file: &FileRecord, hash: ContentHash) -> Option<(Vec<u8>, Vec<u8>)> {
    if let Some((before, after)) = change::states(state, file, None) {
        return Some((before.bytes().to_vec(), after.bytes().to_vec()));
    }
    let place = find(state, file).ok()??;
    let Ok(Observation::File(found)) = state.disk.observe_within(&place, READ) else { return None };
    if found.meta.hash != hash {
        return None;
    }
    let before = editd_engine::apply(&found.bytes, &editd_engine::invert(&file.splices))?;
    let is_right =
        file.before.as_ref().is_none_or(|meta| crate::disk::observation::hash(&before) == meta.hash);
    is_right.then(|| (before, found.bytes.to_vec()))
}

#[cfg(all(test, unix))]
mod tests;
