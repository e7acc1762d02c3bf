//! Frames: a length, then that many bytes. It looks at no byte behind the length and reads no socket.

use super::error::CodecError;
use crate::limits;

/// Capacity that is kept for the next frame; what a large frame needed beyond is given back.
const KEEP: usize = 16 * 1024;

/// The bytes of one frame, without its length.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    bytes: Vec<u8>,
    // The length prefix stays in front, so that a large frame is handed over without copying it.
    from: usize,
}

impl Frame {
    /// A message's bytes that came without a length in front.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes, from: 0 }
    }

    /// The message's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.from..).unwrap_or_default()
    }
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Frame({} bytes)", self.as_bytes().len())
    }
}

/// Cuts a stream of bytes into frames.
///
/// Its memory follows what arrived, never what a length alone declares: at most twice the bytes pushed and
/// not yet taken. Take every frame before pushing more, and that is at most twice the limit and one push.
#[derive(Debug)]
pub struct FrameReader {
    limit: usize,
    buffer: Vec<u8>,
    start: usize,
}

impl FrameReader {
    /// A reader that refuses frames above `limit` bytes ([`limits::FRAME_BEFORE_HELLO`] for a stranger).
    pub fn new(limit: usize) -> Self {
        Self { limit, buffer: Vec::new(), start: 0 }
    }

    /// Another limit from the next frame on ([`limits::FRAME`] once `hello` was accepted).
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Adds bytes that arrived, however they were cut.
    pub fn push(&mut self, bytes: &[u8]) {
        // Taken frames are dropped once they are the larger part: each byte is moved at most once on
        // average, also where a thousand small frames arrive in one push.
        if self.start > 0 && self.start * 2 >= self.buffer.len() {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        // Once half of a frame is there, the rest is taken at its word: room for all of it costs no more than
        // doubling would, and a large frame ends in a buffer of its size.
        if let Ok(Some(length)) = self.declared() {
            let whole = limits::FRAME_HEADER + length;
            let there = self.waiting().len() + bytes.len();
            if there < whole && there >= whole / 2 {
                self.buffer.reserve_exact(self.start + whole - self.buffer.len());
            }
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame; `None` until more has arrived.
    ///
    /// # Errors
    /// A declared length above the limit. The stream cannot be read any further: each later call says the
    /// same, and the connection is to be closed.
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

    /// Whether a frame has begun and is not whole: the end of the stream would cut it.
    pub fn is_mid_frame(&self) -> bool {
        !self.waiting().is_empty()
    }

    /// How many bytes are still missing before the next frame, or its length, can be known to be whole;
    /// 0 where [`FrameReader::next_frame`] has something to say. A hint for the size of the next read.
    pub fn missing(&self) -> usize {
        let waiting = self.waiting().len();
        match self.declared() {
            Err(_) => 0,
            Ok(None) => limits::FRAME_HEADER.saturating_sub(waiting),
            Ok(Some(length)) => (limits::FRAME_HEADER + length).saturating_sub(waiting),
        }
    }

    /// How many bytes of the frame that is not whole yet have arrived.
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
