//! The edits of a job as its caller writes them: flat records of optional fields.

use serde::{Deserialize, Serialize};

use crate::path::FilePath;
use crate::skip::is_default;
use crate::symbol::SymbolPosition;

/// Implements serde for a struct with derived functions, and records the struct's unknown fields.
macro_rules! strict {
    ($name:ident) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let mut unknown = Vec::new();
                let read = Self::deserialize(crate::strict::StrictDeserializer::new(from, &mut unknown))?;
                Ok(Self { unknown, ..read })
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, to)
            }
        }
    };
}

/// The edits of one file. All are located in the same content.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(remote = "Self", expecting = "a file with its edits")]
pub struct FileEntry {
    /// The file; empty if `paths` is used.
    #[serde(default, skip_serializing_if = "is_default")]
    pub path: FilePath,
    /// Instead of `path`: paths and globs of the files in which one `substitute` is applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The base: a version, `blake3:…`, `sha256:…`, `any` or `absent`. If it is absent, this session's receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The edits. A single edit need not be in a list.
    #[serde(deserialize_with = "crate::strict::one_or_many")]
    pub edits: Vec<FileEdit>,
    /// The names of unknown fields. An entry with any is refused.
    #[serde(skip)]
    pub unknown: Vec<String>,
}

strict!(FileEntry);

/// An edit: `op` and the fields of that operation. The engine checks which fields belong together, so that its error
/// can name the edit. `daemon/docs/edit-language.md` describes the fields. A new one is also listed in
/// `engine/src/op/fields.rs`. It makes every edit of a job larger, even those without it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(remote = "Self", expecting = "an edit")]
#[expect(
    missing_docs,
    reason = "each field is described once, at the operation that reads it, in engine/src/op"
)]
pub struct FileEdit {
    pub op: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<EditPosition>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub loosest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_lines: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eol: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_clipboard: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_clipboard: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reindent: Option<Reindent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<FilePath>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrite: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_empty: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_line: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<FileMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<EditScope>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_order: Option<bool>,
    /// The names of unknown fields, including nested ones (`reindent.stirp`). An edit with any is refused.
    #[serde(skip)]
    pub unknown: Vec<String>,
}

strict!(FileEdit);

/// The part of a file in which an edit searches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditScope {
    /// The first and the last line, 1-based and inclusive.
    Lines((u64, u64)),
    /// A symbol, by name path (`Class/method`).
    Symbol(String),
    /// The symbol that starts at a position.
    Position(SymbolPosition),
}

/// Permission bits: octal digits as text (`"644"`, `"0644"`), or a number below 512 (420 is 0o644). A number that could
/// also be meant as octal digits is refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FileMode {
    /// The bits.
    Bits(u32),
    /// Octal digits.
    Octal(String),
}

/// The place at which `insert` puts its text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditPosition {
    /// Before the first byte, but behind a byte order mark.
    Start,
    /// Behind the last byte.
    End,
    /// Before this line, which may be one past the last.
    Line(u64),
    /// Directly before the only occurrence of this text.
    Before(String),
    /// Directly behind the only occurrence of this text.
    After(String),
}

/// A change of the indentation of the new text: `strip` is removed from each line that is not blank, then `add` is put
/// in front.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Reindent {
    /// The text with which each line must start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strip: Option<String>,
    /// The text that is added to each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add: Option<String>,
}
