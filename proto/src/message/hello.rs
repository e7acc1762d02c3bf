//! The first exchange of a connection.

use serde::{Deserialize, Serialize};

use super::job::OnStale;

/// What a client says first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol versions that it speaks, best first.
    pub protocol: Vec<u32>,
    /// Its name, for the journal.
    pub client: String,
    /// Whose receipts, clipboards and undo these are; a fresh name is made where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The default of its jobs for content that changed since their base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_stale: Option<OnStale>,
    /// What it understands beyond the version; none are defined yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
}

/// What the server answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// The version that both will speak.
    pub protocol: u32,
    /// The server's version.
    pub server: String,
    /// The workspace's absolute path, for people.
    pub workspace: String,
    /// The session.
    pub session: String,
    /// What the server accepts.
    pub limits: ServerLimits,
}

/// What the server accepts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ServerLimits {
    /// Bytes of a frame.
    pub frame: u64,
    /// Bytes of a file.
    pub file: u64,
    /// Files of a job.
    pub files: u64,
    /// Edits of a job.
    pub edits: u64,
}
