//! Gets a content that a file had before or after an entry, part by part.

use editd_proto::ErrorCode;
use editd_proto::message::ContentRequest;

use crate::CallError;
use crate::retry::Caller;

/// A content of a file in the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileContent {
    /// There was no file.
    Absent,
    /// The content.
    Bytes(Vec<u8>),
    /// The same as on the other side of the change, so that it was not asked for.
    Same,
    /// The content is larger than the limit of the caller; this is its size in bytes.
    Long(u64),
    /// The journal does not have the content any more: the reason.
    Gone(String),
}

impl FileContent {
    /// Returns the bytes; none for a missing file or one that stayed the same, and `None` if they are not known.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Absent | Self::Same => Some(&[]),
            Self::Bytes(bytes) => Some(bytes),
            Self::Long(_) | Self::Gone(_) => None,
        }
    }
}

/// Returns a content of at most `most` bytes.
///
/// # Errors
/// The daemon cannot be reached, or refuses the request.
pub fn content<E: From<CallError>>(
    caller: &Caller<'_, E>,
    at: &ContentRequest,
    most: u64,
) -> Result<FileContent, E> {
    let (mut bytes, mut version) = (Vec::new(), None);
    loop {
        let request = ContentRequest { from: bytes.len() as u64, ..at.clone() };
        let reply = caller.ask(true, |it| match it.content(&request) {
            Err(CallError::Refused(error)) if error.code == ErrorCode::NotFound => Ok(Err(error.message)),
            other => other.map(Ok),
        })?;
        let reply = match reply {
            Ok(reply) => reply,
            Err(why) => return Ok(FileContent::Gone(why)),
        };
        if reply.version.is_none() {
            return Ok(FileContent::Absent);
        }
        if reply.size > most {
            return Ok(FileContent::Long(reply.size));
        }
        let is_same = bytes.is_empty() || reply.version == version;
        if !is_same || (reply.bytes.is_empty() && (bytes.len() as u64) < reply.size) {
            return Ok(FileContent::Gone("the journal changed while it was read; try again".to_owned()));
        }
        version = reply.version;
        bytes.extend_from_slice(&reply.bytes);
        if bytes.len() as u64 >= reply.size {
            return Ok(FileContent::Bytes(bytes));
        }
    }
}
