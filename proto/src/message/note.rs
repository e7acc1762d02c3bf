//! The request by which a client names the author of changes that other tools make.

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::ids::JobId;
use crate::path::FilePath;

/// The side of another tool's call on which a note is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotePhase {
    /// Before the call: changes from now on are its work.
    Begin,
    /// After the call.
    End,
}

/// Attributes changes by other tools to a session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NoteRequest {
    /// The side of the call.
    pub phase: NotePhase,
    /// The files that the call may change. `begin` without paths means every file; `end` without paths, those of its
    /// `begin`.
    #[serde(default, deserialize_with = "some_paths", skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<FilePath>,
    /// The session that makes the call; if absent, that of the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The label of the entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The name of the call, by which an `end` finds its `begin`. Needed if a session makes several calls at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// With `begin`: refuse as `stale` if one of `paths` is not what the session has read. Then nothing is announced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub check: bool,
}

/// Decodes paths. A client whose list is empty by mistake would claim the changes of every file.
fn some_paths<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FilePath>, D::Error> {
    let paths = Vec::deserialize(from)?;
    if paths.is_empty() {
        return Err(de::Error::custom("the list is empty; leave `paths` out to mean every file"));
    }
    Ok(paths)
}

/// The reply to `note`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NoteReply {
    /// True if changes are attributed to the session: always after `begin`; after `end`, if its `begin` was still known.
    pub announced: bool,
    /// After `end`: the entries of the call, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<NotedEntry>,
    /// The number of entries that are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u64>,
}

impl NoteReply {
    /// Returns the numbers of the entries, each once.
    #[must_use]
    pub fn jobs(&self) -> Vec<JobId> {
        let mut jobs: Vec<JobId> = self.entries.iter().map(|entry| entry.job).collect();
        jobs.dedup();
        jobs
    }
}

/// A change that was attributed to a session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NotedEntry {
    /// The number of its entry.
    pub job: JobId,
    /// The file.
    pub path: FilePath,
}
