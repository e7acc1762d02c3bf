//! Staged files in folders on other mounts. Each such folder is noted in `.editd/beside` before the first file is
//! staged there, so that the next start finds files that a kill or a power cut left among the workspace's own. The
//! note holds only paths.

use std::collections::BTreeSet;
use std::io;
use std::sync::PoisonError;

use editd_proto::path::FilePath;

use super::Disk;
use super::folders::{BESIDE, is_gone};
use super::lost::{LOST, lost_name};
use super::observation::{self, Observation};
use super::own::open_or_create;
use crate::os::{Dir, LeaseState, read_all};

/// The note: paths, each ended by a NUL. An empty path means nothing.
const NOTE: &[u8] = b"beside";
/// The note while it is rewritten.
const NOTE_ANEW: &[u8] = b"beside.new";
/// Bytes of the note that are read; folders beyond that are noted again when they are next used.
const NOTE_BYTES: usize = 16 * 1024 * 1024;

impl Disk {
    /// Remembers that files for this path must be staged beside it: a bind mount has the device number of its file
    /// system, but is another mount.
    pub fn stage_beside(&self, path: &FilePath) {
        let folder = path.folder();
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        if beside.len() >= crate::limits::WATCHED_FOLDERS {
            beside.clear();
        }
        beside.insert(folder);
    }

    /// Notes a folder before a file is staged in it. One flush for each folder and run.
    ///
    /// # Errors
    /// Errors of the system: then no file may be staged there.
    pub(super) fn note_beside(&self, folder: &FilePath) -> io::Result<()> {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.contains(folder) {
            return Ok(());
        }
        let own = self.own_dir()?;
        let note = open_or_create(&own, NOTE)?;
        let end = note.stat()?.size;
        // The NUL in front ends a path that a full disk or a power cut has cut off.
        note.write_all_at(&[b"\0", folder.as_bytes(), b"\0"].concat(), end)?;
        note.sync_all()?;
        own.sync()?;
        noted.insert(folder.clone());
        Ok(())
    }

    /// Moves every staged file that `known` does not name from the noted folders to `.editd/lost`, and finds files
    /// that were set aside there. Keeps only folders in the note that still have such files. Returns the number of
    /// files moved.
    ///
    /// # Errors
    /// Errors of the system; the note is kept.
    pub fn sweep_beside(&self, known: &dyn Fn(&str) -> bool, now_ms: u64) -> io::Result<usize> {
        let own = self.own_dir()?;
        let note = match own.open_file(NOTE, crate::os::Access::Write) {
            Ok(note) => note,
            Err(none) if none.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error),
        };
        let folders = read_all(&*note, NOTE_BYTES)?;
        let mut strangers = 0;
        let mut kept = BTreeSet::new();
        for path in folders.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            // A folder that another program removed has no staged files. A path that editd cannot have noted came with
            // a repository that contains `.editd`.
            let path = FilePath::new(path);
            let dir = match self.folder(&path) {
                Err(error) if is_gone(&error) || is_no_folder(&error) => continue,
                Err(denied) if denied.kind() == io::ErrorKind::PermissionDenied => {
                    tracing::warn!(folder = %path, "no permission to look for staged files there; make the folder readable for the user who runs editd");
                    kept.insert(path);
                    continue;
                }
                found => found?,
            };
            for one in dir.list()? {
                let name = String::from_utf8_lossy(&one.name).into_owned();
                let Some(staged_name) = name.strip_prefix(BESIDE) else { continue };
                if staged_name.starts_with(LOST) {
                    self.found_beside(&path, name.clone());
                    kept.insert(path.clone());
                } else if known(staged_name.strip_suffix(".held").unwrap_or(staged_name)) {
                    kept.insert(path.clone());
                } else {
                    if !self.take_aside(&path, &dir, &one.name, &lost_name(now_ms, staged_name))? {
                        kept.insert(path.clone());
                    }
                    strangers += 1;
                }
            }
            // The removals must be durable, also those of an earlier run.
            dir.sync()?;
        }
        let anew: Vec<u8> = kept.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        if anew.is_empty() {
            note.set_len(0)?;
        } else if anew != folders {
            self.note_anew(&own, &anew)?;
        }
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).extend(kept);
        Ok(strangers)
    }

    /// Replaces the note in one step.
    fn note_anew(&self, own: &Dir, text: &[u8]) -> io::Result<()> {
        let anew = open_or_create(own, NOTE_ANEW)?;
        anew.set_len(0)?;
        anew.write_all_at(text, 0)?;
        anew.sync_all()?;
        self.os.rename(own, NOTE_ANEW, own, NOTE)?;
        own.sync()
    }

    /// Copies a file to `.editd/lost`, since no move crosses mounts, and removes its name. Returns true if the folder
    /// has nothing of it any more.
    fn take_aside(&self, folder: &FilePath, dir: &Dir, name: &[u8], to: &str) -> io::Result<bool> {
        match observation::observe(dir, name)? {
            Observation::Absent => Ok(true),
            // Until the lease ends, at the latest when the open file is closed, nobody writes to the file.
            Observation::File(found) if matches!(found.file.lease(), Ok(LeaseState::Held)) => {
                let Observation::File(found) = observation::read(found.file)? else {
                    return self.lose_beside(folder, dir, name, to).map(|()| false);
                };
                let lost = self.lost_dir();
                let copy = lost.create_file(to.as_bytes(), 0o600)?;
                copy.write_all_at(&found.bytes, 0)?;
                copy.sync_all()?;
                lost.sync()?;
                dir.remove_file(name)?;
                found.file.release_lease().map(|()| true)
            }
            // It has a writer or may have one, is too large, or is not a file: it gets a plain name in its folder.
            _ => self.lose_beside(folder, dir, name, to).map(|()| false),
        }
    }
}

/// Returns true if the error says that a path of the note is no path of a folder: it has a link, `..` or a name that is
/// too long.
fn is_no_folder(error: &io::Error) -> bool {
    crate::os::is_link(error)
        || matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename)
}

#[cfg(all(test, unix))]
mod tests;
