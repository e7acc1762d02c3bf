//! Finds the names of files with several hard links inside the workspace. It only reads.
//!
//! *Limitations*: a name counts only on the mount on which the job reaches the file, since the same name could be reached
//! twice through two mounts. A name that another program adds after the search is not found.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{MutexGuard, PoisonError};

use editd_proto::path::FilePath;

use super::{Disk, FileSnapshot, ResolvedPath};
use crate::limits;
use crate::os::{Dir, FileIdentity, FileKind};

/// The names of files with several hard links, as they were last found.
pub(super) type LinkedNames = BTreeMap<FileIdentity, FoundNames>;

/// The names of one file in the workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundNames {
    names: BTreeSet<FilePath>,
    /// The last change of the file before the search, nanoseconds since 1970: a new or removed name changes it.
    changed: i64,
    /// True if all names in the workspace were read.
    finished: bool,
}

/// A file whose other names are searched.
pub type LinkedFile<'f> = (&'f ResolvedPath, &'f FileSnapshot);

/// The number of names of a file in the workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamesInside {
    /// All of them.
    All,
    /// Only so many of them.
    Only(u64),
    /// At least so many: the workspace has more names than are read.
    AtLeast(u64),
}

impl Disk {
    /// Counts the names that each of these files has in the workspace. Names that were found before are looked at first;
    /// for the other files, up to `limits::LINK_NAMES` names of the workspace are read once.
    ///
    /// # Errors
    /// Errors of the system about the folders of these files. Other folders that cannot be read are left out.
    pub fn names_inside(&self, files: &[LinkedFile<'_>]) -> io::Result<Vec<NamesInside>> {
        let is_unknown = |(_, found): &&LinkedFile<'_>| !self.is_known(found);
        let unknown: Vec<LinkedFile<'_>> = files.iter().filter(is_unknown).copied().collect();
        if !unknown.is_empty() {
            let mut search = NameSearch::new(&unknown)?;
            search.read(self, &unknown);
            let mut linked = self.linked();
            if linked.len().saturating_add(unknown.len()) > limits::LINKED_FILES {
                linked.clear();
            }
            linked.extend(search.wanted.into_iter().map(|(identity, mut found)| {
                found.finished = search.finished;
                (identity, found)
            }));
        }
        let linked = self.linked();
        Ok(files.iter().map(|(_, found)| count(linked.get(&found.meta.identity), found)).collect())
    }

    /// Returns the names of a file that [`Disk::names_inside`] found in the workspace.
    pub fn found_names(&self, found: &FileSnapshot) -> Vec<FilePath> {
        let linked = self.linked();
        linked.get(&found.meta.identity).map_or_else(Vec::new, |known| known.names.iter().cloned().collect())
    }

    /// Returns true if an earlier search still holds: all names are in the workspace and exist, or the file was not
    /// changed since.
    fn is_known(&self, found: &FileSnapshot) -> bool {
        let identity = found.meta.identity;
        let Some(known) = self.linked().get(&identity).cloned() else { return false };
        if (known.names.len() as u64) < found.links {
            return known.changed == found.changed;
        }
        known.names.iter().all(|path| {
            let name = path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let stat = self.folder(&path.folder()).and_then(|dir| dir.stat(name));
            stat.is_ok_and(|stat| stat.identity == identity)
        })
    }

    fn linked(&self) -> MutexGuard<'_, LinkedNames> {
        self.linked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count(known: Option<&FoundNames>, found: &FileSnapshot) -> NamesInside {
    let inside = known.map_or(0, |known| known.names.len() as u64);
    match known {
        Some(_) if inside >= found.links => NamesInside::All,
        Some(known) if known.finished => NamesInside::Only(inside),
        _ => NamesInside::AtLeast(inside),
    }
}

/// A search for the names of some files.
struct NameSearch {
    /// The files, with the names that were found.
    wanted: LinkedNames,
    /// The number of names of each file.
    links: BTreeMap<FileIdentity, u64>,
    /// The mounts on which the job reaches them; `None` if the system does not tell.
    mounts: BTreeSet<Option<u64>>,
    /// The devices on which they are.
    devices: BTreeSet<u64>,
    /// The number of names that may still be read.
    left: usize,
    /// True if all names were read, or all names of all files were found.
    finished: bool,
}

impl NameSearch {
    fn new(files: &[LinkedFile<'_>]) -> io::Result<Self> {
        let found = |found: &FileSnapshot| FoundNames { changed: found.changed, ..FoundNames::default() };
        Ok(Self {
            wanted: files.iter().map(|(_, file)| (file.meta.identity, found(file))).collect(),
            links: files.iter().map(|(_, file)| (file.meta.identity, file.links)).collect(),
            mounts: files.iter().map(|(place, _)| place.parent().mount()).collect::<io::Result<_>>()?,
            devices: files.iter().map(|(_, file)| file.meta.identity.dev).collect(),
            left: limits::LINK_NAMES,
            finished: false,
        })
    }

    /// Reads the folders of the files first, since other names are often beside them, and then the whole workspace.
    fn read(&mut self, disk: &Disk, files: &[LinkedFile<'_>]) {
        let near: BTreeSet<FilePath> = files.iter().map(|(place, _)| place.path().folder()).collect();
        // Folders on other mounts are passed through only if they lead to one of the files.
        let above: BTreeSet<Vec<u8>> = near.iter().flat_map(|folder| prefixes(folder.as_bytes())).collect();
        let mut folders = vec![Vec::new()];
        folders.extend(near.iter().map(|folder| folder.as_bytes().to_vec()));
        let mut done = BTreeSet::new();
        while let Some(path) = folders.pop() {
            if !done.insert(path.clone()) {
                continue;
            }
            let Ok(dir) = disk.folder(&FilePath::new(path.clone())) else { continue };
            let counts = self.is_wanted(&dir);
            if !counts && !above.contains(&path) {
                continue;
            }
            let Ok(listed) = dir.list() else { continue };
            for one in listed {
                let Some(left) = self.left.checked_sub(1) else { return };
                self.left = left;
                let below =
                    if path.is_empty() { one.name.clone() } else { [&path, &b"/"[..], &one.name].concat() };
                match one.kind {
                    Some(FileKind::Dir) => folders.push(below),
                    Some(FileKind::Link | FileKind::Other) => {}
                    Some(FileKind::File) | None => self.look(&dir, counts, &one.name, below, &mut folders),
                }
            }
            if self.has_all() {
                break;
            }
        }
        self.finished = true;
    }

    /// Returns true if names in this folder count.
    fn is_wanted(&self, dir: &Dir) -> bool {
        dir.stat_self().is_ok_and(|stat| self.devices.contains(&stat.identity.dev))
            && dir.mount().is_ok_and(|mount| self.mounts.contains(&mount))
    }

    /// Looks at a name that may be one of a wanted file, or of a folder.
    fn look(&mut self, dir: &Dir, counts: bool, name: &[u8], path: Vec<u8>, folders: &mut Vec<Vec<u8>>) {
        // A name that is gone is none.
        let Ok(stat) = dir.stat(name) else { return };
        if stat.kind == FileKind::Dir {
            folders.push(path);
        } else if counts && let Some(found) = self.wanted.get_mut(&stat.identity) {
            found.names.insert(FilePath::new(path));
        }
    }

    fn has_all(&self) -> bool {
        let found = |identity| self.wanted.get(identity).map_or(0, |found| found.names.len() as u64);
        self.links.iter().all(|(identity, links)| found(identity) >= *links)
    }
}

/// Returns a folder's path and those of the folders above it, as far as the root of the workspace.
fn prefixes(path: &[u8]) -> Vec<Vec<u8>> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    [0].into_iter()
        .chain(slashes)
        .chain([path.len()])
        .filter_map(|at| Some(path.get(..at)?.to_vec()))
        .collect()
}
