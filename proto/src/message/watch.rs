//! Subscriptions: being told of changes.

use serde::{Deserialize, Serialize};

use super::history::EntryKind;
use crate::ids::{JobId, Version};
use crate::path::WirePath;

/// Asks for events until the connection ends.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SubscribeRequest {
    /// Globs of workspace paths (`src/**/*.rs`); every file where empty. Files that git ignores and
    /// `.git` itself are left out unless a glob names them literally.
    #[serde(default)]
    pub globs: Vec<String>,
}

/// The reply to `subscribe`; events follow.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SubscribeReply {
    /// Folders that are now watched.
    pub folders: u64,
}

/// What happened to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Created,
    /// Its content is new.
    Changed,
    /// It is gone.
    Removed,
    /// Events were lost: look again at what matters.
    Overflow,
}

/// One change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChangeEvent {
    /// What happened.
    pub change: ChangeKind,
    /// To which file; absent with `overflow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<WirePath>,
    /// The version there now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The journal entry, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<JobId>,
    /// What made that entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<EntryKind>,
    /// The session that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}
