//! Unix sockets: claiming the path, accepting, and streams of bytes. It knows no message.
//!
//! `interprocess` makes the listening socket, which tokio then drives: its own tokio feature would give the
//! client, which shares that crate, an asynchronous runtime in a workspace-wide build.

mod claim;
mod inherit;
mod stream;

use std::io;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

pub use claim::{Claim, claim, own_folder};
pub use inherit::inherited;
pub use stream::Stream;

/// Why there is no listening.
#[derive(thiserror::Error, Debug)]
pub enum ListenError {
    /// Somebody listens there.
    #[error("another editd serves this workspace at {}; stop it with `editctl stop`", .0.display())]
    Served(PathBuf),
    /// The folder or path is not to be trusted, or cannot be used.
    #[error("{0}")]
    Unfit(String),
    /// The system refused.
    #[error("cannot {what} {}: {why}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
}

/// Accepts connections.
pub struct Listener {
    inner: UnixListener,
    at: PathBuf,
    /// `None` where the socket was inherited: then it is not ours to take away.
    claim: Option<Claim>,
}

impl Listener {
    /// Listens on a claimed path.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn listen(claim: Claim) -> Result<Self, ListenError> {
        let inner = claim.bind()?;
        Ok(Self { inner, at: claim.path().to_owned(), claim: Some(claim) })
    }

    /// Listens on a socket that was inherited.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn adopt(socket: std::os::unix::net::UnixListener) -> Result<Self, ListenError> {
        let at = socket.local_addr().ok().and_then(|addr| addr.as_pathname().map(Path::to_owned));
        let at = at.unwrap_or_else(|| PathBuf::from("(inherited)"));
        match UnixListener::from_std(socket) {
            Ok(inner) => Ok(Self { inner, at, claim: None }),
            Err(why) => Err(ListenError::Io { what: "listen on", path: at, why }),
        }
    }

    /// Where clients connect.
    pub fn address(&self) -> &Path {
        &self.at
    }

    /// The next connection.
    ///
    /// # Errors
    /// What the system refuses, such as for want of descriptors; accepting may go on.
    pub async fn accept(&self) -> io::Result<Stream> {
        let (stream, _) = self.inner.accept().await?;
        Ok(Stream::new(stream))
    }

    /// No more clients find the socket; those that wait to be accepted still are. The claim stays until it
    /// is dropped, so that the next daemon waits until this one is done.
    pub fn withdraw(&mut self) {
        if let Some(claim) = &self.claim {
            claim.withdraw();
        }
    }

    /// Whether clients that wait to be accepted are left to whoever listens next.
    pub fn is_inherited(&self) -> bool {
        self.claim.is_none()
    }

    /// Stops listening and hands the claim back.
    pub fn close(self) -> Option<Claim> {
        self.claim
    }
}
