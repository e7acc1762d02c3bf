//! The errors with which the daemon does not start, each with what the user can do. It decides no exit status.

use std::io;
use std::path::{Path, PathBuf};

use editd_proto::socket_path;

use crate::config::ConfigError;
use crate::ipc::ListenError;
use crate::workspace::OpenError;

/// The reason why the daemon does not serve.
#[derive(thiserror::Error, Debug)]
pub enum RunError {
    /// A folder cannot be found, created or used.
    #[error("cannot {what} {}: {why}", path.display())]
    Folder {
        /// The failed action.
        what: &'static str,
        /// The folder.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// No workspace was named, and the current folder belongs to another user.
    #[cfg(unix)]
    #[error("{path} belongs to user {}; to serve it all the same, add `--workspace {path}`", .1, path = .0.display())]
    ForeignWorkspace(PathBuf, u32),
    /// The state folder, or a file in it, belongs to another user.
    #[cfg(unix)]
    #[error("{} belongs to user {}, so no journal is kept there; choose another state folder with --state", .0.display(), .1)]
    ForeignState(PathBuf, u32),
    /// A name in the state folder is a link.
    #[cfg(unix)]
    #[error("{} is a link, and editd follows no link in its state folder; replace it by what it leads to", .0.display())]
    LinkInState(PathBuf),
    /// The state folder is open to others.
    #[cfg(unix)]
    #[error("the state folder {} is open to others; check its contents, then `chmod 700` it", .0.display())]
    OpenState(PathBuf),
    /// Another daemon has its journal in the state folder, and listens at this address.
    #[error("another editd keeps its journal in {}{}", .0.display(), way_to(.0, .1))]
    Taken(PathBuf, String),
    /// There is no home folder for the state.
    #[error("there is no home folder to keep the journal in; set HOME, or choose a folder with --state")]
    Homeless,
    /// The socket's path is too long.
    #[error(transparent)]
    TooLong(#[from] socket_path::SocketPathTooLong),
    /// The settings file is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The daemon cannot listen.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The workspace cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An error of the system about threads, signals or the like.
    #[error("cannot start: {0}")]
    System(#[from] io::Error),
}

/// Returns what the user can do about a daemon that listens at an address, if that is known.
fn way_to(state: &Path, address: &str) -> String {
    match address {
        "" => format!("; stop that one first: `fuser -v {}/lock` names its process", state.display()),
        address => format!("; stop that one first: `editctl --socket {address} stop`"),
    }
}
