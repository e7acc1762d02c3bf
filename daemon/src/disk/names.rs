//! Finds another name of a file (a hard link) in the workspace. It reads names and metadata, and changes nothing.

use std::collections::VecDeque;
use std::io;

use editd_proto::path::FilePath;

use super::Disk;
use super::folders::is_gone;
use super::own::OWN;
use super::place::ResolvedPath;
use crate::limits::LINK_NAMES;
use crate::os::{FileIdentity, FileKind, is_link};

/// The result of looking for a name.
pub(super) enum NameSearch {
    /// This name has the file.
    Found(ResolvedPath),
    /// No name in the workspace has it.
    Nowhere,
    /// None of the first names has it, so many of them.
    Unfinished(usize),
}

impl Disk {
    /// Looks for a name of a file: first in the folder of `near`, then in all folders of the workspace on the same
    /// file system, at [`LINK_NAMES`] names at most. It passes folders that may not be read; if it was denied any, it
    /// looks twice, since the denial may be over.
    ///
    /// # Errors
    /// Errors of the disk.
    pub(super) fn find_name(&self, wanted: FileIdentity, near: &FilePath) -> io::Result<NameSearch> {
        match self.search(wanted, near)? {
            (NameSearch::Nowhere, true) => Ok(self.search(wanted, near)?.0),
            (found, _) => Ok(found),
        }
    }

    /// Also returns true if it was denied a folder or a name.
    fn search(&self, wanted: FileIdentity, near: &FilePath) -> io::Result<(NameSearch, bool)> {
        let first = near.folder();
        let (mut seen, mut denied) = (0_usize, false);
        let mut waiting = VecDeque::from([first.clone(), FilePath::new(&b""[..])]);
        let mut begun = false;
        while let Some(folder) = waiting.pop_front() {
            if folder == first && std::mem::replace(&mut begun, true) {
                continue;
            }
            let listed = self.folder(&folder).and_then(|dir| dir.list().map(|names| (dir, names)));
            let Some((dir, names)) = passed(listed, &mut denied)? else { continue };
            for one in names {
                if seen == LINK_NAMES {
                    return Ok((NameSearch::Unfinished(seen), denied));
                }
                seen += 1;
                if Self::is_staged_name(&one.name) || (folder.as_bytes().is_empty() && one.name == OWN) {
                    continue;
                }
                if matches!(one.kind, Some(FileKind::Link | FileKind::Other)) {
                    continue;
                }
                let Some(stat) = passed(dir.stat(&one.name), &mut denied)? else { continue };
                let path = below(&folder, &one.name);
                match stat.kind {
                    FileKind::Dir if stat.identity.dev == wanted.dev => waiting.push_back(path),
                    FileKind::File if stat.identity == wanted => {
                        if let Some(Some(found)) = passed(self.find(&path), &mut denied)?
                            && found.stat().is_some_and(|stat| stat.identity == wanted)
                        {
                            return Ok((NameSearch::Found(found), denied));
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok((NameSearch::Nowhere, denied))
    }
}

/// Returns `None` for what is gone or may not be read; other errors are those of the disk.
fn passed<T>(result: io::Result<T>, denied: &mut bool) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(gone) if is_gone(&gone) || is_link(&gone) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            *denied = true;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn below(folder: &FilePath, name: &[u8]) -> FilePath {
    let above = folder.as_bytes();
    if above.is_empty() { FilePath::new(name) } else { FilePath::new([above, b"/", name].concat()) }
}
