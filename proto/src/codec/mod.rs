//! Frames and MessagePack with bounds: bytes to messages and back. It reads and writes no socket.
//!
//! *Calling sequence*, receiving: [`FrameReader::push`] what arrived, [`FrameReader::next_frame`] until it
//! says `None`, [`Message::parse`], then [`Message::body`] with the type that [`Message::kind`] names.
//! Sending: [`encode`] (client), [`reply`] and [`encode_error`] (server); each returns a whole frame.
//!
//! *Invariants*: no input makes it panic; nothing is allocated because of a length or count that a peer
//! merely declared; what [`encode`] returns, [`Message::parse`] accepts.

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
pub use encode::{encode, encode_error, reply};
pub use error::{CodecError, plain};
pub use frame::{Frame, FrameReader};
pub use negotiate::{check_name, negotiate};
