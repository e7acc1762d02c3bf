//! Creates the folders that a new file needs. It never steps through a link to do so.

use std::io::ErrorKind;

use editd_proto::path::FilePath;

use super::{ResolveError, ResolvedPath};
use crate::os::{Dir, FileKind, OsDir};

impl ResolvedPath {
    /// Creates the missing folders, with mode 0777 without the bits of `mask`. Returns the file's folder and the
    /// paths of the created ones, outermost first. They are not flushed. A folder that another program creates
    /// meanwhile is used as it is.
    ///
    /// # Errors
    /// [`ResolveError::Outside`] if a link is in the way, [`ResolveError::NotAFolder`] for anything else. Folders
    /// created by then are removed again.
    pub fn ensure_folders(&self, mask: u32) -> Result<(Dir, Vec<FilePath>), ResolveError> {
        let mut at = self.parent.clone();
        let mut made: Vec<(Dir, Vec<u8>, FilePath)> = Vec::new();
        for (index, name) in self.missing.iter().enumerate() {
            let path = self.folder_path(index);
            match enter(&*at, name, mask, &path) {
                Ok((next, new)) => {
                    let above = std::mem::replace(&mut at, next);
                    if new {
                        made.push((above, name.clone(), path));
                    }
                }
                Err(error) => {
                    for (above, name, _) in made.iter().rev() {
                        // It stays if something uses it by now.
                        above.remove_dir(name).ok();
                    }
                    return Err(error);
                }
            }
        }
        Ok((at, made.into_iter().map(|(_, _, path)| path).collect()))
    }

    /// Returns the path of the `index`-th missing folder.
    fn folder_path(&self, index: usize) -> FilePath {
        let names: Vec<&[u8]> = self.path.as_bytes().split(|byte| *byte == b'/').collect();
        // The missing folders after it and the file follow it.
        let len = names.len().saturating_sub(self.missing.len()).saturating_add(index);
        FilePath::new(names.get(..len).unwrap_or_default().join(&b'/'))
    }
}

/// Creates a folder unless it exists, and opens it. `true`: it was created.
fn enter(at: &dyn OsDir, name: &[u8], mask: u32, path: &FilePath) -> Result<(Dir, bool), ResolveError> {
    let new = match at.create_dir(name, 0o777 & !mask) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
        Err(error) => return Err(ResolveError::of(path.clone(), error)),
    };
    let error = match at.open_dir(name) {
        Ok(dir) => return Ok((dir, new)),
        Err(error) => error,
    };
    if new {
        // This fails if it is no longer an empty folder.
        at.remove_dir(name).ok();
    }
    Err(match at.stat(name).map(|stat| stat.kind) {
        Ok(FileKind::Link) => ResolveError::Outside { link: Some(path.clone()) },
        Ok(FileKind::File | FileKind::Other) => ResolveError::NotAFolder(path.clone()),
        Ok(FileKind::Dir) | Err(_) => ResolveError::of(path.clone(), error),
    })
}
