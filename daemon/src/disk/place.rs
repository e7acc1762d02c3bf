//! Where a path leads, inside the workspace or nowhere: [`ResolvedPath`] is the only path that `disk` accepts, and
//! only resolving makes one. It changes nothing on the disk but for [`ResolvedPath::ensure_folders`].
//!
//! *Calling sequence*: open a [`WorkspaceRoot`] once, [`resolve`] each path of a job, act on the place's folder and
//! name through the seam.
//!
//! *Invariants*: every step is taken from an open folder by one name that is not followed; links are read and
//! their targets walked the same way, and `..` in them goes back along the folders that were walked. So
//! whatever others swap meanwhile, a place's folder was reached from the root by real folders alone.
//!
//! *Limitations*: a folder that is moved out of the workspace after it was opened is still written to. On
//! file systems that ignore case, one file has several paths (and one identity). On Windows only relative paths
//! written with `/` are accepted.

mod folders;
#[cfg(all(test, unix))]
mod tests;
mod walk;

use std::io;
use std::path::{Path, PathBuf};

use editd_proto::path::WirePath;
use editd_proto::{Code, WireError};

use crate::os::{Dir, Identity, Os, Stat};

pub use walk::{resolve, resolve_link};

/// The name of the daemon's own folder at the root of the workspace.
pub const OWN_FOLDER: &[u8] = b".editd";

/// The folder that a daemon serves.
pub struct WorkspaceRoot {
    dir: Dir,
    path: PathBuf,
    names: Vec<PathBuf>,
    identity: Identity,
}

impl WorkspaceRoot {
    /// Opens it by its absolute path with links resolved.
    ///
    /// # Errors
    /// What the system says when it is no folder that may be read.
    pub fn open(os: &dyn Os, path: &Path) -> io::Result<Self> {
        let dir = os.open_dir(path)?;
        let identity = dir.stat_self()?.identity;
        Ok(Self { dir, path: path.to_path_buf(), names: vec![path.to_path_buf()], identity })
    }

    /// Accepts another absolute path for it too: the one that the user gave, before links were resolved.
    #[must_use]
    pub fn also_known_as(mut self, path: &Path) -> Self {
        if path.is_absolute() && !self.names.iter().any(|name| name == path) {
            self.names.push(path.to_path_buf());
        }
        self
    }

    /// The open folder.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which folder it is.
    pub fn identity(&self) -> Identity {
        self.identity
    }
}

/// A name in an open folder of the workspace: a regular file, or nothing yet.
#[derive(Clone)]
pub struct ResolvedPath {
    parent: Dir,
    name: Vec<u8>,
    path: WirePath,
    stat: Option<Stat>,
    missing: Vec<Vec<u8>>,
}

impl ResolvedPath {
    /// The innermost folder that exists. The file's own, unless some are [`ResolvedPath::missing`].
    pub fn parent(&self) -> &Dir {
        &self.parent
    }

    /// The file's name in its folder.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// From the root, links resolved: no `.`, `..`, doubled or trailing slash.
    pub fn path(&self) -> &WirePath {
        &self.path
    }

    /// What the name was when it was resolved: a regular file, or `None` for nothing.
    pub fn stat(&self) -> Option<&Stat> {
        self.stat.as_ref()
    }

    /// The names of the folders that do not exist yet, outermost first; empty mostly.
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

/// Why a path leads to no place. Paths in it are from the root, links resolved.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// No bytes, or none but slashes.
    #[error("the path is empty")]
    Empty,
    /// A NUL byte.
    #[error("the path contains a NUL byte")]
    Nul,
    /// More bytes than a path may have, or in one name of it.
    #[error("the path or a name in it is longer than {0} bytes")]
    TooLong(usize),
    /// It ends in a slash and names no folder.
    #[error("the path ends in a slash, as only a folder's may")]
    TrailingSlash,
    /// A `..` in the path itself.
    #[error("the path contains \"..\"")]
    Parent,
    /// An absolute path to elsewhere, or a link to elsewhere, at this path.
    #[error("{}", match .link { Some(link) => format!("the link {link} leads out of the workspace"), None => "the path lies outside the workspace".to_owned() })]
    Outside {
        /// The link that leaves, if it is one.
        link: Option<WirePath>,
    },
    /// The daemon's own folder, or something in it.
    #[error("the folder .editd belongs to the daemon")]
    Reserved,
    /// A component that is no folder.
    #[error("{0} is not a folder")]
    NotAFolder(WirePath),
    /// A folder where a file is expected.
    #[error("{0} is a folder")]
    IsFolder(WirePath),
    /// A FIFO, socket or device.
    #[error("{0} is not a regular file")]
    Special(WirePath),
    /// A link, where links are not followed.
    #[error("{path} is a link to {target}")]
    IsLink {
        /// The link.
        path: WirePath,
        /// What it says.
        target: WirePath,
    },
    /// More links than one path may pass through.
    #[error("the path passes through too many links, or through one that leads to itself")]
    Links,
    /// A link that climbs back over a folder that is not there.
    #[error("the link {0} leads through a folder that does not exist")]
    Dangling(WirePath),
    /// Others kept changing what was looked at.
    #[error("{0} kept changing while it was looked at")]
    Changing(WirePath),
    /// The system refused.
    #[error("no permission for {0}")]
    Denied(WirePath),
    /// The disk failed, or another error of the system.
    #[error("{path}: {error}")]
    Io {
        /// Where.
        path: WirePath,
        /// What the system said.
        error: io::Error,
    },
}

impl ResolveError {
    /// An error of the system at a path.
    fn of(path: WirePath, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied => ResolveError::Denied(path),
            io::ErrorKind::InvalidFilename => ResolveError::TooLong(crate::limits::COMPONENT),
            _ => ResolveError::Io { path, error },
        }
    }

    fn code(&self) -> Code {
        match self {
            ResolveError::Empty
            | ResolveError::Nul
            | ResolveError::TooLong(_)
            | ResolveError::TrailingSlash => Code::Malformed,
            ResolveError::Parent | ResolveError::Outside { .. } | ResolveError::Reserved => Code::Outside,
            ResolveError::NotAFolder(_) | ResolveError::Dangling(_) | ResolveError::Links => Code::Missing,
            ResolveError::IsFolder(_) | ResolveError::Special(_) | ResolveError::IsLink { .. } => {
                Code::Unsupported
            }
            ResolveError::Changing(_) => Code::Busy,
            ResolveError::Denied(_) => Code::Denied,
            ResolveError::Io { .. } => Code::Io,
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            ResolveError::Empty | ResolveError::TrailingSlash => "name a file, relative to the workspace",
            ResolveError::Nul | ResolveError::TooLong(_) => "name a file that can exist",
            ResolveError::Parent => "write it without \"..\", from the root of the workspace",
            ResolveError::Outside { .. } => "name a file inside the workspace, or serve a wider one",
            ResolveError::Reserved => "name another file",
            ResolveError::NotAFolder(_) => "check the path, or rename what stands in its way",
            ResolveError::IsFolder(_) | ResolveError::Special(_) => "name a regular file",
            ResolveError::IsLink { .. } => "name the file that it leads to",
            ResolveError::Links | ResolveError::Dangling(_) => "mend the link or name the file itself",
            ResolveError::Changing(_) => "send the request again",
            ResolveError::Denied(_) => "change its permissions or run the daemon as its owner",
            ResolveError::Io { .. } => "look at the disk and send the request again",
        }
    }

    /// The error as the client that asked for `path` sees it.
    pub fn to_wire(&self, path: &WirePath) -> WireError {
        let mut wire = WireError::new(self.code(), format!("{self}: {}", self.advice())).at(path);
        if let ResolveError::TooLong(limit) = self {
            wire.limit = Some(*limit as u64);
        }
        wire
    }
}
