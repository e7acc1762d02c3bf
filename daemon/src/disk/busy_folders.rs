//! Folders that Windows does not remove yet, because a program has them open: the daemon itself keeps the folder of a file
//! open until that is settled. They are removed later. After a kill, such an empty folder stays.

use std::sync::{Mutex, PoisonError};

use editd_proto::path::FilePath;

use super::Disk;

/// Maximum number of files whose folders wait to be removed.
const WAITING: usize = 1024;

/// The folders that were created for a file, the uppermost first.
pub(super) type BusyFolders = Mutex<Vec<Vec<FilePath>>>;

impl Disk {
    /// Remembers the folders that were created for a file as far as `open`, which is to be removed later.
    pub(super) fn remove_later(&self, made: &[FilePath], open: &FilePath) {
        let mut waiting = self.busy_folders.lock().unwrap_or_else(PoisonError::into_inner);
        let end = made.iter().position(|path| path == open).map_or(0, |at| at + 1);
        if waiting.len() < WAITING {
            waiting.push(made.get(..end).unwrap_or_default().to_vec());
        }
    }

    /// Removes the folders that were open, as far as they are empty and no longer open.
    pub fn remove_busy_folders(&self) {
        let mut waiting = self.busy_folders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tried = std::mem::take(&mut *waiting);
        drop(waiting);
        // The deepest folders first.
        tried.sort_by_key(|made| std::cmp::Reverse(made.last().map_or(0, |path| path.as_bytes().len())));
        for made in tried {
            self.remove_made(&made);
        }
    }
}
