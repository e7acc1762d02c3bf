//! The two framings of a connection: frames of MessagePack, and lines of JSON. The first byte of the client decides.
//! Reads no socket.

use serde::Serialize;

use super::decode::Message;
use super::encode::{encode, short};
use super::error::CodecError;
use super::frame::{Frame, FrameReader};
use super::lines::{LineReader, encode_line, message_pack};
use crate::error::RequestError;
use crate::limits;
use crate::message::kind;

#[cfg(test)]
mod tests;

/// The form in which the messages of a connection are sent, in both directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Framing {
    /// A length and MessagePack.
    #[default]
    Frames,
    /// One JSON object and a line feed.
    Lines,
}

/// The first byte of a client that sends lines.
const OPENS_LINES: u8 = b'{';

// No frame begins with that byte: its length would be above the limit.
const _: () = assert!(limits::FRAME < (OPENS_LINES as usize) << 24);

impl Framing {
    /// Returns the framing of a client whose first byte is `first`.
    pub fn of_first_byte(first: u8) -> Self {
        if first == OPENS_LINES { Self::Lines } else { Self::Frames }
    }

    /// Checks a frame or a line, and reads its `id` and `kind`. A line becomes the message that a frame would be.
    ///
    /// # Errors
    /// Those of [`Message::parse`], and [`CodecError::Json`] and [`CodecError::MessageTooLarge`] for a line.
    pub fn parse(self, frame: Frame) -> Result<Message, CodecError> {
        match self {
            Self::Frames => Message::parse(frame),
            Self::Lines => {
                let packed = message_pack(frame.as_bytes())?;
                drop(frame);
                Message::parse(Frame::from_bytes(packed))
            }
        }
    }

    /// Returns a complete frame, or a line with its line feed: `id`, `kind` and the fields of `body`.
    ///
    /// # Errors
    /// Those of [`encode`]; for a line only [`CodecError::MessageTooLarge`] and [`CodecError::Body`].
    pub fn encode<T: Serialize + ?Sized>(self, id: u64, kind: &str, body: &T) -> Result<Vec<u8>, CodecError> {
        match self {
            Self::Frames => encode(id, kind, body),
            Self::Lines => encode_line(id, kind, body),
        }
    }

    /// Returns the message that says that the request `id` failed. Use 0 if the request is unknown.
    ///
    /// If the details do not fit, they are left out.
    pub fn encode_error(self, id: u64, error: &RequestError) -> Vec<u8> {
        self.encode(id, kind::ERROR, error)
            .unwrap_or_else(|_| self.encode(id, kind::ERROR, &short(error)).unwrap_or_default())
    }

    /// Returns the reply to the request `id`, or an error if the reply does not fit into a frame or line.
    pub fn reply<T: Serialize + ?Sized>(self, id: u64, kind: &str, body: &T) -> Vec<u8> {
        self.encode(id, kind, body).unwrap_or_else(|error| self.encode_error(id, &RequestError::from(error)))
    }
}

/// Splits the bytes of a client into frames or lines; the first byte decides.
///
/// Its memory depends on the received bytes, as that of [`FrameReader`].
#[derive(Debug)]
pub struct ClientReader {
    limit: usize,
    split: Splitter,
}

#[derive(Debug)]
enum Splitter {
    Undecided,
    Frames(FrameReader),
    Lines(LineReader),
}

impl ClientReader {
    /// Creates a reader that refuses frames and lines above `limit` bytes. Use [`limits::FRAME_BEFORE_HELLO`] for an
    /// unknown peer.
    pub fn new(limit: usize) -> Self {
        Self { limit, split: Splitter::Undecided }
    }

    /// Sets the limit for the next frames or lines. Use [`limits::FRAME`] after `hello` was accepted.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        match &mut self.split {
            Splitter::Undecided => {}
            Splitter::Frames(frames) => frames.set_limit(limit),
            Splitter::Lines(lines) => lines.set_limit(limit),
        }
    }

    /// Returns the framing; `None` before the first byte.
    pub fn framing(&self) -> Option<Framing> {
        match self.split {
            Splitter::Undecided => None,
            Splitter::Frames(_) => Some(Framing::Frames),
            Splitter::Lines(_) => Some(Framing::Lines),
        }
    }

    /// Adds received bytes, which may contain parts of frames or lines.
    pub fn push(&mut self, bytes: &[u8]) {
        let Some(&first) = bytes.first() else { return };
        if matches!(self.split, Splitter::Undecided) {
            self.split = match Framing::of_first_byte(first) {
                Framing::Frames => Splitter::Frames(FrameReader::new(self.limit)),
                Framing::Lines => Splitter::Lines(LineReader::new(self.limit)),
            };
        }
        match &mut self.split {
            Splitter::Undecided => {}
            Splitter::Frames(frames) => frames.push(bytes),
            Splitter::Lines(lines) => lines.push(bytes),
        }
    }

    /// Returns the next complete frame or line, or `None` if more bytes are needed. [`Framing::parse`] reads it.
    ///
    /// # Errors
    /// The frame or line is above the limit. The rest of the stream cannot be read: each later call returns the same
    /// error, and the connection must be closed.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, CodecError> {
        match &mut self.split {
            Splitter::Undecided => Ok(None),
            Splitter::Frames(frames) => frames.next_frame(),
            Splitter::Lines(lines) => lines.next_line(),
        }
    }

    /// Returns true if a frame or line is incomplete, so that the end of the stream would truncate it.
    pub fn is_mid_frame(&self) -> bool {
        self.arrived() > 0
    }

    /// Returns the number of received bytes of the incomplete frame or line.
    pub fn arrived(&self) -> usize {
        match &self.split {
            Splitter::Undecided => 0,
            Splitter::Frames(frames) => frames.arrived(),
            Splitter::Lines(lines) => lines.arrived(),
        }
    }
}
