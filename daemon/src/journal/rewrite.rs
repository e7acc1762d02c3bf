//! Rewrites a file of a sealed job whose flush has failed: its content goes to a fresh file, which is flushed and
//! then exchanged with the failed one as in a job. The failed file never counts as flushed. The file that the job
//! displaced is not touched.
//!
//! *Invariants*: a job that found the failed file does not continue with it once it was exchanged: recovery would
//! take the fresh file for a revert by another program (`transaction::intend` asks
//! [`PathCache::was_rewritten`](crate::state::path_cache::PathCache::was_rewritten)).
//!
//! *Limitations*: a file with several names, or one whose owner cannot be given to a fresh file, is written again in
//! place; bytes that another process writes to it in that moment are lost.

use std::io;
use std::sync::Arc;

use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use super::recover::contents::IntactContents;
use super::recover::signs::is_torn;
use super::{external, roll_back, settle};
use crate::disk::observation;
use crate::disk::put::RescuedBytes;
use crate::disk::stage::{StageError, StagedContent, StagedMode};
use crate::disk::{FileSnapshot, Observation, ResolvedPath};
use crate::os::{File, FileIdentity};
use crate::record::{ChangeMethod, FileMeta, FileRecord};
use crate::state::{WorkspaceState, lock};
use crate::store::intent::{Intended, IntendedFile};

/// Rewrites the file that a record left at a place and flushes it. Returns the identity of the file that is there
/// now.
///
/// # Errors
/// Errors of the system, and `WouldBlock` if a job is writing the path or another program replaced the file: then it
/// must be tried again.
pub(super) fn rewrite(
    state: &WorkspaceState,
    id: JobId,
    file: &FileRecord,
    place: &ResolvedPath,
) -> io::Result<FileIdentity> {
    let _writing = PathGuard::begin(state, &file.path)?;
    let found = match state.disk.observe(place)? {
        Observation::File(found)
            if file.after.as_ref().is_some_and(|meta| meta.identity == found.meta.identity) =>
        {
            found
        }
        _ => return Err(others()),
    };
    let bytes = content(state, id, file, &found)?;
    let Some(entry) = state.store.open_entry(id) else {
        return Err(io::Error::other("its entry was settled meanwhile"));
    };
    let alone = file.how != ChangeMethod::InPlace && found.links == 1;
    let renewed = if alone { exchange(state, &entry, place, &found, &bytes)? } else { None };
    let now = match renewed {
        Some(now) => now,
        None => rewrite_in_place(state, entry.permit_repair(file), place, &found, &bytes)?,
    };
    tracing::warn!(path = %file.path, "a flush of this file had failed; it was written again");
    Ok(now)
}

/// Stores the content of a file in the journal: its flush has failed, and its name is unknown.
///
/// # Errors
/// Errors of the system or the log.
pub(super) fn rescue(state: &WorkspaceState, id: JobId, file: &FileRecord, open: &File) -> io::Result<()> {
    match observation::read(open.clone())? {
        Observation::File(found) => external::rescue_unflushed(state, file, id, &found),
        _ => Err(io::Error::other("its flush has failed, it was moved, and it is too large for the journal")),
    }
}

/// A path that is being rewritten: no job writes it meanwhile.
struct PathGuard<'r> {
    state: &'r WorkspaceState,
    paths: [FilePath; 1],
}

impl<'r> PathGuard<'r> {
    fn begin(state: &'r WorkspaceState, path: &FilePath) -> io::Result<Self> {
        let paths = [path.clone()];
        if lock(&state.path_cache).begin(&paths) { Ok(Self { state, paths }) } else { Err(others()) }
    }
}

impl Drop for PathGuard<'_> {
    fn drop(&mut self) {
        lock(&self.state.path_cache).end(&self.paths);
    }
}

fn others() -> io::Error {
    io::Error::new(io::ErrorKind::WouldBlock, "a job or another program is writing it")
}

/// Returns the content that the file must have. If the system has lost bytes that it could not write, the content is
/// rebuilt from the one before; if another program has written to the file since, its present content is used.
fn content(
    state: &WorkspaceState,
    id: JobId,
    file: &FileRecord,
    found: &FileSnapshot,
) -> io::Result<Arc<[u8]>> {
    let as_left = |meta: &&FileMeta| meta.hash != found.meta.hash && meta.modified == found.meta.modified;
    let Some(wanted) = file.after.as_ref().filter(as_left) else { return Ok(found.bytes.clone()) };
    let entry = state.store.entry(id).map_err(io::Error::other)?;
    let mut contents = IntactContents::default();
    if let Observation::File(before) = state.disk.observe_staged(&file.staging, &file.staged_name)? {
        contents.add(before.bytes);
    }
    let records = entry.iter().flat_map(|entry| &entry.files).filter(|record| record.path == file.path);
    contents.reach(&records.collect::<Vec<_>>());
    let torn = contents.get(wanted.hash).filter(|written| is_torn(&found.bytes, written));
    Ok(torn.unwrap_or(&found.bytes).clone())
}

/// Exchanges the file with a fresh one. `None` if only writing in place keeps its owner.
fn exchange(
    state: &WorkspaceState,
    entry: &Intended,
    place: &ResolvedPath,
    found: &FileSnapshot,
    bytes: &[u8],
) -> io::Result<Option<FileIdentity>> {
    let staged_name = state.next_staged_name();
    let (content, mode) = (StagedContent::new(bytes), StagedMode::Exact(found.meta.mode));
    let staged = match state.disk.stage(place, Some(found), content, mode, &staged_name) {
        Ok(staged) => staged,
        Err(StageError::Owner | StageError::ReadOnly) => return Ok(None),
        Err(StageError::Io(error)) => return Err(error),
    };
    if let Err(error) = state.disk.flush_staged(&staged.staging, &staged_name) {
        state.disk.unstage(&staged.staging, &staged_name, staged.meta.identity);
        return Err(error);
    }
    let (before, after) = (Some(found.meta.clone()), Some(staged.meta.clone()));
    let staged_name = (staged.staging, staged_name);
    let record =
        FileRecord::without_content(place.path().clone(), before, after, ChangeMethod::Swap, staged_name);
    let mut rescue = |rescue: RescuedBytes<'_>| external::rescue(state, &rescue);
    let put = state.disk.put(entry.permit_repair(&record), place, &mut rescue);
    if let Ok(Err(foreign)) = &put {
        roll_back::set_foreign_aside(state, &record, *foreign)?;
    }
    // Bytes in it that the journal does not have are rescued before it is removed, as for every staged file.
    settle::leave_staged(state, entry.id, FileRecord { before: None, ..record.clone() }, None);
    let _swapped = put?.map_err(|_foreign| others())?;
    lock(&state.path_cache).rewritten(&record.path, &staged.meta, found.meta.identity);
    lock(&state.unsettled).held.done(&record.path);
    state.disk.flush_folders(place, &[])?;
    state.disk.flush_staging(&record.staging)?;
    state.disk.trust_again(found.meta.identity);
    Ok(Some(staged.meta.identity))
}

/// Writes the content again in place.
fn rewrite_in_place(
    state: &WorkspaceState,
    file: IntendedFile<'_>,
    place: &ResolvedPath,
    found: &FileSnapshot,
    bytes: &[u8],
) -> io::Result<FileIdentity> {
    state.disk.rewrite(file, place, &found.meta, bytes, found.meta.mode)?;
    if let Observation::File(now) = state.disk.observe(place)? {
        lock(&state.path_cache).wrote(place.path(), Some(&now.meta), None);
    }
    Ok(found.meta.identity)
}
