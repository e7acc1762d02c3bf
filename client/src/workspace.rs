//! Which folder is the workspace, and what a path of the caller is called in it. It only looks; whether a
//! path may be used is decided by the daemon.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use editd_proto::WirePath;

use crate::machine;

/// Names that mark the root of a workspace.
pub const MARKERS: [&str; 2] = [".editd.toml", ".git"];

/// The root of a workspace, links resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace in which `folder` lies: the nearest folder upward with one of [`MARKERS`], else `folder`.
    ///
    /// # Errors
    /// Where `folder` cannot be resolved.
    pub fn find(folder: &Path) -> io::Result<Self> {
        let folder = machine::canonical(folder)?;
        let marked =
            folder.ancestors().find(|above| MARKERS.iter().any(|name| machine::is_there(&above.join(name))));
        Ok(Self { root: marked.unwrap_or(&folder).to_path_buf() })
    }

    /// Exactly this folder.
    ///
    /// # Errors
    /// Where it is missing or no folder.
    pub fn at(folder: &Path) -> io::Result<Self> {
        let root = machine::canonical(folder)?;
        if machine::is_folder(&root) {
            Ok(Self { root })
        } else {
            Err(io::Error::new(io::ErrorKind::NotADirectory, "not a folder"))
        }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What `given`, written by somebody who stands in `current`, is called in this workspace. Somebody
    /// who stands outside of it writes names from its root.
    ///
    /// `.` and `..` are resolved by their letters alone. What leaves the workspace comes out with a leading
    /// `..` or as the absolute path that it is, for the daemon to refuse.
    pub fn name(&self, current: &Path, given: &Path) -> WirePath {
        let from = if current.starts_with(&self.root) { current } else { &self.root };
        let full = tidy(&from.join(given));
        if let Some(rest) = self.inside(&full) {
            return wire(rest.iter());
        }
        if given.is_absolute() {
            return WirePath::new(given.as_os_str().as_encoded_bytes());
        }
        let shared = self.root.iter().zip(full.iter()).take_while(|(ours, theirs)| ours == theirs).count();
        let up = self.root.iter().skip(shared).map(|_| OsStr::new(".."));
        wire(up.chain(full.iter().skip(shared)))
    }

    /// What remains of a path below the root, also where the path reaches the root under another name.
    fn inside<'a>(&self, full: &'a Path) -> Option<&'a Path> {
        if let Ok(rest) = full.strip_prefix(&self.root) {
            return Some(rest);
        }
        let root =
            full.ancestors().find(|above| machine::canonical(above).is_ok_and(|it| it == self.root))?;
        full.strip_prefix(root).ok()
    }
}

/// Resolves `.` and `..` by their letters; a `..` at the root of the file system is dropped.
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

fn wire<'a>(parts: impl Iterator<Item = &'a OsStr>) -> WirePath {
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
    WirePath::new(bytes)
}

#[cfg(test)]
mod tests;
