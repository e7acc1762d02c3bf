//! A configuration file: read once, and written in one step, unless it changed meanwhile.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the only module of setup that writes files"
)]

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use editctl::machine;

use crate::SetupError;

/// Maximum size of a file in bytes.
const LIMIT: usize = 64 * 1024 * 1024;

/// The byte order mark, which stays in front.
const MARK: &str = "\u{feff}";

/// A configuration file as it was read.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    /// The path with links resolved.
    pub(crate) path: PathBuf,
    /// The path by which the runtime knows the file, if links lead from it to another place.
    pub(crate) link: Option<PathBuf>,
    /// The bytes; `None` if there is no file.
    bytes: Option<Vec<u8>>,
}

/// The access that others have to a new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileAccess {
    /// As the umask of the user permits.
    Shared,
    /// None.
    Private,
}

impl ConfigFile {
    /// Returns what the user should know about the file.
    pub(crate) fn notes(&self) -> Vec<String> {
        let link = self.link.as_ref();
        link.map(|link| format!("{} is a link to {}", link.display(), self.path.display()))
            .into_iter()
            .collect()
    }

    /// Reads a file in a folder. `boundary` is the folder that links must not leave.
    ///
    /// # Errors
    /// The path leads out of the boundary or to something else than a file; errors of the system.
    pub(crate) fn read(folder: &Path, name: &str, boundary: Option<&Path>) -> Result<Self, SetupError> {
        let known = machine::canonical(folder).unwrap_or_else(|_| folder.to_path_buf()).join(name);
        let path = resolved(&known).map_err(|error| {
            let error = match error.kind() {
                io::ErrorKind::NotFound => io::Error::new(error.kind(), "a link leads nowhere; remove it"),
                _ => error,
            };
            SetupError::File(known.clone(), error)
        })?;
        let link = (path != known).then_some(known);
        if let (Some(link), Some(boundary)) = (&link, boundary)
            && !path.starts_with(boundary)
        {
            let (link, path) = (link.display(), path.display());
            let advice = "check it, and use --force to change that file";
            let message = format!("{link} is a link out of the project, to {path}; {advice}");
            return Err(SetupError::Refused(message));
        }
        let bytes = bytes_of(&path).map_err(|error| SetupError::File(path.clone(), error))?;
        Ok(Self { path, link, bytes })
    }

    /// Returns the file as an earlier change of the same run leaves it: `earlier` is the file of that change and its new text.
    pub(crate) fn after(mut self, earlier: Option<(&Self, Option<&str>)>) -> Self {
        if let Some((file, text)) = earlier
            && file.path == self.path
        {
            self.bytes = text.map(|text| file.encoded(text));
        }
        self
    }

    /// Returns true if a byte order mark is in front of the text.
    pub(crate) fn has_mark(&self) -> bool {
        self.bytes.as_ref().is_some_and(|bytes| bytes.starts_with(MARK.as_bytes()))
    }

    /// Returns the bytes of a new text.
    fn encoded(&self, text: &str) -> Vec<u8> {
        let mark = if self.has_mark() { MARK } else { "" };
        [mark.as_bytes(), text.as_bytes()].concat()
    }

    /// Returns the text without the byte order mark.
    ///
    /// # Errors
    /// The bytes are not UTF-8.
    pub(crate) fn text(&self) -> Result<Option<&str>, SetupError> {
        let Some(bytes) = &self.bytes else { return Ok(None) };
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.strip_prefix(MARK).unwrap_or(text))),
            Err(error) => {
                let line = bytes.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count() + 1;
                let path = self.path.display();
                Err(SetupError::Refused(format!(
                    "{path} is not UTF-8 in line {line}; setup changes only UTF-8"
                )))
            }
        }
    }

    /// Replaces the file by a text, or removes it.
    ///
    /// # Errors
    /// The file changed since it was read; errors of the system.
    pub(crate) fn write(&self, text: Option<&str>, access: FileAccess) -> Result<(), SetupError> {
        let Some(text) = text else {
            self.check()?;
            return fs::remove_file(&self.path).map_err(|error| self.failed(error));
        };
        let folder = self.path.parent().unwrap_or(&self.path);
        fs::create_dir_all(folder).map_err(|error| SetupError::File(folder.to_path_buf(), error))?;
        let staged = self.staged(folder, &self.encoded(text), access);
        let staged = staged.map_err(|error| self.failed(error))?;
        self.check()?;
        let named = match &self.bytes {
            Some(_) => staged.persist(&self.path),
            None => staged.persist_noclobber(&self.path),
        };
        named.map_err(|error| self.failed(error.error))?;
        // The file has its name; only a power cut could take it back.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// Writes and flushes the bytes under another name in the same folder.
    fn staged(&self, folder: &Path, bytes: &[u8], access: FileAccess) -> io::Result<tempfile::NamedTempFile> {
        let mut options = tempfile::Builder::new();
        options.prefix(".editctl-setup-");
        #[cfg(unix)]
        if access == FileAccess::Shared {
            use std::os::unix::fs::PermissionsExt;
            options.permissions(fs::Permissions::from_mode(0o666));
        }
        #[cfg(not(unix))]
        let _ = access;
        let mut staged = options.tempfile_in(folder)?;
        staged.write_all(bytes)?;
        if self.bytes.is_some() {
            staged.as_file().set_permissions(fs::metadata(&self.path)?.permissions())?;
        }
        staged.as_file().sync_all()?;
        Ok(staged)
    }

    /// Checks that the file is as it was read, or as an earlier change of the same run left it.
    fn check(&self) -> Result<(), SetupError> {
        let now = bytes_of(&self.path).map_err(|error| self.failed(error))?;
        if now == self.bytes {
            return Ok(());
        }
        let path = self.path.display();
        Err(SetupError::Refused(format!(
            "{path} changed while setup ran and stays as it is now; run it again"
        )))
    }

    /// Returns an error of the system, with the path.
    fn failed(&self, error: io::Error) -> SetupError {
        SetupError::File(self.path.clone(), error)
    }
}

/// Returns the bytes of a file, or `None` if there is none.
fn bytes_of(path: &Path) -> io::Result<Option<Vec<u8>>> {
    if !machine::is_there(path) {
        return Ok(None);
    }
    // Another kind, such as a pipe, might never end.
    if !machine::is_file(path) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    machine::read_whole(Some(path), LIMIT).map(Some)
}

/// Returns a path with links resolved. Its last parts may be missing, but no link may lead nowhere.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    if machine::is_there(path) {
        return machine::canonical(path);
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(resolved(parent)?.join(name)),
        _ => Ok(path.to_path_buf()),
    }
}

#[cfg(test)]
mod tests;
