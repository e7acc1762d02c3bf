//! Named pipes: what [`super`] needs of them, for the same user alone. It knows no message.
//!
//! *Limitations*: never compiled here. There is no lock beside a pipe: the first instance of a name is the
//! lock. Another user may have made a pipe of that name first; then listening fails.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::Poll;

use editd_proto::codec::FrameReader;
use interprocess::local_socket::tokio::{Listener as PipeListener, Stream as PipeStream};
use interprocess::local_socket::traits::tokio::Listener as _;
use interprocess::local_socket::{GenericFilePath, ListenerOptions, ToFsName};
use interprocess::os::windows::local_socket::ListenerOptionsExt;
use interprocess::os::windows::security_descriptor::SecurityDescriptor;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Protected, and everything for the owner alone: nobody else may open the pipe, not even to read.
const OWNER_ONLY: &widestring::U16CStr = widestring::u16cstr!("D:P(A;;GA;;;OW)");

/// Bytes read at once.
const READ: usize = 16 * 1024;

/// Why there is no listening.
#[derive(thiserror::Error, Debug)]
pub enum ListenError {
    /// Somebody listens there.
    #[error("the pipe {} exists: another editd serves this workspace, stop it with `editctl stop`", .0.display())]
    Served(PathBuf),
    /// The path cannot be used.
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

/// The wish to listen at a path.
#[derive(Debug)]
pub struct Claim(PathBuf);

/// Nothing to claim: the first instance of the pipe is the claim.
///
/// # Errors
/// None here.
pub async fn claim(path: &Path) -> Result<Claim, ListenError> {
    Ok(Claim(path.to_owned()))
}

impl Claim {
    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Accepts connections.
pub struct Listener {
    inner: PipeListener,
    at: PathBuf,
}

impl Listener {
    /// Makes the pipe's first instance.
    ///
    /// # Errors
    /// Somebody has made it already, or the system refuses.
    pub fn listen(claim: Claim) -> Result<Self, ListenError> {
        let Claim(at) = claim;
        let io = |what, why| ListenError::Io { what, path: at.clone(), why };
        let guard = SecurityDescriptor::deserialize(OWNER_ONLY).map_err(|why| io("guard", why))?;
        let name = at.as_os_str().to_fs_name::<GenericFilePath>().map_err(|why| io("name", why))?;
        match ListenerOptions::new().name(name).security_descriptor(guard).create_tokio() {
            Ok(inner) => Ok(Self { inner, at }),
            // What the system says to a second "first instance".
            Err(why) if why.kind() == io::ErrorKind::PermissionDenied => Err(ListenError::Served(at)),
            Err(why) => Err(io("listen on", why)),
        }
    }

    /// Where clients connect.
    pub fn address(&self) -> &Path {
        &self.at
    }

    /// The next connection.
    ///
    /// # Errors
    /// What the system refuses; accepting may go on.
    pub async fn accept(&self) -> io::Result<Stream> {
        self.inner.accept().await.map(Stream)
    }

    /// A pipe's name goes with the listener.
    pub fn withdraw(&mut self) {}

    /// Never.
    pub fn is_inherited(&self) -> bool {
        false
    }

    /// Stops listening.
    pub fn close(self) -> Option<Claim> {
        Some(Claim(self.at))
    }
}

/// A connection.
#[derive(Debug)]
pub struct Stream(PipeStream);

impl Stream {
    /// The pipe's guard lets nobody else in.
    pub fn same_user(&self) -> bool {
        true
    }

    /// Takes in what has arrived, waiting for something. Returns the bytes; 0 at the end.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn read(&self, frames: &mut FrameReader) -> io::Result<usize> {
        let mut buffer = vec![0; READ];
        let mut into = ReadBuf::new(&mut buffer);
        std::future::poll_fn(|context| Pin::new(&mut &self.0).poll_read(context, &mut into)).await?;
        frames.push(into.filled());
        Ok(into.filled().len())
    }

    /// Never fits: a pipe's writing has to be waited for by the one task that writes.
    ///
    /// # Errors
    /// Always `WouldBlock`.
    pub fn try_write(&self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// Writes some of the bytes, waiting until any fit.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        std::future::poll_fn(|context| -> Poll<io::Result<usize>> {
            Pin::new(&mut &self.0).poll_write(context, bytes)
        })
        .await
    }

    /// A pipe has no half that could end alone.
    pub fn end(&self) {}
}
