//! Finds the root of a workspace and converts paths of the user to paths in it. Changes nothing; the daemon decides
//! which paths are allowed.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use editd_proto::FilePath;

use crate::machine;

/// Names that mark the root of a workspace.
pub const MARKERS: [&str; 2] = [SETTINGS, ".git"];

/// The name of the settings file.
const SETTINGS: &str = ".editd.toml";

/// The root of a workspace, with links resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Returns the workspace that contains `folder`: the nearest parent with one of [`MARKERS`], else `folder`.
    ///
    /// # Errors
    /// `folder` cannot be resolved, or the parent or its marker belongs to another user than this one or root: in a
    /// folder in which everybody may create files, anybody could make a workspace of it.
    pub fn find(folder: &Path) -> io::Result<Self> {
        let folder = machine::canonical(folder)?;
        for above in folder.ancestors() {
            let markers: Vec<PathBuf> = MARKERS.iter().map(|name| above.join(name)).collect();
            let there: Vec<&Path> =
                markers.iter().map(PathBuf::as_path).filter(|marker| machine::is_there(marker)).collect();
            if there.is_empty() {
                continue;
            }
            let foreign =
                there.iter().chain([&above]).find_map(|path| Some((*path, machine::foreign_owner(path)?)));
            return match foreign {
                Some((path, owner)) => Err(foreign_workspace(path, owner, above, &folder)),
                None => Ok(Self { root: above.to_path_buf() }),
            };
        }
        Ok(Self { root: folder })
    }

    /// Returns the workspace with exactly this root.
    ///
    /// # Errors
    /// The folder is missing or not a folder.
    pub fn at(folder: &Path) -> io::Result<Self> {
        let root = machine::canonical(folder)?;
        if machine::is_folder(&root) {
            Ok(Self { root })
        } else {
            Err(io::Error::new(io::ErrorKind::NotADirectory, "not a folder"))
        }
    }

    /// Returns the workspace with the root that the user named, else the one that contains the current folder.
    ///
    /// # Errors
    /// A message for the user, with the reason of [`Workspace::at`] or [`Workspace::find`].
    pub fn choose(named: Option<&Path>, current: &Path) -> Result<Self, String> {
        let found = match named {
            Some(folder) => Self::at(folder),
            None => Self::find(current),
        };
        found.map_err(|error| format!("the workspace {}: {error}", named.unwrap_or(current).display()))
    }

    /// Returns the root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path in the workspace for `given`, a path that is relative to `current`. If `current` is outside of
    /// the workspace, it is relative to the root.
    ///
    /// `.` and `..` are resolved lexically. A path outside of the workspace starts with `..` or stays absolute, and the
    /// daemon refuses it.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// let folder = std::env::temp_dir();
    /// let workspace = editctl::Workspace::at(&folder)?;
    /// let src = workspace.root().join("src");
    /// assert_eq!(workspace.name(&src, "main.rs".as_ref()), "src/main.rs".into());
    /// assert_eq!(workspace.name(&src, "../README.md".as_ref()), "README.md".into());
    /// assert_eq!(workspace.name(&src, &src.join("lib.rs")), "src/lib.rs".into());
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self, current: &Path, given: &Path) -> FilePath {
        let from = if current.starts_with(&self.root) { current } else { &self.root };
        let full = tidy(&from.join(given));
        if let Some(rest) = self.inside(&full) {
            return wire(rest.iter());
        }
        // On Windows, also a path from the root of the current drive, and one with a drive and no root.
        if matches!(given.components().next(), Some(Component::Prefix(_) | Component::RootDir)) {
            return FilePath::new(given.as_os_str().as_encoded_bytes());
        }
        let shared = self.root.iter().zip(full.iter()).take_while(|(ours, theirs)| ours == theirs).count();
        let up = self.root.iter().skip(shared).map(|_| OsStr::new(".."));
        wire(up.chain(full.iter().skip(shared)))
    }

    /// Returns the path of a file as [`Workspace::name`] does. A slash at the end, which only the path of a folder has,
    /// is kept, so that the daemon refuses it.
    pub fn file_name(&self, current: &Path, given: &Path) -> FilePath {
        let name = self.name(current, given);
        let last = given.as_os_str().as_encoded_bytes().last();
        let ends_in_slash = last.is_some_and(|last| std::path::is_separator(char::from(*last)));
        if !ends_in_slash || name.as_bytes() == b"." || name.as_bytes().ends_with(b"/") {
            return name;
        }
        FilePath::new([name.as_bytes(), b"/"].concat())
    }

    /// Returns true if an absolute path leads into the workspace, also through a link above it.
    pub fn contains(&self, path: &Path) -> bool {
        path.is_absolute() && self.inside(&tidy(path)).is_some()
    }

    /// Returns the file at a path in the workspace; `None` if the system has no such names.
    pub fn file(&self, path: &FilePath) -> Option<PathBuf> {
        #[cfg(unix)]
        let name = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(path.as_bytes());
        #[cfg(not(unix))]
        let name = std::str::from_utf8(path.as_bytes()).ok()?;
        Some(self.root.join(name))
    }

    /// Returns the part of a path below the root, even if the path contains the root under another name.
    fn inside<'a>(&self, full: &'a Path) -> Option<&'a Path> {
        if let Ok(rest) = full.strip_prefix(&self.root) {
            return Some(rest);
        }
        let root =
            full.ancestors().find(|above| machine::canonical(above).is_ok_and(|it| it == self.root))?;
        full.strip_prefix(root).ok()
    }
}

/// Returns the error for a workspace of another user, with the ways to go on.
fn foreign_workspace(path: &Path, owner: u32, root: &Path, folder: &Path) -> io::Error {
    let without = format!("to edit without it, add `--workspace {}`", folder.display());
    let is_of_owner = machine::foreign_owner(root) == Some(owner);
    // The daemon reads the settings of another user only if the folder is of that user, too.
    let with = if !is_of_owner && path.ends_with(SETTINGS) {
        let path = path.display();
        format!(
            "to use a copy that you have checked, run `cp {path} {path}.own && mv -f {path}.own {path}`, or let the owner \
             of the folder do that"
        )
    } else {
        format!("to use it all the same, add `--workspace {}`", root.display())
    };
    let ways = match (root == folder, is_of_owner) {
        (true, _) => with,
        (false, true) => format!("{with}; {without}"),
        (false, false) => without,
    };
    let message = format!("{} belongs to user {owner}, so it is not used; {ways}", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

/// Resolves `.` and `..` lexically. A `..` at the root of the file system is dropped.
fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

fn wire<'a>(parts: impl Iterator<Item = &'a OsStr>) -> FilePath {
    let mut bytes = Vec::new();
    for part in parts {
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes.extend_from_slice(part.as_encoded_bytes());
    }
    if bytes.is_empty() {
        bytes.push(b'.');
    }
    FilePath::new(bytes)
}

#[cfg(test)]
mod tests;
