//! Resolves paths inside the workspace. [`ResolvedPath`] is the only path that `disk` accepts, and only resolving
//! makes one. It changes nothing on the disk except in [`ResolvedPath::ensure_folders`].
//!
//! *Calling sequence*: open a [`WorkspaceRoot`] once, [`resolve`] each path of a job, then use the folder and the
//! name of the result with [`crate::os`].
//!
//! *Invariants*: every step goes from an open folder to one name in it, which is not followed. Links are read and
//! their targets walked in the same way, and `..` in them goes back through the walked folders. So whatever other
//! programs replace meanwhile, the result's folder was reached from the root through real folders only. The daemon's own
//! folder is recognized by its identity, so that no bind mount or other name of it leads into it.
//!
//! *Limitations*: a folder that is moved out of the workspace after it was opened is still written to. On file
//! systems that ignore case, one file has several paths (and one identity), except on Windows, where every path leads to
//! the one with the names that the files have. There, only relative paths written with `/` are accepted.

mod folders;
mod parts;
#[cfg(all(test, unix))]
mod tests;
mod walk;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use editd_proto::path::FilePath;
use editd_proto::system_error::is_out_of_descriptors;
use editd_proto::{ErrorCode, RequestError};

use super::alias;
use super::reserved::OwnEntries;
use crate::os::{Dir, FileIdentity, Os, Stat};

pub use folders::inconsistent_folder;
pub(super) use parts::names;
pub use walk::{resolve, resolve_link};

/// The name of the daemon's own folder at the root of the workspace.
pub const OWN_FOLDER: &[u8] = b".editd";

/// The folder that a daemon serves.
pub struct WorkspaceRoot {
    os: Arc<dyn Os>,
    dir: Dir,
    device: u64,
    path: PathBuf,
    /// The daemon's own folder and its entries, which other names may lead to.
    reserved: RwLock<Option<OwnEntries>>,
    /// The state folder: its name, and the folder itself, open so that no other one gets its number.
    state: OnceLock<(Vec<u8>, Dir, FileIdentity)>,
}

impl WorkspaceRoot {
    /// Opens the root by its absolute path with links resolved.
    ///
    /// # Errors
    /// Errors of the system if it is not a folder that may be read.
    pub fn open(os: Arc<dyn Os>, path: &Path) -> io::Result<Self> {
        let dir = os.open_dir(path)?;
        let device = dir.stat_self()?.identity.dev;
        Ok(Self {
            os,
            dir,
            device,
            path: path.to_path_buf(),
            reserved: RwLock::default(),
            state: OnceLock::new(),
        })
    }

    /// Sets the daemon's own folder and its entries, which no path may lead to under any name.
    pub fn reserve(&self, own: OwnEntries) {
        *self.reserved.write().unwrap_or_else(PoisonError::into_inner) = Some(own);
    }

    /// Sets the state folder, which no path may lead into: it may be in the workspace.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn reserve_state(&self, name: &[u8], folder: Dir) -> io::Result<()> {
        let identity = folder.stat_self()?.identity;
        let _first = self.state.set((name.to_vec(), folder, identity));
        Ok(())
    }

    /// Returns true if a folder of this name may be the state folder.
    fn may_be_state(&self, name: &[u8]) -> bool {
        self.state.get().is_some_and(|(state, ..)| alias::may_be(name, state))
    }

    /// Returns true if a file or folder was passed to [`WorkspaceRoot::reserve`] or [`WorkspaceRoot::reserve_state`].
    fn is_reserved(&self, stat: &Stat) -> bool {
        let reserved = self.reserved.read().unwrap_or_else(PoisonError::into_inner);
        reserved.as_ref().is_some_and(|own| own.contain(stat.identity))
            || self.state.get().is_some_and(|(.., state)| *state == stat.identity)
    }

    /// Returns the open folder.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the part of an absolute path that leads to this folder under another name, as through a link above it.
    /// The part has no slash at its end.
    pub fn other_name<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        if path.len() > editd_proto::limits::PATH {
            return None;
        }
        let root = self.dir.stat_self().ok()?.identity;
        let separates = |byte: &u8| std::path::is_separator(char::from(*byte));
        let ends = (1..=path.len()).rev().filter(|end| path.get(*end).is_none_or(separates));
        let mut above = ends.filter_map(|end| path.get(..end));
        above.find(|above| {
            let folder = as_path(above).filter(|folder| folder.is_absolute());
            folder.is_some_and(|folder| self.os.stat_dir(folder).is_ok_and(|stat| stat.identity == root))
        })
    }
}

#[cfg(unix)]
fn as_path(path: &[u8]) -> Option<&Path> {
    Some(Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(path)))
}

#[cfg(windows)]
fn as_path(path: &[u8]) -> Option<&Path> {
    std::str::from_utf8(path).ok().map(Path::new)
}

/// A name in an open folder of the workspace, of a regular file or of nothing yet.
#[derive(Clone)]
pub struct ResolvedPath {
    parent: Dir,
    /// The device of the folder, if it was read.
    device: Option<u64>,
    name: Vec<u8>,
    path: FilePath,
    stat: Option<Stat>,
    missing: Vec<Vec<u8>>,
}

impl ResolvedPath {
    /// Returns the innermost folder that exists: the file's own, unless some are [`ResolvedPath::missing`].
    pub fn parent(&self) -> &Dir {
        &self.parent
    }

    /// Returns the device of that folder.
    ///
    /// # Errors
    /// Errors of the system.
    pub(super) fn device(&self) -> io::Result<u64> {
        match self.device {
            Some(device) => Ok(device),
            None => Ok(self.parent.stat_self()?.identity.dev),
        }
    }

    /// Returns the file's name in its folder.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Returns the path from the root, links resolved: without `.`, `..`, doubled or trailing slash.
    pub fn path(&self) -> &FilePath {
        &self.path
    }

    /// Returns the metadata of the file when the path was resolved; `None` if there was none.
    pub fn stat(&self) -> Option<&Stat> {
        self.stat.as_ref()
    }

    /// Returns the names of the folders that do not exist yet, outermost first; usually none.
    pub fn missing(&self) -> &[Vec<u8>] {
        &self.missing
    }
}

impl std::fmt::Debug for ResolvedPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, stat, missing, .. } = self;
        f.debug_struct("Place").field("path", path).field("stat", stat).field("missing", missing).finish()
    }
}

/// The reason why a path cannot be resolved. Paths in it are from the root, links resolved.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// It is empty, or only slashes.
    #[error("the path is empty")]
    Empty,
    /// It has a NUL byte.
    #[error("the path contains a NUL byte")]
    Nul,
    /// It, or a name in it, has more bytes than allowed.
    #[error("the path or a name in it is longer than {0} bytes")]
    TooLong(usize),
    /// A name in it means something else to the system.
    #[cfg(windows)]
    #[error("the name {0:?} is no file's: {1}")]
    Misread(String, &'static str),
    /// It ends in a slash and names no folder.
    #[error("the path ends in a slash, as only a folder's may")]
    TrailingSlash,
    /// It has a `..`.
    #[error("the path contains \"..\"")]
    Parent,
    /// It is an absolute path outside the workspace, or passes through a link that leads out of it.
    #[error("{}", match .link { Some(link) => format!("the link {link} leads out of the workspace"), None => "the path lies outside the workspace".to_owned() })]
    Outside {
        /// The link that leaves, if there is one.
        link: Option<FilePath>,
    },
    /// The daemon's own folder, the state folder, or something in them.
    #[error("the path leads into the folder .editd or the state folder, which are the daemon's")]
    Reserved,
    /// A component that is not a folder.
    #[error("{0} is not a folder")]
    NotAFolder(FilePath),
    /// A folder where a file is expected.
    #[error("{0} is a folder")]
    IsFolder(FilePath),
    /// A FIFO, socket or device.
    #[error("{0} is not a regular file")]
    Special(FilePath),
    /// A link, if links are not followed.
    #[error("{path} is a link to {target}")]
    IsLink {
        /// The link.
        path: FilePath,
        /// Its target.
        target: FilePath,
    },
    /// More links than one path may pass through.
    #[error("the path passes through too many links, or through one that leads to itself")]
    Links,
    /// A link that climbs above a folder that does not exist.
    #[error("the link {0} leads through a folder that does not exist")]
    Dangling(FilePath),
    /// Other programs kept changing the folders on the way.
    #[error("{0} kept changing while it was looked at")]
    Changing(FilePath),
    /// The system denied access.
    #[error("no permission for {0}")]
    Denied(FilePath),
    /// The disk failed, or another error of the system.
    #[error("{path}: {error}")]
    Io {
        /// The path.
        path: FilePath,
        /// The system's error.
        error: io::Error,
    },
}

/// Refuses a path that Windows would read differently than it is written.
#[cfg(windows)]
fn windows_form(path: &[u8]) -> Result<(), ResolveError> {
    let shown = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    if path.starts_with(b"//") {
        return Err(ResolveError::Misread(shown(path), "it begins like the path of another machine"));
    }
    match names(path).find_map(|name| Some((name, crate::os::windows_names::why_misread(name)?))) {
        Some((name, why)) => Err(ResolveError::Misread(shown(name), why)),
        None => Ok(()),
    }
}

impl ResolveError {
    /// Maps an error of the system at a path.
    fn of(path: FilePath, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied => ResolveError::Denied(path),
            io::ErrorKind::InvalidFilename => ResolveError::TooLong(crate::limits::COMPONENT),
            _ => ResolveError::Io { path, error },
        }
    }

    fn code(&self) -> ErrorCode {
        match self {
            #[cfg(windows)]
            ResolveError::Misread(..) => ErrorCode::Malformed,
            ResolveError::Empty
            | ResolveError::Nul
            | ResolveError::TooLong(_)
            | ResolveError::TrailingSlash => ErrorCode::Malformed,
            ResolveError::Parent | ResolveError::Outside { .. } | ResolveError::Reserved => {
                ErrorCode::Outside
            }
            ResolveError::NotAFolder(_) | ResolveError::Dangling(_) | ResolveError::Links => {
                ErrorCode::Missing
            }
            ResolveError::IsFolder(_) | ResolveError::Special(_) | ResolveError::IsLink { .. } => {
                ErrorCode::Unsupported
            }
            ResolveError::Changing(_) => ErrorCode::Busy,
            ResolveError::Denied(_) => ErrorCode::Denied,
            ResolveError::Io { error, .. } if is_out_of_descriptors(error) => ErrorCode::Limit,
            ResolveError::Io { .. } => ErrorCode::Io,
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            #[cfg(windows)]
            ResolveError::Misread(..) => "name a file in the workspace, by a relative path",
            ResolveError::Empty | ResolveError::TrailingSlash => "name a file, relative to the workspace",
            ResolveError::Nul | ResolveError::TooLong(_) => "name a file that can exist",
            ResolveError::Parent => "write it without \"..\", from the root of the workspace",
            ResolveError::Outside { .. } => "name a file inside the workspace, or serve a wider one",
            ResolveError::Reserved => "name another file",
            ResolveError::NotAFolder(_) => "check the path, or rename the file in its way",
            ResolveError::IsFolder(_) | ResolveError::Special(_) => "name a regular file",
            ResolveError::IsLink { .. } => "name the file that it leads to",
            ResolveError::Links | ResolveError::Dangling(_) => "repair the link or name the file itself",
            ResolveError::Changing(_) => "send the request again",
            ResolveError::Denied(_) => "change its permissions or run the daemon as its owner",
            ResolveError::Io { error, .. } if is_out_of_descriptors(error) => {
                "send the request again in some seconds, name fewer files in it, or raise the limit (`ulimit -n`)"
            }
            ResolveError::Io { .. } => "check the disk and send the request again",
        }
    }

    /// Returns the error for the client that asked for `path`.
    pub fn to_wire(&self, path: &FilePath) -> RequestError {
        let mut wire = RequestError::new(self.code(), format!("{self}: {}", self.advice())).at(path);
        if let ResolveError::TooLong(limit) = self {
            wire.limit = Some(*limit as u64);
        }
        wire
    }
}

/// Returns the system's form of a workspace path.
pub fn native_path(path: &FilePath) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(std::ffi::OsStr::from_bytes(path.as_bytes()))
    }
    #[cfg(not(unix))]
    {
        PathBuf::from(path.display())
    }
}
