//! One walk over a message's raw bytes that proves it well-formed and within the limits, before anything
//! is built from it. It allocates nothing but the list of top-level keys.

use super::error::CodecError;
use crate::limits;

/// What the walk found at the top level.
pub(super) struct Top<'a> {
    /// `id`, where it is a whole number that is not negative.
    pub(super) id: Option<u64>,
    /// `kind`, where it is text.
    pub(super) kind: Option<&'a str>,
    /// Maps in the whole message.
    pub(super) maps: usize,
}

/// Proves that `bytes` are one MessagePack map with string keys, none of them twice; nested at most
/// [`limits::DEPTH`] deep, with at most [`limits::COUNT`] elements a list or map and [`limits::VALUES`]
/// values (keys count); text in UTF-8; no extension types; and nothing after it.
///
/// # Errors
/// Every case of [`CodecError`] but those about frames.
pub fn check(bytes: &[u8]) -> Result<(), CodecError> {
    walk(bytes).map(|_| ())
}

/// One value, or the beginning of one that holds others.
enum Item<'a> {
    Text(&'a str),
    Number(u64),
    Other,
    List(u64),
    Map(u64),
}

/// A list or map whose elements have not all been seen.
#[derive(Clone, Copy)]
struct Open {
    left: u64,
    map: bool,
}

/// [`check`], with what it saw on the way.
pub(super) fn walk(bytes: &[u8]) -> Result<Top<'_>, CodecError> {
    let mut at = Cursor { bytes, offset: 0 };
    let Item::Map(pairs) = at.item()? else {
        return Err(CodecError::Invalid { what: "a message is a map, not another value", offset: 0 });
    };
    let mut open = [Open { left: 0, map: false }; limits::DEPTH];
    let mut depth = 0;
    let mut values = 1;
    let mut keys: Vec<&[u8]> = Vec::new();
    let mut top = Top { id: None, kind: None, maps: 1 };
    let mut key = "";
    push(&mut open, &mut depth, Open { left: pairs * 2, map: true })?;
    while let Some(level) = depth.checked_sub(1).and_then(|top| open.get_mut(top)) {
        if level.left == 0 {
            depth -= 1;
            continue;
        }
        let is_key = level.map && level.left.is_multiple_of(2);
        level.left -= 1;
        values += 1;
        if values > limits::VALUES {
            return Err(CodecError::TooManyValues { limit: limits::VALUES as u64 });
        }
        let offset = at.offset;
        match at.item()? {
            Item::Text(text) if is_key => {
                if depth == 1 {
                    keys.push(text.as_bytes());
                    key = text;
                }
            }
            _ if is_key => return Err(CodecError::Invalid { what: "a map's key is not text", offset }),
            Item::Text(text) if depth == 1 && key == "kind" => top.kind = Some(text),
            Item::Number(number) if depth == 1 && key == "id" => top.id = Some(number),
            Item::List(count) => push(&mut open, &mut depth, Open { left: count, map: false })?,
            Item::Map(count) => {
                top.maps += 1;
                push(&mut open, &mut depth, Open { left: count * 2, map: true })?;
            }
            Item::Text(_) | Item::Number(_) | Item::Other => {}
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

fn push(open: &mut [Open; limits::DEPTH], depth: &mut usize, level: Open) -> Result<(), CodecError> {
    let slot = open.get_mut(*depth).ok_or(CodecError::TooDeep { limit: limits::DEPTH as u64 })?;
    *slot = level;
    *depth += 1;
    Ok(())
}

struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    fn item(&mut self) -> Result<Item<'a>, CodecError> {
        let from = self.offset;
        let &[marker] = self.array(from)?;
        Ok(match marker {
            0x00..=0x7f => Item::Number(u64::from(marker)),
            0x80..=0x8f => Item::Map(self.count(u64::from(marker & 0x0f), 2, from)?),
            0x90..=0x9f => Item::List(self.count(u64::from(marker & 0x0f), 1, from)?),
            0xa0..=0xbf => self.text(u64::from(marker & 0x1f), from)?,
            0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => Item::Other,
            0xc1 => return Err(CodecError::Invalid { what: "the reserved byte c1", offset: from }),
            0xc4..=0xc6 => {
                let length = self.uint(1 << (marker - 0xc4), from)?;
                self.take(length, from)?;
                Item::Other
            }
            0xc7..=0xc9 | 0xd4..=0xd8 => {
                return Err(CodecError::Invalid { what: "an extension type", offset: from });
            }
            0xca => self.skip(4, from)?,
            0xcb => self.skip(8, from)?,
            0xcc..=0xcf => Item::Number(self.uint(1 << (marker - 0xcc), from)?),
            0xd0..=0xd3 => self.signed(1 << (marker - 0xd0), from)?,
            0xd9..=0xdb => {
                let length = self.uint(1 << (marker - 0xd9), from)?;
                self.text(length, from)?
            }
            0xdc | 0xdd => {
                let count = self.uint(2 << (marker - 0xdc), from)?;
                Item::List(self.count(count, 1, from)?)
            }
            0xde | 0xdf => {
                let count = self.uint(2 << (marker - 0xde), from)?;
                Item::Map(self.count(count, 2, from)?)
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

    fn skip(&mut self, length: u64, from: usize) -> Result<Item<'a>, CodecError> {
        self.take(length, from).map(|_| Item::Other)
    }

    fn uint(&mut self, width: u64, from: usize) -> Result<u64, CodecError> {
        Ok(self.take(width, from)?.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    // Some encoders write small positive numbers as signed ones.
    fn signed(&mut self, width: u32, from: usize) -> Result<Item<'a>, CodecError> {
        let number = self.uint(u64::from(width), from)?;
        let negative = number >> (width * 8 - 1) == 1;
        Ok(if negative { Item::Other } else { Item::Number(number) })
    }

    fn text(&mut self, length: u64, from: usize) -> Result<Item<'a>, CodecError> {
        let text = std::str::from_utf8(self.take(length, from)?);
        let invalid =
            |_| CodecError::Invalid { what: "text that is not UTF-8 (send bytes as bin)", offset: from };
        text.map(Item::Text).map_err(invalid)
    }

    /// A count that the rest of the bytes can hold, an element being at least a byte.
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
