//! Journals changes that were not made by a job: those of other programs, which are noticed at the next observation
//! of the path or found in a displaced file, and those of hooks. They become entries with their bytes, of the session
//! that announced them if one did. It never changes a file.

use std::io;

use editd_engine::{FileState, LineChange, Splice};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{EntryKind, OUTSIDE};
use editd_proto::path::FilePath;

use super::attributed;
use super::past::{self, PastBudget};
use crate::disk::put::RescuedBytes;
use crate::disk::{FileSnapshot, Observation};
use crate::os::FileIdentity;
use crate::record::{ChangeMethod, Entry, FileMeta, FileRecord, ReadReceipt, Record, StagingFolder};
use crate::state::path_cache::{ObservationVersion, PathCache};
use crate::state::{WorkspaceState, lock};
use crate::store::{LastChange, LogPosition, StoreError};

/// The result of comparing an observation with the path cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObservationEffect {
    /// Nothing new; or a job is writing the path and will observe it itself.
    Nothing,
    /// Another program changed a file that no session had read through the daemon.
    Untracked,
    /// Another program changed a tracked file: this entry has the change.
    Entry(JobId),
}

/// Compares an observation of a path with the path cache; a change by another program becomes an entry. `seen` is the
/// content that the asking session has seen; it is used if the cache does not know the path. `tracked` is true if the
/// observation counts as a read.
pub fn note(
    state: &WorkspaceState,
    path: &FilePath,
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
    // Held throughout: a job that begins now must find the change journaled, and only once.
    let mut known = lock(&state.path_cache);
    if !known.valid(path, version) {
        return ObservationEffect::Nothing;
    }
    let (last, journaled, mode) = match known.hash(path) {
        Some(hash) => (Some(hash), known.tracked(path), known.meta(path).and_then(known_mode)),
        None => match state.store.last_change(path).ok().flatten() {
            Some(LastChange { left, .. }) => {
                (Some(left.map(|left| left.hash)), true, left.map(|left| left.mode))
            }
            None => (seen, seen.is_some(), None),
        },
    };
    let hash = found.map(|found| found.meta.hash);
    let same_mode = !journaled || mode.zip(found).is_none_or(|(was, now)| was == now.meta.mode);
    let noted = match last {
        Some(last) if last == hash && same_mode => ObservationEffect::Nothing,
        Some(last) if journaled => {
            let before = last.map(|hash| before_meta(state, &known, path, hash, found));
            let bytes = found.map(|found| (&found.meta, &*found.bytes));
            match append(state, path, before, bytes, ChangeMethod::Nothing, None) {
                Some(id) => ObservationEffect::Entry(id),
                None => ObservationEffect::Untracked,
            }
        }
        Some(_) | None => ObservationEffect::Untracked,
    };
    known.saw(path, found.map(|found| &found.meta), tracked || journaled);
    noted
}

/// Returns the mode of a file, if it is known.
fn known_mode(meta: &FileMeta) -> Option<u32> {
    (meta.mode != 0 || meta.identity.ino != 0).then_some(meta.mode)
}

/// Journals bytes that were found in a displaced file and go back to its path: an external entry.
///
/// # Errors
/// Fails if the log failed: the file must then stay where it is.
pub fn rescue(state: &WorkspaceState, rescue: &RescuedBytes<'_>) -> io::Result<()> {
    let RescuedBytes { of, found } = rescue;
    append(state, &of.path, of.before.clone(), Some((&found.meta, &found.bytes)), ChangeMethod::Nothing, None)
        .map(|_| lock(&state.path_cache).saw(&of.path, Some(&found.meta), true))
        .ok_or_else(|| io::Error::other("the journal does not accept the bytes to rescue"))
}

/// Journals bytes that another program wrote to a file whose name a job had taken. No other copy exists, so they are
/// flushed before the file may be deleted.
///
/// # Errors
/// Fails if the log failed: the file must then be kept.
pub fn rescue_late(
    state: &WorkspaceState,
    of: &FileRecord,
    by: JobId,
    found: &FileSnapshot,
) -> io::Result<()> {
    let label = format!("written to a file after job {by} had replaced it");
    let found = Some((&found.meta, &*found.bytes));
    flushed(state, append(state, &of.path, of.before.clone(), found, ChangeMethod::Rescued, Some(label)))
}

/// Journals the content that a path had before a job that was rolled back, if another program had changed what the
/// job wrote; or the content that the job wrote, with the changes by that program. The journal has no entry of the job, so all
/// bytes are stored and flushed before they may be deleted.
///
/// # Errors
/// Fails if the log failed: the file must then be kept.
pub fn rescue_displaced(
    state: &WorkspaceState,
    of: &FileRecord,
    by: JobId,
    meta: &FileMeta,
    bytes: &[u8],
) -> io::Result<()> {
    let is_staged = of.after.as_ref().is_some_and(|after| after.identity == meta.identity);
    let is_made = of.how == ChangeMethod::Swap && is_staged;
    let label = match is_made {
        true => format!("content of job {by}, which was rolled back, with changes by another program"),
        false => format!("content before job {by}, which was rolled back"),
    };
    flushed(state, append(state, &of.path, None, Some((meta, bytes)), ChangeMethod::Rescued, Some(label)))
}

/// Journals the content that a path had before a sealed job, if the job's file was moved or replaced before it was flushed: after
/// a power cut, the journal may be the only place that has it. It is not flushed yet.
///
/// # Errors
/// Fails if the log failed: the file must then be kept.
pub fn rescue_replaced(
    state: &WorkspaceState,
    of: &FileRecord,
    by: JobId,
    found: &FileSnapshot,
) -> io::Result<()> {
    let label = format!("content before job {by}, whose file was moved before it was flushed");
    append(state, &of.path, None, Some((&found.meta, &found.bytes)), ChangeMethod::Rescued, Some(label))
        .map(|_| ())
        .ok_or_else(|| io::Error::other("the journal does not accept the bytes to rescue"))
}

/// Journals the content that a job made, if the journal could not rebuild it without the staged files of the job, and
/// flushes it before those may be deleted.
///
/// # Errors
/// Fails if the log failed: the staged files must then be kept.
pub fn rescue_cut_off(
    state: &WorkspaceState,
    of: &FileRecord,
    by: JobId,
    found: (&FileMeta, &[u8]),
) -> io::Result<()> {
    let label = format!("content made by job {by}, before a change whose old content could not be read");
    flushed(state, append(state, &of.path, None, Some(found), ChangeMethod::Rescued, Some(label)))
}

fn flushed(state: &WorkspaceState, rescued: Option<JobId>) -> io::Result<()> {
    rescued
        .and_then(|_| state.store.flush(LogPosition(u64::MAX)).ok())
        .map(|_flushed| ())
        .ok_or_else(|| io::Error::other("the journal does not accept the bytes to rescue"))
}

/// Journals the content of a job's file that could be neither flushed nor found again, and flushes it before the file
/// that it replaced may be deleted.
///
/// # Errors
/// Fails if the log failed: the replaced file must then be kept.
pub fn rescue_unflushed(
    state: &WorkspaceState,
    of: &FileRecord,
    by: JobId,
    found: &FileSnapshot,
) -> io::Result<()> {
    let label = format!("content written by job {by}: its file could not be flushed and was moved away");
    let found = Some((&found.meta, &*found.bytes));
    flushed(state, append(state, &of.path, of.before.clone(), found, ChangeMethod::Rescued, Some(label)))
}

/// The label of the entry of a hook.
pub fn hook_label(name: &str) -> String {
    format!("after_write {name}")
}

/// Journals the changes that a hook made to files of a sealed job: an entry of the job's session that belongs to the
/// job, and the session's read receipts for them. It is not flushed yet.
///
/// # Errors
/// Fails if the log failed: the change stays and is not journaled.
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
    path: &FilePath,
    before: Option<FileMeta>,
    found: Option<(&FileMeta, &[u8])>,
    how: ChangeMethod,
    label: Option<String>,
) -> Option<JobId> {
    let old = earlier(state, path, before.as_ref());
    let new: &[u8] = found.map_or(&[], |(_, bytes)| bytes);
    let same = before.as_ref().map(|meta| meta.hash) == found.map(|(meta, _)| meta.hash);
    let splices =
        if same && how == ChangeMethod::Nothing { Vec::new() } else { splices(old.as_deref(), new, how) };
    let (added, removed) = old.as_deref().map_or((0, 0), |old| lines(old, new, &splices));
    // Rescued bytes were never at their path while a call ran.
    let author = if how == ChangeMethod::Nothing { attributed::author(state, path) } else { None };
    let change = attributed::AttributedChange {
        path,
        before: before.as_ref().map(|meta| meta.hash),
        old: old.as_deref(),
        after: found.map(|(meta, bytes)| (meta.hash, bytes)),
    };
    let seen = author.as_ref().and_then(|author| attributed::receipt(state, author, &change, &splices));
    let entry = Entry {
        id: state.next_id(),
        kind: EntryKind::External,
        boot: state.boot,
        time: state.clock.wall_ms(),
        session: author.as_ref().map_or(OUTSIDE, |author| &author.session).to_owned(),
        client: author.as_ref().map_or(OUTSIDE, |author| &author.client).to_owned(),
        key: None,
        request: None,
        label: label.or_else(|| author.as_ref()?.label.clone()),
        queued: None,
        of: Vec::new(),
        files: vec![FileRecord {
            path: path.clone(),
            before,
            after: found.map(|(meta, _)| meta.clone()),
            splices,
            how,
            staged_name: String::new(),
            staging: StagingFolder::Root,
            made: Vec::new(),
            added,
            removed,
            extents: Vec::new(),
            attributes: None,
        }],
        clips: Vec::new(),
        parts: Vec::new(),
    };
    let id = entry.id;
    if let Some((meta, bytes)) = found {
        state.store.keep_content(meta.hash, bytes);
    }
    state.store.append(&[Record::External(entry)]).ok()?;
    state.metrics.outside_changes.add();
    if how == ChangeMethod::Nothing {
        lock(&state.unreported).add(id);
    }
    if let Some(author) = &author {
        lock(&state.announced).journaled(author, id, path, seen);
    }
    Some(id)
}

/// Returns the content before a change: kept, or made from the journal, since a kill may have prevented that it was kept.
fn earlier(state: &WorkspaceState, path: &FilePath, before: Option<&FileMeta>) -> Option<Vec<u8>> {
    let Some(meta) = before else { return Some(Vec::new()) };
    let made = || past::left(state, (path, None), meta.hash, &PastBudget::of_entry(state));
    state.store.content(meta.hash).or_else(made)
}

/// Returns the changed ranges; all new bytes as one range if the old ones are unknown
/// ([`lacks_before`](super::change::lacks_before)). If a file is larger than
/// [`EXTERNAL_BYTES`](crate::limits::EXTERNAL_BYTES), nothing, unless the bytes are rescued: then all of them.
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

/// Returns the lines added and removed, as the diff of the entry shows them; none if the journal does not have the
/// change.
pub fn lines(before: &[u8], after: &[u8], splices: &[Splice]) -> (u64, u64) {
    if splices.is_empty() {
        return (0, 0);
    }
    let state = |bytes: &[u8]| FileState::File { bytes: bytes.into(), mode: 0 };
    LineChange::new(&state(before), &state(after), splices).totals()
}

/// Returns the file before the change: as last observed, else as the journal has it, else with the mode of the
/// present file. If the file is gone and was only read by an earlier run, its mode is unknown: its mode and identity
/// are zero then.
fn before_meta(
    state: &WorkspaceState,
    known: &PathCache,
    path: &FilePath,
    hash: ContentHash,
    found: Option<&FileSnapshot>,
) -> FileMeta {
    if let Some(meta) = known.meta(path)
        && meta.hash == hash
    {
        return meta.clone();
    }
    if let Some(meta) = journaled_meta(state, path)
        && meta.hash == hash
    {
        return meta;
    }
    let like = found.map(|found| &found.meta);
    FileMeta {
        hash,
        size: 0,
        mode: like.map_or(0, |meta| meta.mode),
        uid: like.map_or(0, |meta| meta.uid),
        gid: like.map_or(0, |meta| meta.gid),
        identity: FileIdentity { dev: 0, ino: 0, born: 0 },
        modified: 0,
    }
}

/// Returns the file that the newest entry of a path left there; `None` if it left none, or is not stored any more.
pub(super) fn journaled_meta(state: &WorkspaceState, path: &FilePath) -> Option<FileMeta> {
    let (id, _) = state.store.last_of(path).ok()??;
    let entry = state.store.entry(id).ok()??;
    entry.files.into_iter().find(|file| file.path == *path).and_then(|file| file.after)
}
