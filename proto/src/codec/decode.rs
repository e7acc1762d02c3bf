//! A frame's bytes as a message: first its head, then the body that its kind names. It decides nothing
//! about what the message asks.

use std::io::ErrorKind::UnexpectedEof;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::check::walk;
use super::error::CodecError;
use super::frame::Frame;
use crate::limits;
use crate::message::Edit;

/// A message that is known to be well-formed and within the limits; its body is not decoded yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    frame: Frame,
    id: u64,
    kind: String,
    cost: usize,
}

impl Message {
    /// Checks a frame (see [`super::check`]) and reads its head.
    ///
    /// # Errors
    /// Those of [`super::check`]; [`CodecError::Body`] where `id` or `kind` is missing or of another type.
    /// After any of them the peer is not to be trusted to speak the protocol: answer with id 0 and close.
    pub fn parse(frame: Frame) -> Result<Self, CodecError> {
        let top = walk(frame.as_bytes())?;
        let id = top.id.ok_or_else(|| CodecError::body("`id` is not a whole number from 0 to 2^64 - 1"))?;
        let kind = top.kind.ok_or_else(|| CodecError::body("`kind` is not text"))?.to_owned();
        if kind.len() > limits::NAME {
            return Err(CodecError::body(format_args!("`kind` is longer than {} bytes", limits::NAME)));
        }
        let cost = frame.as_bytes().len().saturating_add(top.maps.saturating_mul(size_of::<Edit>()));
        Ok(Self { frame, id, kind, cost })
    }

    /// The bytes of it, as they were sent.
    pub fn bytes(&self) -> &[u8] {
        self.frame.as_bytes()
    }

    /// The number that the sender gave it; 0 in an error that answers no request.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The word that says which body it has: see [`crate::message::kind`].
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Bytes of the message.
    pub fn size(&self) -> usize {
        self.frame.as_bytes().len()
    }

    /// About how many bytes the body will take once it is decoded: its text, and as much for every map as the
    /// largest record needs. An edit of a few bytes on the wire takes a hundred times that in memory, so
    /// whoever keeps many bodies counts this, not [`Message::size`].
    pub fn cost(&self) -> usize {
        self.cost
    }

    /// The body, as the type that belongs to the kind. Fields that the type does not know are ignored.
    ///
    /// # Errors
    /// [`CodecError::Body`] where a field is missing or of another type, [`CodecError::TooMany`] where a job
    /// is over its limits. The request is refused; the connection is fine.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, CodecError> {
        let bytes = self.frame.as_bytes();
        let mut from = rmp_serde::Deserializer::from_read_ref(bytes);
        from.set_max_depth(limits::DEPTH + 1);
        let body = T::deserialize(&mut from).map_err(CodecError::refused)?;
        // The walk has proved that one map is all there is. But rmp-serde reads a list of one word as the
        // word and then loses count, so that bytes are left: such a reading is not what was sent.
        match IgnoredAny::deserialize(&mut from) {
            Err(rmp_serde::decode::Error::InvalidMarkerRead(end)) if end.kind() == UnexpectedEof => Ok(body),
            _ => Err(CodecError::body("a list stands where a word was expected")),
        }
    }
}
