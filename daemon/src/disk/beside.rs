//! Folders on other mounts that hold slots: noted in `.editd/beside` before the first slot is made there, so that the
//! next start finds what a kill or a power cut has left among the workspace's own files. It holds nothing but paths.

use std::io;
use std::sync::PoisonError;

use editd_proto::path::WirePath;

use super::Disk;
use super::folders::{BESIDE, is_gone, open_or_create};
use super::sight::{self, Sight};
use crate::os::{Dir, read_all};

/// The note: paths, each ended by a NUL.
const NOTE: &[u8] = b"beside";
/// What stands in a slot's name where its file was set aside.
const LOST: &str = "lost-";
/// Bytes of the note that are read; what is beyond is noted again when it is next used.
const NOTE_BYTES: usize = 16 * 1024 * 1024;

impl Disk {
    /// Remembers that slots for this path must stand beside it: a bind mount has its file system's device
    /// number, and is another mount all the same.
    pub fn stage_beside(&self, path: &WirePath) {
        let folder = path.folder();
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        if beside.len() >= crate::limits::WATCHED_FOLDERS {
            beside.clear();
        }
        beside.insert(folder);
    }

    /// Notes a folder that is about to get a slot. One flush for each folder and run.
    ///
    /// # Errors
    /// What the system says: then no slot may be made there.
    pub(super) fn note_beside(&self, folder: &WirePath) -> io::Result<()> {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.contains(folder) {
            return Ok(());
        }
        let own = self.own_dir()?;
        let note = open_or_create(&own, NOTE)?;
        let end = note.stat()?.size;
        note.write_all_at(&[folder.as_bytes(), b"\0"].concat(), end)?;
        note.sync_all()?;
        own.sync()?;
        noted.insert(folder.clone());
        Ok(())
    }

    /// Takes every slot that `known` does not name out of the noted folders, to `.editd/lost`, and ends the note.
    /// Returns how many there were.
    ///
    /// # Errors
    /// What the system says; the note stands.
    pub fn sweep_beside(&self, known: &dyn Fn(&str) -> bool, now_ms: u64) -> io::Result<usize> {
        let own = self.own_dir()?;
        let note = match own.open_file(NOTE, crate::os::Access::Write) {
            Ok(note) => note,
            Err(none) if none.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error),
        };
        let folders = read_all(&*note, NOTE_BYTES)?;
        let mut strangers = 0;
        let mut open = false;
        for path in folders.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            // A folder that others took away has no slots of ours.
            let dir = match self.folder(&WirePath::new(path)) {
                Err(gone) if is_gone(&gone) => continue,
                found => found?,
            };
            for one in dir.list()? {
                let name = String::from_utf8_lossy(&one.name).into_owned();
                let Some(slot) = name.strip_prefix(BESIDE).filter(|slot| !slot.starts_with(LOST)) else {
                    continue;
                };
                if known(slot.strip_suffix(".held").unwrap_or(slot)) {
                    open = true;
                } else {
                    self.take_aside(&dir, &one.name, &format!("{now_ms}-{slot}"))?;
                    strangers += 1;
                }
            }
            // What was taken away stays away, also what an earlier run took.
            dir.sync()?;
        }
        if !open {
            note.set_len(0)?;
        }
        Ok(strangers)
    }

    /// Copies a file to `.editd/lost`, since no move crosses mounts, and takes its name away.
    fn take_aside(&self, dir: &Dir, name: &[u8], to: &str) -> io::Result<()> {
        match sight::look(dir, name)? {
            Sight::Absent => Ok(()),
            Sight::File(found) => {
                let lost = self.lost_dir();
                let copy = lost.create_file(to.as_bytes(), 0o600)?;
                copy.write_all_at(&found.bytes, 0)?;
                copy.sync_all()?;
                lost.sync()?;
                dir.remove_file(name)
            }
            // Too large, or no file: it keeps a plain name where it is.
            _ => self.move_noreplace(dir, name, dir, format!("{BESIDE}{LOST}{to}").as_bytes()),
        }
    }
}
