//! The messages between daemon and supervisor: an order, the input after it, and one report. It reads and writes the
//! given streams.

use std::io::{self, Read};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::CommandEnd;

/// The most bytes of an order or a report: an argument list has at most some megabytes on any system.
const MOST: usize = 16 * 1024 * 1024;

/// The command that the supervisor shall run.
#[derive(Serialize, Deserialize, Debug)]
pub(super) struct CommandOrder {
    /// Program and arguments, as bytes.
    pub(super) command: Vec<serde_bytes::ByteBuf>,
    /// The folders that it can write; `None` if nothing is restricted.
    pub(super) writable: Option<Vec<serde_bytes::ByteBuf>>,
    /// The time that it may run, in milliseconds.
    pub(super) time_ms: u64,
    /// The bytes of memory.
    pub(super) memory: u64,
    /// The number of processes.
    pub(super) processes: usize,
    /// Bytes of standard input, which follow the order.
    pub(super) input: usize,
}

/// The result of the run.
#[derive(Serialize, Deserialize, Debug)]
pub(super) struct CommandReport {
    pub(super) ended: CommandEnd,
    /// True if some process could not be ended.
    pub(super) left: bool,
}

/// Encodes a message: its length, then its bytes.
pub(super) fn encode(word: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = rmp_serde::to_vec(word).map_err(io::Error::other)?;
    let length = u32::try_from(body.len()).ok().filter(|_| body.len() <= MOST);
    let length = length.ok_or_else(|| io::Error::other("the command line is too long"))?;
    Ok([&length.to_be_bytes()[..], &body].concat())
}

/// Reads a message.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > MOST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    rmp_serde::from_slice(&read_bytes(from, length)?).map_err(io::Error::other)
}

/// Reads exactly `length` bytes.
pub(super) fn read_bytes(from: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}
