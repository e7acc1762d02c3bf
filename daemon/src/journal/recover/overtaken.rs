//! Detects from targets and staged files after a power cut whether another program changed a file before an unsealed
//! job did. It observes and changes nothing.

use std::io;

use super::chain::ChainLink;
use super::decide::LaterChange;
use super::repair::find;
use super::signs::{is_later, was_put, was_rewritten};
use crate::disk::Observation;
use crate::record::{ChangeMethod, FileRecord};
use crate::state::WorkspaceState;

/// Returns true if an unsealed job must be rolled back because another program changed one of its files before the
/// job did. A seal may be lost in the power cut: if the job's file was put in place, or nothing shows that it was
/// not, the job may have been answered, and stays.
///
/// # Errors
/// Errors of the system.
pub fn is_overtaken(state: &WorkspaceState, link: &ChainLink<'_>, behind: LaterChange) -> io::Result<bool> {
    if behind != LaterChange::Nothing {
        // Its seal would be in the log before the later change.
        return Ok(true);
    }
    let put = put_of(state, link.file)?;
    if put == Some(true) || came_later(state, link)? {
        return Ok(false);
    }
    if put == Some(false) {
        return Ok(true);
    }
    if link.file.how != ChangeMethod::InPlace {
        return Ok(false);
    }
    // Another file that was not put in place shows it then: files rewritten in place come last, and their flush
    // includes the exchanges before them.
    for file in &link.entry.files {
        if put_of(state, file)? == Some(false) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns true if the change came after the power cut. It then did not stop the job, and the job may have been
/// answered: the power cut may have removed everything of it but its intent.
fn came_later(state: &WorkspaceState, link: &ChainLink<'_>) -> io::Result<bool> {
    let ms = |time: u64| i64::try_from(time).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    // The clock truncates to milliseconds: a part of the present one may have passed.
    let now = ms(state.clock.wall_ms().saturating_add(1));
    // If the system does not tell when it started, the change may have come before.
    let Ok(began) = state.disk.began() else { return Ok(false) };
    Ok(is_later(began, ms(link.entry.time), state.disk.changed(&link.file.path)?, now))
}

fn put_of(state: &WorkspaceState, file: &FileRecord) -> io::Result<Option<bool>> {
    let target = match find(state, file)? {
        Some(place) => state.disk.observe(&place)?,
        None => Observation::Absent,
    };
    if let (ChangeMethod::InPlace, Observation::File(found)) = (file.how, &target) {
        return Ok(was_rewritten(file, &found.bytes));
    }
    let staged_name = state.disk.observe_staged(&file.staging, &file.staged_name)?.identity();
    let put = was_put(file, target.identity(), staged_name);
    // A job does not notice if the folder in which it writes is moved: the power cut may have removed the file it put
    // there.
    if put == Some(false) && file.made.is_empty() && !state.disk.has_folder(&file.path)? {
        return Ok(None);
    }
    Ok(put)
}
