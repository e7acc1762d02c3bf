//! Encodes and decodes frames and messages within limits. Reads and writes no socket.
//!
//! *Calling sequence*: to receive, a client passes the received bytes to [`FrameReader::push`], calls
//! [`FrameReader::next_frame`] until it returns `None`, then [`Message::parse`], and [`Message::body`] with the type
//! that belongs to [`Message::kind`]. To send, it calls [`encode()`], which returns a complete frame. A server does the
//! same with [`ClientReader`] and [`Framing`], so that its clients choose between frames and lines of JSON.
//!
//! *Invariants*: no input causes a panic; a length or count that a peer only declares allocates no memory;
//! [`Message::parse`] accepts everything that [`encode()`] returns; a line and a frame with the same fields are the same
//! [`Message`].
//!
//! ```
//! use editd_proto::codec::{FrameReader, Message, encode};
//! use editd_proto::limits;
//! use editd_proto::message::{StopRequest, kind};
//!
//! let frame = encode(1, kind::STOP, &StopRequest {})?;
//!
//! let mut reader = FrameReader::new(limits::FRAME);
//! reader.push(&frame);
//! let message = Message::parse(reader.next_frame()?.ok_or("incomplete")?)?;
//! assert_eq!((message.id(), message.kind()), (1, "stop"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod decode;
mod encode;
mod error;
mod frame;
mod framing;
mod lines;
mod negotiate;
#[cfg(test)]
mod tests;
mod value;

pub use check::check;
pub use decode::Message;
pub use editd_types::plain_type_error;
pub use encode::{encode, short};
pub use error::CodecError;
pub use frame::{Frame, FrameReader};
pub use framing::{ClientReader, Framing};
pub use negotiate::{check_name, negotiate};
