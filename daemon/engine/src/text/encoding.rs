//! Detects the encoding of a file, decodes and encodes. It never guesses: the encoding is given by a BOM or by the
//! configuration, or is UTF-8.

use std::borrow::Cow;

use editd_types::ErrorCode;

use crate::Refusal;
use crate::cut::Cut;
use crate::limits;
use crate::refusal::{on_line, refuse};

/// The encoding of a file that editd edits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// UTF-8, with or without a BOM.
    Utf8,
    /// UTF-16 with little-endian code units.
    Utf16Le,
    /// UTF-16 with big-endian code units.
    Utf16Be,
    /// An encoding that the configuration names. It has no state, so that parts of a text can be encoded
    /// separately.
    Named(&'static encoding_rs::Encoding),
}

/// Returns the encoding that the first bytes or the configuration name, and the length of the BOM in bytes.
pub(crate) fn detect(bytes: &[u8], label: Option<&str>) -> Result<(Encoding, usize), Refusal> {
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) || bytes.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Err(wrong("utf-32", "this file looks like UTF-32, which is not edited; make it UTF-8 first"));
    }
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        return Ok((Encoding::Utf8, 3));
    }
    if bytes.starts_with(&[0xff, 0xfe]) {
        return Ok((Encoding::Utf16Le, 2));
    }
    if bytes.starts_with(&[0xfe, 0xff]) {
        return Ok((Encoding::Utf16Be, 2));
    }
    match label {
        None => Ok((Encoding::Utf8, 0)),
        Some(label) => Ok((named(label)?, 0)),
    }
}

fn named(label: &str) -> Result<Encoding, Refusal> {
    let found = encoding_rs::Encoding::for_label(label.as_bytes()).ok_or_else(|| {
        refuse(
            ErrorCode::Encoding,
            format!("the configuration names the unknown encoding {label:?}; use a WHATWG label"),
        )
    })?;
    if found == encoding_rs::UTF_8 {
        return Ok(Encoding::Utf8);
    }
    if found == encoding_rs::UTF_16LE {
        return Ok(Encoding::Utf16Le);
    }
    if found == encoding_rs::UTF_16BE {
        return Ok(Encoding::Utf16Be);
    }
    if found == encoding_rs::ISO_2022_JP || found == encoding_rs::REPLACEMENT {
        let name = found.name();
        return Err(wrong(
            name,
            format!("{name} has shift states and is not edited; make the file UTF-8 first"),
        ));
    }
    Ok(Encoding::Named(found))
}

/// Returns true if bytes that are not UTF-16 have a NUL in the part of the file in which it makes the file binary.
pub(crate) fn has_nul(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes.cut(0..bytes.len().min(limits::BINARY_PROBE))).is_some()
}

impl Encoding {
    /// Returns the name for replies.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Utf8 => "utf-8".to_owned(),
            Self::Utf16Le => "utf-16le".to_owned(),
            Self::Utf16Be => "utf-16be".to_owned(),
            Self::Named(encoding) => encoding.name().to_ascii_lowercase(),
        }
    }

    /// Decodes a content, or refuses it with `binary` or `encoding`.
    pub(crate) fn decode(self, bytes: &[u8]) -> Result<Cow<'_, str>, Refusal> {
        let wide = matches!(self, Self::Utf16Le | Self::Utf16Be);
        if !wide && has_nul(bytes) {
            return Err(refuse(
                ErrorCode::Binary,
                "this file contains NUL bytes, so it is not text; only file operations apply: to replace it, delete it in \
                 one entry and create it in the next",
            ));
        }
        match self {
            Self::Utf8 => std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|bad| {
                let good = String::from_utf8_lossy(bytes.cut(0..bad.valid_up_to()));
                let byte = bytes.get(bad.valid_up_to()).copied().unwrap_or_default();
                stops("utf-8", &good, |place| {
                    format!(
                        "this file is not UTF-8 (byte 0x{byte:02X} at {place}); to edit it, name its encoding under `[[encodings]]` in .editd.toml and run `editctl stop`"
                    )
                })
            }),
            Self::Utf16Le => wide_text(bytes, u16::from_le_bytes),
            Self::Utf16Be => wide_text(bytes, u16::from_be_bytes),
            Self::Named(encoding) => {
                let text = encoding.decode_without_bom_handling_and_without_replacement(bytes);
                let text = text.filter(|text| {
                    let (again, _, lossy) = encoding.encode(text);
                    !lossy && *again == *bytes
                });
                text.ok_or_else(|| unlike(encoding, bytes))
            }
        }
    }

    /// Encodes a text. Returns a refusal with `encoding` if the encoding lacks a character.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, Refusal> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Self::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Self::Named(encoding) => match encoding.encode(text) {
                (bytes, _, false) => Ok(bytes.into_owned()),
                _ => Err(lacks(encoding, text)),
            },
        }
    }

    /// Returns the size of a text after encoding, in bytes.
    pub(crate) fn width(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16Le | Self::Utf16Be => 2 * text.encode_utf16().count(),
            Self::Named(encoding) if encoding.is_single_byte() => text.chars().count(),
            Self::Named(encoding) => encoding.encode(text).0.len(),
        }
    }
}

fn wide_text(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, Refusal> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::new();
    let whole = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .try_for_each(|letter| letter.map(|letter| text.push(letter)));
    if whole.is_ok() && rest.is_empty() {
        return Ok(Cow::Owned(text));
    }
    Err(stops("utf-16", &text, |place| {
        format!(
            "this file begins with the byte order mark of UTF-16 but is not UTF-16 at {place}; repair it there, or convert it to UTF-8"
        )
    }))
}

/// Creates a refusal that names the encoding.
fn wrong(encoding: &str, message: impl Into<String>) -> Refusal {
    let mut error = refuse(ErrorCode::Encoding, message);
    error.encoding = Some(encoding.to_ascii_lowercase());
    error
}

/// Creates the refusal of a content that can be decoded only up to the end of `good`. Lines are counted as in a file
/// with `\n`.
fn stops(encoding: &str, good: &str, message: impl FnOnce(&str) -> String) -> Refusal {
    let line = memchr::memchr_iter(b'\n', good.as_bytes()).count() as u64 + 1;
    let start = memchr::memrchr(b'\n', good.as_bytes()).map_or(0, |at| at + 1);
    let column = good.cut(start..good.len()).chars().count() as u64 + 1;
    let mut error = on_line(line, wrong(encoding, message(&format!("line {line}, column {column}"))));
    error.column = Some(column);
    error
}

/// Creates the refusal of a content that is not valid in the encoding that the configuration names, or that decoding
/// and encoding would change.
fn unlike(encoding: &'static encoding_rs::Encoding, bytes: &[u8]) -> Refusal {
    let mut good = String::with_capacity(bytes.len());
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let room = decoder.max_utf8_buffer_length_without_replacement(bytes.len()).unwrap_or(0);
    good.reserve(room);
    let (_, read) = decoder.decode_to_string_without_replacement(bytes, &mut good, true);
    let again = encoding.encode(&good).0;
    let same = again.iter().zip(bytes.cut(0..read)).take_while(|(own, there)| own == there).count();
    let good = encoding.decode_without_bom_handling(bytes.cut(0..same)).0;
    let name = encoding.name();
    stops(name, &good, |place| {
        format!(
            "this file is not valid {name}, which the configuration names, at {place}; name its own encoding there"
        )
    })
}

/// Creates the refusal of a text with a character that the encoding lacks, with the first such character.
fn lacks(encoding: &'static encoding_rs::Encoding, text: &str) -> Refusal {
    let name = encoding.name();
    let mut buffer = [0; 4];
    let Some(letter) = text.chars().find(|letter| encoding.encode(letter.encode_utf8(&mut buffer)).2) else {
        return wrong(name, format!("the new text cannot be written in {name}; use other characters"));
    };
    let shown = if letter.is_control() { String::new() } else { format!("`{letter}`, ") };
    let number = u32::from(letter);
    let message = format!(
        "the new text has {shown}U+{number:04X}, which {name} lacks; write something else, or make the file UTF-8"
    );
    let mut error = wrong(name, message);
    error.character = Some(letter.to_string());
    error
}
