//! Lower bounds that need no server: one flush as the log makes it, a safe replacement by hand, and a start of a process.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::bound::{BLOCK, prepared};
use crate::server::took;

/// Blocks of the prepared file, which are overwritten in turn.
const BLOCKS: u64 = 256;

/// The files of the floors.
pub(crate) struct Floors {
    folder: PathBuf,
    log: File,
    at: u64,
}

impl Floors {
    /// Prepares the files in a folder.
    pub(crate) fn prepared(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        let log = prepared(&folder.join("floor.log"), BLOCKS * BLOCK as u64);
        Self { folder: folder.to_owned(), log, at: 0 }
    }

    /// Overwrites one block of an allocated file, and flushes it with one `fdatasync`.
    pub(crate) fn flush(&mut self) -> Duration {
        self.at = (self.at + 1) % BLOCKS;
        took(|| {
            self.log.write_all_at(&[7; BLOCK], self.at * BLOCK as u64).unwrap();
            self.log.sync_data().unwrap();
        })
    }

    /// Replaces files one after the other: a temporary file, `fsync`, rename, `fsync` of the folder.
    pub(crate) fn by_hand(&self, files: usize, text: &str) -> Duration {
        let temporary = self.folder.join("temporary");
        took(|| {
            for nth in 0..files {
                let mut file = File::create(&temporary).unwrap();
                file.write_all(text.as_bytes()).unwrap();
                file.sync_all().unwrap();
                fs::rename(&temporary, self.folder.join(format!("target{nth}"))).unwrap();
                File::open(&self.folder).unwrap().sync_all().unwrap();
            }
        })
    }
}

/// Starts a program that does nothing, and waits for its end.
pub(crate) fn spawn() -> Duration {
    took(|| {
        let status = Command::new("true").stdin(Stdio::null()).stdout(Stdio::null()).status();
        assert!(status.is_ok_and(|status| status.success()), "`true` runs");
    })
}
