//! Unix sockets: claiming the path, accepting, and streams of bytes. It knows no message.
//!
//! `interprocess` makes the listening socket, which tokio then drives: its own tokio feature would give the
//! client, which shares that crate, an asynchronous runtime in a workspace-wide build.

mod claim;
mod inherit;
mod name;
mod stream;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::UnixListener;

pub use claim::{SocketClaim, claim, own_folder};
pub use inherit::inherited;
pub use name::SocketName;
pub use stream::ClientStream;

/// The reason why the daemon cannot listen.
#[derive(thiserror::Error, Debug)]
pub enum ListenError {
    /// Another process listens there.
    #[error("another editd serves this workspace at {}; stop it with `editctl stop`", .0.display())]
    Served(PathBuf),
    /// The folder or path cannot be trusted or used.
    #[error("{0}")]
    Unfit(String),
    /// An error of the system.
    #[error("cannot {what} {}: {why}", path.display())]
    Io {
        /// The failed action.
        what: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
}

/// Accepts connections.
pub struct ClientListener {
    inner: UnixListener,
    at: PathBuf,
    /// `None` if the socket was inherited: then its name is another process's.
    own: Option<(SocketClaim, Arc<SocketName>)>,
}

impl ClientListener {
    /// Listens on a claimed path.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn listen(claim: SocketClaim) -> Result<Self, ListenError> {
        let (inner, name) = claim.bind()?;
        Ok(Self { inner, at: claim.path().to_owned(), own: Some((claim, Arc::new(name))) })
    }

    /// Listens on a socket that was inherited.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn adopt(socket: std::os::unix::net::UnixListener) -> Result<Self, ListenError> {
        let at = socket.local_addr().ok().and_then(|addr| addr.as_pathname().map(Path::to_owned));
        let at = at.unwrap_or_else(|| PathBuf::from("(inherited)"));
        match UnixListener::from_std(socket) {
            Ok(inner) => Ok(Self { inner, at, own: None }),
            Err(why) => Err(ListenError::Io { what: "listen on", path: at, why }),
        }
    }

    /// Returns the address to which clients connect.
    pub fn address(&self) -> &Path {
        &self.at
    }

    /// Returns the socket's name, if the daemon gave it: not that of an inherited socket.
    pub fn name(&self) -> Option<Arc<SocketName>> {
        self.own.as_ref().map(|(_, name)| Arc::clone(name))
    }

    /// Returns the next connection.
    ///
    /// # Errors
    /// Errors of the system, such as a lack of descriptors; accepting may continue.
    pub async fn accept(&self) -> io::Result<ClientStream> {
        let (stream, _) = self.inner.accept().await?;
        ClientStream::new(stream)
    }

    /// Removes the socket's name, so that no more clients find it; those that wait to be accepted still are. A name that
    /// leads to the socket of another daemon by now is left. The claim is kept until this is dropped, so that the next
    /// daemon waits until this one is done.
    pub fn withdraw(&mut self) {
        let Some((claim, name)) = &self.own else { return };
        claim.leave();
        let path = name.path().display();
        match name.remove() {
            Ok(true) => {}
            Ok(false) => tracing::info!(%path, "the socket was removed or replaced before"),
            Err(why) => tracing::warn!(%path, %why, "the socket cannot be removed"),
        }
    }

    /// Returns true if clients that wait to be accepted are left to the next daemon.
    pub fn is_inherited(&self) -> bool {
        self.own.is_none()
    }

    /// Stops listening and returns the claim.
    pub fn close(self) -> Option<SocketClaim> {
        self.own.map(|(claim, _)| claim)
    }
}
