//! The line breaks of contents that are not decoded.

use super::count::count_byte;

/// The bytes that end a line of a content, as far as they can be told without decoding it. A carriage return before a
/// line feed is a part of the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineBreak {
    /// This byte.
    Byte(u8),
    /// The code unit of UTF-16 with this value, little-endian or (`true`) big-endian.
    Unit(u8, bool),
}

impl LineBreak {
    /// Returns the line break of a content: a lone carriage return if the content has no line feed, and units of UTF-16 if
    /// it has their byte order mark.
    ///
    /// ```
    /// use editd_engine::LineBreak;
    ///
    /// assert_eq!(LineBreak::of(b"a\r\nb"), LineBreak::Byte(b'\n'));
    /// assert_eq!(LineBreak::of(b"a\rb"), LineBreak::Byte(b'\r'));
    /// assert_eq!(LineBreak::of(b"\xfe\xff\0a\0\n"), LineBreak::Unit(b'\n', true));
    /// ```
    pub fn of(content: &[u8]) -> Self {
        Self::of_all([content]).unwrap_or(Self::Byte(b'\n'))
    }

    /// Returns the line break by which all of some contents can be compared; `None` if some of them are UTF-16 and others
    /// are not, or have another byte order.
    pub(crate) fn of_all<const N: usize>(contents: [&[u8]; N]) -> Option<Self> {
        let order = |content: &[u8]| match content {
            [0xff, 0xfe, ..] => Some(false),
            [0xfe, 0xff, ..] => Some(true),
            _ => None,
        };
        let first = order(contents.first()?);
        if contents.iter().any(|content| order(content) != first) {
            return None;
        }
        let kind = |byte| first.map_or(Self::Byte(byte), |big| Self::Unit(byte, big));
        let has = |kind: Self| contents.iter().any(|content| kind.first_end(content).is_some());
        let is_bare = !has(kind(b'\n')) && has(kind(b'\r'));
        Some(kind(if is_bare { b'\r' } else { b'\n' }))
    }

    /// Returns the number of lines that end in a part of the content, which starts at a character.
    pub fn count(self, part: &[u8]) -> u64 {
        match self {
            Self::Byte(byte) => count_byte(byte, part) as u64,
            Self::Unit(byte, big) => {
                part.chunks_exact(2).filter(|unit| *unit == Self::unit(byte, big)).count() as u64
            }
        }
    }

    /// Returns the number of bytes of a unit.
    pub const fn width(self) -> usize {
        if matches!(self, Self::Unit(..)) { 2 } else { 1 }
    }

    /// Returns true if a unit is white space of ASCII.
    pub fn is_white(self, unit: &[u8]) -> bool {
        match (self, unit) {
            (Self::Unit(_, false), [white, 0]) | (Self::Unit(_, true), [0, white]) | (_, [white]) => {
                white.is_ascii_whitespace()
            }
            _ => false,
        }
    }

    /// Returns true if a part of the content, which starts at a character, ends in a break.
    pub fn ends(self, part: &[u8]) -> bool {
        match self {
            Self::Byte(byte) => part.last() == Some(&byte),
            Self::Unit(byte, big) => part.len().is_multiple_of(2) && part.ends_with(&Self::unit(byte, big)),
        }
    }

    /// Returns true if a part of the content, which starts at a character, starts with a break.
    pub fn starts(self, part: &[u8]) -> bool {
        match self {
            // A carriage return belongs to the break after it.
            Self::Byte(b'\n') => part.starts_with(b"\n") || part.starts_with(b"\r\n"),
            Self::Byte(byte) => part.first() == Some(&byte),
            Self::Unit(byte, big) => {
                let part =
                    part.strip_prefix(&Self::unit(b'\r', big)).filter(|_| byte == b'\n').unwrap_or(part);
                part.starts_with(&Self::unit(byte, big))
            }
        }
    }

    /// Returns the offset behind the first break of a part of the content, which starts at a character.
    pub(crate) fn first_end(self, part: &[u8]) -> Option<usize> {
        match self {
            Self::Byte(byte) => memchr::memchr(byte, part).map(|at| at + 1),
            Self::Unit(byte, big) => {
                let at = part.chunks_exact(2).position(|unit| unit == Self::unit(byte, big));
                at.map(|at| 2 * at + 2)
            }
        }
    }

    /// Returns the offset behind the last break of a part of the content, which starts at a character.
    pub(crate) fn last_end(self, part: &[u8]) -> Option<usize> {
        match self {
            Self::Byte(byte) => memchr::memrchr(byte, part).map(|at| at + 1),
            Self::Unit(byte, big) => {
                let at = part.chunks_exact(2).rposition(|unit| unit == Self::unit(byte, big));
                at.map(|at| 2 * at + 2)
            }
        }
    }

    /// Returns true if an offset of a part, which starts at a character, is inside of a character or of a `\r\n`.
    pub(crate) fn splits(self, part: &[u8], at: usize) -> bool {
        let around = || part.get(at.checked_sub(self.width())?..at + self.width());
        match self {
            Self::Byte(_) => {
                part.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) || around() == Some(b"\r\n".as_slice())
            }
            Self::Unit(_, big) => {
                let is_low = |unit: &[u8]| match *unit {
                    [high, _] if big => high & 0xfc == 0xdc,
                    [_, high] => high & 0xfc == 0xdc,
                    _ => false,
                };
                let break_units = if big { b"\0\r\0\n" } else { b"\r\0\n\0" };
                !at.is_multiple_of(2)
                    || part.get(at..at + 2).is_some_and(is_low)
                    || around() == Some(break_units.as_slice())
            }
        }
    }

    const fn unit(byte: u8, big: bool) -> [u8; 2] {
        if big { [0, byte] } else { [byte, 0] }
    }
}
