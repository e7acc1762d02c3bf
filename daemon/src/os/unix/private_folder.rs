//! A folder for the temporary files of one command, which no other user can enter. It is removed with all of its content
//! when it is dropped.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "os is the interface to the system's files"
)]

use std::fs::DirBuilder;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The number of names that are tried.
const NAMES: usize = 16;

/// The folder. Its files stay if the process is killed; the system removes them with other old temporary files.
#[derive(Debug)]
pub struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// Creates a folder in that for temporary files.
    pub fn create() -> io::Result<Self> {
        let temporary = std::env::temp_dir();
        let mut last = io::ErrorKind::AlreadyExists.into();
        for nth in 0..NAMES {
            let random = RandomState::new().hash_one(nth);
            let path = temporary.join(format!("editd-run-{random:016x}"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        if let Err(why) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %why, "temporary files of a command are left");
        }
    }
}
