//! Lines: a message as one line of JSON, for clients without MessagePack. A received line becomes the same MessagePack
//! that a frame has, so that every other part of the codec knows only that. Reads no socket.

use std::fmt;
use std::io;

use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::encode::BoundedBuffer;
use super::error::CodecError;
use super::frame::Frame;
use crate::limits;

/// Buffer capacity that is kept for the next line, in bytes. The additional memory of a long line is released.
const KEEP: usize = 16 * 1024;

/// Splits a stream of bytes into lines, without their line feeds. Lines of white space are left out.
///
/// Its memory depends on the received bytes: at most twice those that were pushed and not yet taken.
#[derive(Debug)]
pub(super) struct LineReader {
    limit: usize,
    buffer: Vec<u8>,
    start: usize,
    /// The bytes after `start` that contain no line feed.
    searched: usize,
}

impl LineReader {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, buffer: Vec::new(), start: 0, searched: 0 }
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 && self.start * 2 >= self.buffer.len() {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete line, or `None` if more bytes are needed.
    ///
    /// # Errors
    /// The line is longer than the limit. Each later call returns the same error.
    pub(super) fn next_line(&mut self) -> Result<Option<Frame>, CodecError> {
        while let Some(length) = self.line()? {
            let line = self.waiting().get(..length).unwrap_or_default();
            let blank = line.trim_ascii().is_empty();
            if !blank && self.start == 0 && length + 1 == self.buffer.len() && self.buffer.capacity() > KEEP {
                self.searched = 0;
                let mut bytes = std::mem::take(&mut self.buffer);
                bytes.truncate(length);
                return Ok(Some(Frame::from_bytes(bytes)));
            }
            let bytes = if blank { Vec::new() } else { line.to_vec() };
            self.start += length + 1;
            self.searched = 0;
            if self.start == self.buffer.len() {
                self.buffer.clear();
                self.buffer.shrink_to(KEEP);
                self.start = 0;
            }
            if !blank {
                return Ok(Some(Frame::from_bytes(bytes)));
            }
        }
        Ok(None)
    }

    /// Returns the number of received bytes of the incomplete line.
    pub(super) fn arrived(&self) -> usize {
        self.waiting().len()
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    fn waiting(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Returns the length of the next line if all of it is there. Looks at each byte once.
    fn line(&mut self) -> Result<Option<usize>, CodecError> {
        let waiting = self.waiting();
        let unseen = waiting.get(self.searched..).unwrap_or_default();
        let end = unseen.iter().position(|byte| *byte == b'\n').map(|at| self.searched + at);
        let length = end.unwrap_or(waiting.len());
        if length > self.limit {
            return Err(CodecError::LineTooLong { limit: self.limit as u64 });
        }
        self.searched = length;
        Ok(end)
    }
}

/// Returns the line of a message: `id`, `kind` and the fields of `body` as one JSON object, and a line feed.
///
/// # Errors
/// [`CodecError::MessageTooLarge`] above [`limits::FRAME`]; [`CodecError::Body`] if `body` is not an object.
pub(super) fn encode_line<T: Serialize + ?Sized>(
    id: u64,
    kind: &str,
    body: &T,
) -> Result<Vec<u8>, CodecError> {
    let mut fields = BoundedBuffer::default();
    let written = serde_json::to_writer(&mut fields, body);
    if fields.full {
        return Err(CodecError::MessageTooLarge { limit: limits::FRAME as u64 });
    }
    written.map_err(CodecError::body)?;
    let fields =
        fields.bytes.strip_prefix(b"{").ok_or_else(|| CodecError::body("it is not a JSON object"))?;
    let kind = serde_json::to_string(kind).map_err(CodecError::body)?;
    let comma = if fields.starts_with(b"}") { "" } else { "," };
    let head = format!("{{\"id\":{id},\"kind\":{kind}{comma}");
    if head.len() + fields.len() > limits::FRAME {
        return Err(CodecError::MessageTooLarge { limit: limits::FRAME as u64 });
    }
    let mut line = Vec::with_capacity(head.len() + fields.len() + 1);
    line.extend_from_slice(head.as_bytes());
    line.extend_from_slice(fields);
    line.push(b'\n');
    Ok(line)
}

/// Returns the MessagePack of a line. It is a map exactly if the line is an object; [`super::check()`] still applies.
///
/// # Errors
/// [`CodecError::Json`] if the line is not one JSON value; [`CodecError::TooDeep`], [`CodecError::TooMany`] and
/// [`CodecError::TooManyValues`]; [`CodecError::MessageTooLarge`] if the MessagePack is above [`limits::FRAME`].
pub(super) fn message_pack(line: &[u8]) -> Result<Vec<u8>, CodecError> {
    let mut to = PackedMessage { bytes: BoundedBuffer::default(), values: 0, refused: None };
    let mut from = serde_json::Deserializer::from_slice(line);
    let read = JsonValue { to: &mut to, depth: 0 }.deserialize(&mut from).and_then(|()| from.end());
    if let Some(refused) = to.refused {
        return Err(refused);
    }
    if to.bytes.full {
        return Err(CodecError::MessageTooLarge { limit: limits::FRAME as u64 });
    }
    read.map_err(|error| CodecError::json(&error))?;
    Ok(to.bytes.bytes)
}

/// The MessagePack that has been made of a line.
struct PackedMessage {
    bytes: BoundedBuffer,
    values: usize,
    /// The limit at which reading stopped. An error of serde cannot carry it.
    refused: Option<CodecError>,
}

impl PackedMessage {
    fn refuse<T, E: serde::de::Error>(&mut self, why: CodecError) -> Result<T, E> {
        self.refused = Some(why);
        Err(E::custom("over a limit"))
    }

    fn count<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.values += 1;
        if self.values > limits::VALUES {
            return self.refuse(CodecError::TooManyValues { limit: limits::VALUES as u64 });
        }
        Ok(())
    }

    fn put<T: Serialize + ?Sized, E: serde::de::Error>(&mut self, value: &T) -> Result<(), E> {
        self.count()?;
        rmp_serde::encode::write(&mut self.bytes, value).map_err(E::custom)
    }

    /// Writes the head of a list or map whose number of elements is not known yet, and returns the place of the number.
    fn open<E: serde::de::Error>(&mut self, marker: u8) -> Result<usize, E> {
        self.count()?;
        let head = [marker, 0, 0, 0, 0];
        io::Write::write_all(&mut self.bytes, &head).map_err(E::custom)?;
        Ok(self.bytes.bytes.len() - 4)
    }

    fn close<E: serde::de::Error>(&mut self, place: usize, count: usize) -> Result<(), E> {
        let count = u32::try_from(count).map_err(E::custom)?;
        if let Some(number) = self.bytes.bytes.get_mut(place..place + 4) {
            number.copy_from_slice(&count.to_be_bytes());
        }
        Ok(())
    }
}

/// Reads one JSON value and writes it as MessagePack.
struct JsonValue<'t> {
    to: &'t mut PackedMessage,
    /// The number of lists and objects around it.
    depth: usize,
}

impl JsonValue<'_> {
    fn deeper<E: serde::de::Error>(&mut self) -> Result<usize, E> {
        if self.depth == limits::DEPTH {
            return self.to.refuse(CodecError::TooDeep { limit: limits::DEPTH as u64 });
        }
        Ok(self.depth + 1)
    }

    /// Returns the count with one more element.
    fn one_more<E: serde::de::Error>(&mut self, count: usize) -> Result<usize, E> {
        if count == limits::COUNT {
            return self
                .to
                .refuse(CodecError::TooMany { what: "a list or map", limit: limits::COUNT as u64 });
        }
        Ok(count + 1)
    }
}

impl<'de> DeserializeSeed<'de> for JsonValue<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonValue<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.to.put(&())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.to.put(&value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.to.put(&value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.to.put(&value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.to.put(&value)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.to.put(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let depth = self.deeper()?;
        let place = self.to.open(0xdd)?;
        let mut count = 0;
        while list.next_element_seed(JsonValue { to: self.to, depth })?.is_some() {
            count = self.one_more(count)?;
        }
        self.to.close(place, count)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let depth = self.deeper()?;
        let place = self.to.open(0xdf)?;
        let mut count = 0;
        // A key is text: JSON has no others.
        while map.next_key_seed(JsonValue { to: self.to, depth })?.is_some() {
            map.next_value_seed(JsonValue { to: self.to, depth })?;
            count = self.one_more(count)?;
        }
        self.to.close(place, count)
    }
}
