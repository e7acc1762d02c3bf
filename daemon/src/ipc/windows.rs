//! Named pipes with the interface that [`super`] needs, for the same user alone. It knows no message.
//!
//! *Limitations*: there is no lock beside a pipe: the first instance of a name is the lock. Another user may have created a
//! pipe of that name first; then listening fails. The pipe takes no client of another machine.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use editd_proto::codec::ClientReader;
use interprocess::local_socket::tokio::{Listener as PipeListener, Stream as PipeStream};
use interprocess::local_socket::traits::tokio::Listener as _;
use interprocess::local_socket::{GenericFilePath, ListenerOptions, ToFsName};
use interprocess::os::windows::local_socket::ListenerOptionsExt;
use interprocess::os::windows::security_descriptor::SecurityDescriptor;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Returns the protection of the pipe, in the language of security descriptors: owned by the user and not by a group of
/// administrators, with all rights for the user alone, so that no other user may open the pipe, not even to read.
fn protection() -> io::Result<SecurityDescriptor> {
    let user = editd_proto::windows_user::security_id()?;
    let text = widestring::U16CString::from_str(format!("O:{user}D:P(A;;GA;;;{user})"));
    SecurityDescriptor::deserialize(&text.map_err(io::Error::other)?)
}

/// Bytes read at once.
const READ: usize = 16 * 1024;

/// The reason why the daemon cannot listen.
#[derive(thiserror::Error, Debug)]
pub enum ListenError {
    /// Another process listens there.
    #[error("the pipe {} exists: another editd serves this workspace, stop it with `editctl stop`", .0.display())]
    Served(PathBuf),
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

/// A path to listen at.
#[derive(Debug)]
pub struct SocketClaim(PathBuf);

/// Claims nothing: the first instance of the pipe is the claim.
///
/// # Errors
/// None here.
pub async fn claim(path: &Path) -> Result<SocketClaim, ListenError> {
    Ok(SocketClaim(path.to_owned()))
}

impl SocketClaim {
    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// The name of a socket in the file system, which no pipe has.
#[derive(Debug)]
pub enum SocketName {}

impl SocketName {
    /// Is never called.
    pub fn is_lost(&self) -> bool {
        match *self {}
    }

    /// Is never called.
    pub fn path(&self) -> &Path {
        match *self {}
    }
}

/// Accepts connections.
pub struct ClientListener {
    inner: PipeListener,
    at: PathBuf,
}

impl ClientListener {
    /// Creates the pipe's first instance.
    ///
    /// # Errors
    /// It exists already, or the system refuses.
    pub fn listen(claim: SocketClaim) -> Result<Self, ListenError> {
        let SocketClaim(at) = claim;
        let io = |what, why| ListenError::Io { what, path: at.clone(), why };
        let guard = protection().map_err(|why| io("guard", why))?;
        let name = at.as_os_str().to_fs_name::<GenericFilePath>().map_err(|why| io("name", why))?;
        match ListenerOptions::new().name(name).security_descriptor(guard).create_tokio() {
            Ok(inner) => Ok(Self { inner, at }),
            // The system's error for a second "first instance".
            Err(why) if why.kind() == io::ErrorKind::PermissionDenied => Err(ListenError::Served(at)),
            Err(why) => Err(io("listen on", why)),
        }
    }

    /// Returns the address to which clients connect.
    pub fn address(&self) -> &Path {
        &self.at
    }

    /// Returns `None`: nobody can remove a pipe's name while it is served.
    pub fn name(&self) -> Option<Arc<SocketName>> {
        None
    }

    /// Returns the next connection.
    ///
    /// # Errors
    /// Errors of the system; accepting may continue.
    pub async fn accept(&self) -> io::Result<ClientStream> {
        self.inner.accept().await.map(ClientStream)
    }

    /// Does nothing: a pipe's name ends with the listener.
    pub fn withdraw(&mut self) {}

    /// Returns false.
    pub fn is_inherited(&self) -> bool {
        false
    }

    /// Stops listening.
    pub fn close(self) -> Option<SocketClaim> {
        Some(SocketClaim(self.at))
    }
}

/// A connection.
#[derive(Debug)]
pub struct ClientStream(PipeStream);

impl ClientStream {
    /// Returns true: the protection of the pipe admits no other user.
    pub fn same_user(&self) -> bool {
        true
    }

    /// Returns `None`: the process is not asked for.
    pub fn process(&self) -> Option<u32> {
        None
    }

    /// Waits for bytes and reads those that have arrived. Returns their number; 0 at the end.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn read(&self, frames: &mut ClientReader) -> io::Result<usize> {
        let mut buffer = vec![0; READ];
        let mut into = ReadBuf::new(&mut buffer);
        std::future::poll_fn(|context| Pin::new(&mut &self.0).poll_read(context, &mut into)).await?;
        frames.push(into.filled());
        Ok(into.filled().len())
    }

    /// Writes nothing: only the one task that writes can wait for a pipe.
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

    /// Does nothing: the two directions of a pipe cannot end separately.
    pub fn end(&self) {}
}
