//! Requests about clipboards. A clipboard belongs to its session, or to the workspace if its name starts with `/`.

use serde::{Deserialize, Serialize};

use crate::path::FilePath;

/// The action of a clipboard request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClipAction {
    /// List the clipboards of the session and the workspace, without their texts.
    List,
    /// Return a clipboard with its text.
    Show,
    /// Store `text` in a clipboard.
    Set,
    /// Copy a clipboard to `to`.
    Copy,
    /// Remove a clipboard.
    Rm,
}

/// A request about clipboards.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClipRequest {
    /// The action.
    pub action: ClipAction,
    /// The name of the clipboard; not with `list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The target of `copy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The text that `set` stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A clipboard without its text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClipInfo {
    /// The name.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
    /// The time at which it was stored, in milliseconds since 1970 UTC.
    pub time: u64,
    /// The file from which the text was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<FilePath>,
}

/// The reply to `clip`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ClipReply {
    /// The clipboards, for `list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clips: Option<Vec<ClipInfo>>,
    /// The number of clipboards beyond [`crate::limits::CLIPBOARDS`] that `list` leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u64>,
    /// The name of the clipboard, for all other actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The text, for `show`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes, for `show`, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "serde_bytes")]
    pub bytes: Option<Vec<u8>>,
    /// The file from which the text was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<FilePath>,
}
