//! The byte stream of one connection. It blocks no thread and knows no frame.
//!
//! The runtime watches the socket for bytes to read alone: a reply that the client takes at once wakes no thread. It is
//! watched for room to write only once a reply did not fit.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;

use editd_proto::codec::ClientReader;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::UCred;

/// Bytes read at once at the beginning of a frame.
const READ: usize = 8 * 1024;
/// Bytes read at once within a frame.
const READ_MORE: usize = 64 * 1024;

/// A connection.
#[derive(Debug)]
pub struct ClientStream {
    socket: AsyncFd<UnixStream>,
    /// The same socket, watched for room to write, once that was needed.
    full: OnceLock<AsyncFd<UnixStream>>,
    peer: Option<UCred>,
}

impl ClientStream {
    /// Takes over an accepted connection.
    ///
    /// # Errors
    /// The system cannot watch the socket.
    pub(super) fn new(stream: tokio::net::UnixStream) -> io::Result<Self> {
        let peer = stream.peer_cred().ok();
        let socket = watched(stream.into_std()?, Interest::READABLE)?;
        Ok(Self { socket, full: OnceLock::new(), peer })
    }

    /// Returns true if the other side is a process of the same user.
    pub fn same_user(&self) -> bool {
        self.peer.is_some_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
    }

    /// Returns the id of the process that connected, if the system tells it and the process is in the same namespace.
    pub fn process(&self) -> Option<u32> {
        u32::try_from(self.peer?.pid()?).ok().filter(|id| *id > 0)
    }

    /// Waits for bytes and reads those that have arrived. Returns their number; 0 at the end.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn read(&self, frames: &mut ClientReader) -> io::Result<usize> {
        loop {
            let mut ready = self.socket.readable().await?;
            let taken = match frames.is_mid_frame() {
                true => self.take::<READ_MORE>(frames),
                false => self.take::<READ>(frames),
            };
            match taken {
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                Ok((read, all)) => {
                    // The system reports bytes that arrive from now on, so they are not asked for in vain.
                    if all {
                        ready.clear_ready();
                    }
                    return Ok(read);
                }
                Err(why) => return Err(why),
            }
        }
    }

    /// Reads at most `N` bytes. Returns their number, and true if those were all that had arrived.
    // Outside the loop above, since the buffer would be part of every silent connection's task.
    fn take<const N: usize>(&self, frames: &mut ClientReader) -> io::Result<(usize, bool)> {
        let mut buffer = [0; N];
        loop {
            match self.socket.get_ref().read(&mut buffer) {
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    let read = read?;
                    frames.push(buffer.get(..read).unwrap_or_default());
                    // The end is reported again.
                    return Ok((read, (1..N).contains(&read)));
                }
            }
        }
    }

    /// Writes the bytes that fit at once, from any thread.
    ///
    /// # Errors
    /// `WouldBlock` if nothing fits; otherwise the connection is broken.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.socket.get_ref().write(bytes) {
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    /// Writes some of the bytes, waiting until any fit.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.try_write(bytes) {
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
            let mut ready = self.watched_for_room()?.writable().await?;
            // It is ready at first, and whenever there was room since.
            match self.try_write(bytes) {
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                done => return done,
            }
        }
    }

    fn watched_for_room(&self) -> io::Result<&AsyncFd<UnixStream>> {
        if let Some(full) = self.full.get() {
            return Ok(full);
        }
        let full = watched(self.socket.get_ref().try_clone()?, Interest::WRITABLE)?;
        Ok(self.full.get_or_init(|| full))
    }

    /// Ends the sending side.
    pub fn end(&self) {
        // It fails only if the other side is gone already.
        let _ = rustix::net::shutdown(self.socket.get_ref().as_fd(), rustix::net::Shutdown::Write);
    }
}

/// Has the runtime watch a socket.
#[expect(unsafe_code, reason = "the runtime needs to know that the descriptor stays open")]
fn watched(socket: UnixStream, interest: Interest) -> io::Result<AsyncFd<UnixStream>> {
    // SAFETY: a `UnixStream` owns one descriptor, returns it from each `as_fd`, and closes it only when it is dropped,
    // which `AsyncFd` does after it has removed it from the runtime.
    Ok(unsafe { AsyncFd::register_with_interest(socket, interest) }?)
}
