//! A hook that may change the files itself: runs it, then reads, journals and flushes the files that it changed.

use std::sync::Arc;

use editd_engine::{FileState, Splice};
use editd_proto::message::HookOutcome;
use editd_proto::path::FilePath;

use super::job_files::JobFile;
use super::{HookContext, silent, warn};
use crate::config::CommandSpec;
use crate::disk::flush::FlushedTarget;
use crate::disk::{FileSnapshot, Observation, ResolvedPath};
use crate::journal::external;
use crate::receipt::{self, KnownChange};
use crate::record::{ChangeMethod, FileMeta, FileRecord, ReadReceipt, StagingFolder};
use crate::state::lock;
use crate::transaction::JobGuard;

/// The change that a hook made at one path.
struct HookChange {
    before: JobFile,
    /// `None` if the hook removed the file.
    after: Option<JobFile>,
    record: FileRecord,
}

/// Runs a hook for every file that matches it.
pub(super) fn run(context: &mut HookContext<'_>, guard: &JobGuard<'_>, hook: &CommandSpec) -> HookOutcome {
    let mut outcome = silent(hook);
    // Held until its changes are journaled, so that no observation in between takes them for changes by another
    // program.
    if !guard.begin(context.files.keys().cloned().collect()) {
        warn(&mut outcome, "not run: another job writes one of the files".to_owned());
        return outcome;
    }
    context.drop_foreign().into_iter().for_each(|told| warn(&mut outcome, told));
    let mut ran = false;
    for path in context.meant(hook) {
        match context.start(hook, &path, b"") {
            Ok(run) => {
                ran = true;
                run.failure().into_iter().for_each(|told| warn(&mut outcome, format!("{path}: {told}")));
            }
            Err(told) => warn(&mut outcome, told),
        }
    }
    // If nothing ran, changes are those of another program.
    if ran {
        take_in(context, hook, &mut outcome);
    }
    guard.end();
    outcome
}

/// Observes every file of the job, and journals the changes of the hook.
fn take_in(context: &mut HookContext<'_>, hook: &CommandSpec, outcome: &mut HookOutcome) {
    let mut all = Vec::new();
    let paths: Vec<FilePath> = context.files.keys().cloned().collect();
    for path in paths {
        match look_after(context, &path) {
            Ok(change) => all.extend(change),
            Err(told) => {
                context.files.remove(&path);
                warn(outcome, told);
            }
        }
    }
    if all.is_empty() {
        return;
    }
    let seen: Vec<ReadReceipt> = all.iter().map(|change| seen_after(context, change)).collect();
    let files: Vec<FileRecord> = all.iter().map(|change| change.record.clone()).collect();
    match external::made_by_hook(context.state, &context.sealed.entry, &hook.name, files, seen) {
        Ok(id) => outcome.job = Some(id),
        Err(error) => warn(outcome, format!("what it changed could not be journaled: {error}")),
    }
    for change in all {
        let path = change.record.path.clone();
        let (old, new) =
            (change.before.state(), change.after.as_ref().map_or(FileState::Absent, JobFile::state));
        outcome.files.push(context.outcome(&path, &old, &new));
        lock(&context.state.path_cache).saw(&path, change.after.as_ref().map(|after| &after.meta), true);
        match change.after {
            Some(after) => {
                context.state.store.keep_content(after.meta.hash, Arc::clone(&after.bytes));
                context.files.insert(path, after);
            }
            None => {
                context.files.remove(&path);
            }
        }
    }
}

/// Returns the change that a hook made at a path; `None` if it made none.
fn look_after(context: &HookContext<'_>, path: &FilePath) -> Result<Option<HookChange>, String> {
    let Some(before) = context.files.get(path) else { return Ok(None) };
    let (place, observation) = context.observe(path).map_err(|why| format!("{path}: {why}"))?;
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
    if !context.relaxed() {
        flush(context, &place, path)?;
        if let Some(found) = &found {
            lock(&context.state.path_cache).flushed(path, &found.meta, found.changed);
        }
    }
    let after = found.as_ref().map(JobFile::of);
    Ok(Some(HookChange { before: before.clone(), record: record(path, before, found.as_ref()), after }))
}

/// Flushes a file and its folder, since the command may not have done it.
fn flush(context: &HookContext<'_>, place: &ResolvedPath, path: &FilePath) -> Result<(), String> {
    let flushed = match context.state.disk.flush_file(place) {
        Ok(FlushedTarget::Unreadable(_)) => Err(std::io::ErrorKind::PermissionDenied.into()),
        Ok(FlushedTarget::Nothing | FlushedTarget::Flushed(_)) => {
            context.state.disk.flush_folders(place, &[])
        }
        Err(error) => Err(error),
    };
    flushed.map_err(|error| format!("{path}: what the command wrote cannot be flushed: {error}"))
}

fn record(path: &FilePath, before: &JobFile, found: Option<&FileSnapshot>) -> FileRecord {
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
fn seen_after(context: &HookContext<'_>, change: &HookChange) -> ReadReceipt {
    let (caller, path) = (&context.sealed.transaction.origin.caller, &change.record.path);
    let now = context.state.clock.wall_ms();
    let seen = context.state.store.seen(&caller.session, path).ok().flatten();
    let after: &[u8] = change.after.as_ref().map_or(&[], |after| &after.bytes);
    let known = KnownChange::new((&change.before.bytes, after), &change.record.splices);
    let hash = |meta: &FileMeta| meta.hash;
    let shown = match (change.after.as_ref().map(|after| hash(&after.meta)), seen) {
        (None, _) => receipt::absent(now),
        (Some(after), Some(seen)) if seen.hash == Some(change.before.meta.hash) => {
            receipt::renewed(&seen, after, &known, now)
        }
        (Some(hash), earlier) => receipt::first(earlier.as_ref(), hash, &known, now),
    };
    receipt::of(caller, path, shown)
}
