//! The request that removes the contents of a file from the journal.

use serde::{Deserialize, Serialize};

use crate::path::FilePath;

/// Removes the contents that a file had from everything that the daemon keeps. The file itself is not touched.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ForgetRequest {
    /// The file. It need not exist any more.
    pub path: FilePath,
}

/// The reply to `forget`: the contents are gone. All numbers are 0 if they were gone before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ForgetReply {
    /// The path as the journal names it, with links resolved.
    pub path: FilePath,
    /// The number of entries whose contents were removed. They can no longer be undone.
    pub entries: u64,
    /// The number of removed clipboards.
    pub clipboards: u64,
    /// The number of removed files: contents that were kept for diffs and merges, and files that were set aside.
    pub files: u64,
    /// The absolute paths of damaged logs and databases that a salvage or the daemon has set aside. They are not changed, and
    /// may still have the contents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}
