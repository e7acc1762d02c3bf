//! Finds the present path of a file that an entry moved. It only reads entries; it opens no file of the workspace.

use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use super::why::{EntryEffect, told};
use crate::limits;
use crate::record::{ChangeMethod, Entry, FileRecord};
use crate::state::WorkspaceState;

/// A file that is at another path now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MovedFile {
    /// The present path, as far as the journal knows.
    pub to: FilePath,
    /// The entry that moved it from the path that was asked for.
    pub by: JobId,
    /// The effect of the entry, in one sentence.
    pub sentence: String,
}

/// Looks for a file that is no longer at its path. `None` if the last entry of the path did not move it, unchanged, to a
/// new path.
pub fn moved(state: &WorkspaceState, path: &FilePath) -> Option<MovedFile> {
    let (mut at, mut first) = (path.clone(), None);
    for _ in 0..limits::MOVES {
        let Ok(Some((id, None))) = state.store.last_of(&at) else { break };
        let size = state.store.entry_size(id).ok()?.filter(|size| *size <= limits::WHY_BYTES)?;
        let _reservation = state.memory.try_acquire(size.saturating_mul(limits::ENTRY_HOLDS))?;
        let entry = state.store.entry(id).ok()??;
        let Some(to) = target(&entry, &at) else { break };
        first.get_or_insert_with(|| (id, told(state, &entry, &EntryEffect::Moved(to.clone())).sentence));
        at = to;
    }
    first.map(|(by, sentence)| MovedFile { to: at, by, sentence })
}

/// Returns the new file of an entry that has the content of the one that it removed.
fn target(entry: &Entry, path: &FilePath) -> Option<FilePath> {
    let mut files = entry.files.iter().filter(|file| file.how != ChangeMethod::Rescued);
    let removed = files.clone().find(|file| file.path == *path && file.after.is_none())?;
    let hash = Some(removed.before.as_ref()?.hash);
    let is_new =
        |file: &&FileRecord| file.before.is_none() && file.after.as_ref().map(|meta| meta.hash) == hash;
    files.find(is_new).map(|file| file.path.clone())
}

#[cfg(all(test, unix))]
mod tests;
