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

/// Returns the folders for temporary files: that of the environment, which may be gone by now, and the usual one.
pub fn temporary_folders() -> [PathBuf; 2] {
    [std::env::temp_dir(), PathBuf::from("/tmp")]
}

impl PrivateFolder {
    /// Creates a folder in the first of the [`temporary_folders`] that permits it.
    ///
    /// # Errors
    /// That of the last one.
    pub fn create() -> io::Result<Self> {
        let [first, second] = temporary_folders();
        Self::create_in(&first).or_else(|_| Self::create_in(&second))
    }

    fn create_in(temporary: &Path) -> io::Result<Self> {
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
