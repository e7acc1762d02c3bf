//! A connection of the test client, on Unix.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;

use crate::wait;

/// The stream of a connection.
pub type Connection = UnixStream;

/// Connects to a socket. Each transfer has a time limit.
pub(super) fn connect(socket: &Path) -> io::Result<Connection> {
    let stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(wait::LONG))?;
    stream.set_write_timeout(Some(wait::LONG))?;
    Ok(stream)
}
