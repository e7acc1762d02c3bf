//! Clipboards. A name belongs to the session; a name that begins with `/` to the workspace.

use serde::{Deserialize, Serialize};

use crate::path::WirePath;

/// What to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClipAction {
    /// The session's and the workspace's clipboards, without their texts.
    List,
    /// One, with its text.
    Show,
    /// Store `text` in one.
    Set,
    /// Copy one to `to`.
    Copy,
    /// Remove one.
    Rm,
}

/// A clipboard request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClipRequest {
    /// What to do.
    pub action: ClipAction,
    /// Which one; not with `list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// With `copy`: the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// With `set`: what to store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// One clipboard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClipInfo {
    /// Its name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// When it was stored, milliseconds since 1970 UTC.
    pub time: u64,
    /// The file that the text was cut from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<WirePath>,
}

/// The reply to `clip`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ClipReply {
    /// With `list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clips: Option<Vec<ClipInfo>>,
    /// With `list`: clipboards beyond [`crate::limits::CLIPBOARDS`], which are not listed until others are removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u64>,
    /// Otherwise: which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// With `show`: its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// With `show`: its bytes, where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "serde_bytes")]
    pub bytes: Option<Vec<u8>>,
    /// The file that the text was cut from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<WirePath>,
}
