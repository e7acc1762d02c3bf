//! The place where the daemon listens, from before the workspace is opened. It accepts no client.

use std::io;
use std::path::PathBuf;

use tokio::runtime::Runtime;

use super::error::RunError;
use super::supervisor;
use crate::ipc::{ClientListener, ListenError, SocketClaim, StartingListener};
use crate::progress::StartProgress;
use crate::workspace::{OpenError, Recovered, Workspace};

/// A socket that the starter of the daemon passed on.
#[cfg(unix)]
pub(super) type InheritedSocket = std::os::unix::net::UnixListener;
#[cfg(unix)]
pub(super) fn inherited() -> Result<Option<InheritedSocket>, ListenError> {
    // systemd passes sockets in the environment (`LISTEN_FDS`).
    #[cfg(not(target_vendor = "apple"))]
    let passed = sd_notify::listen_fds();
    #[cfg(target_vendor = "apple")]
    let passed = crate::os::unix::launchd::descriptors();
    crate::ipc::unix::inherited(passed)
}
#[cfg(windows)]
pub(super) type InheritedSocket = std::convert::Infallible;
#[cfg(windows)]
pub(super) fn inherited() -> Result<Option<InheritedSocket>, ListenError> {
    Ok(None)
}

/// The place where the daemon will listen: a path that may be claimed, or an inherited socket.
pub(super) enum ListenSource {
    Claimed(SocketClaim),
    Handed(InheritedSocket),
}

impl ListenSource {
    /// Returns the address at which it will listen, if that is known.
    pub(super) fn address(&self) -> Option<PathBuf> {
        match self {
            Self::Claimed(claim) => Some(claim.path().to_owned()),
            #[cfg(unix)]
            Self::Handed(socket) => Some(socket.local_addr().ok()?.as_pathname()?.to_owned()),
            #[cfg(windows)]
            Self::Handed(never) => match *never {},
        }
    }

    fn open(self) -> Result<ClientListener, ListenError> {
        match self {
            Self::Claimed(claim) => ClientListener::listen(claim),
            #[cfg(unix)]
            Self::Handed(socket) => ClientListener::adopt(socket),
            #[cfg(windows)]
            Self::Handed(never) => match never {},
        }
    }

    /// Listens, and calls `open` meanwhile: clients of a long start get its progress. Records the address in the
    /// opened workspace.
    pub(super) fn listen_while(
        self,
        runtime: &Runtime,
        progress: StartProgress,
        open: impl FnOnce() -> Result<(Workspace, Recovered), OpenError>,
    ) -> Result<(Workspace, Recovered, ClientListener), RunError> {
        let address = self.address();
        let listener = {
            // Sockets belong to the runtime that waits for them.
            let _inside = runtime.enter();
            self.open()?
        };
        let starting =
            StartingListener::begin(runtime.handle(), listener, progress, supervisor::report_start);
        let opened = open();
        let mut listener = starting.end(runtime).ok_or(io::Error::other("the listener failed"))?;
        let (workspace, recovered) = opened.inspect_err(|_| listener.withdraw())?;
        if let Some(address) = address {
            workspace.announce(&address);
        }
        Ok((workspace, recovered, listener))
    }
}
