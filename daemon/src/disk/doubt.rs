//! Files of which a flush has failed: the system may show bytes of theirs that never reached the disk, and a second
//! flush would not write them either, but report success. It flushes, remembers, and changes nothing.

use std::collections::BTreeSet;
use std::io;
use std::sync::{MutexGuard, PoisonError};

use super::Disk;
use crate::limits::DOUBTED;
use crate::os::{File, Identity};

/// The files whose flush has failed since the workspace was opened.
#[derive(Default)]
pub(super) struct Doubted {
    files: BTreeSet<Identity>,
    /// There were more than are remembered: none is trusted any more.
    all: bool,
}

impl Disk {
    /// Flushes an open file. A failure is remembered.
    ///
    /// # Errors
    /// What the system says: from then on [`Disk::doubts`] the file.
    pub fn sync(&self, file: &File) -> io::Result<()> {
        let identity = file.stat()?.identity;
        file.sync_all().inspect_err(|_| {
            let mut doubted = self.doubted();
            if doubted.files.len() < DOUBTED {
                doubted.files.insert(identity);
            } else {
                doubted.all = true;
            }
        })
    }

    /// Whether a flush of this file has failed: what it holds is on the disk only once all of it was written again.
    pub fn doubts(&self, file: Identity) -> bool {
        let doubted = self.doubted();
        doubted.all || doubted.files.contains(&file)
    }

    /// All of this file was written again and flushed, or its content was elsewhere.
    pub fn trust_again(&self, file: Identity) {
        self.doubted().files.remove(&file);
    }

    fn doubted(&self) -> MutexGuard<'_, Doubted> {
        self.doubted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
