//! A file that a sealed job left and whose flush has failed: its content goes to a fresh file, which is flushed and then
//! exchanged with it as in a job. The failed one is never called flushed. What stood there before the job is not touched.
//!
//! *Invariants*: a job that found the failed file does not go on with it once it was exchanged: recovery would take the
//! fresh one for a foreign revert (`job::intend` asks [`Known::was_rewritten`](super::known::Known::was_renewed)).
//!
//! *Limitations*: a file with several names, or one whose owner cannot be given to a fresh one, is written again in place;
//! what another process writes into it in that moment is lost.

use std::io;
use std::sync::Arc;

use editd_proto::ids::JobId;
use editd_proto::path::WirePath;

use super::recover::contents::IntactContents;
use super::recover::signs::is_torn;
use super::{external, settle};
use crate::disk::observation;
use crate::disk::put::RescuedBytes;
use crate::disk::stage::{StageError, StagedMode};
use crate::disk::{FileSnapshot, Observation, ResolvedPath};
use crate::os::{File, Identity};
use crate::state::{WorkspaceState, lock};
use crate::store::record::{ChangeMethod, FileMeta, FileRecord};

/// Writes anew what a record left at a place, and flushes it. Returns which file stands there now.
///
/// # Errors
/// What the system says, and `WouldBlock` while others are at it: then it is still to be done.
pub(super) fn rewrite(
    state: &WorkspaceState,
    id: JobId,
    file: &FileRecord,
    place: &ResolvedPath,
) -> io::Result<Identity> {
    let _writing = Writing::begin(state, &file.path)?;
    let found = match state.disk.observe(place)? {
        Observation::File(found)
            if file.after.as_ref().is_some_and(|face| face.identity == found.face.identity) =>
        {
            found
        }
        _ => return Err(others()),
    };
    let bytes = content(state, id, file, &found)?;
    let alone = file.how != ChangeMethod::InPlace && found.links == 1;
    let renewed = if alone { exchange(state, id, place, &found, &bytes)? } else { None };
    let now = match renewed {
        Some(now) => now,
        None => rewrite_in_place(state, place, &found, &bytes)?,
    };
    tracing::warn!(path = %file.path, "its flush had failed; it was written anew");
    Ok(now)
}

/// Takes what a file holds into the journal: its flush has failed, and where its name is nobody knows.
///
/// # Errors
/// What the system or the log says.
pub(super) fn rescue(state: &WorkspaceState, id: JobId, file: &FileRecord, open: &File) -> io::Result<()> {
    match observation::read(open.clone())? {
        Observation::File(found) => external::rescue_unflushed(state, file, id, &found),
        _ => Err(io::Error::other("its flush has failed, it was moved, and it is too large for the journal")),
    }
}

/// The path that is being written anew: no job writes it meanwhile.
struct Writing<'r> {
    state: &'r WorkspaceState,
    paths: [WirePath; 1],
}

impl<'r> Writing<'r> {
    fn begin(state: &'r WorkspaceState, path: &WirePath) -> io::Result<Self> {
        let paths = [path.clone()];
        if lock(&state.path_cache).begin(&paths) { Ok(Self { state, paths }) } else { Err(others()) }
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        lock(&self.state.path_cache).end(&self.paths);
    }
}

fn others() -> io::Error {
    io::Error::new(io::ErrorKind::WouldBlock, "a job or another program is writing it")
}

/// What the file must hold. Where the system has forgotten bytes that it could not write, it is rebuilt from what stood
/// there before; where others have written to it since, it is theirs as it is.
fn content(
    state: &WorkspaceState,
    id: JobId,
    file: &FileRecord,
    found: &FileSnapshot,
) -> io::Result<Arc<[u8]>> {
    let as_left = |face: &&FileMeta| face.hash != found.face.hash && face.modified == found.face.modified;
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

/// Exchanges it with a fresh file. `None` where only writing in place keeps its owner.
fn exchange(
    state: &WorkspaceState,
    id: JobId,
    place: &ResolvedPath,
    found: &FileSnapshot,
    bytes: &[u8],
) -> io::Result<Option<Identity>> {
    let staged_name = state.next_staged_name();
    let staged =
        match state.disk.stage(place, Some(found), bytes, StagedMode::Exact(found.face.mode), &staged_name) {
            Ok(staged) => staged,
            Err(StageError::Owner | StageError::ReadOnly) => return Ok(None),
            Err(StageError::Io(error)) => return Err(error),
        };
    if let Err(error) = state.disk.flush_staged(&staged.staging, &staged_name) {
        state.disk.unstage(&staged.staging, &staged_name);
        return Err(error);
    }
    let (before, after) = (Some(found.face.clone()), Some(staged.face.clone()));
    let staged_name = (staged.staging, staged_name);
    let record =
        FileRecord::without_content(place.path().clone(), before, after, ChangeMethod::Swap, staged_name);
    let mut rescue = |rescue: RescuedBytes<'_>| external::rescue(state, &rescue);
    let put = state.disk.put(&record, place, &mut rescue);
    // What it held and no journal has is rescued with the care that every slot is emptied with.
    settle::leave_staged(state, id, FileRecord { before: None, ..record.clone() }, None);
    let _swapped = put?.map_err(|_foreign| others())?;
    lock(&state.path_cache).rewritten(&record.path, &staged.face, found.face.identity);
    lock(&state.unsettled).held.done(&record.path);
    state.disk.flush_folders(place, &[])?;
    state.disk.flush_staging(&record.staging)?;
    state.disk.trust_again(found.face.identity);
    Ok(Some(staged.face.identity))
}

/// Writes it again in place.
fn rewrite_in_place(
    state: &WorkspaceState,
    place: &ResolvedPath,
    found: &FileSnapshot,
    bytes: &[u8],
) -> io::Result<Identity> {
    state.disk.rewrite(place, &found.face, bytes, found.face.mode)?;
    if let Observation::File(now) = state.disk.observe(place)? {
        lock(&state.path_cache).wrote(place.path(), Some(&now.face), None);
    }
    Ok(found.face.identity)
}
