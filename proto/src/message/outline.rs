//! A file's outline: its definitions as the syntax tree shows them.

use serde::{Deserialize, Serialize};

use super::job::SymbolPosition;
use crate::ids::Version;
use crate::path::WirePath;

/// Asks for a file's outline. It gives no receipt: no content is shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutlineRequest {
    /// Which file.
    pub path: WirePath,
    /// Only symbols that lie at most so deep, 0 for those that lie in no other; all where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
}

/// A file's outline.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutlineReply {
    /// The path as the workspace knows it: links resolved.
    pub path: WirePath,
    /// The tag of the whole content that was parsed.
    pub version: Version,
    /// The language, such as `rust`.
    pub language: String,
    /// The symbols, in the order of the file; a symbol stands before those that lie in it.
    pub symbols: Vec<SymbolInfo>,
    /// Symbols left out beyond [`crate::limits::SYMBOLS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u64>,
    /// What the reader should know: the file has syntax errors, so that symbols may be missing.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// One definition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SymbolInfo {
    /// Its name path, such as `Class/method`: names it alone in its file.
    pub name: String,
    /// What it is, such as `function`, `class`, `method`.
    pub kind: String,
    /// How many symbols it lies in.
    pub depth: u64,
    /// First and last line with what belongs to it: comments, decorators and attributes in front.
    pub lines: (u64, u64),
    /// The definition itself.
    pub definition: Extent,
    /// What `replace_body` replaces; absent where it has no body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Extent>,
    /// Where its name stands, as a language server counts it.
    pub position: SymbolPosition,
    /// In the reply to a read by a name that others have, too: those, which only declare what this one implements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declarations: Vec<Declaration>,
}

/// A stretch of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Extent {
    /// The 1-based line and column of its first character, columns in Unicode scalar values.
    pub start: (u64, u64),
    /// The 1-based line and column directly behind its last character.
    pub end: (u64, u64),
}

/// A symbol that only declares what another one implements: an overload's signature, a prototype.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Declaration {
    /// Its name path.
    pub name: String,
    /// Its first and last line.
    pub lines: (u64, u64),
}
