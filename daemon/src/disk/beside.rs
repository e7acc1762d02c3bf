//! Folders on other mounts that hold slots: noted in `.editd/beside` before the first slot is made there, so that the
//! next start finds what a kill or a power cut has left among the workspace's own files. It holds nothing but paths.

use std::collections::BTreeSet;
use std::io;
use std::sync::PoisonError;

use editd_proto::path::WirePath;

use super::Disk;
use super::folders::{BESIDE, is_gone, open_or_create};
use super::lost::LOST;
use super::observation::{self, Observation};
use crate::os::{Dir, Lease, read_all};

/// The note: paths, each ended by a NUL.
const NOTE: &[u8] = b"beside";
/// The note while it is written anew.
const NOTE_ANEW: &[u8] = b"beside.new";
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

    /// Takes every slot that `known` does not name out of the noted folders, to `.editd/lost`, finds those that were set
    /// aside there, and ends the note but for folders that still hold some of either. Returns how many were taken out.
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
        let mut kept = BTreeSet::new();
        for path in folders.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            // A folder that others took away has no slots of ours.
            let path = WirePath::new(path);
            let dir = match self.folder(&path) {
                Err(gone) if is_gone(&gone) => continue,
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
                    if !self.take_aside(&path, &dir, &one.name, &format!("{now_ms}-{staged_name}"))? {
                        kept.insert(path.clone());
                    }
                    strangers += 1;
                }
            }
            // What was taken away stays away, also what an earlier run took.
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

    /// Writes the note in one step.
    fn note_anew(&self, own: &Dir, text: &[u8]) -> io::Result<()> {
        let anew = open_or_create(own, NOTE_ANEW)?;
        anew.set_len(0)?;
        anew.write_all_at(text, 0)?;
        anew.sync_all()?;
        self.os.rename(own, NOTE_ANEW, own, NOTE)?;
        own.sync()
    }

    /// Copies a file to `.editd/lost`, since no move crosses mounts, and takes its name away. Tells whether the folder
    /// holds nothing of it any more.
    fn take_aside(&self, folder: &WirePath, dir: &Dir, name: &[u8], to: &str) -> io::Result<bool> {
        match observation::observe(dir, name)? {
            Observation::Absent => Ok(true),
            // Until the lease ends, at the latest with the file that is open for it, nobody writes to it.
            Observation::File(found) if matches!(found.file.lease(), Ok(Lease::Held)) => {
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
            // It has a writer, or may have, is too large, or no file: it keeps a plain name where it is.
            _ => self.lose_beside(folder, dir, name, to).map(|()| false),
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
