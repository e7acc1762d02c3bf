//! Flushes the files of sealed jobs: each file, its folder and its staging folder, once for all entries together. It
//! deletes nothing and changes no content; a file that cannot be flushed is written again with the same content.
//!
//! *Invariants*: a displaced file may be deleted only when the newest job's file for that path is on the disk,
//! **wherever its name is by then**. So that file is kept open from its seal until it is flushed. If it is not open
//! (there are too many, or another run of the daemon sealed it) and is not at its path, its flush cannot be verified:
//! then the content of the file that it replaced goes into the journal. **A file whose flush has failed never counts as
//! flushed again**, whatever a second flush returns.

use std::collections::BTreeMap;
use std::io;

use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use super::recover::repair::find;
use super::rewrite;
use crate::disk::flush::{FlushedTarget, PutFile};
use crate::disk::folders::parent_path;
use crate::disk::{Observation, ResolvedPath};
use crate::os::{File, FileIdentity};
use crate::record::{ChangeMethod, FileRecord, StagingFolder};
use crate::state::path_cache::ObservationVersion;
use crate::state::unsettled::NewestFile;
use crate::state::{WorkspaceState, lock};

/// The owner's permission to read. A file without it is flushed when it is staged, since it cannot be opened later.
const OWNER_READS: u32 = 0o400;

/// Notes the file of a job that was just put in place and sealed. `left` is that file, if it is open.
pub fn put(state: &WorkspaceState, file: &FileRecord, place: &ResolvedPath, left: Option<PutFile>) {
    let left = left.or_else(|| file.after.as_ref().and_then(|meta| state.disk.open_left(place, meta)));
    let changed = left.as_ref().map(|left| left.changed);
    lock(&state.path_cache).wrote(&file.path, file.after.as_ref(), changed);
    hold(state, file, left.map(|left| left.file));
}

/// Keeps the file that the newest sealed job left at a path open, if it was found there.
pub(super) fn hold(state: &WorkspaceState, file: &FileRecord, left: Option<File>) {
    let left = match &file.after {
        None => Some(NewestFile::Absent),
        Some(meta) => left.map(|open| NewestFile::File(meta.identity, open)),
    };
    lock(&state.unsettled).held.put(&file.path, left);
}

/// The result of flushing the file of a sealed job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(super) enum FlushState {
    /// It is on the disk, or the file of a newer job is, or there is none.
    Durable,
    /// It is not where it was left, and its place is unknown: the content that it replaced must be kept.
    Astray,
}

/// Flushes each file, each folder and each staging folder once.
#[derive(Default)]
pub(super) struct FlushBatch {
    paths: BTreeMap<FilePath, FlushedPath>,
    /// Each folder, and true if it was flushed; if not, none of its names counts as flushed.
    folders: BTreeMap<FilePath, bool>,
    stagings: Vec<StagingFolder>,
}

/// The result of flushing one path.
#[derive(Clone, Copy)]
struct FlushedPath {
    /// The file at the path, flushed.
    shown: Option<FileIdentity>,
    /// True if the newest sealed job's file was flushed, at the path or elsewhere, or if the file at the path is of a
    /// newer job.
    newest: bool,
    /// True if no job was writing the path meanwhile.
    quiet: bool,
}

impl FlushBatch {
    /// Flushes the file of one record.
    ///
    /// # Errors
    /// Errors of the system, and `WouldBlock` while a job is writing the path: then nothing is settled.
    pub(super) fn file(
        &mut self,
        state: &WorkspaceState,
        id: JobId,
        file: &FileRecord,
    ) -> io::Result<FlushState> {
        let known = self.paths.get(&file.path).copied().filter(|_| file.made.is_empty());
        let path = match known {
            Some(path) => path,
            None => self.path(state, id, file)?,
        };
        self.paths.insert(file.path.clone(), path);
        let mut left = path.flush_state(file)?;
        if left == FlushState::Astray && is_nothing_missing(state, id, file)? {
            left = FlushState::Durable;
        }
        if !self.stagings.contains(&file.staging) {
            state.disk.flush_staging(&file.staging)?;
            self.stagings.push(file.staging.clone());
        }
        lock(&state.unsettled).held.release(file);
        Ok(left)
    }

    fn path(&mut self, state: &WorkspaceState, id: JobId, file: &FileRecord) -> io::Result<FlushedPath> {
        let look = || {
            let known = lock(&state.path_cache);
            (known.version(&file.path), known.left(&file.path))
        };
        let (version, left) = look();
        let held = lock(&state.unsettled).held.newest(&file.path);
        let mut shown = None;
        // If the path leads elsewhere by now, it has no file of ours.
        if let Some(place) = find(state, file)? {
            shown = flush(state, id, file, &place, held.as_ref())?;
            self.folder(state, file, &place)?;
        }
        if let Some(NewestFile::File(identity, open)) = &held
            && shown != Some(*identity)
        {
            // Moved away, or about to be put back by a job. An unlinked file may get its name again, too.
            if state.disk.sync(open).is_err() || state.disk.doubts(*identity) {
                rewrite::rescue(state, id, file, open)?;
                lock(&state.unsettled).held.done(&file.path);
            }
        }
        let (now, left_now) = look();
        let newest = held.is_some() || left == Some(shown) || left_now == Some(shown);
        Ok(FlushedPath { shown, newest, quiet: version != ObservationVersion::Busy && version == now })
    }

    fn folder(&mut self, state: &WorkspaceState, file: &FileRecord, place: &ResolvedPath) -> io::Result<()> {
        let folder = parent_path(place);
        match self.folders.get(&folder) {
            Some(true) if file.made.is_empty() => return Ok(()),
            Some(false) => return Err(io::Error::other("its folder could not be flushed")),
            _ => {}
        }
        let flushed = state.disk.flush_folders(place, &file.made);
        self.folders.insert(folder, flushed.is_ok());
        flushed
    }
}

/// Flushes the file at a path. If that fails, now or earlier, the file is written again; files of other programs are
/// left alone.
fn flush(
    state: &WorkspaceState,
    id: JobId,
    file: &FileRecord,
    place: &ResolvedPath,
    newest: Option<&NewestFile>,
) -> io::Result<Option<FileIdentity>> {
    let flushed = match state.disk.flush_file(place) {
        Ok(FlushedTarget::Nothing) => return Ok(None),
        Ok(FlushedTarget::Flushed(shown)) => Ok(Some(shown)),
        Ok(FlushedTarget::Unreadable(shown)) => flush_unreadable(state, file, shown, newest),
        Err(error) => Err(error),
    };
    let shown = match &flushed {
        Ok(shown) => *shown,
        Err(_) => place.parent().stat(place.name()).ok().map(|stat| stat.identity),
    };
    let Some(shown) = shown.filter(|shown| state.disk.doubts(*shown)) else { return flushed };
    if file.after.as_ref().is_some_and(|meta| meta.identity == shown) {
        return rewrite::rewrite(state, id, file, place).map(Some);
    }
    let ours = match newest {
        Some(NewestFile::File(held, _)) => *held == shown,
        Some(NewestFile::Absent) => false,
        None => lock(&state.path_cache).left(&file.path) == Some(Some(shown)),
    };
    if ours {
        // It is flushed with the entry of the job that put it there.
        return Err(io::Error::other("the file of a later job could not be flushed"));
    }
    Ok(Some(shown))
}

/// Flushes a job's file that became unreadable later; a file that its job made unreadable was flushed when it was
/// staged. Files of other programs are left alone.
fn flush_unreadable(
    state: &WorkspaceState,
    file: &FileRecord,
    shown: FileIdentity,
    newest: Option<&NewestFile>,
) -> io::Result<Option<FileIdentity>> {
    if let Some(NewestFile::File(held, open)) = newest
        && *held == shown
    {
        return state.disk.sync(open).map(|()| Some(shown));
    }
    let known = lock(&state.path_cache).meta(&file.path).cloned();
    let metas = [file.after.as_ref(), known.as_ref()];
    let mut of_a_job = metas.into_iter().flatten().filter(|meta| meta.identity == shown);
    match of_a_job.next() {
        Some(meta) if meta.mode & OWNER_READS != 0 => {
            let message = "it may not be read any more, so it cannot be flushed";
            Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
        }
        _ => Ok(Some(shown)),
    }
}

/// Returns true if the path shows what the newest job left there, or has the replaced content again, and flushes it. The file
/// itself may be another one: an earlier run of the daemon writes a copy if a job's own file cannot be flushed.
fn is_nothing_missing(state: &WorkspaceState, id: JobId, file: &FileRecord) -> io::Result<bool> {
    let behind = JobId(id.0.saturating_sub(1));
    let newest = state.store.job_behind(&file.path, behind).ok().flatten();
    let left = newest.and_then(|newest| state.store.left_by(&file.path, newest).ok().flatten());
    let Some(place) = find(state, file)? else { return Ok(false) };
    let found = match state.disk.observe(&place)? {
        Observation::File(found) => found,
        // Its folder was flushed.
        Observation::Absent => return Ok(left == Some(None)),
        _ => return Ok(false),
    };
    let old = file.before.as_ref().map(|before| before.hash);
    let is_expected = [old, left.flatten()].contains(&Some(found.meta.hash));
    if !is_expected || state.disk.doubts(found.meta.identity) {
        return Ok(false);
    }
    Ok(
        matches!(state.disk.flush_file(&place)?, FlushedTarget::Flushed(shown) if shown == found.meta.identity),
    )
}

impl FlushedPath {
    fn flush_state(self, file: &FileRecord) -> io::Result<FlushState> {
        let after = file.after.as_ref().map(|meta| meta.identity);
        if self.newest || after.is_none() || self.shown == after {
            return Ok(FlushState::Durable);
        }
        if !self.quiet {
            // It may be a file that a job is just putting in place and may still roll back.
            return Err(io::Error::new(io::ErrorKind::WouldBlock, "a job is writing it"));
        }
        // A created file replaced nothing, and the journal has its content.
        Ok(if file.how == ChangeMethod::Swap { FlushState::Astray } else { FlushState::Durable })
    }
}
