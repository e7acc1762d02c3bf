//! Changes that did not go through editd: noticed by the next look, or found where a file was moved, they
//! become entries with their bytes. It never changes a file.

use std::io;

use editd_engine::{LineChange, Splice, State};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::EntryKind;
use editd_proto::path::WirePath;

use super::path_cache::{ObservationVersion, PathCache};
use crate::disk::put::RescuedBytes;
use crate::disk::{FileSnapshot, Observation};
use crate::os::Identity;
use crate::state::{WorkspaceState, lock};
use crate::store::record::{ChangeMethod, Entry, FileMeta, FileRecord, ReadReceipt, Record, Staging};
use crate::store::{Position, StoreError};

/// The session and the client of a change that is nobody's.
pub const NOBODY: &str = "outside";

/// What a look showed, compared with what was known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObservationEffect {
    /// Nothing new; or a job is writing the path, whose own look will tell.
    Nothing,
    /// Others changed a file that nobody had read through the daemon.
    Untracked,
    /// Others changed a file that is tracked: the change is this entry.
    Entry(JobId),
}

/// Compares a look at a path with what is known of it; what others changed becomes an entry. `seen` is what
/// the asking session has seen, for a path of which nothing else is known; `tracked` is whether it counts as read.
pub fn note(
    state: &WorkspaceState,
    path: &WirePath,
    observation: &Observation,
    version: ObservationVersion,
    seen: Option<Option<ContentHash>>,
    tracked: bool,
) -> ObservationEffect {
    let found = match observation {
        Observation::Absent => None,
        Observation::File(found) => Some(found),
        Observation::TooLarge(_) | Observation::Unreadable(_) | Observation::Other(_) => {
            return ObservationEffect::Nothing;
        }
    };
    // Held throughout: a job that begins now must find the change journaled, and once.
    let mut known = lock(&state.path_cache);
    if !known.valid(path, version) {
        return ObservationEffect::Nothing;
    }
    let (last, journaled) = match known.hash(path) {
        Some(hash) => (Some(hash), known.tracked(path)),
        None => match state.store.last_of(path).ok().flatten() {
            Some((_, hash)) => (Some(hash), true),
            None => (seen, seen.is_some()),
        },
    };
    let hash = found.map(|found| found.face.hash);
    let noted = match last {
        Some(last) if last == hash => ObservationEffect::Nothing,
        Some(last) if journaled => {
            let before = last.map(|hash| before_face(state, &known, path, hash, found));
            let bytes = found.map(|found| (&found.face, &*found.bytes));
            match append(state, path, before, bytes, ChangeMethod::Nothing, None) {
                Some(id) => ObservationEffect::Entry(id),
                None => ObservationEffect::Untracked,
            }
        }
        Some(_) | None => ObservationEffect::Untracked,
    };
    known.saw(path, found.map(|found| &found.face), tracked || journaled);
    noted
}

/// Bytes found in a displaced file that go back to its path: an entry like any other outside change.
///
/// # Errors
/// The log failed: the file must stay where it is.
pub fn rescue(state: &WorkspaceState, rescue: &RescuedBytes<'_>) -> io::Result<()> {
    let RescuedBytes { of, found } = rescue;
    append(state, &of.path, of.before.clone(), Some((&found.face, &found.bytes)), ChangeMethod::Nothing, None)
        .map(|_| lock(&state.path_cache).saw(&of.path, Some(&found.face), true))
        .ok_or_else(|| io::Error::other("the journal does not accept what must be rescued"))
}

/// Bytes that others wrote to a file whose name a job had taken: they stand nowhere else, and are flushed
/// before the file may go.
///
/// # Errors
/// The log failed: the file must be kept.
pub fn rescue_late(
    state: &WorkspaceState,
    of: &FileRecord,
    by: JobId,
    found: &FileSnapshot,
) -> io::Result<()> {
    let label = format!("written to the file that job {by} had replaced, after it had");
    let found = Some((&found.face, &*found.bytes));
    flushed(state, append(state, &of.path, of.before.clone(), found, ChangeMethod::Rescued, Some(label)))
}

/// What stood at a path before a job that was taken back, where others had changed what the job wrote: the journal has
/// no entry of the job, so all of the bytes are taken, and flushed before they may go.
///
/// # Errors
/// The log failed: the file must be kept.
pub fn rescue_displaced(
    state: &WorkspaceState,
    of: &FileRecord,
    by: JobId,
    face: &FileMeta,
    bytes: &[u8],
) -> io::Result<()> {
    let label = format!("what stood there before job {by}, which was taken back");
    flushed(state, append(state, &of.path, None, Some((face, bytes)), ChangeMethod::Rescued, Some(label)))
}

fn flushed(state: &WorkspaceState, rescued: Option<JobId>) -> io::Result<()> {
    rescued
        .and_then(|_| state.store.flush(Position(u64::MAX)).ok())
        .map(|_flushed| ())
        .ok_or_else(|| io::Error::other("the journal does not accept what must be rescued"))
}

/// What a job wrote, where it could be neither flushed nor found again: the journal has it, flushed, before what it
/// replaced may go.
///
/// # Errors
/// The log failed: what it replaced must be kept.
pub fn rescue_unflushed(
    state: &WorkspaceState,
    of: &FileRecord,
    by: JobId,
    found: &FileSnapshot,
) -> io::Result<()> {
    let label = format!("what job {by} wrote: it could not be flushed, and was moved away");
    let found = Some((&found.face, &*found.bytes));
    flushed(state, append(state, &of.path, of.before.clone(), found, ChangeMethod::Rescued, Some(label)))
}

/// The label of what a hook changed.
pub fn hook_label(name: &str) -> String {
    format!("after_write {name}")
}

/// What a hook made of the files of a sealed job: an entry of the job's session that belongs to the job, and what
/// the session has seen of it. Not flushed yet.
///
/// # Errors
/// The log failed: the change stands, and is not journaled.
pub fn made_by_hook(
    state: &WorkspaceState,
    job: &Entry,
    name: &str,
    files: Vec<FileRecord>,
    seen: Vec<ReadReceipt>,
) -> Result<JobId, StoreError> {
    let entry = Entry {
        id: state.next_id(),
        kind: EntryKind::Hook,
        boot: state.boot,
        time: state.clock.wall_ms(),
        session: job.session.clone(),
        client: job.client.clone(),
        key: None,
        request: None,
        label: Some(hook_label(name)),
        queued: None,
        of: vec![job.id],
        files,
        clips: Vec::new(),
        parts: Vec::new(),
    };
    let id = entry.id;
    let mut records = vec![Record::External(entry)];
    records.extend(seen.into_iter().map(Record::ReadReceipt));
    state.store.append(&records).map(|_| id)
}

fn append(
    state: &WorkspaceState,
    path: &WirePath,
    before: Option<FileMeta>,
    found: Option<(&FileMeta, &[u8])>,
    how: ChangeMethod,
    label: Option<String>,
) -> Option<JobId> {
    let old = match &before {
        None => Some(Vec::new()),
        Some(face) => state.store.content(face.hash),
    };
    let new: &[u8] = found.map_or(&[], |(_, bytes)| bytes);
    let splices = splices(old.as_deref(), new, how);
    let (added, removed) = lines(old.as_deref().unwrap_or_default(), new, &splices);
    let entry = Entry {
        id: state.next_id(),
        kind: EntryKind::External,
        boot: state.boot,
        time: state.clock.wall_ms(),
        session: NOBODY.to_owned(),
        client: NOBODY.to_owned(),
        key: None,
        request: None,
        label,
        queued: None,
        of: Vec::new(),
        files: vec![FileRecord {
            path: path.clone(),
            before,
            after: found.map(|(face, _)| face.clone()),
            splices,
            how,
            staged_name: String::new(),
            staging: Staging::Root,
            made: Vec::new(),
            added,
            removed,
            extents: Vec::new(),
        }],
        clips: Vec::new(),
        parts: Vec::new(),
    };
    let id = entry.id;
    if let Some((face, bytes)) = found {
        state.store.keep_content(face.hash, bytes);
    }
    state.store.append(&[Record::External(entry)]).ok().map(|_| id)
}

/// The changed ranges; all of the new bytes where the old ones are not known and must not be lost.
fn splices(old: Option<&[u8]>, new: &[u8], how: ChangeMethod) -> Vec<Splice> {
    match old {
        Some(old) if old.len().max(new.len()) <= crate::limits::EXTERNAL_BYTES => {
            editd_engine::splices_between(old, new)
        }
        Some(old) if how == ChangeMethod::Rescued => {
            vec![Splice { at: 0, old: old.to_vec(), new: new.to_vec() }]
        }
        None if how == ChangeMethod::Rescued || new.len() <= crate::limits::EXTERNAL_BYTES => {
            vec![Splice { at: 0, old: Vec::new(), new: new.to_vec() }]
        }
        Some(_) | None => Vec::new(),
    }
}

/// Lines added and removed, as the diff of the entry shows them; none where the journal does not hold the change.
pub fn lines(before: &[u8], after: &[u8], splices: &[Splice]) -> (u64, u64) {
    if splices.is_empty() {
        return (0, 0);
    }
    let state = |bytes: &[u8]| State::File { bytes: bytes.into(), mode: 0 };
    LineChange::new(&state(before), &state(after), splices).totals()
}

/// What was there: as it was last seen, else as the journal says, else with the mode of what is there now. Of a
/// file that is gone and was only read by an earlier run, the mode is not known: its identity is empty then.
fn before_face(
    state: &WorkspaceState,
    known: &PathCache,
    path: &WirePath,
    hash: ContentHash,
    found: Option<&FileSnapshot>,
) -> FileMeta {
    if let Some(face) = known.face(path)
        && face.hash == hash
    {
        return face.clone();
    }
    if let Some(face) = journaled_face(state, path)
        && face.hash == hash
    {
        return face;
    }
    let like = found.map(|found| &found.face);
    FileMeta {
        hash,
        size: 0,
        mode: like.map_or(0, |face| face.mode),
        uid: like.map_or(0, |face| face.uid),
        gid: like.map_or(0, |face| face.gid),
        identity: Identity { dev: 0, ino: 0, born: 0 },
        modified: 0,
    }
}

fn journaled_face(state: &WorkspaceState, path: &WirePath) -> Option<FileMeta> {
    let (id, _) = state.store.last_of(path).ok()??;
    let entry = state.store.entry(id).ok()??;
    entry.files.into_iter().find(|file| file.path == *path).and_then(|file| file.after)
}
