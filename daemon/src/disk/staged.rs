//! Checks that the file under a staged name is the staged one, before it is put in place and afterwards: another program
//! of the same user can replace files in `.editd/staging`. It changes nothing.
//!
//! *Limitations*: if the target has a foreign file directly after the exchange, another program may have replaced the
//! staged file just before it, or the target just after it. The two look the same, so the job is not done in both cases,
//! and the foreign file stays at the target; the displaced file goes into the journal. If a program reads and replaces the
//! target between the exchange and the next system call, the job is done once more on its content. A write to the staged
//! file itself is not noticed if it leaves the size and falls into the same tick of the file system's clock.

use std::io;

use super::Disk;
use super::flush::PutFile;
use super::observation::{self, Observation};
use super::put::SwapRefusal;
use crate::os::{Access, Dir, File, FileIdentity, FileKind, Stat};
use crate::record::{ChangeMethod, FileMeta, FileRecord};
use crate::store::intent::IntendedFile;

/// Opens the file under a staged name for reading, so that no other file gets its number; `None` if it may not be read, or
/// if nothing has the name, which shows in the move.
///
/// # Errors
/// The inner error: another file has the name. The outer: errors of the system.
pub(super) fn open_staged(
    dir: &Dir,
    name: &[u8],
    file: &FileRecord,
) -> io::Result<Result<Option<File>, SwapRefusal>> {
    let Some(after) = &file.after else { return Ok(Ok(None)) };
    let (open, stat) = match dir.open_with_stat(name, Access::Read) {
        Ok(open) => open,
        Err(gone) if gone.kind() == io::ErrorKind::NotFound => return Ok(Ok(None)),
        Err(_) => {
            return match dir.stat(name) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(Ok(None)),
                found => Ok(if is_unchanged(&found?, after) { Ok(None) } else { Err(SwapRefusal::Replaced) }),
            };
        }
    };
    // Without birth times, another file may have got the number.
    if is_unchanged(&stat, after) && stat.identity.born != 0 {
        return Ok(Ok(Some(open)));
    }
    Ok(match observation::read(open.clone())? {
        Observation::File(found) if found.shows(after) => Ok(Some(open)),
        _ => Err(SwapRefusal::Replaced),
    })
}

fn is_unchanged(stat: &Stat, staged: &FileMeta) -> bool {
    stat.kind == FileKind::File
        && stat.identity == staged.identity
        && (stat.size, stat.modified) == (staged.size, staged.modified)
}

/// Checks that the staged file went in, and returns it if it was opened. A file with another identity counts as the staged
/// one if it is equal, since some systems change the identity of a file.
///
/// # Errors
/// The inner error: the target has another file, or none. The outer: errors of the system.
pub(super) fn check_put(
    (parent, name): (&Dir, &[u8]),
    file: &FileRecord,
    staged: Option<File>,
) -> io::Result<Result<Option<PutFile>, SwapRefusal>> {
    let Some(after) = &file.after else { return Ok(Ok(None)) };
    let stat = match parent.stat(name) {
        Err(gone) if gone.kind() == io::ErrorKind::NotFound => return Ok(Err(SwapRefusal::Vanished)),
        found => found?,
    };
    if stat.identity == after.identity {
        return Ok(Ok(staged.map(|file| PutFile { file, changed: stat.changed })));
    }
    Ok(match observation::observe(parent, name)? {
        Observation::File(found) if found.shows(after) => Ok(None),
        Observation::Absent => Err(SwapRefusal::Vanished),
        Observation::Other(kind) => Err(SwapRefusal::Special(kind)),
        _ => Err(SwapRefusal::Changed),
    })
}

impl Disk {
    /// Returns true if the staged name of a file that was put in place belongs to another program's file: not to the
    /// displaced one, or to any file if the change displaces none.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn is_replaced(&self, file: IntendedFile<'_>, displaced: Option<FileIdentity>) -> io::Result<bool> {
        let expected = match (file.how, displaced) {
            (ChangeMethod::Swap | ChangeMethod::Delete, Some(displaced)) => Some(displaced),
            (ChangeMethod::Create, _) => None,
            _ => return Ok(false),
        };
        let (dir, name) = self.staged_entry(&file.staging, &file.staged_name)?;
        let found = match dir.stat(&name) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => return Ok(false),
            found => found?,
        };
        if expected == Some(found.identity) {
            return Ok(false);
        }
        // A file that still has both names, or a displaced one with a new identity.
        let observed = self.observe_staged(&file.staging, &file.staged_name)?;
        let known = [&file.before, &file.after].into_iter().flatten();
        Ok(!observed.found().is_some_and(|found| known.clone().any(|meta| found.shows(meta))))
    }
}

#[cfg(all(test, unix))]
mod tests;
