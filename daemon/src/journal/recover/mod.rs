//! Recovery: completes or rolls back the entries that a kill or a power cut left open. It may be interrupted
//! anywhere, and repeated.
//!
//! *Calling sequence*: [`recover`] once, before the first job; [`repair::repair`] also for a job that broke while the
//! daemon runs.
//!
//! *Invariants*: a kill loses nothing that was written, so the files show what was done, and an unsealed job is
//! finished or rolled back. A power cut loses what was not flushed, so files may be old or torn; the changes in the
//! log are then done again, unless the log also has a later change that the file shows. Bytes that neither explains
//! belong to another program: they stay, and if an unsealed job had replaced them, they get their name back. If the
//! target and the staged file show that another program changed the path before an unsealed job did, the whole job is
//! rolled back. Otherwise, and also if the change came after the restart of the machine, the job may have been
//! answered: it stays, and its entry becomes `diverged`. **No staged file is deleted before everything that might need
//! it is flushed and settled.** An entry whose end may be lost through damage of the log is decided by [`doubt`].
//!
//! *Limitations*: recovery cannot tell whether a file with several names had been rewritten in place before another
//! program rewrote it; the job then stays if all of its exchanges did. Nor can it tell whether a program that wrote
//! to a displaced file did so just before the job or just after: the job then stays, and those bytes go into the
//! journal. If a folder is moved during a job and the daemon is killed, a file of the job there keeps the job's content,
//! although the job is rolled back; its old content is in the journal. Nor can it tell whether another folder has
//! replaced the one in which a job wrote: the job then counts as overtaken. If the machine was started twice before the daemon was, changes by other programs in between count as before the
//! power cut; if only the file system was mounted again, all such changes count as before it.

pub mod chain;
pub mod contents;
pub mod cut;
pub mod decide;
pub mod doubt;
mod gaps;
pub mod overtaken;
pub mod repair;
pub mod restore;
pub mod signs;

use std::collections::BTreeSet;
use std::io;

use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use self::doubt::DoubtfulEntries;
use super::{flushing, settle};
use crate::disk::ResolveError;
use crate::disk::observation::Observation;
use crate::progress::{StartProgress, StartStep};
use crate::record::{Entry, FileMeta, StagingFolder};
use crate::state::{WorkspaceState, lock};
use crate::store::intent::Intended;

/// Ends every open entry, the `doubtful` ones among them by their files alone, and sets aside staged files that no entry
/// knows. Returns notes for the log, and reports how many files were restored.
///
/// # Errors
/// Errors of the system: the workspace cannot be opened before they are fixed.
pub fn recover(
    state: &WorkspaceState,
    open: Vec<(Intended, bool)>,
    doubtful: &BTreeSet<JobId>,
    progress: &StartProgress,
) -> io::Result<Vec<String>> {
    let mut notes = Vec::new();
    let report = report(&open, progress);
    report(0);
    reach(state, &open)?;
    for (entry, _) in &open {
        state.disk.finish_held(entry, state.clock.wall_ms())?;
        state.disk.part_moved(entry)?;
    }
    // A file with two names could not be exchanged: second names are removed before anything is rebuilt.
    let staged_files: BTreeSet<&str> =
        open.iter().flat_map(|(entry, _)| entry.files.iter().map(|file| file.staged_name.as_str())).collect();
    for name in state.disk.staged_names()?.iter().filter(|name| !staged_files.contains(name.as_str())) {
        state.disk.unname_second(name)?;
    }
    let is_here = |entry: &Intended| entry.boot == state.boot && !doubtful.contains(&entry.id);
    let (here, before): (Vec<_>, Vec<_>) = open.into_iter().partition(|(entry, _)| is_here(entry));
    if !before.is_empty() {
        let later = here.iter().flat_map(|(entry, _)| &entry.files).map(|file| &file.path).collect();
        notes.extend(cut::after_cut(state, &before, &DoubtfulEntries { ids: doubtful, later }, &report)?);
    }
    let mut done: usize = before.iter().map(|(entry, _)| entry.files.len()).sum();
    for (entry, sealed) in here {
        report(done);
        done += entry.files.len();
        if sealed {
            remember(state, &entry);
            lock(&state.unsettled).recovered(&entry, state.clock.monotonic());
            continue;
        }
        notes.push(match repair::repair(state, &entry, repair::RepairAim::Finish)? {
            repair::RepairOutcome::Applied => format!("job {} was finished", entry.id),
            repair::RepairOutcome::Voided => format!("job {} was rolled back", entry.id),
        });
    }
    leave_void(state)?;
    notes.extend(set_strangers_aside(state)?);
    Ok(notes)
}

/// Returns a function that reports how many files of the open entries were restored.
fn report(open: &[(Intended, bool)], progress: &StartProgress) -> impl Fn(usize) + use<> {
    let files = open.iter().map(|(entry, _)| entry.files.len()).sum();
    let (jobs, progress) = (open.len(), progress.clone());
    move |done| {
        if jobs > 0 {
            progress.set(StartStep::Recovering { jobs, done, files });
        }
    }
}

/// Fails if the permissions of a folder hide a file about which something must be decided, or forbid the flush of a folder
/// that was made for it: those of an entry that is unsealed, or from an earlier run of the machine. A job is recovered in all
/// of its files or in none.
fn reach(state: &WorkspaceState, open: &[(Intended, bool)]) -> io::Result<()> {
    let undecided = open.iter().filter(|(entry, sealed)| !sealed || entry.boot != state.boot);
    for file in undecided.flat_map(|(entry, _)| entry.files.iter()) {
        if let Err(denied @ ResolveError::Denied(_)) = state.disk.resolve_link(&file.path) {
            let error = io::Error::new(io::ErrorKind::PermissionDenied, denied.to_string());
            return Err(unreachable(&file.path, &error));
        }
        // A folder that was made is flushed through the one that has its name.
        for made in &file.made {
            if let Err(error) = state.disk.has_folder(made)
                && error.kind() == io::ErrorKind::PermissionDenied
            {
                return Err(unreachable(&made.folder(), &error));
            }
        }
    }
    Ok(())
}

/// Adds the path and a remedy to an error of the system.
fn unreachable(path: &FilePath, error: &io::Error) -> io::Error {
    let todo = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "; an unfinished job has written there: make it readable and writable for the user who runs editd, then start \
             editd again"
        }
        _ => "",
    };
    io::Error::new(error.kind(), format!("{path}: {error}{todo}"))
}

/// Puts the files of a sealed entry into the path cache, for the next observation.
fn remember(state: &WorkspaceState, entry: &Entry) {
    for file in &entry.files {
        if let Ok(place) = state.disk.resolve_link(&file.path)
            && let Ok(Observation::File(found)) = state.disk.observe(&place)
            && let Some(after) = file.after.as_ref().filter(|after| found.is(after))
        {
            // Another program may have changed the mode since, which is in the journal.
            let last = state.store.last_change(&file.path).ok().flatten().and_then(|last| last.left);
            let mode = last.filter(|left| left.hash == after.hash).map_or(after.mode, |left| left.mode);
            // The file may have been moved meanwhile, so no time is known.
            lock(&state.path_cache).wrote(&file.path, Some(&FileMeta { mode, ..after.clone() }), None);
            flushing::hold(state, file, Some(found.file));
        }
    }
}

/// Leaves the staged files of void entries to be removed. After a power cut they may be torn, and are set aside.
fn leave_void(state: &WorkspaceState) -> io::Result<()> {
    let staged: BTreeSet<String> = state.disk.staged_names()?.into_iter().collect();
    let void = state.store.void_entries(&|name| staged.contains(name)).map_err(io::Error::other)?;
    let mut cut = Vec::new();
    for (intent, entry) in void {
        if entry.boot == state.boot {
            settle::leave_staging(state, &entry, intent);
        } else {
            cut.push(intent);
        }
    }
    state.store.forget_void(&cut);
    Ok(())
}

fn set_strangers_aside(state: &WorkspaceState) -> io::Result<Option<String>> {
    let known: BTreeSet<String> = lock(&state.unsettled).staged();
    let mut strangers = 0;
    for name in state.disk.staged_names()? {
        if !known.contains(&name) {
            state.disk.set_aside(&StagingFolder::Root, &name, state.clock.wall_ms())?;
            strangers += 1;
        }
    }
    strangers +=
        state.disk.sweep_beside(&|staged_name| known.contains(staged_name), state.clock.wall_ms())?;
    Ok((strangers > 0).then(|| {
        format!("{strangers} staged files belong to no open job; they were moved to .editd/lost and stay there for 30 days")
    }))
}
