//! Lists of a job that stop being read at their limit. It refuses; it never cuts a list short.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::job::FileEntry;
use crate::limits;

/// serde carries a refusal as text alone: by these sentences the codec knows this one for what it is.
pub(crate) const TOO_MANY_FILES: &str = "the job lists more files than are accepted; split it";
/// As above.
pub(crate) const TOO_MANY_EDITS: &str = "the job holds more edits than are accepted; split it";

/// The files of a job: at most [`limits::FILES`], with at most [`limits::EDITS`] edits in all.
pub(super) fn files<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FileEntry>, D::Error> {
    from.deserialize_any(Files)
}

struct Files;

impl<'de> Visitor<'de> for Files {
    type Value = Vec<FileEntry>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of files")
    }

    /// One file may come without its list.
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
