//! Flushing what sealed jobs left: each file, its folder and the folder of its slot, once for all entries together. It
//! drops nothing, and changes no content: what cannot be flushed is written anew as it is.
//!
//! *Invariants*: what a job displaced may go only when the newest job's file at that path is on the disk, **wherever its
//! name is by then**. So that file is held open from its seal until it is flushed. Where it is not held (there are too
//! many, or another run of the daemon sealed it) and does not stand at its path, nobody can tell whether it was flushed:
//! then what it replaced is kept. **A file whose flush has failed never counts as flushed again**, whatever a second flush
//! says.

use std::collections::{BTreeMap, HashMap};
use std::io;

use editd_proto::ids::JobId;
use editd_proto::path::WirePath;

use super::path_cache::ObservationVersion;
use super::recover::repair::find;
use super::rewrite;
use crate::disk::ResolvedPath;
use crate::disk::flush::FlushedTarget;
use crate::disk::folders::parent_path;
use crate::limits::HELD;
use crate::os::{File, Identity};
use crate::state::{WorkspaceState, lock};
use crate::store::record::{ChangeMethod, FileRecord, Staging};

/// The bit of a mode without which staging flushes.
const OWNER_READS: u32 = 0o400;

/// What the newest sealed jobs left at paths, until it is flushed.
#[derive(Default)]
pub(super) struct UnflushedFiles {
    paths: HashMap<WirePath, Newest>,
}

/// What the newest job left at a path.
#[derive(Clone)]
enum Newest {
    /// Nothing.
    Absent,
    /// This file, which is open.
    File(Identity, File),
}

impl UnflushedFiles {
    /// The newest job left this at a path; `None` where that is a file which could not be opened.
    fn put(&mut self, path: &WirePath, left: Option<Newest>) {
        self.paths.remove(path);
        if let Some(left) = left
            && self.paths.len() < HELD
        {
            self.paths.insert(path.clone(), left);
        }
    }

    /// There is nothing more to flush at a path: what was left there is on the disk, or in the journal.
    pub(super) fn done(&mut self, path: &WirePath) {
        if let Some(newest) = self.paths.get_mut(path) {
            *newest = Newest::Absent;
        }
    }

    /// What this record left is flushed.
    fn release(&mut self, file: &FileRecord) {
        let done = match (self.paths.get(&file.path), &file.after) {
            (Some(Newest::Absent), _) => true,
            (Some(Newest::File(held, _)), Some(face)) => *held == face.identity,
            _ => false,
        };
        if done {
            self.paths.remove(&file.path);
        }
    }
}

/// A job has just put its file at a place, and is sealed.
pub fn put(state: &WorkspaceState, file: &FileRecord, place: &ResolvedPath) {
    let left = file.after.as_ref().and_then(|face| state.disk.open_left(place, face));
    let changed = left.as_ref().map(|left| left.changed);
    lock(&state.path_cache).wrote(&file.path, file.after.as_ref(), changed);
    hold(state, file, left.map(|left| left.file));
}

/// Holds what the newest sealed job left at a path, if it was found there.
pub(super) fn hold(state: &WorkspaceState, file: &FileRecord, left: Option<File>) {
    let left = match &file.after {
        None => Some(Newest::Absent),
        Some(face) => left.map(|open| Newest::File(face.identity, open)),
    };
    lock(&state.unsettled).held.put(&file.path, left);
}

/// What was learnt of the file that a sealed job left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(super) enum FlushState {
    /// It is on the disk, or a newer job's is, or there is none.
    Durable,
    /// It is not where it was left, and nobody knows where it is: what it replaced must be kept.
    Astray,
}

/// Flushes each file, each folder and each folder of slots once.
#[derive(Default)]
pub(super) struct FlushBatch {
    paths: BTreeMap<WirePath, Path>,
    /// Each folder, and whether it was flushed: where that failed, none of its names counts as flushed.
    folders: BTreeMap<WirePath, bool>,
    stagings: Vec<Staging>,
}

/// What was flushed for one path.
#[derive(Clone, Copy)]
struct Path {
    /// What stands there, flushed.
    shown: Option<Identity>,
    /// The newest sealed job's file was flushed, there or elsewhere; or what stands there is that of a newer job.
    newest: bool,
    /// No job was writing the path meanwhile.
    quiet: bool,
}

impl FlushBatch {
    /// Flushes what one record left.
    ///
    /// # Errors
    /// What the system says, and `WouldBlock` while a job is writing the path: then nothing is settled.
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
        let left = path.judge(file)?;
        if !self.stagings.contains(&file.staging) {
            state.disk.flush_staging(&file.staging)?;
            self.stagings.push(file.staging.clone());
        }
        lock(&state.unsettled).held.release(file);
        Ok(left)
    }

    fn path(&mut self, state: &WorkspaceState, id: JobId, file: &FileRecord) -> io::Result<Path> {
        let look = || {
            let known = lock(&state.path_cache);
            (known.version(&file.path), known.left(&file.path))
        };
        let (version, left) = look();
        let held = lock(&state.unsettled).held.paths.get(&file.path).cloned();
        let mut shown = None;
        // A path that leads elsewhere by now has nothing of ours.
        if let Some(place) = find(state, file)? {
            shown = flush(state, id, file, &place, held.as_ref())?;
            self.folder(state, file, &place)?;
        }
        if let Some(Newest::File(identity, open)) = &held
            && shown != Some(*identity)
        {
            // Moved away, or about to be put back by a job; also one that was unlinked may have its name again.
            if state.disk.sync(open).is_err() || state.disk.doubts(*identity) {
                rewrite::rescue(state, id, file, open)?;
                lock(&state.unsettled).held.done(&file.path);
            }
        }
        let (now, left_now) = look();
        let newest = held.is_some() || left == Some(shown) || left_now == Some(shown);
        Ok(Path { shown, newest, quiet: version != ObservationVersion::Busy && version == now })
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

/// Flushes what stands at a path. If that fails, now or earlier, it is written anew; others' files are theirs.
fn flush(
    state: &WorkspaceState,
    id: JobId,
    file: &FileRecord,
    place: &ResolvedPath,
    newest: Option<&Newest>,
) -> io::Result<Option<Identity>> {
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
    if file.after.as_ref().is_some_and(|face| face.identity == shown) {
        return rewrite::rewrite(state, id, file, place).map(Some);
    }
    let ours = match newest {
        Some(Newest::File(held, _)) => *held == shown,
        Some(Newest::Absent) => false,
        None => lock(&state.path_cache).left(&file.path) == Some(Some(shown)),
    };
    if ours {
        // With the entry of the job that put it there, it will be.
        return Err(io::Error::other("what a later job put there could not be flushed"));
    }
    Ok(Some(shown))
}

/// Flushes a job's file that others have made unreadable since; one that its job made so was flushed when it was staged.
/// Others' files are theirs.
fn flush_unreadable(
    state: &WorkspaceState,
    file: &FileRecord,
    shown: Identity,
    newest: Option<&Newest>,
) -> io::Result<Option<Identity>> {
    if let Some(Newest::File(held, open)) = newest
        && *held == shown
    {
        return state.disk.sync(open).map(|()| Some(shown));
    }
    let known = lock(&state.path_cache).face(&file.path).cloned();
    let faces = [file.after.as_ref(), known.as_ref()];
    let mut of_a_job = faces.into_iter().flatten().filter(|face| face.identity == shown);
    match of_a_job.next() {
        Some(face) if face.mode & OWNER_READS != 0 => {
            let message = "it may not be read any more, so it cannot be flushed";
            Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
        }
        _ => Ok(Some(shown)),
    }
}

impl Path {
    fn judge(self, file: &FileRecord) -> io::Result<FlushState> {
        let after = file.after.as_ref().map(|face| face.identity);
        if self.newest || after.is_none() || self.shown == after {
            return Ok(FlushState::Durable);
        }
        if !self.quiet {
            // It may be what a job is just putting there and may yet take back.
            return Err(io::Error::new(io::ErrorKind::WouldBlock, "a job is writing it"));
        }
        // What a creation wrote is in the journal, and it replaced nothing.
        Ok(if file.how == ChangeMethod::Swap { FlushState::Astray } else { FlushState::Durable })
    }
}
