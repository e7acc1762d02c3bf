//! A connection of the test client, on Windows.

use std::io;
use std::path::Path;

use interprocess::local_socket::prelude::*;
use interprocess::local_socket::{GenericFilePath, Stream};

/// The stream of a connection.
pub type Connection = Stream;

/// Connects to a pipe. Its transfers have no time limit.
pub(super) fn connect(pipe: &Path) -> io::Result<Connection> {
    Stream::connect(pipe.to_fs_name::<GenericFilePath>()?)
}
