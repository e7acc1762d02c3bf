//! Temporary files for commands that read a file: each in a folder of its own below `.editd`, with the name of the
//! file that it stands for. Nothing depends on their content; leftovers are removed, and nothing else is.

use std::io;
use std::path::{Path, PathBuf};

use editd_proto::path::FilePath;

use super::Disk;
use super::own::{OWN, folder, set_aside, shown};
use crate::os::{Dir, FileKind, Stat};

/// The folder of temporary files in `.editd`.
pub(super) const CHECK: &[u8] = b"check";

/// The depth of folders that a command may leave beside its file.
const DEPTH: usize = 16;

/// A temporary file, removed when this is dropped.
#[must_use]
pub struct ScratchFile {
    parent: Dir,
    staged_name: String,
    below: PathBuf,
}

impl ScratchFile {
    /// Returns its path below the workspace.
    pub fn below(&self) -> &Path {
        &self.below
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        if let Err(why) = remove(&self.parent, self.staged_name.as_bytes()) {
            tracing::warn!(%why, "a temporary file in .editd/check stays until the next start");
        }
    }
}

impl Disk {
    /// Creates a temporary file with these bytes and the name of `path`. `staged_name` must be unique.
    ///
    /// # Errors
    /// Errors of the system; nothing is left then.
    pub fn scratch(&self, staged_name: &str, path: &FilePath, bytes: &[u8]) -> io::Result<ScratchFile> {
        let name = path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let parent = folder(&self.own_dir()?, CHECK)?;
        parent.create_dir(staged_name.as_bytes(), 0o700)?;
        let below = [OWN, CHECK, staged_name.as_bytes(), name].join(&b'/');
        let below = Path::new(&os_str(below)).to_owned();
        let scratch = ScratchFile { parent, staged_name: staged_name.to_owned(), below };
        let dir = scratch.parent.open_dir(staged_name.as_bytes())?;
        dir.create_file(name, 0o600)?.write_all_at(bytes, 0)?;
        Ok(scratch)
    }

    /// Removes files that an earlier daemon left. Other entries, which a repository or a command made, are set aside.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn clear_scratch(&self) -> io::Result<()> {
        let own = self.own_dir()?;
        match own.stat(CHECK) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(stat) if stat.kind != FileKind::Dir => {
                return set_aside(&*self.os, &own, (&own, CHECK), &shown(CHECK));
            }
            stat => stat?,
        };
        let parent = own.open_dir(CHECK)?;
        for listed in parent.list()? {
            if may_be_scratch(&listed.name, &parent.stat(&listed.name)?) {
                remove(&parent, &listed.name)?;
            } else {
                let path = [CHECK, &listed.name].join(&b'/');
                set_aside(&*self.os, &own, (&parent, &listed.name), &shown(&path))?;
            }
        }
        Ok(())
    }
}

/// Returns true if the daemon may have made an entry of the folder: a private folder with a staged name. Git makes
/// folders that others can read.
fn may_be_scratch(name: &[u8], found: &Stat) -> bool {
    let is_staged = name.contains(&b'-') && name.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    is_staged && found.kind == FileKind::Dir && (found.mode & 0o077 == 0 || cfg!(not(unix)))
}

#[cfg(unix)]
fn os_str(bytes: Vec<u8>) -> std::ffi::OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn os_str(bytes: Vec<u8>) -> std::ffi::OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Removes whatever has a name, following no link.
fn remove(parent: &Dir, name: &[u8]) -> io::Result<()> {
    remove_below(parent, name, DEPTH)
}

fn remove_below(parent: &Dir, name: &[u8], depth: usize) -> io::Result<()> {
    let gone = |result: io::Result<()>| match result {
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    };
    let stat = match parent.stat(name) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
        stat => stat?,
    };
    if stat.kind != FileKind::Dir {
        return gone(parent.remove_file(name));
    }
    let dir = parent.open_dir(name)?;
    for listed in dir.list()? {
        let depth =
            depth.checked_sub(1).ok_or_else(|| io::Error::other("its folders lie in each other too deep"))?;
        remove_below(&dir, &listed.name, depth)?;
    }
    gone(parent.remove_dir(name))
}

#[cfg(all(test, unix))]
mod tests;
