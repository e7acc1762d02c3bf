//! The end of a job that was rolled back: it flushes the names that the job moved, stores overwritten contents that
//! could not be restored in the journal, and writes a void record. It restores no file itself.
//!
//! *Calling sequence*: [`flush`] and [`rescue_overwritten`] after every file is restored, then [`roll_back`].
//!
//! *Invariants*: recovery ignores a void entry after a power cut. So **when the void is written, nothing may be left
//! that a power cut could bring back**: neither a staged file under a target's name nor a displaced one without a
//! name.

use std::collections::BTreeSet;
use std::io;

use editd_proto::ids::JobId;

use super::recover::repair::find;
use super::{external, settle};
use crate::disk::folders::parent_path;
use crate::disk::observation::hash;
use crate::disk::put::SwapRefusal;
use crate::disk::{Observation, ResolvedPath};
use crate::record::{ChangeMethod, Entry, FileMeta, FileRecord, Record, StagingFolder};
use crate::state::WorkspaceState;
use crate::store::StoreError;
use crate::store::intent::{Intended, IntendedFile};

/// Flushes the names of files that were put in place and restored: the first `count` files of the entry.
///
/// # Errors
/// Errors of the system: then the entry must not become void.
pub fn flush(state: &WorkspaceState, entry: &Intended, count: usize) -> io::Result<()> {
    let mut folders = BTreeSet::new();
    let mut stagings: Vec<&StagingFolder> = Vec::new();
    let files = entry.files().take(count);
    for file in files
        .filter(|file| matches!(file.how, ChangeMethod::Swap | ChangeMethod::Create | ChangeMethod::Delete))
    {
        if !stagings.contains(&&file.staging) {
            state.disk.flush_staging(&file.staging)?;
            stagings.push(&file.record().staging);
        }
        let Some(place) = find(state, &file)? else { continue };
        let shown = place.stat().map(|stat| stat.identity);
        // Another program wrote to the staged file while it was at the target. Its version stays, on bytes that were
        // never flushed.
        if shown.is_some() && shown == file.after.as_ref().map(|after| after.identity) {
            flush_kept(state, file, &place)?;
        }
        if folders.insert(parent_path(&place)) || !file.made.is_empty() {
            state.disk.flush_folders(&place, &file.made)?;
        }
    }
    Ok(())
}

/// Flushes the file that a job put at a place, with the content that another program gave it. If a flush of it has failed
/// before, the content is written again first: a second flush alone would not write it. Bytes that the other program writes
/// in that moment are lost, as in [`rewrite`](super::rewrite). A file above the size limit is flushed only.
fn flush_kept(state: &WorkspaceState, file: IntendedFile<'_>, place: &ResolvedPath) -> io::Result<()> {
    if let Observation::File(found) = state.disk.observe(place)?
        && state.disk.doubts(found.meta.identity)
    {
        return state.disk.rewrite(file, place, &found.meta, &found.bytes, found.meta.mode);
    }
    state.disk.flush_file(place)?;
    Ok(())
}

/// Stores the old content of a file that was rewritten in place in the journal, if another program changed the file
/// meanwhile, so that it was not restored. For a file that was exchanged, the staging folder has the old content,
/// which is handled when that is emptied.
///
/// # Errors
/// Errors of the system or the log: then the entry must not become void.
pub fn rescue_overwritten(state: &WorkspaceState, id: JobId, files: &[FileRecord]) -> io::Result<()> {
    for file in files.iter().filter(|file| file.how == ChangeMethod::InPlace) {
        let (Some(before), [splice]) = (&file.before, file.splices.as_slice()) else { continue };
        let shown = find(state, file)?.map(|place| state.disk.observe(&place)).transpose()?;
        let shown = shown.as_ref().and_then(Observation::found);
        if shown.is_some_and(|found| found.meta.hash == before.hash) {
            continue;
        }
        // The job never touched the bytes before the first changed one.
        let prefix = usize::try_from(splice.at).ok().and_then(|at| shown?.bytes.get(..at));
        let rebuilt = prefix.map(|prefix| [prefix, &splice.old].concat());
        let whole =
            rebuilt.filter(|bytes| hash(bytes) == before.hash).or_else(|| state.store.content(before.hash));
        let bytes = whole.unwrap_or_else(|| splice.old.clone());
        let meta = FileMeta { hash: hash(&bytes), size: bytes.len() as u64, ..before.clone() };
        external::rescue_displaced(state, file, id, &meta, &bytes)?;
    }
    Ok(())
}

/// Moves the file of another program from a staged name to `.editd/lost`, if a put was refused because of one. It was never
/// at a path of the workspace, so it belongs into no entry.
///
/// # Errors
/// Errors of the system: then the entry must not become void.
pub fn set_foreign_aside(state: &WorkspaceState, file: &FileRecord, refusal: SwapRefusal) -> io::Result<()> {
    if refusal != SwapRefusal::Replaced {
        return Ok(());
    }
    state.disk.set_aside(&file.staging, &file.staged_name, state.clock.wall_ms())?;
    let path = &file.path;
    tracing::warn!(%path, "another program replaced a file of editd's in .editd/staging; its file is in .editd/lost");
    Ok(())
}

/// Writes the record that a job did not happen, and leaves its staged files to be removed.
///
/// # Errors
/// Fails if the log failed: the next start decides about the job.
pub fn roll_back(state: &WorkspaceState, entry: &Entry) -> Result<(), StoreError> {
    let intent = state.store.intent_at(entry.id).unwrap_or_default();
    let at = state.store.append(&[Record::Void(entry.id)])?;
    let _durable = state.store.flush(at)?;
    settle::leave_staging(state, entry, intent);
    Ok(())
}
