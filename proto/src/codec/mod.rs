//! Encodes and decodes frames and messages within limits. Reads and writes no socket.
//!
//! *Calling sequence*: to receive, pass the received bytes to [`FrameReader::push`], call [`FrameReader::next_frame`]
//! until it returns `None`, then [`Message::parse`], and [`Message::body`] with the type that belongs to
//! [`Message::kind`]. To send, call [`encode`] (client), [`reply`] or [`encode_error`] (server); each returns a
//! complete frame.
//!
//! *Invariants*: no input causes a panic; a length or count that a peer only declares allocates no memory;
//! [`Message::parse`] accepts everything that [`encode`] returns.
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
mod negotiate;
#[cfg(test)]
mod tests;

pub use check::check;
pub use decode::Message;
pub use editd_types::plain_type_error;
pub use encode::{encode, encode_error, reply, short};
pub use error::CodecError;
pub use frame::{Frame, FrameReader};
pub use negotiate::{check_name, negotiate};
