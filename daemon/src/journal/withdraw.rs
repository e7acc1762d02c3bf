//! Rolls back one file of a job that is being withdrawn. If another program replaced the displaced file in
//! `.editd/staging`, the old content is put in place from a fresh file, and the foreign one is set aside.
//!
//! *Limitations*: recovery does not know the identity of a displaced file. If the daemon is killed before the job is
//! rolled back, recovery takes the foreign file for the displaced one and puts it in place.

use std::io;

use super::{external, roll_back, settle};
use crate::disk::put::{RescuedBytes, SwapRefusal};
use crate::disk::stage::{StageError, StagedContent, StagedMode};
use crate::disk::{FileSnapshot, ResolvedPath};
use crate::os::FileIdentity;
use crate::record::{ChangeMethod, FileRecord};
use crate::state::WorkspaceState;
use crate::store::intent::{Intended, IntendedFile};

/// Rolls back one file that was put in place. `before` is the file as the job found it, and `displaced` the identity of
/// the displaced file.
///
/// # Errors
/// Errors of the system; recovery must find out the state.
pub fn withdraw(
    state: &WorkspaceState,
    entry: &Intended,
    file: IntendedFile<'_>,
    (place, before): (&ResolvedPath, Option<&FileSnapshot>),
    displaced: Option<FileIdentity>,
) -> io::Result<()> {
    let replaced = state.disk.is_replaced(file, displaced)?;
    if replaced {
        if let Some(before) = before {
            put_again(state, entry, &file, place, before)?;
        }
        roll_back::set_foreign_aside(state, &file, SwapRefusal::Replaced)?;
        if before.is_some() {
            return Ok(());
        }
    }
    let mut rescue = |rescue: RescuedBytes<'_>| external::rescue(state, &rescue);
    state.disk.withdraw(file, place, &mut rescue)
}

/// Puts a fresh file with the old content in place. A target that another program changed is left alone; then the old
/// content goes into the journal.
fn put_again(
    state: &WorkspaceState,
    entry: &Intended,
    file: &FileRecord,
    place: &ResolvedPath,
    before: &FileSnapshot,
) -> io::Result<()> {
    let staged_name = state.next_staged_name();
    let mode = StagedMode::Exact(before.meta.mode);
    let content = StagedContent { bytes: &before.bytes, hash: Some(before.meta.hash) };
    let staged = match state.disk.stage(place, Some(before), content, mode, &staged_name) {
        Ok(staged) => staged,
        Err(StageError::Io(error)) => return Err(error),
        Err(error) => return Err(io::Error::other(error)),
    };
    state.disk.flush_staged(&staged.staging, &staged_name)?;
    let how = if file.after.is_some() { ChangeMethod::Swap } else { ChangeMethod::Create };
    let staged_name = (staged.staging, staged_name);
    let record = FileRecord::without_content(
        file.path.clone(),
        file.after.clone(),
        Some(staged.meta),
        how,
        staged_name,
    );
    let mut rescue = |rescue: RescuedBytes<'_>| external::rescue(state, &rescue);
    let put = state.disk.put(entry.permit_repair(&record), place, &mut rescue)?;
    let is_back = put.map(drop);
    if let Err(foreign) = is_back {
        roll_back::set_foreign_aside(state, &record, foreign)?;
        external::rescue_displaced(state, file, entry.id, &before.meta, &before.bytes)?;
    }
    state.disk.flush_folders(place, &[])?;
    settle::leave_staged(state, entry.id, record, None);
    Ok(())
}
