//! Paths as a caller writes them: bytes, usually relative to the workspace, serialized as text if they are valid UTF-8.

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

use crate::limits;

/// A path as a caller wrote it: `/`-separated bytes that may still point outside of the workspace.
///
/// It is serialized as text if it is valid UTF-8. Otherwise it is serialized as bytes, and in formats without bytes, such
/// as JSON, as `{"bytes": [n, …]}`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FilePath(Vec<u8>);

impl FilePath {
    /// Creates a path of any bytes. The path is checked when it is resolved.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the path as text; `None` if it is not valid UTF-8.
    pub fn as_text(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Returns the parent folder: everything before the last slash, or an empty path at the root.
    #[must_use]
    pub fn folder(&self) -> Self {
        let end = self.0.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        Self(self.0.get(..end).unwrap_or_default().to_vec())
    }

    /// Returns the path as text. Invalid UTF-8 becomes U+FFFD, and control characters are escaped.
    pub fn display(&self) -> String {
        let text = String::from_utf8_lossy(&self.0);
        // This is the common case, and many errors may contain a long path.
        if !text.chars().any(char::is_control) {
            return text.into_owned();
        }
        text.chars()
            .flat_map(|c| {
                let escaped = c.is_control();
                let shown: Box<dyn Iterator<Item = char>> =
                    if escaped { Box::new(c.escape_default()) } else { Box::new(std::iter::once(c)) };
                shown
            })
            .collect()
    }
}

impl fmt::Debug for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.display())
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display())
    }
}

impl From<&str> for FilePath {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

#[derive(Serialize)]
struct JsonBytes<'a> {
    bytes: &'a [u8],
}

impl Serialize for FilePath {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => to.serialize_str(text),
            Err(_) if to.is_human_readable() => JsonBytes { bytes: &self.0 }.serialize(to),
            Err(_) => to.serialize_bytes(&self.0),
        }
    }
}

struct PathVisitor;

impl<'de> Visitor<'de> for PathVisitor {
    type Value = FilePath;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a path of at most {} bytes, as text, or as bytes where it is not UTF-8", limits::PATH)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<FilePath, E> {
        self.visit_bytes(text.as_bytes())
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<FilePath, E> {
        if bytes.len() > limits::PATH {
            return Err(E::custom(format_args!(
                "a path of {} bytes; the limit is {}",
                bytes.len(),
                limits::PATH
            )));
        }
        Ok(FilePath(bytes.to_vec()))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<FilePath, A::Error> {
        let mut bytes: Option<Vec<u8>> = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == "bytes" {
                bytes = Some(map.next_value()?);
            } else {
                map.next_value::<de::IgnoredAny>()?;
            }
        }
        self.visit_bytes(&bytes.ok_or_else(|| de::Error::missing_field("bytes"))?)
    }
}

impl<'de> Deserialize<'de> for FilePath {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(PathVisitor)
    }
}
