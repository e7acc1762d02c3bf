//! A hook that may change the files itself: runs it, then reads, journals and flushes the files that it changed.

use std::sync::Arc;

use editd_engine::{FileState, Splice};
use editd_proto::message::HookOutcome;
use editd_proto::path::FilePath;

use super::stand::Stand;
use super::{Work, silent, warn};
use crate::config::CommandSpec;
use crate::disk::flush::FlushedTarget;
use crate::disk::{FileSnapshot, Observation, ResolvedPath};
use crate::journal::external;
use crate::receipt;
use crate::record::{ChangeMethod, FileMeta, FileRecord, ReadReceipt, StagingFolder};
use crate::state::lock;
use crate::transaction::JobGuard;

/// The change that a hook made at one path.
struct Left {
    before: Stand,
    /// `None` if the hook removed the file.
    after: Option<Stand>,
    record: FileRecord,
}

/// Runs a hook for every file that matches it.
pub(super) fn run(work: &mut Work<'_>, guard: &JobGuard<'_>, hook: &CommandSpec) -> HookOutcome {
    let mut outcome = silent(hook);
    // Held until its changes are journaled, so that no observation in between takes them for changes by another
    // program.
    if !guard.begin(work.stands.keys().cloned().collect()) {
        warn(&mut outcome, "not run: another job writes one of the files".to_owned());
        return outcome;
    }
    work.drop_foreign().into_iter().for_each(|told| warn(&mut outcome, told));
    let mut ran = false;
    for path in work.meant(hook) {
        match work.start(hook, &path, b"") {
            Ok(run) => {
                ran = true;
                run.failure().into_iter().for_each(|told| warn(&mut outcome, format!("{path}: {told}")));
            }
            Err(told) => warn(&mut outcome, told),
        }
    }
    // If nothing ran, changes are those of another program.
    if ran {
        take_in(work, hook, &mut outcome);
    }
    guard.end();
    outcome
}

/// Observes every file of the job, and journals the changes of the hook.
fn take_in(work: &mut Work<'_>, hook: &CommandSpec, outcome: &mut HookOutcome) {
    let mut all = Vec::new();
    let paths: Vec<FilePath> = work.stands.keys().cloned().collect();
    for path in paths {
        match look_after(work, &path) {
            Ok(left) => all.extend(left),
            Err(told) => {
                work.stands.remove(&path);
                warn(outcome, told);
            }
        }
    }
    if all.is_empty() {
        return;
    }
    let seen: Vec<ReadReceipt> = all.iter().map(|left| seen_after(work, left)).collect();
    let files: Vec<FileRecord> = all.iter().map(|left| left.record.clone()).collect();
    match external::made_by_hook(work.state, &work.sealed.entry, &hook.name, files, seen) {
        Ok(id) => outcome.job = Some(id),
        Err(error) => warn(outcome, format!("what it changed could not be journaled: {error}")),
    }
    for left in all {
        let path = left.record.path.clone();
        let (old, new) = (left.before.state(), left.after.as_ref().map_or(FileState::Absent, Stand::state));
        outcome.files.push(work.outcome(&path, &old, &new));
        lock(&work.state.path_cache).saw(&path, left.after.as_ref().map(|after| &after.meta), true);
        match left.after {
            Some(after) => {
                work.state.store.keep_content(after.meta.hash, &after.bytes);
                work.stands.insert(path, after);
            }
            None => {
                work.stands.remove(&path);
            }
        }
    }
}

/// Returns the change that a hook made at a path; `None` if it made none.
fn look_after(work: &Work<'_>, path: &FilePath) -> Result<Option<Left>, String> {
    let Some(before) = work.stands.get(path) else { return Ok(None) };
    let (place, observation) = work.observe(path).map_err(|why| format!("{path}: {why}"))?;
    let found = match observation {
        Observation::Absent => None,
        Observation::File(found)
            if (found.meta.hash, found.meta.mode) == (before.meta.hash, before.meta.mode) =>
        {
            return Ok(None);
        }
        Observation::File(found) => Some(found),
        Observation::TooLarge(_) | Observation::Unreadable(_) | Observation::Other(_) => {
            return Err(format!("{path}: it is no file any more that editd can read; it is left as it is"));
        }
    };
    if !work.relaxed() {
        flush(work, &place, path)?;
        if let Some(found) = &found {
            lock(&work.state.path_cache).flushed(path, &found.meta, found.changed);
        }
    }
    let after = found.as_ref().map(Stand::of);
    Ok(Some(Left { before: before.clone(), record: record(path, before, found.as_ref()), after }))
}

/// Flushes a file and its folder, since the command may not have done it.
fn flush(work: &Work<'_>, place: &ResolvedPath, path: &FilePath) -> Result<(), String> {
    let flushed = match work.state.disk.flush_file(place) {
        Ok(FlushedTarget::Unreadable(_)) => Err(std::io::ErrorKind::PermissionDenied.into()),
        Ok(FlushedTarget::Nothing | FlushedTarget::Flushed(_)) => work.state.disk.flush_folders(place, &[]),
        Err(error) => Err(error),
    };
    flushed.map_err(|error| format!("{path}: what the command wrote cannot be flushed: {error}"))
}

fn record(path: &FilePath, before: &Stand, found: Option<&FileSnapshot>) -> FileRecord {
    let new: Arc<[u8]> = found.map_or_else(|| Arc::from([]), |found| found.bytes.clone());
    let splices = splices(&before.bytes, &new);
    let (added, removed) = external::lines(&before.bytes, &new, &splices);
    FileRecord {
        path: path.clone(),
        before: Some(before.meta.clone()),
        after: found.map(|found| found.meta.clone()),
        splices,
        how: ChangeMethod::Nothing,
        staged_name: String::new(),
        staging: StagingFolder::Root,
        made: Vec::new(),
        added,
        removed,
        extents: Vec::new(),
        attributes: None,
    }
}

/// Returns the changed ranges; for a file that is too large to compare, one range of all bytes, so that undo has them.
pub(super) fn splices(old: &[u8], new: &[u8]) -> Vec<Splice> {
    if old.len().max(new.len()) <= crate::limits::EXTERNAL_BYTES {
        return editd_engine::splices_between(old, new);
    }
    vec![Splice { at: 0, old: old.to_vec(), new: new.to_vec() }]
}

/// Returns the session's read receipt for the changed file: its reply shows the change.
fn seen_after(work: &Work<'_>, left: &Left) -> ReadReceipt {
    let (caller, path) = (&work.sealed.transaction.origin.caller, &left.record.path);
    let now = work.state.clock.wall_ms();
    let seen = work.state.store.seen(&caller.session, path).ok().flatten();
    let hash = |meta: &FileMeta| meta.hash;
    let shown = match (left.after.as_ref().map(|after| hash(&after.meta)), seen) {
        (None, _) => receipt::absent(now),
        (Some(after), Some(seen)) if seen.hash == Some(left.before.meta.hash) => {
            receipt::renewed(&seen, after, &left.before.bytes, &left.record.splices, now)
        }
        (Some(hash), earlier) => {
            let after: &[u8] = left.after.as_ref().map_or(&[], |after| &after.bytes);
            receipt::first(earlier.as_ref(), hash, (&left.before.bytes, after), &left.record.splices, now)
        }
    };
    receipt::of(caller, path, shown)
}
