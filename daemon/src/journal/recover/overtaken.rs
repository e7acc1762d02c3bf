//! Whether others came before a job that is not sealed: by what stands at its paths and in its slots after a power cut. It
//! looks, and changes nothing.

use std::io;

use super::chain::ChainLink;
use super::decide::Behind;
use super::repair::find;
use super::signs::{is_later, was_put, was_rewritten};
use crate::disk::Observation;
use crate::state::WorkspaceState;
use crate::store::record::{ChangeMethod, FileRecord};

/// Whether a job that is not sealed must be taken back, since others changed one of its files before it was put. A seal
/// may be lost with the power: where that file was put, or nothing tells, the job may have been answered, and stands.
///
/// # Errors
/// What the system says.
pub fn is_overtaken(state: &WorkspaceState, link: &ChainLink<'_>, behind: Behind) -> io::Result<bool> {
    if behind != Behind::Nothing {
        // Its seal would stand in the log before whatever came behind it.
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
    // Then another file that was not put tells it: what is rewritten in place comes last, and its flush takes the
    // exchanges before it along.
    for file in &link.entry.files {
        if put_of(state, file)? == Some(false) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether others came after the power cut: what they did then did not stop the job, and of one that was answered the cut
/// may have taken all but its intent.
fn came_later(state: &WorkspaceState, link: &ChainLink<'_>) -> io::Result<bool> {
    let ms = |time: u64| i64::try_from(time).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    // Milliseconds are cut off: this one may have passed in part.
    let now = ms(state.clock.wall_ms().saturating_add(1));
    // Where the system does not say, they may have come before.
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
    // A job does not notice when the folder in which it writes is moved: the cut may have taken what it put there.
    if put == Some(false) && file.made.is_empty() && !state.disk.has_folder(&file.path)? {
        return Ok(None);
    }
    Ok(put)
}
