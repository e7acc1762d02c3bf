//! Files that were set aside because they may be the only copy of some bytes: in `.editd/lost`, or on another mount
//! with a name of editd's in their folder. It does not decide which of them are removed.

use std::io;
use std::sync::PoisonError;

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
            StagingFolder::Root => self.move_noreplace(&dir, &name, &self.lost_dir(), to.as_bytes()),
            StagingFolder::Folder(folder) => self.lose_beside(folder, &dir, &name, &to),
        };
        match moved {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(()),
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
