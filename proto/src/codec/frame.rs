//! Frames: a length, followed by as many bytes. Does not look at the bytes and reads no socket.

use super::error::CodecError;
use crate::limits;

/// Buffer capacity that is kept for the next frame, in bytes. The additional memory of a large frame is released.
const KEEP: usize = 16 * 1024;

/// The bytes of one frame, without its length.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    bytes: Vec<u8>,
    // The length prefix stays in the buffer, so that a large frame is handed over without a copy.
    from: usize,
}

impl Frame {
    /// Creates a frame from the bytes of a message without a length prefix.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes, from: 0 }
    }

    /// Returns the bytes of the message.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.from..).unwrap_or_default()
    }
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Frame({} bytes)", self.as_bytes().len())
    }
}

/// Splits a stream of bytes into frames.
///
/// Its memory depends on the received bytes, never on a declared length alone: at most twice the bytes that were pushed
/// and not yet taken. If every frame is taken before the next push, that is at most twice the limit and one push.
#[derive(Debug)]
pub struct FrameReader {
    limit: usize,
    buffer: Vec<u8>,
    start: usize,
}

impl FrameReader {
    /// Creates a reader that refuses frames above `limit` bytes. Use [`limits::FRAME_BEFORE_HELLO`] for an unknown
    /// peer.
    pub fn new(limit: usize) -> Self {
        Self { limit, buffer: Vec::new(), start: 0 }
    }

    /// Sets the limit for the next frames. Use [`limits::FRAME`] after `hello` was accepted.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Adds received bytes, which may contain parts of frames.
    pub fn push(&mut self, bytes: &[u8]) {
        // Taken frames are removed once they are the larger part of the buffer. On average each byte is moved at most
        // once, even if a thousand small frames arrive in one push.
        if self.start > 0 && self.start * 2 >= self.buffer.len() {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        // Once half of a frame has arrived, memory for all of it is reserved. That costs no more than doubling the
        // buffer, and a large frame ends up in a buffer of its exact size.
        if let Ok(Some(length)) = self.declared() {
            let whole = limits::FRAME_HEADER + length;
            let there = self.waiting().len() + bytes.len();
            if there < whole && there >= whole / 2 {
                self.buffer.reserve_exact(self.start + whole - self.buffer.len());
            }
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete frame, or `None` if more bytes are needed.
    ///
    /// # Errors
    /// The declared length is above the limit. The rest of the stream cannot be read: each later call returns the same
    /// error, and the connection must be closed.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, CodecError> {
        let Some(length) = self.declared()? else { return Ok(None) };
        let whole = limits::FRAME_HEADER + length;
        let waiting = self.waiting();
        if waiting.len() < whole {
            return Ok(None);
        }
        if self.start == 0 && waiting.len() == whole && self.buffer.capacity() > KEEP {
            let bytes = std::mem::take(&mut self.buffer);
            return Ok(Some(Frame { bytes, from: limits::FRAME_HEADER }));
        }
        let bytes = waiting.get(limits::FRAME_HEADER..whole).unwrap_or_default().to_vec();
        self.start += whole;
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.buffer.shrink_to(KEEP);
            self.start = 0;
        }
        Ok(Some(Frame { bytes, from: 0 }))
    }

    /// Returns true if a frame is incomplete, so that the end of the stream would truncate it.
    pub fn is_mid_frame(&self) -> bool {
        !self.waiting().is_empty()
    }

    /// Returns the number of received bytes of the incomplete frame.
    pub fn arrived(&self) -> usize {
        self.waiting().len()
    }

    fn waiting(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    fn declared(&self) -> Result<Option<usize>, CodecError> {
        let Some(header) = self.waiting().first_chunk::<{ limits::FRAME_HEADER }>() else {
            return Ok(None);
        };
        let declared = u32::from_be_bytes(*header);
        match usize::try_from(declared) {
            Ok(length) if length <= self.limit => Ok(Some(length)),
            _ => Err(CodecError::FrameTooLarge { declared: u64::from(declared), limit: self.limit as u64 }),
        }
    }
}
