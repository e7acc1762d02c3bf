//! The entries that an undo or a redo of whole entries marks. It only reads the journal.

use std::collections::BTreeSet;

use editd_engine::Refusal;
use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, EntrySummary};

use super::select::summary;
use crate::state::WorkspaceState;
use crate::state::refusal::store_refusal;

/// Returns the entries that the new entry marks. `entries` are newest first: what an undo took back and a later redo of the
/// selection brought back is in force again if both are undone.
pub(super) fn marked(
    state: &WorkspaceState,
    entries: &[EntrySummary],
    back: bool,
) -> Result<BTreeSet<JobId>, Refusal> {
    let mut marks: BTreeSet<JobId> = BTreeSet::new();
    for entry in entries {
        let undos = undos_of(state, entry)?;
        if back && !undos.is_empty() {
            // This takes the undo itself back: its entries are in force or not as they were before it.
            marks.insert(entry.id);
        } else if back || entry.kind == EntryKind::Redo {
            marks.extend(entry.of.iter().filter(|id| !undos.contains(id)));
        }
        if !back {
            let took_whole = entry.kind == EntryKind::Undo
                && state.store.parts_named(entry.id).map_err(|error| store_refusal(&error))?.is_empty();
            if took_whole {
                for id in &entry.of {
                    marks.remove(id);
                }
            }
            marks.insert(entry.id);
        }
    }
    Ok(marks)
}

/// Returns the undos that an undo or a redo names.
pub(super) fn undos_of(state: &WorkspaceState, entry: &EntrySummary) -> Result<BTreeSet<JobId>, Refusal> {
    let mut undos = BTreeSet::new();
    if matches!(entry.kind, EntryKind::Undo | EntryKind::Redo) {
        for id in &entry.of {
            if summary(state, *id)?.is_some_and(|of| of.kind == EntryKind::Undo) {
                undos.insert(*id);
            }
        }
    }
    Ok(undos)
}
