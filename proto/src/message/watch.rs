//! Subscriptions to changes of files.

use editd_types::{CheckOutcome, EntryKind};
use serde::{Deserialize, Serialize};

use crate::ids::{JobId, Version};
use crate::path::FilePath;

/// Asks for events until the connection ends.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SubscribeRequest {
    /// Globs of workspace paths (`src/**/*.rs`). If empty, every file matches. Files that git ignores, and `.git`
    /// itself, are left out unless a glob names them literally.
    #[serde(default)]
    pub globs: Vec<String>,
}

/// The reply to `subscribe`. Events follow.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SubscribeReply {
    /// The number of watched folders.
    pub folders: u64,
}

/// The kind of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The file was created.
    Created,
    /// The content of the file changed.
    Changed,
    /// The file was removed.
    Removed,
    /// Events were lost. Read the files that matter again.
    Overflow,
    /// The log is damaged; `message` says what is lost and what to do.
    Damage,
    /// A check has ended; `check` is its result.
    Check,
}

/// A change of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChangeEvent {
    /// The kind of the change.
    pub change: ChangeKind,
    /// The file; absent for `overflow`, `damage` and `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FilePath>,
    /// The current version of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The journal entry of the change, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<JobId>,
    /// The origin of that entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<EntryKind>,
    /// The session that made that entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The damage and the remedy; only for `damage`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The result; only for `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckOutcome>,
}

impl ChangeEvent {
    /// Returns the event that stands for lost events.
    #[must_use]
    pub const fn overflow() -> Self {
        Self::without_path(ChangeKind::Overflow)
    }

    /// Returns an event of this kind about no file.
    #[must_use]
    pub const fn without_path(change: ChangeKind) -> Self {
        Self {
            change,
            path: None,
            version: None,
            entry: None,
            by: None,
            session: None,
            message: None,
            check: None,
        }
    }
}
