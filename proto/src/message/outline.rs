//! The outline of a file: its definitions, as found by the syntax tree.

use editd_types::SymbolInfo;
use serde::{Deserialize, Serialize};

use crate::ids::Version;
use crate::path::FilePath;

/// Asks for the outline of a file. The file does not count as read, since no content is shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutlineRequest {
    /// The file.
    pub path: FilePath,
    /// The maximum depth of the listed symbols: 0 for the top level only. If absent, all symbols are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
}

/// The reply to `outline`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutlineReply {
    /// The path in the workspace, with links resolved.
    pub path: FilePath,
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
