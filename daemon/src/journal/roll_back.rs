//! The end of a job that was taken back: the names that it moved are flushed, what it overwrote and cannot get back is
//! taken into the journal, and a void says that it did not happen. It puts nothing back.
//!
//! *Calling sequence*: [`flush`] and [`rescue_overwritten`] once every file is back, then [`roll_back`].
//!
//! *Invariants*: after a power cut nobody looks at a voided entry. So **nothing that a cut may bring back of it is left
//! when its void is written**: neither a staged file under a target's name nor a displaced one without a name.

use std::collections::BTreeSet;
use std::io;

use editd_proto::ids::JobId;

use super::recover::repair::find;
use super::{external, settle};
use crate::disk::Observation;
use crate::disk::folders::parent_path;
use crate::disk::observation::hash;
use crate::state::WorkspaceState;
use crate::store::StoreError;
use crate::store::record::{ChangeMethod, Entry, FileMeta, FileRecord, Record, Staging};

/// Flushes the names of files that were put and taken back.
///
/// # Errors
/// What the system says: then nothing may be voided.
pub fn flush(state: &WorkspaceState, files: &[FileRecord]) -> io::Result<()> {
    let mut folders = BTreeSet::new();
    let mut stagings: Vec<&Staging> = Vec::new();
    for file in files
        .iter()
        .filter(|file| matches!(file.how, ChangeMethod::Swap | ChangeMethod::Create | ChangeMethod::Delete))
    {
        if !stagings.contains(&&file.staging) {
            state.disk.flush_staging(&file.staging)?;
            stagings.push(&file.staging);
        }
        let Some(place) = find(state, file)? else { continue };
        let shown = place.stat().map(|stat| stat.identity);
        // Others wrote to the staged file while it stood there, and theirs stays, on bytes that nobody has flushed.
        if shown.is_some() && shown == file.after.as_ref().map(|after| after.identity) {
            state.disk.flush_file(&place)?;
        }
        if folders.insert(parent_path(&place)) || !file.made.is_empty() {
            state.disk.flush_folders(&place, &file.made)?;
        }
    }
    Ok(())
}

/// Takes what stood in a file that was rewritten in place into the journal, where others changed the file by then, so
/// that it was not rewritten again. A file that was exchanged has that in its slot, which is emptied later.
///
/// # Errors
/// What the system or the log says: then nothing may be voided.
pub fn rescue_overwritten(state: &WorkspaceState, id: JobId, files: &[FileRecord]) -> io::Result<()> {
    for file in files.iter().filter(|file| file.how == ChangeMethod::InPlace) {
        let (Some(before), [splice]) = (&file.before, file.splices.as_slice()) else { continue };
        let shown = find(state, file)?.map(|place| state.disk.observe(&place)).transpose()?;
        let shown = shown.as_ref().and_then(Observation::found);
        if shown.is_some_and(|found| found.face.hash == before.hash) {
            continue;
        }
        // What stands before the first changed byte was never touched by the job.
        let prefix = usize::try_from(splice.at).ok().and_then(|at| shown?.bytes.get(..at));
        let rebuilt = prefix.map(|prefix| [prefix, &splice.old].concat());
        let whole =
            rebuilt.filter(|bytes| hash(bytes) == before.hash).or_else(|| state.store.content(before.hash));
        let bytes = whole.unwrap_or_else(|| splice.old.clone());
        let face = FileMeta { hash: hash(&bytes), size: bytes.len() as u64, ..before.clone() };
        external::rescue_displaced(state, file, id, &face, &bytes)?;
    }
    Ok(())
}

/// Says that a job did not happen, and leaves its slots to be emptied.
///
/// # Errors
/// The log failed: the next start decides about the job.
pub fn roll_back(state: &WorkspaceState, entry: &Entry) -> Result<(), StoreError> {
    let at = state.store.append(&[Record::Void(entry.id)])?;
    let _durable = state.store.flush(at)?;
    settle::leave_staging(state, entry);
    Ok(())
}
