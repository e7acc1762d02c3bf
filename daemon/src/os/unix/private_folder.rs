//! A folder for the temporary files of one command, which no other user can enter. It is removed with all of its content
//! when it is dropped, or when the next daemon of its workspace starts.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "os is the interface to the system's files"
)]

use std::fs::DirBuilder;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The number of names that are tried.
const NAMES: usize = 16;

/// The folder.
#[derive(Debug)]
pub struct PrivateFolder(PathBuf);

/// Returns the folders for temporary files: that of the environment, which may be gone by now, and the usual one.
pub fn temporary_folders() -> [PathBuf; 2] {
    [std::env::temp_dir(), PathBuf::from("/tmp")]
}

/// Returns the beginning of the names of the folders of a workspace.
fn prefix(workspace: &Path) -> String {
    let hash = blake3::hash(workspace.as_os_str().as_encoded_bytes()).to_hex();
    format!("editd-run-{:.16}-", hash.as_str())
}

impl PrivateFolder {
    /// Creates a folder for a command of a workspace, in the first of the [`temporary_folders`] that permits it.
    ///
    /// # Errors
    /// That of the last one.
    pub fn create(workspace: &Path) -> io::Result<Self> {
        let (prefix, [first, second]) = (prefix(workspace), temporary_folders());
        Self::create_in(&first, &prefix).or_else(|_| Self::create_in(&second, &prefix))
    }

    /// Removes the folders that a killed daemon of a workspace has left. No other daemon of it may run.
    pub fn remove_left(workspace: &Path) {
        let (prefix, own) = (prefix(workspace), rustix::process::geteuid().as_raw());
        for temporary in temporary_folders() {
            let entries = std::fs::read_dir(temporary).into_iter().flatten().flatten();
            let left = entries.filter(|entry| {
                entry.file_name().as_encoded_bytes().starts_with(prefix.as_bytes())
                    && entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == own)
            });
            left.for_each(|entry| drop(Self(entry.path())));
        }
    }

    fn create_in(temporary: &Path, prefix: &str) -> io::Result<Self> {
        let mut last = io::ErrorKind::AlreadyExists.into();
        for nth in 0..NAMES {
            let random = RandomState::new().hash_one(nth);
            let path = temporary.join(format!("{prefix}{random:016x}"));
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
