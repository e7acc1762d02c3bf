//! Requests to read a file. The session gets a receipt for the content that it has read.

use editd_types::SymbolInfo;
use serde::{Deserialize, Serialize};

use crate::ids::Version;
use crate::path::FilePath;

/// Asks for the content of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReadRequest {
    /// The file.
    pub path: FilePath,
    /// The first and the last line, 1-based and inclusive; if absent, the whole file. A last line beyond the end means
    /// the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u64, u64)>,
    /// The name path of a symbol: returns only the whole lines of the symbol and of the comments, decorators and
    /// attributes that belong to it. Not with `lines`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// With `symbol`: returns only the body, exactly the range that `replace_body` replaces.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub body: bool,
    /// The hash of the content, from a client that read the file itself (`blake3:<64 hex>` or `sha256:<64 hex>`). If
    /// the content has this hash, the receipt is recorded and no text is sent; otherwise the reply is `stale`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
}

/// The reply to `read`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReadReply {
    /// The path in the workspace, with links resolved.
    pub path: FilePath,
    /// The version of the whole content, to be sent as `base`.
    pub version: Version,
    /// The hash of the whole content: `blake3:` and 64 hexadecimal digits.
    pub hash: String,
    /// The decoded text, without a byte order mark and with its original line endings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes, if the file is not text that editd edits.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "serde_bytes")]
    pub bytes: Option<Vec<u8>>,
    /// The number of lines of the whole file.
    pub lines: u64,
    /// The 1-based number of the first line of `text`.
    pub first_line: u64,
    /// The encoding: `utf-8`, `utf-16le`, `utf-16be`, the name of a configured encoding, or `binary`.
    pub encoding: String,
    /// The line ending: `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub line_ending: String,
    /// Set if the file starts with a byte order mark.
    pub bom: bool,
    /// The size of the whole file in bytes.
    pub size: u64,
    /// The symbol, if the request named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<SymbolInfo>,
}
