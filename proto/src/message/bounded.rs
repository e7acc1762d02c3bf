//! Reads the files of a job and refuses lists that are over their limits. Never truncates a list.

use std::fmt;

use editd_types::FileEntry;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::limits;

/// The error for too many files. The codec recognises it by its text, since serde errors carry nothing else.
pub(crate) const TOO_MANY_FILES: &str = "the job lists more files than are accepted; split it";
/// The error for too many edits. The codec recognises it by its text.
pub(crate) const TOO_MANY_EDITS: &str = "the job holds more edits than are accepted; split it";

/// Reads the files of a job: at most [`limits::FILES`], with at most [`limits::EDITS`] edits in total.
pub(super) fn files<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FileEntry>, D::Error> {
    from.deserialize_any(FilesVisitor)
}

struct FilesVisitor;

impl<'de> Visitor<'de> for FilesVisitor {
    type Value = Vec<FileEntry>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of files")
    }

    /// A single file need not be in a list.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let file = <FileEntry as Deserialize>::deserialize(MapAccessDeserializer::new(map))?;
        if file.edits.len() > limits::EDITS {
            return Err(A::Error::custom(TOO_MANY_EDITS));
        }
        Ok(vec![file])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut files = Vec::new();
        let mut edits = 0;
        while let Some(file) = list.next_element::<FileEntry>()? {
            edits += file.edits.len();
            if files.len() == limits::FILES {
                return Err(A::Error::custom(TOO_MANY_FILES));
            }
            if edits > limits::EDITS {
                return Err(A::Error::custom(TOO_MANY_EDITS));
            }
            files.push(file);
        }
        Ok(files)
    }
}
