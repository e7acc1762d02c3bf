//! Files that were set aside, since they may be the only copy of somebody's bytes: in `.editd/lost`, or on another mount
//! under a name of ours beside where they were. It does not decide which of them are to go.

use std::io;
use std::sync::PoisonError;

use editd_proto::path::WirePath;

use super::Disk;
use super::folders::{BESIDE, is_gone};
use crate::limits;
use crate::os::Dir;
use crate::store::record::Staging;

/// What stands in a slot's name where its file was set aside.
pub(super) const LOST: &str = "lost-";

/// A file that was set aside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetAsideFile {
    /// The folder in which it stands, where that is not `.editd/lost`.
    pub folder: Option<WirePath>,
    /// Its name there.
    pub name: String,
    /// When it was set aside, milliseconds since 1970; 0 where the name does not tell.
    pub time: u64,
}

impl Disk {
    /// Moves a slot's file to `.editd/lost`, where no open entry knows it or the journal cannot hold it: it may
    /// be the only copy of somebody's bytes. One on another mount gets a plain name beside where it is.
    ///
    /// # Errors
    /// What the system says.
    pub fn set_aside(&self, staging: &Staging, staged_name: &str, now_ms: u64) -> io::Result<()> {
        let (dir, name) = match self.staged_entry(staging, staged_name) {
            Err(gone) if is_gone(&gone) => return Ok(()),
            found => found?,
        };
        let to = format!("{now_ms}-{staged_name}");
        let moved = match staging {
            Staging::Root => self.move_noreplace(&dir, &name, &self.lost_dir(), to.as_bytes()),
            Staging::Folder(folder) => self.lose_beside(folder, &dir, &name, &to),
        };
        match moved {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Gives a file on another mount its plain name.
    pub(super) fn lose_beside(&self, folder: &WirePath, dir: &Dir, name: &[u8], to: &str) -> io::Result<()> {
        let to = format!("{BESIDE}{LOST}{to}");
        self.move_noreplace(dir, name, dir, to.as_bytes())?;
        self.found_beside(folder, to);
        Ok(())
    }

    /// Remembers a file on another mount, up to [`limits::LOST_BESIDE`]; a later start finds the rest.
    pub(super) fn found_beside(&self, folder: &WirePath, name: String) {
        let mut lost = self.lost_beside.lock().unwrap_or_else(PoisonError::into_inner);
        if lost.len() < limits::LOST_BESIDE {
            lost.insert((folder.clone(), name));
        }
    }

    /// What was set aside and is still there.
    ///
    /// # Errors
    /// What the system says of `.editd/lost`.
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
                // Where it cannot be looked at, it is told all the same.
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

    /// Removes what was set aside for good.
    ///
    /// # Errors
    /// What the system says.
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

    fn no_longer_beside(&self, folder: WirePath, name: String) {
        self.lost_beside.lock().unwrap_or_else(PoisonError::into_inner).remove(&(folder, name));
    }
}
