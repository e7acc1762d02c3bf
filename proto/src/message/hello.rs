//! The first exchange of a connection.

use serde::{Deserialize, Serialize};

use super::job::OnStale;

/// The first message of a client.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol versions that the client supports, best first.
    pub protocol: Vec<u32>,
    /// The name of the client, for the journal.
    pub client: String,
    /// The session that owns receipts, clipboards and undo. If it is absent, the server creates a new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The default of the session's jobs for content that changed since their base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_stale: Option<OnStale>,
    /// Further capabilities of the client. None are defined yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
}

/// The reply to `hello`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// The protocol version for this connection.
    pub protocol: u32,
    /// The version of the server.
    pub server: String,
    /// The absolute path of the workspace, for display.
    pub workspace: String,
    /// The name of the session.
    pub session: String,
    /// The limits of the server.
    pub limits: ServerLimits,
}

/// The limits of the server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ServerLimits {
    /// Maximum size of a frame in bytes.
    pub frame: u64,
    /// Maximum size of a file in bytes.
    pub file: u64,
    /// Maximum number of files in a job.
    pub files: u64,
    /// Maximum number of edits in a job.
    pub edits: u64,
}
