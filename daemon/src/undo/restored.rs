//! Finds the attributes of a removed file that an undo or redo makes again: in the entry that removed it. It writes
//! nothing.

use editd_engine::{FileState, Refusal};

use crate::disk::observation::hash;
use crate::disk::restore::RestoredFile;
use crate::record::FileRecord;
use crate::state::WorkspaceState;
use crate::state::refusal::store_refusal;

/// Returns the removed file if a turn makes one again. `removals` are the records that may have removed it; else the
/// newest entry of the path is looked at.
///
/// # Errors
/// Errors of the journal.
pub(super) fn again(
    state: &WorkspaceState,
    removals: [Option<&FileRecord>; 2],
    (before, after): (&FileState, &FileState),
) -> Result<Option<RestoredFile>, Refusal> {
    let (FileState::Absent, FileState::File { bytes, .. }) = (before, after) else { return Ok(None) };
    let content = hash(bytes);
    let removed = |file: &FileRecord| {
        let meta = file.before.as_ref().filter(|meta| file.after.is_none() && meta.hash == content)?;
        Some(RestoredFile { meta: meta.clone(), attributes: file.attributes.clone() })
    };
    let known = removals.into_iter().flatten().find_map(removed);
    if known.is_some() {
        return Ok(known);
    }
    let Some(path) = removals.into_iter().flatten().map(|file| &file.path).next_back() else {
        return Ok(None);
    };
    let last = state.store.last_of(path).map_err(|error| store_refusal(&error))?;
    let Some((id, _)) = last else { return Ok(None) };
    let entry = state.store.entry(id).map_err(|error| store_refusal(&error))?;
    let files = entry.iter().flat_map(|entry| &entry.files).filter(|file| file.path == *path);
    Ok(files.into_iter().find_map(removed))
}
