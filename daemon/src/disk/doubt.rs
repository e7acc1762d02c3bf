//! Files whose flush has failed: the system may show bytes that never reached the disk, and a second flush would
//! report success without writing them. It flushes and remembers, and changes no file.
//!
//! A mark in `.editd/unflushed` with the identity of each file tells the next daemon. It counts only until the
//! machine restarts: from then on a file shows the bytes on the disk, and marks of earlier runs are removed.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

use super::Disk;
use super::own::folder;
use crate::limits::DOUBTED;
use crate::os::{BootId, Dir, File, FileIdentity};

/// The folder of the marks, in the daemon's own folder.
const MARKS: &[u8] = b"unflushed";

/// The files whose flush has failed in this run of the machine.
pub(super) struct FailedFlushes {
    boot: BootId,
    files: BTreeSet<FileIdentity>,
    /// Set if there were more than can be remembered: then no file is trusted.
    all: bool,
}

impl FailedFlushes {
    /// Reads the marks of earlier daemons.
    pub(super) fn open(own: &Dir, boot: BootId) -> io::Result<Self> {
        let mut this = Self { boot, files: BTreeSet::new(), all: false };
        let marks = match own.open_dir(MARKS) {
            Ok(marks) => marks,
            Err(none) if none.kind() == io::ErrorKind::NotFound => return Ok(this),
            Err(error) => return Err(error),
        };
        for mark in marks.list()? {
            match file_of(&mark.name, boot) {
                Some(file) => this.add(file),
                // It counts for nothing, so it may stay if it is a folder or cannot be removed.
                None => drop(marks.remove_file(&mark.name)),
            }
        }
        Ok(this)
    }

    fn add(&mut self, file: FileIdentity) {
        if self.files.len() < DOUBTED {
            self.files.insert(file);
        } else {
            self.all = true;
        }
    }
}

/// Returns the name of a file's mark.
fn mark_of(file: FileIdentity, BootId(boot): BootId) -> String {
    let FileIdentity { dev, ino, born } = file;
    format!("{:032x}-{dev:x}-{ino:x}-{born:x}", u128::from_be_bytes(boot))
}

/// Returns the file of a mark made in this run of the machine.
fn file_of(mark: &[u8], boot: BootId) -> Option<FileIdentity> {
    let parts: Vec<&str> = std::str::from_utf8(mark).ok()?.split('-').collect();
    let [_, dev, ino, born] = parts.as_slice() else { return None };
    let number = |part: &str| u64::from_str_radix(part, 16).ok();
    let file = FileIdentity { dev: number(dev)?, ino: number(ino)?, born: number(born)?.cast_signed() };
    (mark_of(file, boot).as_bytes() == mark).then_some(file)
}

impl Disk {
    /// Flushes an open file and remembers a failure.
    ///
    /// # Errors
    /// Errors of the system: from then on [`Disk::doubts`] returns true for the file.
    pub fn sync(&self, file: &File) -> io::Result<()> {
        self.sync_known(file, file.stat()?.identity)
    }

    /// The same for a file whose identity was just read.
    pub(super) fn sync_known(&self, file: &File, identity: FileIdentity) -> io::Result<()> {
        self.flushes.fetch_add(1, Ordering::Relaxed);
        file.sync_all().inspect_err(|_| self.doubt(identity))
    }

    /// Returns the number of flushes of files since the start.
    pub fn flushes(&self) -> u64 {
        self.flushes.load(Ordering::Relaxed)
    }

    fn doubt(&self, file: FileIdentity) {
        let boot = {
            let mut doubted = self.doubted();
            doubted.add(file);
            doubted.boot
        };
        let marked = self
            .own_dir()
            .and_then(|own| folder(&own, MARKS))
            .and_then(|marks| marks.create_file(mark_of(file, boot).as_bytes(), 0o600));
        match marked {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                tracing::warn!(%error, "a flush has failed and could not be noted: the next daemon will not know before the machine restarts");
            }
            _ => {}
        }
    }

    /// Returns true if a flush of this file has failed: its bytes count as durable only after all of them were
    /// written again.
    pub fn doubts(&self, file: FileIdentity) -> bool {
        let doubted = self.doubted();
        doubted.all || doubted.files.contains(&file)
    }

    /// Notes that all of this file was written again and flushed, or that its content was stored elsewhere.
    pub fn trust_again(&self, file: FileIdentity) {
        let boot = {
            let mut doubted = self.doubted();
            if !doubted.files.remove(&file) {
                return;
            }
            doubted.boot
        };
        if let Ok(marks) = self.own_dir().and_then(|own| own.open_dir(MARKS)) {
            // A mark that stays only costs one more write.
            let _ = marks.remove_file(mark_of(file, boot).as_bytes());
        }
    }

    fn doubted(&self) -> MutexGuard<'_, FailedFlushes> {
        self.doubted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_names_its_file_in_this_run_of_the_machine_alone() {
        let (here, there) = (BootId([7; 16]), BootId([8; 16]));
        for born in [0, 1, i64::MAX, -1] {
            let file = FileIdentity { dev: 0x10, ino: u64::MAX, born };
            let mark = mark_of(file, here);
            assert_eq!(file_of(mark.as_bytes(), here), Some(file));
            assert_eq!(file_of(mark.as_bytes(), there), None);
        }
        for strange in [&b""[..], b"-", b"a-b-c-d", b"\xff", b"0-1-2-3-4"] {
            assert_eq!(file_of(strange, here), None);
        }
    }
}
