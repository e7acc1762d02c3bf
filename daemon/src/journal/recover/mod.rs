//! Recovery: what to do about entries that a kill or a power cut left open. It may itself be cut anywhere, and
//! repeated.
//!
//! *Calling sequence*: [`recover`] once, before the first job; [`repair::repair`] also for a job that broke while
//! the daemon runs.
//!
//! *Invariants*: a kill loses nothing that was written, so what stands is what was done, and an unsealed job is
//! finished or taken back. A power cut loses what was not flushed, so what stands may be old or torn, and what
//! the log holds is done again, unless it also holds a later change that stands. Bytes that neither explains are
//! others': they stay, and where an unsealed job had put its own over them, they go back to their name. Where target and slot
//! tell that others came before an unsealed job did, all of that job is taken back; else, and where they came after the
//! machine was started again, it may have been answered, and the entry says `diverged`. **Nothing in a slot is deleted before
//! everything that might need it is flushed and settled.**
//!
//! *Limitations*: nothing tells whether a file with several names had been rewritten in place before others wrote it
//! anew; its job then stands if all of its exchanges do. Nothing tells either whether others who wrote into a displaced file
//! came just before its job or just after: then the job stands, and theirs goes into the journal. Nor whether another
//! folder has taken the place of the one in which a job wrote: then the job counts as overtaken. Where the machine was
//! started twice before the daemon was, what others did in between counts as before the power cut; where only the file
//! system went, all that they did.

pub mod chain;
pub mod contents;
pub mod cut;
pub mod decide;
pub mod overtaken;
pub mod repair;
pub mod restore;
pub mod signs;

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use editd_proto::path::WirePath;

use super::flushing;
use crate::disk::ResolveError;
use crate::disk::observation::Observation;
use crate::state::{WorkspaceState, lock};
use crate::store::record::{Entry, Staging};

/// Brings every open entry to an end, and sets slots aside that no entry knows. Returns what people should know.
///
/// # Errors
/// What the system says: the workspace cannot be opened before that is mended.
pub fn recover(state: &WorkspaceState, open: Vec<(Arc<Entry>, bool)>) -> io::Result<Vec<String>> {
    let mut notes = Vec::new();
    reach(state, &open)?;
    for (entry, _) in &open {
        state.disk.finish_held(entry, state.clock.wall_ms())?;
        state.disk.part_moved(entry)?;
    }
    // A file with two names could not be exchanged: second names go before anything is rebuilt.
    let staged_files: BTreeSet<&str> =
        open.iter().flat_map(|(entry, _)| entry.files.iter().map(|file| file.staged_name.as_str())).collect();
    for name in state.disk.staged_names()?.iter().filter(|name| !staged_files.contains(name.as_str())) {
        state.disk.unname_second(name)?;
    }
    let (here, before): (Vec<_>, Vec<_>) = open.into_iter().partition(|(entry, _)| entry.boot == state.boot);
    if !before.is_empty() {
        notes.extend(cut::after_cut(state, &before)?);
    }
    for (entry, sealed) in here {
        if sealed {
            remember(state, &entry);
            lock(&state.unsettled).sealed(&entry, state.clock.monotonic());
            continue;
        }
        notes.push(match repair::repair(state, &entry, repair::RepairAim::Finish)? {
            repair::RepairOutcome::Applied => format!("job {} was finished", entry.id),
            repair::RepairOutcome::Voided => format!("job {} was taken back", entry.id),
        });
    }
    notes.extend(set_strangers_aside(state)?);
    Ok(notes)
}

/// Whether every file can be reached about which something must be decided: else nothing is, since a job is recovered
/// in all of its files or in none.
fn reach(state: &WorkspaceState, open: &[(Arc<Entry>, bool)]) -> io::Result<()> {
    let undecided = open.iter().filter(|(entry, sealed)| !sealed || entry.boot != state.boot);
    for file in undecided.flat_map(|(entry, _)| &entry.files) {
        if let Err(denied @ ResolveError::Denied(_)) = state.disk.resolve_link(&file.path) {
            let error = io::Error::new(io::ErrorKind::PermissionDenied, denied.to_string());
            return Err(unreachable(&file.path, &error));
        }
    }
    Ok(())
}

/// Says at which path the system refused, and what may be done about it.
fn unreachable(path: &WirePath, error: &io::Error) -> io::Error {
    let todo = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "; an unfinished job has written there: make it readable and writable for the user who runs editd, then start \
             editd again"
        }
        _ => "",
    };
    io::Error::new(error.kind(), format!("{path}: {error}{todo}"))
}

/// What sealed entries left is what the next look expects.
fn remember(state: &WorkspaceState, entry: &Entry) {
    for file in &entry.files {
        if let Ok(place) = state.disk.resolve_link(&file.path)
            && let Ok(Observation::File(found)) = state.disk.observe(&place)
            && file.after.as_ref().is_some_and(|after| found.is(after))
        {
            // Who knows where its name has been since.
            lock(&state.path_cache).wrote(&file.path, file.after.as_ref(), None);
            flushing::hold(state, file, Some(found.file));
        }
    }
}

fn set_strangers_aside(state: &WorkspaceState) -> io::Result<Option<String>> {
    let known: BTreeSet<String> = lock(&state.unsettled).staged();
    let mut strangers = 0;
    for name in state.disk.staged_names()? {
        if !known.contains(&name) {
            state.disk.set_aside(&Staging::Root, &name, state.clock.wall_ms())?;
            strangers += 1;
        }
    }
    strangers +=
        state.disk.sweep_beside(&|staged_name| known.contains(staged_name), state.clock.wall_ms())?;
    Ok((strangers > 0).then(|| {
        format!("{strangers} staged files belong to no open job; they were moved to .editd/lost and stay there for 30 days")
    }))
}
