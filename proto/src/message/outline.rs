//! The outline of a file: its definitions, as found by the syntax tree.

use serde::{Deserialize, Serialize};

use super::job::SymbolPosition;
use crate::ids::Version;
use crate::path::WirePath;

/// Asks for the outline of a file. The file does not count as read, since no content is shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutlineRequest {
    /// The file.
    pub path: WirePath,
    /// The maximum depth of the listed symbols: 0 for the top level only. If absent, all symbols are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
}

/// The reply to `outline`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutlineReply {
    /// The path in the workspace, with links resolved.
    pub path: WirePath,
    /// The version of the parsed content.
    pub version: Version,
    /// The language, such as `rust`.
    pub language: String,
    /// The symbols, in the order of the file. A symbol comes before those that it contains.
    pub symbols: Vec<SymbolInfo>,
    /// The number of symbols beyond [`crate::limits::SYMBOLS`], which are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u64>,
    /// Warnings: for example, the file has syntax errors, so that symbols may be missing.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// A definition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SymbolInfo {
    /// The name path, such as `Class/method`, which is unique in the file.
    pub name: String,
    /// The kind, such as `function`, `class` or `method`.
    pub kind: String,
    /// The number of symbols that contain this one.
    pub depth: u64,
    /// The first and the last line, including the comments, decorators and attributes that belong to the symbol.
    pub lines: (u64, u64),
    /// The range of the definition without them.
    pub definition: TextExtent,
    /// The range that `replace_body` replaces; absent if there is no body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<TextExtent>,
    /// The position of the name, as a language server counts it.
    pub position: SymbolPosition,
    /// In the reply to a read by a name that several symbols have: the mere declarations of this symbol.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declarations: Vec<SymbolDeclaration>,
}

/// A range of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TextExtent {
    /// The 1-based line and column of the first character, in Unicode scalar values.
    pub start: (u64, u64),
    /// The 1-based line and column directly behind the last character.
    pub end: (u64, u64),
}

/// A mere declaration of a symbol: a prototype, or the signature of an overload.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SymbolDeclaration {
    /// The name path.
    pub name: String,
    /// The first and the last line.
    pub lines: (u64, u64),
}
