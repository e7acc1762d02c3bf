//! Walks through the files that git does not ignore, for the globs of a job. It follows no link and reads no file
//! except `.gitignore` and `.git/info/exclude`.

use std::io;
use std::path::{Path, PathBuf};

use editd_proto::path::FilePath;

use super::ignored::GitIgnoreRules;
use super::keeper::{exclude_lines, rule_lines};
use super::names::{os_name, to_wire};
use crate::os::{Dir, FileKind, is_link};

/// The regular files below a folder.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileListing {
    /// The files, sorted.
    pub files: Vec<FilePath>,
    /// The folders that may not be opened: their files are not listed.
    pub forbidden: Vec<FilePath>,
    /// True if a folder was moved or removed before its files were listed.
    pub is_torn: bool,
}

/// A folder whose files cannot be listed, and the error of the system.
pub type UnlistedFolder = (FilePath, io::Error);

/// Returns the regular files below a workspace's folder that are wanted and not ignored. `wanted` is called for folders
/// (`true`), which are entered only if it returns true, and for files. `None`
/// if there are more names than `left`, which is reduced by the names that were read.
///
/// # Errors
/// The first folder that cannot be listed for another reason: its files are unknown.
pub fn files_below(
    top: &Dir,
    wanted: &dyn Fn(&FilePath, bool) -> bool,
    left: &mut usize,
) -> Result<Option<FileListing>, UnlistedFolder> {
    let mut ignored = GitIgnoreRules::default();
    ignored.set_exclude(exclude_lines(top).as_deref());
    let mut listing = FileListing::default();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let (dir, names) = match open(top, &folder).and_then(|dir| Ok((dir.clone(), dir.list()?))) {
            Ok(listed) => listed,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                listing.forbidden.push(shown(&folder));
                continue;
            }
            Err(error) if is_replaced(&error) => {
                listing.is_torn = true;
                continue;
            }
            Err(error) => return Err((shown(&folder), error)),
        };
        let Some(rest) = left.checked_sub(names.len()) else { return Ok(None) };
        *left = rest;
        ignored.set(&folder, rule_lines(&dir, &names).as_deref());
        for listed in names {
            let Some(name) = os_name(&listed.name) else { continue };
            let kind = listed.kind.or_else(|| dir.stat(&listed.name).ok().map(|stat| stat.kind));
            let is_folder = match kind {
                Some(FileKind::Dir) => true,
                Some(FileKind::File) => false,
                Some(FileKind::Link | FileKind::Other) | None => continue,
            };
            let path = folder.join(name);
            let known = to_wire(&path);
            if !wanted(&known, is_folder) || ignored.covers_itself(&path, is_folder) {
                continue;
            }
            if is_folder { folders.push(path) } else { listing.files.push(known) }
        }
    }
    listing.files.sort();
    listing.forbidden.sort();
    Ok(Some(listing))
}

/// Returns the path of a folder as a reply shows it.
fn shown(folder: &Path) -> FilePath {
    if folder.as_os_str().is_empty() { ".".into() } else { to_wire(folder) }
}

/// Returns true if a folder is gone, or something else has its name.
fn is_replaced(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) || is_link(error)
}

/// Opens a folder below the workspace's, name by name, so that no link is followed.
fn open(top: &Dir, folder: &Path) -> io::Result<Dir> {
    folder.iter().try_fold(top.clone(), |dir, name| dir.open_dir(name.as_encoded_bytes()))
}
