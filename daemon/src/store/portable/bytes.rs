//! Bytes in JSON: text if they are valid UTF-8, otherwise an object with their base64 form. Pure.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The digits of base64 (RFC 4648, section 4), in the order of their values.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes that are serialized as text if possible, otherwise as `{"base64": "…"}`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PortableBytes(pub Vec<u8>);

impl From<&[u8]> for PortableBytes {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl Serialize for PortableBytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => to.serialize_str(text),
            Err(_) => {
                let mut map = to.serialize_map(Some(1))?;
                map.serialize_entry("base64", &encode(&self.0))?;
                map.end()
            }
        }
    }
}

struct BytesVisitor;

impl<'de> Visitor<'de> for BytesVisitor {
    type Value = PortableBytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or an object with `base64`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<PortableBytes, E> {
        Ok(PortableBytes(text.as_bytes().to_vec()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<PortableBytes, E> {
        Ok(PortableBytes(text.into_bytes()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PortableBytes, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == "base64" {
                let text: String = map.next_value()?;
                found = Some(decode(&text).ok_or_else(|| de::Error::custom("text that is not base64"))?);
            } else {
                map.next_value::<de::IgnoredAny>()?;
            }
        }
        found.map(PortableBytes).ok_or_else(|| de::Error::missing_field("base64"))
    }
}

impl<'de> Deserialize<'de> for PortableBytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(BytesVisitor)
    }
}

/// Encodes bytes as base64 with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let value =
            group.iter().fold(0, |value, byte| (value << 8) | u32::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            let at = (value >> (18 - 6 * digit)) & 63;
            let shown = DIGITS.get(at as usize).filter(|_| digit <= group.len());
            out.push(char::from(*shown.unwrap_or(&b'=')));
        }
    }
    out
}

/// Decodes base64 with padding; `None` if the text is not the encoding of any bytes.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut groups = text.as_bytes().chunks(4).peekable();
    while let Some(group) = groups.next() {
        let padding = group.iter().rev().take_while(|digit| **digit == b'=').count();
        if group.len() != 4 || padding > 2 || (padding > 0 && groups.peek().is_some()) {
            return None;
        }
        let mut value = 0;
        for digit in group.get(..4 - padding)? {
            value = (value << 6) | u32::try_from(DIGITS.iter().position(|other| other == digit)?).ok()?;
        }
        let [_, bytes @ ..] = (value << (6 * padding)).to_be_bytes();
        let (kept, cut) = bytes.split_at(3 - padding);
        if cut.iter().any(|byte| *byte != 0) {
            return None;
        }
        out.extend_from_slice(kept);
    }
    Some(out)
}
