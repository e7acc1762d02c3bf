//! The request that names the present state of the workspace.

use serde::{Deserialize, Serialize};

use crate::ids::JobId;

/// Makes an entry without files that has this name. `undo` with `to` undoes everything behind it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MarkRequest {
    /// The name. If it is used again, it means the newest mark.
    pub name: String,
}

/// The reply to `mark`: the mark is on the disk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MarkReply {
    /// The number of the entry.
    pub job: JobId,
    /// The name.
    pub name: String,
}
