//! Decodes the bytes of a frame: first `id` and `kind`, later the body. Does not interpret requests.

use std::io::ErrorKind::UnexpectedEof;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::check::walk;
use super::error::CodecError;
use super::frame::Frame;
use super::value::{BodyValue, PlacedError};
use crate::limits;
use crate::message::FileEdit;

/// A message that is well-formed and within the limits. Its body is not decoded yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    frame: Frame,
    id: u64,
    kind: String,
    cost: usize,
}

impl Message {
    /// Checks a frame (see [`super::check()`]) and reads its `id` and `kind`.
    ///
    /// # Errors
    /// Those of [`super::check()`], and [`CodecError::Body`] if `id` or `kind` is missing or has the wrong type. The peer
    /// then does not speak the protocol: answer with id 0 and close the connection.
    pub fn parse(frame: Frame) -> Result<Self, CodecError> {
        let top = walk(frame.as_bytes())?;
        let id = top.id.ok_or_else(|| CodecError::body("`id` is not a whole number from 0 to 2^64 - 1"))?;
        let kind = top.kind.ok_or_else(|| CodecError::body("`kind` is not text"))?.to_owned();
        if kind.len() > limits::NAME {
            return Err(CodecError::body(format_args!("`kind` is longer than {} bytes", limits::NAME)));
        }
        let records = top.maps.saturating_mul(size_of::<FileEdit>());
        let values = top.values.saturating_mul(size_of::<BodyValue<'_>>());
        let cost = frame.as_bytes().len().saturating_add(records).saturating_add(values);
        Ok(Self { frame, id, kind, cost })
    }

    /// Returns the MessagePack of the message: the bytes of its frame, or those that its line stands for.
    pub fn bytes(&self) -> &[u8] {
        self.frame.as_bytes()
    }

    /// Returns the number that the sender gave the message. It is 0 in an error that answers no request.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the kind, which determines the type of the body: see [`crate::message::kind`].
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns an estimate of the memory that the decoded body needs, in bytes: the size of the text, the size of the
    /// largest record for every map, and the size of a value that is not decoded further for every value. An edit of a
    /// few bytes needs about a hundred times its size in memory, so use this instead of the size of the frame to limit
    /// the memory of many bodies.
    pub fn cost(&self) -> usize {
        self.cost
    }

    /// Decodes the body as the type that belongs to the kind. Unknown fields are ignored.
    ///
    /// # Errors
    /// [`CodecError::Body`] if a field is missing or has the wrong type, [`CodecError::TooMany`] if a job is over its
    /// limits. Only the request fails; the connection stays usable.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, CodecError> {
        let bytes = self.frame.as_bytes();
        let mut from = rmp_serde::Deserializer::from_read_ref(bytes);
        from.set_max_depth(limits::DEPTH + 1);
        let body = T::deserialize(&mut from).map_err(CodecError::refused)?;
        // The check has proved that the bytes are exactly one map. But rmp-serde reads a list of one word as the word,
        // loses count and leaves bytes over. Such a body is not the one that was sent.
        match IgnoredAny::deserialize(&mut from) {
            Err(rmp_serde::decode::Error::InvalidMarkerRead(end)) if end.kind() == UnexpectedEof => Ok(body),
            _ => Err(CodecError::body("a list was found where a name was expected")),
        }
    }

    /// Decodes the body as [`Message::body`] does. It takes longer and needs more memory, which [`Message::cost`]
    /// includes, but the program has less code for each type, and an error names the place of the field. Use it for all
    /// but the most frequent kinds.
    ///
    /// # Errors
    /// Those of [`Message::body`], with a place such as `files[0].edits[1].near` in front of the reason.
    pub fn placed_body<T: DeserializeOwned>(&self) -> Result<T, CodecError> {
        let mut from = rmp_serde::Deserializer::from_read_ref(self.frame.as_bytes());
        from.set_max_depth(limits::DEPTH + 1);
        let value = BodyValue::deserialize(&mut from).map_err(CodecError::body)?;
        T::deserialize(value).map_err(PlacedError::into_codec_error)
    }
}
