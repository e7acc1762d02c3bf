//! The symbols of a file: definitions, with their ranges and positions.

use serde::{Deserialize, Serialize};

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

/// A position as a language server counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SymbolPosition {
    /// The line, 0-based.
    pub line: u64,
    /// The column, 0-based, in UTF-16 code units.
    pub column: u64,
}
