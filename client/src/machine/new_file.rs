//! A file that is complete or does not exist: it is written under another name beside its own, readable by the user alone.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the files that a user asks for by name are written here"
)]

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Maximum number of files of killed processes that do not hinder this one.
const LEFT: u32 = 100;

/// A file that is being written. Dropping it removes what was written.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    /// Its name until it is complete.
    temporary: PathBuf,
    path: PathBuf,
}

impl NewFile {
    /// Begins a file.
    ///
    /// # Errors
    /// `AlreadyExists` if the file exists and `replace` is false; errors of the system.
    pub fn create(path: &Path, replace: bool) -> io::Result<Self> {
        if !replace && super::is_there(path) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        path.file_name().ok_or(ErrorKind::IsADirectory)?;
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut number = 0;
        loop {
            let temporary = path.with_file_name(format!(".editctl-{}-{number}", std::process::id()));
            match options.open(&temporary) {
                Ok(file) => return Ok(Self { file, temporary, path: path.to_owned() }),
                // A process with the same id was killed before it had removed its file.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < LEFT => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Flushes the file and gives it its name.
    ///
    /// # Errors
    /// `AlreadyExists` if `replace` is false and the file was created meanwhile; errors of the system.
    pub fn finish(self, replace: bool) -> io::Result<()> {
        self.file.sync_all()?;
        if replace {
            return std::fs::rename(&self.temporary, &self.path);
        }
        match std::fs::hard_link(&self.temporary, &self.path) {
            // The file system has no links.
            Err(error) if error.kind() != ErrorKind::AlreadyExists && !super::is_there(&self.path) => {
                std::fs::rename(&self.temporary, &self.path)
            }
            done => done,
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // After `finish` it is gone, or a second name of the file.
        let _ = std::fs::remove_file(&self.temporary);
    }
}
