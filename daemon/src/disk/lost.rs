//! Files that were set aside because they may be the only copy of some bytes: in `.editd/lost`, or on another mount
//! with a name of editd's in their folder. Their number and bytes are bounded: the oldest are removed first.

use std::io;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use super::Disk;
use super::folders::{BESIDE, is_gone};
use super::observation;
use super::put::HELD;
use crate::limits;
use crate::os::Dir;
use crate::record::StagingFolder;

/// The part of the name of a file that was set aside in its folder.
pub(super) const LOST: &str = "lost-";

/// The most bytes of a staged name in the name of a file that was set aside. No name of editd's is longer, and no file
/// system allows more than 255 bytes in all.
const NAME: usize = 150;

/// Returns the name of a file that is set aside. A long name, which editd cannot have chosen, is replaced by its hash.
pub(super) fn lost_name(now_ms: u64, staged_name: &str) -> String {
    if staged_name.len() <= NAME {
        return format!("{now_ms}-{staged_name}");
    }
    format!("{now_ms}-{}", blake3::hash(staged_name.as_bytes()).to_hex())
}

/// A file that was set aside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetAsideFile {
    /// The folder of the file, if that is not `.editd/lost`.
    pub folder: Option<FilePath>,
    /// Its name there.
    pub name: String,
    /// The time at which it was set aside, in milliseconds since 1970; 0 if the name does not tell.
    pub time: u64,
}

/// Counts since the workspace was opened.
#[derive(Default)]
pub(super) struct LostCount {
    /// Files that were set aside since the limits were last checked.
    unchecked: AtomicUsize,
    /// Files that were removed because of the limits.
    removed: AtomicU64,
}

impl SetAsideFile {
    /// Returns the staged name that the file had, if its name tells.
    pub fn staged_name(&self) -> Option<&str> {
        let name = match self.folder {
            None => &self.name,
            Some(_) => self.name.strip_prefix(BESIDE)?.strip_prefix(LOST)?,
        };
        let (_, staged_name) = name.split_once('-')?;
        Some(staged_name.strip_suffix(HELD).unwrap_or(staged_name))
    }
}

impl Disk {
    /// Moves a staged file to `.editd/lost`, if no open entry knows it or the journal cannot hold it: it may be the
    /// only copy of some bytes. A file on another mount gets a plain name in its folder.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn set_aside(&self, staging: &StagingFolder, staged_name: &str, now_ms: u64) -> io::Result<()> {
        let (dir, name) = match self.staged_entry(staging, staged_name) {
            Err(gone) if is_gone(&gone) => return Ok(()),
            found => found?,
        };
        let to = lost_name(now_ms, staged_name);
        let moved = match staging {
            StagingFolder::Root => self.move_to_lost(&dir, &name, to.as_bytes()),
            StagingFolder::Folder(folder) => self.lose_beside(folder, &dir, &name, &to),
        };
        if self.lost_count.unchecked.fetch_add(1, Ordering::Relaxed) >= limits::LOST_UNCHECKED {
            self.bound_lost();
        }
        match moved {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Moves a file to `.editd/lost`, which is made again if another program removed it.
    fn move_to_lost(&self, dir: &Dir, name: &[u8], to: &[u8]) -> io::Result<()> {
        match self.move_noreplace(dir, name, &self.lost_dir(), to) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound && dir.stat(name).is_ok() => {
                self.renew_lost()?;
                self.move_noreplace(dir, name, &self.lost_dir(), to)
            }
            other => other,
        }
    }

    /// Gives a file on another mount its plain name.
    pub(super) fn lose_beside(&self, folder: &FilePath, dir: &Dir, name: &[u8], to: &str) -> io::Result<()> {
        let to = format!("{BESIDE}{LOST}{to}");
        self.move_noreplace(dir, name, dir, to.as_bytes())?;
        self.found_beside(folder, to);
        Ok(())
    }

    /// Remembers a file on another mount, up to [`limits::LOST_BESIDE`]; a later start finds the rest.
    pub(super) fn found_beside(&self, folder: &FilePath, name: String) {
        let mut lost = self.lost_beside.lock().unwrap_or_else(PoisonError::into_inner);
        if lost.len() < limits::LOST_BESIDE {
            lost.insert((folder.clone(), name));
        }
    }

    /// Returns the files that were set aside and still exist.
    ///
    /// # Errors
    /// Errors of the system about `.editd/lost`.
    pub fn lost(&self) -> io::Result<Vec<SetAsideFile>> {
        let time = |name: &str| name.split('-').next().and_then(|ms| ms.parse().ok()).unwrap_or(0);
        let mut all = Vec::new();
        for one in self.lost_dir().list()? {
            let name = String::from_utf8_lossy(&one.name).into_owned();
            all.push(SetAsideFile { folder: None, time: time(&name), name });
        }
        let beside = self.lost_beside.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (folder, name) in beside {
            match self.folder(&folder).and_then(|dir| dir.stat(name.as_bytes())) {
                Err(gone) if is_gone(&gone) => self.no_longer_beside(folder, name),
                // If it cannot be observed, it is listed all the same.
                _ => {
                    let staged_name =
                        name.strip_prefix(BESIDE).and_then(|staged_name| staged_name.strip_prefix(LOST));
                    let time = time(staged_name.unwrap_or_default());
                    all.push(SetAsideFile { folder: Some(folder), name, time });
                }
            }
        }
        Ok(all)
    }

    /// Removes the oldest files that were set aside beyond `limits::LOST_FILES` and `limits::LOST_BYTES`. Files
    /// without a time in their name are not from editd and are kept. Files that cannot be removed are retried at the next
    /// call.
    pub fn bound_lost(&self) {
        self.lost_count.unchecked.store(0, Ordering::Relaxed);
        let mut all = match self.lost() {
            Ok(all) => all,
            Err(error) => return tracing::warn!(%error, "cannot look into .editd/lost"),
        };
        all.retain(|lost| lost.time > 0);
        all.sort_by(|a, b| (b.time, &b.name).cmp(&(a.time, &a.name)));
        let (mut bytes, mut removed) = (0_u64, 0_u64);
        for (newer, lost) in all.iter().enumerate() {
            bytes = bytes.saturating_add(self.lost_size(lost));
            let is_beyond = newer >= limits::LOST_FILES || (bytes > limits::LOST_BYTES && newer > 0);
            if !is_beyond {
                continue;
            }
            match self.forget_lost(lost) {
                Ok(()) => removed += 1,
                Err(error) => {
                    tracing::warn!(%error, name = lost.name, "cannot remove a file that was set aside")
                }
            }
        }
        if removed > 0 {
            self.lost_count.removed.fetch_add(removed, Ordering::Relaxed);
            tracing::warn!(
                removed,
                "removed the oldest files from .editd/lost, which had too many or too large ones"
            );
        }
    }

    /// Returns the number of files that [`Disk::bound_lost`] removed since the workspace was opened.
    pub fn lost_removed(&self) -> u64 {
        self.lost_count.removed.load(Ordering::Relaxed)
    }

    /// Returns the bytes of a file that was set aside; 0 if it cannot be observed.
    fn lost_size(&self, lost: &SetAsideFile) -> u64 {
        let dir = lost.folder.as_ref().map_or_else(|| Ok(self.lost_dir()), |folder| self.folder(folder));
        dir.and_then(|dir| dir.stat(lost.name.as_bytes())).map_or(0, |stat| stat.size)
    }

    /// Returns the hash of the content of a file that was set aside; `None` if it is gone, is no file, cannot be read, or
    /// is so large that the journal cannot have its content.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn lost_hash(&self, lost: &SetAsideFile) -> io::Result<Option<ContentHash>> {
        let dir = match &lost.folder {
            None => self.lost_dir(),
            Some(folder) => match self.folder(folder) {
                Err(gone) if is_gone(&gone) => return Ok(None),
                dir => dir?,
            },
        };
        let observation = observation::observe(&dir, lost.name.as_bytes())?;
        Ok(observation.found().map(|found| found.meta.hash))
    }

    /// Deletes a file that was set aside.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn forget_lost(&self, lost: &SetAsideFile) -> io::Result<()> {
        let Some(folder) = &lost.folder else { return self.lost_dir().remove_file(lost.name.as_bytes()) };
        match self.folder(folder).and_then(|dir| dir.remove_file(lost.name.as_bytes())) {
            Err(error) if !is_gone(&error) => Err(error),
            _ => {
                self.no_longer_beside(folder.clone(), lost.name.clone());
                Ok(())
            }
        }
    }

    fn no_longer_beside(&self, folder: FilePath, name: String) {
        self.lost_beside.lock().unwrap_or_else(PoisonError::into_inner).remove(&(folder, name));
    }
}

#[cfg(all(test, unix))]
mod tests;
