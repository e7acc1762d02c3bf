//! Encodes a message as a frame: `id`, `kind` and the fields of the body in one map. Sends nothing.

use std::io;

use serde::Serialize;

use super::check::check;
use super::error::CodecError;
use crate::error::RequestError;
use crate::limits;

/// Returns a complete frame: the length, then a map of `id`, `kind` and the fields of `body`.
///
/// # Errors
/// [`CodecError::MessageTooLarge`] above [`limits::FRAME`]; [`CodecError::TooMany`], [`CodecError::TooManyValues`] and
/// [`CodecError::TooDeep`] above the other limits, so that no peer has to refuse the message; [`CodecError::Body`] if
/// `body` is not a map or has an `id` or `kind` of its own.
pub fn encode<T: Serialize + ?Sized>(id: u64, kind: &str, body: &T) -> Result<Vec<u8>, CodecError> {
    let mut fields = BoundedBuffer::default();
    let written = body.serialize(&mut rmp_serde::Serializer::new(&mut fields).with_struct_map());
    if fields.full {
        return Err(CodecError::MessageTooLarge { limit: limits::FRAME as u64 });
    }
    written.map_err(CodecError::body)?;
    let (pairs, fields) = split_map(&fields.bytes).ok_or_else(|| CodecError::body("it is not a map"))?;

    let mut frame = Vec::with_capacity(fields.len() + kind.len() + 40);
    frame.extend_from_slice(&[0; limits::FRAME_HEADER]);
    put_head(&mut frame, pairs.saturating_add(2), id, kind).map_err(CodecError::body)?;
    frame.extend_from_slice(fields);
    let (length, message) = frame.split_at_mut(limits::FRAME_HEADER);
    if message.len() > limits::FRAME {
        return Err(CodecError::MessageTooLarge { limit: limits::FRAME as u64 });
    }
    check(message)?;
    let declared = u32::try_from(message.len()).unwrap_or(u32::MAX);
    length.copy_from_slice(&declared.to_be_bytes());
    Ok(frame)
}

/// Returns an error without details, with at most 1,000 characters of its message.
#[must_use]
pub fn short(error: &RequestError) -> RequestError {
    RequestError::new(error.code, error.message.chars().take(1000).collect::<String>())
}

fn put_head(frame: &mut Vec<u8>, pairs: u32, id: u64, kind: &str) -> Result<(), rmp_serde::encode::Error> {
    match (u8::try_from(pairs), u16::try_from(pairs)) {
        (Ok(few @ 0..=15), _) => frame.push(0x80 | few),
        (_, Ok(pairs)) => {
            frame.push(0xde);
            frame.extend_from_slice(&pairs.to_be_bytes());
        }
        _ => {
            frame.push(0xdf);
            frame.extend_from_slice(&pairs.to_be_bytes());
        }
    }
    rmp_serde::encode::write(frame, "id")?;
    rmp_serde::encode::write(frame, &id)?;
    rmp_serde::encode::write(frame, "kind")?;
    rmp_serde::encode::write(frame, kind)
}

/// Returns the number of pairs of an encoded map, and the bytes behind its header.
fn split_map(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (&marker, rest) = bytes.split_first()?;
    match marker {
        0x80..=0x8f => Some((u32::from(marker & 0x0f), rest)),
        0xde => rest.split_first_chunk().map(|(n, rest)| (u32::from(u16::from_be_bytes(*n)), rest)),
        0xdf => rest.split_first_chunk().map(|(n, rest)| (u32::from_be_bytes(*n), rest)),
        _ => None,
    }
}

/// A buffer that grows up to the size limit of a frame.
pub(super) struct BoundedBuffer {
    pub(super) bytes: Vec<u8>,
    /// True once a write was refused.
    pub(super) full: bool,
}

impl Default for BoundedBuffer {
    fn default() -> Self {
        Self { bytes: Vec::with_capacity(256), full: false }
    }
}

impl io::Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > limits::FRAME {
            self.full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
