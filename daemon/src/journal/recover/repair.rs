//! Repairs one unsealed job in the run of the machine in which it broke, so that everything written is still there.
//! It finishes the job if no change by another program is in its way, and rolls it back otherwise.

use std::io;

use super::decide::{self, TargetState};
use crate::disk::put::RescuedBytes;
use crate::disk::withdraw::{is_appended, is_further_name};
use crate::disk::{FileSnapshot, Observation, ResolvedPath};
use crate::journal::seal::seal;
use crate::journal::{external, roll_back};
use crate::record::{ChangeMethod, FileMeta, FileRecord};
use crate::state::WorkspaceState;
use crate::store::intent::{Intended, IntendedFile};

/// The result of repairing a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RepairOutcome {
    /// Every file has its new content.
    Applied,
    /// No file has its new content.
    Voided,
}

/// The progress of one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileProgress {
    /// It has its old content, and can be replaced.
    Pending,
    /// It was put in place.
    Put,
    /// It was put in place, and changed by another program since.
    PutThenForeign,
    /// It was put in place, and another program has appended to it since. The appended bytes follow the old content.
    PutThenAppended,
    /// The same, but a rollback was interrupted when its old content was back, and before the bytes were appended to that.
    BackUnappended,
    /// It was put in place, and displaced something other than the checked file.
    Displaced,
    /// It was not put in place, and cannot be any more.
    Lost,
}

/// The aim for an incomplete job, if no change by another program is in its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RepairAim {
    /// Finish it: its client may have gone with the daemon, and its intent is durable.
    Finish,
    /// Roll it back, unless all of it was done: a call just failed, and its client waits for the answer.
    RollBack,
    /// Roll all of it back: its client was told so.
    Refused,
}

/// Finishes a job or rolls it back.
///
/// # Errors
/// Errors of the system; the entry stays open.
pub fn repair(state: &WorkspaceState, entry: &Intended, aim: RepairAim) -> io::Result<RepairOutcome> {
    state.disk.finish_held(entry, state.clock.wall_ms())?;
    let mut files = Vec::with_capacity(entry.files.len());
    for file in entry.files() {
        let place = find(state, &file)?;
        let standing = match &place {
            Some(place) => standing(state, file, place, aim)?,
            None => FileProgress::Lost,
        };
        files.push((file, place, standing));
    }
    let finish = files.iter().all(|(.., standing)| match standing {
        FileProgress::Put => aim != RepairAim::Refused,
        FileProgress::Pending => aim == RepairAim::Finish,
        FileProgress::PutThenForeign
        | FileProgress::PutThenAppended
        | FileProgress::BackUnappended
        | FileProgress::Displaced
        | FileProgress::Lost => false,
    });
    if finish && put_rest(state, &mut files)? {
        seal(state, entry)?;
        return Ok(RepairOutcome::Applied);
    }
    for (file, place, standing) in files.iter().rev() {
        // If another program removed its folder, the displaced content goes into the journal with the void.
        let place = place.as_ref().filter(|place| place.missing().is_empty());
        let Some(place) = place else { continue };
        match standing {
            FileProgress::Put | FileProgress::PutThenAppended | FileProgress::Displaced => {
                let mut rescue = |rescue: RescuedBytes<'_>| external::rescue(state, &rescue);
                state.disk.withdraw(*file, place, &mut rescue)?;
            }
            FileProgress::BackUnappended => state.disk.finish_append(*file, place)?,
            FileProgress::Pending | FileProgress::PutThenForeign | FileProgress::Lost => {}
        }
    }
    roll_back::flush(state, entry, entry.files.len())?;
    roll_back::rescue_overwritten(state, entry.id, &entry.files)?;
    roll_back::roll_back(state, entry).map_err(io::Error::other)?;
    Ok(RepairOutcome::Voided)
}

/// Puts the pending files in place; returns false if another program was in the way.
fn put_rest(
    state: &WorkspaceState,
    files: &mut [(IntendedFile<'_>, Option<ResolvedPath>, FileProgress)],
) -> io::Result<bool> {
    for (file, place, standing) in files.iter_mut().filter(|(.., one)| *one == FileProgress::Pending) {
        let Some(found) = place else { return Ok(false) };
        let mut rescue = |rescue: RescuedBytes<'_>| external::rescue(state, &rescue);
        match state.disk.put(*file, found, &mut rescue)? {
            Ok(_) => *standing = FileProgress::Put,
            Err(foreign) => {
                roll_back::set_foreign_aside(state, file, foreign)?;
                return Ok(false);
            }
        }
        // A file in a folder that was just created can only be rolled back with a resolved path that knows the
        // folder.
        *place = find(state, file)?;
    }
    Ok(true)
}

/// Resolves the path of a record; `None` if it leads elsewhere by now.
///
/// # Errors
/// Errors that may not occur the next time: the caller concludes nothing from them.
pub fn find(state: &WorkspaceState, file: &FileRecord) -> io::Result<Option<ResolvedPath>> {
    state.disk.find(&file.path)
}

fn standing(
    state: &WorkspaceState,
    file: IntendedFile<'_>,
    place: &ResolvedPath,
    aim: RepairAim,
) -> io::Result<FileProgress> {
    let target = state.disk.observe(place)?;
    if file.how == ChangeMethod::InPlace {
        return in_place(state, file, place, &target, aim);
    }
    let mut staged_name = state.disk.observe_staged(&file.staging, &file.staged_name)?;
    if let Some(twice) = staged_name.identity().filter(|staged| Some(*staged) == target.identity()) {
        // Moved by a link, and interrupted before the other name was removed: a deletion that has not happened, or a
        // creation that has.
        state.disk.unstage(&file.staging, &file.staged_name, twice);
        staged_name = Observation::Absent;
    }
    let is = |observation: &Observation, meta: &Option<FileMeta>| {
        meta.as_ref().is_some_and(|meta| observation.is(meta))
    };
    let shows = |observation: &Observation, meta: &Option<FileMeta>| match (observation.found(), meta) {
        (Some(found), Some(meta)) => found.shows(meta),
        (None, None) => matches!(observation, Observation::Absent),
        _ => false,
    };
    let pending = shows(&target, &file.before);
    Ok(match file.how {
        ChangeMethod::Nothing | ChangeMethod::Rescued => FileProgress::Put,
        // Pending files still have their staged file.
        ChangeMethod::Swap | ChangeMethod::Create if is(&staged_name, &file.after) => {
            if pending {
                FileProgress::Pending
            } else {
                FileProgress::Lost
            }
        }
        ChangeMethod::Swap if is(&target, &file.after) => {
            // With a second name it is treated as changed, as in a job: its names would be separated.
            if shows(&staged_name, &file.before) && staged_name.found().is_some_and(|found| found.links == 1)
            {
                FileProgress::Put
            } else {
                FileProgress::Displaced
            }
        }
        ChangeMethod::Create if is(&target, &file.after) => FileProgress::Put,
        // Another program wrote to a file that the job moved here: it gets its old name back, and this one is removed.
        ChangeMethod::Create if is_further_name(file, &target) => FileProgress::Displaced,
        // A roll back that moved the file of another program was interrupted before it moved it back.
        ChangeMethod::Create if pending && !matches!(staged_name, Observation::Absent) => {
            FileProgress::Displaced
        }
        // The displaced file may have been changed, too, by a program that had it open.
        ChangeMethod::Swap if staged_name.found().is_some() && is_appended(&file, &target) => {
            FileProgress::PutThenAppended
        }
        ChangeMethod::Swap if pending && is_appended(&file, &staged_name) => FileProgress::BackUnappended,
        ChangeMethod::Swap if shows(&staged_name, &file.before) => FileProgress::PutThenForeign,
        ChangeMethod::Delete => match (&staged_name, pending) {
            (Observation::Absent, true) => FileProgress::Pending,
            (Observation::Absent, false) => FileProgress::Lost,
            _ if shows(&staged_name, &file.before) && matches!(target, Observation::Absent) => {
                FileProgress::Put
            }
            _ if shows(&staged_name, &file.before) => FileProgress::PutThenForeign,
            _ => FileProgress::Displaced,
        },
        _ => FileProgress::Lost,
    })
}

fn in_place(
    state: &WorkspaceState,
    file: IntendedFile<'_>,
    place: &ResolvedPath,
    target: &Observation,
    aim: RepairAim,
) -> io::Result<FileProgress> {
    let (Observation::File(found), Some(before), Some(after)) = (target, &file.before, &file.after) else {
        return Ok(FileProgress::Lost);
    };
    // A kill may have come between setting the mode and writing the bytes; both are set together, either way.
    if found.is(after) && found.meta.mode == after.mode {
        return Ok(FileProgress::Put);
    }
    if found.is(before) && found.meta.mode == before.mode {
        if state.disk.doubts(found.meta.identity) {
            // Writing it back was not flushed, and a second flush would not report that.
            state.disk.rewrite(file, place, &found.meta, &found.bytes, before.mode)?;
        }
        return Ok(FileProgress::Pending);
    }
    let Some((old, new)) = decide::in_place_sides(&file, &found.meta, &found.bytes) else {
        return Ok(FileProgress::Lost);
    };
    let to_after = || state.disk.rewrite(file, place, &found.meta, &new, after.mode);
    let to_before = || state.disk.rewrite(file, place, &found.meta, &old, before.mode);
    // Growing the file may fail where shrinking it back does not.
    if aim == RepairAim::Finish && to_after().is_ok() {
        return Ok(FileProgress::Put);
    }
    to_before()?;
    Ok(if aim == RepairAim::Finish { FileProgress::Lost } else { FileProgress::Pending })
}

/// Returns the state of a target in the form that recovery decides by.
pub(super) fn shown(found: &FileSnapshot) -> TargetState {
    TargetState::File { meta: found.meta.clone(), bytes: found.bytes.clone() }
}
