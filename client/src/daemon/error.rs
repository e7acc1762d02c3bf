//! The error of connecting to a daemon.

use std::path::PathBuf;
use std::process::ExitStatus;

use editd_proto::{ErrorCode, RequestError, socket_path};

use super::{LEAVE_PATIENCE, START_PATIENCE};
use crate::connection::CallError;

/// The error of connecting to a daemon.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// No daemon is running, and none was to be started.
    #[error("no daemon serves {}; an edit without --no-spawn starts one", .0.display())]
    NoDaemon(PathBuf),
    /// The daemon at the given socket serves another workspace.
    #[error("the daemon at {} serves {serves}, not {}; name its workspace with --workspace, or leave out --socket", socket.display(), workspace.display())]
    OtherWorkspace {
        /// The socket.
        socket: PathBuf,
        /// The workspace of the daemon.
        serves: String,
        /// The workspace of the client.
        workspace: PathBuf,
    },
    /// The program could not be started.
    #[error("{} cannot be started: {source}; install editd beside editctl or in PATH, or name it in EDITD_BIN", program.display())]
    CannotStart {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The log in the state folder is a link, not a file, or another user's: nothing is written through it.
    #[error("{} is a link, or not a file of yours, so the daemon's log cannot be written there; move it away, and try again", .0.display())]
    ForeignLog(PathBuf),
    /// The program was started and exited.
    #[error("{} exited without serving the workspace ({status}){}", program.display(), said(last_words))]
    Left {
        /// The program.
        program: PathBuf,
        /// Its exit status.
        status: ExitStatus,
        /// The end of its log, if it has one.
        last_words: Option<String>,
    },
    /// No daemon listened in time.
    #[error("no daemon listened at {} within {} s; it may still be starting{}", socket.display(), START_PATIENCE.as_secs(), said(last_words))]
    TooLate {
        /// The socket.
        socket: PathBuf,
        /// The end of the log of the started program, if it has one.
        last_words: Option<String>,
    },
    /// The previous daemon is still stopping.
    #[error(
        "the previous editd (process {process}) has been stopping for more than {} minutes; find out what its jobs \
         wait for, or end it", LEAVE_PATIENCE.as_secs() / 60
    )]
    Leaving {
        /// The id of its process.
        process: u32,
    },
    /// The path of the socket is too long.
    #[error(transparent)]
    Place(#[from] socket_path::SocketPathTooLong),
    /// The listener does not support the protocol or belongs to another user.
    #[error("{0}")]
    Hello(CallError),
}

impl ReachError {
    /// Returns the error in the form of a refusal.
    pub fn refusal(&self) -> RequestError {
        match self {
            // The daemon is running and reports why it rejects the connection.
            Self::Hello(CallError::Refused(error)) => (**error).clone(),
            Self::Hello(CallError::Stranger) => RequestError::new(
                ErrorCode::Denied,
                "the socket is served by another user's process; remove it, or name another with --socket",
            ),
            Self::Leaving { .. } => RequestError::new(ErrorCode::Stopping, self.to_string()),
            other => RequestError::new(ErrorCode::Io, other.to_string()),
        }
    }
}

fn said(last_words: &Option<String>) -> String {
    last_words.as_ref().map(|words| format!(": {words}")).unwrap_or_default()
}
