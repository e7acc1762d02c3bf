//! The byte stream of one connection. It blocks no thread and knows no frame.

use std::io;
use std::os::fd::AsFd;

use editd_proto::codec::ClientReader;
use tokio::net::UnixStream;

/// Bytes read at once.
const READ: usize = 64 * 1024;

/// A connection.
#[derive(Debug)]
pub struct ClientStream(UnixStream);

impl ClientStream {
    pub(super) fn new(stream: UnixStream) -> Self {
        Self(stream)
    }

    /// Returns true if the other side is a process of the same user.
    pub fn same_user(&self) -> bool {
        match self.0.peer_cred() {
            Ok(peer) => peer.uid() == rustix::process::geteuid().as_raw(),
            Err(_) => false,
        }
    }

    /// Returns the id of the process that connected, if the system tells it and the process is in the same namespace.
    pub fn process(&self) -> Option<u32> {
        let id = self.0.peer_cred().ok()?.pid()?;
        u32::try_from(id).ok().filter(|id| *id > 0)
    }

    /// Waits for bytes and reads those that have arrived. Returns their number; 0 at the end.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn read(&self, frames: &mut ClientReader) -> io::Result<usize> {
        loop {
            self.0.readable().await?;
            match self.take(frames) {
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
        }
    }

    // Outside the loop above, since the buffer would be part of every silent connection's task.
    fn take(&self, frames: &mut ClientReader) -> io::Result<usize> {
        let mut buffer = [0; READ];
        let read = self.0.try_read(&mut buffer)?;
        frames.push(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }

    /// Writes the bytes that fit at once, from any thread.
    ///
    /// # Errors
    /// `WouldBlock` if nothing fits; otherwise the connection is broken.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    /// Writes some of the bytes, waiting until any fit.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            self.0.writable().await?;
            match self.0.try_write(bytes) {
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
        }
    }

    /// Ends the sending side.
    pub fn end(&self) {
        // It fails only if the other side is gone already.
        let _ = rustix::net::shutdown(self.0.as_fd(), rustix::net::Shutdown::Write);
    }
}
