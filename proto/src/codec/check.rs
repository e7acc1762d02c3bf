//! Checks the raw bytes of a message in one pass, before anything is built from them: the message must be well-formed
//! and within the limits. Allocates only the list of top-level keys.

use super::error::CodecError;
use crate::limits;

/// The fields that the check finds at the top level.
pub(super) struct MessageHead<'a> {
    /// The value of `id`, if it is an integer that is not negative.
    pub(super) id: Option<u64>,
    /// The value of `kind`, if it is text.
    pub(super) kind: Option<&'a str>,
    /// The number of maps in the whole message.
    pub(super) maps: usize,
    /// The number of values in the whole message, with keys, maps and lists.
    pub(super) values: usize,
}

/// Checks that `bytes` are one MessagePack map with unique string keys, and that nothing follows it. It may be nested
/// at most [`limits::DEPTH`] levels deep, a list or map may have at most [`limits::COUNT`] elements, and the message at
/// most [`limits::VALUES`] values (keys count). Text must be UTF-8, and extension types are not allowed.
///
/// # Errors
/// Every case of [`CodecError`] except those about frames.
pub fn check(bytes: &[u8]) -> Result<(), CodecError> {
    walk(bytes).map(|_| ())
}

/// A value, or the header of a list or map.
enum RawValue<'a> {
    Text(&'a str),
    Number(u64),
    Other,
    List(u64),
    Map(u64),
}

/// A list or map with elements that were not read yet.
#[derive(Clone, Copy)]
struct OpenContainer {
    left: u64,
    map: bool,
}

/// Does the same as [`check`] and returns the fields that it found.
pub(super) fn walk(bytes: &[u8]) -> Result<MessageHead<'_>, CodecError> {
    let mut at = ByteCursor { bytes, offset: 0 };
    let RawValue::Map(pairs) = at.item()? else {
        return Err(CodecError::Invalid { what: "a message is a map, not another value", offset: 0 });
    };
    let mut open = [OpenContainer { left: 0, map: false }; limits::DEPTH];
    let mut depth = 0;
    let mut keys: Vec<&[u8]> = Vec::new();
    let mut top = MessageHead { id: None, kind: None, maps: 1, values: 1 };
    let mut key = "";
    push(&mut open, &mut depth, OpenContainer { left: pairs * 2, map: true })?;
    while let Some(level) = depth.checked_sub(1).and_then(|top| open.get_mut(top)) {
        if level.left == 0 {
            depth -= 1;
            continue;
        }
        let is_key = level.map && level.left.is_multiple_of(2);
        level.left -= 1;
        top.values += 1;
        if top.values > limits::VALUES {
            return Err(CodecError::TooManyValues { limit: limits::VALUES as u64 });
        }
        let offset = at.offset;
        match at.item()? {
            RawValue::Text(text) if is_key => {
                if depth == 1 {
                    keys.push(text.as_bytes());
                    key = text;
                }
            }
            _ if is_key => return Err(CodecError::Invalid { what: "a map's key is not text", offset }),
            RawValue::Text(text) if depth == 1 && key == "kind" => top.kind = Some(text),
            RawValue::Number(number) if depth == 1 && key == "id" => top.id = Some(number),
            RawValue::List(count) => push(&mut open, &mut depth, OpenContainer { left: count, map: false })?,
            RawValue::Map(count) => {
                top.maps += 1;
                push(&mut open, &mut depth, OpenContainer { left: count * 2, map: true })?;
            }
            RawValue::Text(_) | RawValue::Number(_) | RawValue::Other => {}
        }
    }
    if at.offset < bytes.len() {
        return Err(CodecError::Invalid { what: "bytes after the message", offset: at.offset });
    }
    keys.sort_unstable();
    if keys.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(CodecError::Invalid { what: "a field twice in the message that begins", offset: 0 });
    }
    Ok(top)
}

fn push(
    open: &mut [OpenContainer; limits::DEPTH],
    depth: &mut usize,
    level: OpenContainer,
) -> Result<(), CodecError> {
    let slot = open.get_mut(*depth).ok_or(CodecError::TooDeep { limit: limits::DEPTH as u64 })?;
    *slot = level;
    *depth += 1;
    Ok(())
}

struct ByteCursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> ByteCursor<'a> {
    fn item(&mut self) -> Result<RawValue<'a>, CodecError> {
        let from = self.offset;
        let &[marker] = self.array(from)?;
        Ok(match marker {
            0x00..=0x7f => RawValue::Number(u64::from(marker)),
            0x80..=0x8f => RawValue::Map(self.count(u64::from(marker & 0x0f), 2, from)?),
            0x90..=0x9f => RawValue::List(self.count(u64::from(marker & 0x0f), 1, from)?),
            0xa0..=0xbf => self.text(u64::from(marker & 0x1f), from)?,
            0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => RawValue::Other,
            0xc1 => return Err(CodecError::Invalid { what: "the reserved byte c1", offset: from }),
            0xc4..=0xc6 => {
                let length = self.uint(1 << (marker - 0xc4), from)?;
                self.take(length, from)?;
                RawValue::Other
            }
            0xc7..=0xc9 | 0xd4..=0xd8 => {
                return Err(CodecError::Invalid { what: "an extension type", offset: from });
            }
            0xca => self.skip(4, from)?,
            0xcb => self.skip(8, from)?,
            0xcc..=0xcf => RawValue::Number(self.uint(1 << (marker - 0xcc), from)?),
            0xd0..=0xd3 => self.signed(1 << (marker - 0xd0), from)?,
            0xd9..=0xdb => {
                let length = self.uint(1 << (marker - 0xd9), from)?;
                self.text(length, from)?
            }
            0xdc | 0xdd => {
                let count = self.uint(2 << (marker - 0xdc), from)?;
                RawValue::List(self.count(count, 1, from)?)
            }
            0xde | 0xdf => {
                let count = self.uint(2 << (marker - 0xde), from)?;
                RawValue::Map(self.count(count, 2, from)?)
            }
        })
    }

    fn take(&mut self, length: u64, from: usize) -> Result<&'a [u8], CodecError> {
        let end = usize::try_from(length).ok().and_then(|length| self.offset.checked_add(length));
        let taken = end.and_then(|end| self.bytes.get(self.offset..end));
        let taken = taken.ok_or(CodecError::Truncated { offset: from })?;
        self.offset += taken.len();
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, from: usize) -> Result<&'a [u8; N], CodecError> {
        self.take(N as u64, from)?.first_chunk().ok_or(CodecError::Truncated { offset: from })
    }

    fn skip(&mut self, length: u64, from: usize) -> Result<RawValue<'a>, CodecError> {
        self.take(length, from).map(|_| RawValue::Other)
    }

    fn uint(&mut self, width: u64, from: usize) -> Result<u64, CodecError> {
        Ok(self.take(width, from)?.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    // Some encoders write small positive numbers as signed ones.
    fn signed(&mut self, width: u32, from: usize) -> Result<RawValue<'a>, CodecError> {
        let number = self.uint(u64::from(width), from)?;
        let negative = number >> (width * 8 - 1) == 1;
        Ok(if negative { RawValue::Other } else { RawValue::Number(number) })
    }

    fn text(&mut self, length: u64, from: usize) -> Result<RawValue<'a>, CodecError> {
        let text = std::str::from_utf8(self.take(length, from)?);
        let invalid =
            |_| CodecError::Invalid { what: "text that is not UTF-8 (send bytes as bin)", offset: from };
        text.map(RawValue::Text).map_err(invalid)
    }

    /// Returns a count if the remaining bytes can hold as many elements of at least `bytes_each` bytes.
    fn count(&self, count: u64, bytes_each: u64, from: usize) -> Result<u64, CodecError> {
        if count > limits::COUNT as u64 {
            return Err(CodecError::TooMany { what: "a list or map", limit: limits::COUNT as u64 });
        }
        if count * bytes_each > (self.bytes.len() - self.offset) as u64 {
            return Err(CodecError::Truncated { offset: from });
        }
        Ok(count)
    }
}
