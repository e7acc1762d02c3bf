//! Reading a file, which gives the session a receipt for it.

use serde::{Deserialize, Serialize};

use super::outline::SymbolInfo;
use crate::ids::Version;
use crate::path::WirePath;

/// Asks for a file's content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReadRequest {
    /// Which file.
    pub path: WirePath,
    /// First and last line, 1-based and inclusive; the whole file where absent. A last line past the end
    /// means the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u64, u64)>,
    /// Only this symbol, by name path, with the comments, decorators and attributes that belong to it: whole lines.
    /// Not with `lines`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// With `symbol`: the body alone, exactly what `replace_body` replaces.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub body: bool,
    /// A client that read the file itself reports what it saw (`blake3:<64 hex>` or `sha256:<64 hex>`):
    /// the receipt is recorded if that is what is there, `stale` is answered if not, and no text is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
}

/// A file's content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReadReply {
    /// The path as the workspace knows it: links resolved.
    pub path: WirePath,
    /// The tag of the whole content: what to send as `base`.
    pub version: Version,
    /// `blake3:` and 64 hexadecimal digits of the whole content.
    pub hash: String,
    /// The text, decoded, without BOM, line endings as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes, where the file is not text that editd edits.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "serde_bytes")]
    pub bytes: Option<Vec<u8>>,
    /// Lines of the whole file.
    pub lines: u64,
    /// The 1-based number of the first line of `text`.
    pub first_line: u64,
    /// `utf-8`, `utf-16le`, `utf-16be`, a configured encoding's name, or `binary`.
    pub encoding: String,
    /// `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub line_ending: String,
    /// Whether the file begins with a byte order mark.
    pub bom: bool,
    /// Bytes of the whole file.
    pub size: u64,
    /// The symbol that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<SymbolInfo>,
}
