//! The daemon's own state: status, check, stop.

use serde::{Deserialize, Serialize};

/// The reply to `status`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StatusReply {
    /// The daemon's process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// The workspace's absolute path.
    pub workspace: String,
    /// The socket or pipe.
    pub socket: String,
    /// The folder of log and database.
    pub state: String,
    /// Seconds since it started.
    pub uptime: u64,
    /// Open connections.
    pub sessions: u64,
    /// Jobs that wait or run.
    pub queue: u64,
    /// Journal entries.
    pub entries: u64,
    /// Entries whose files are not flushed yet.
    pub unsettled: u64,
    /// Watched folders.
    pub watch: u64,
    /// Set where the daemon no longer accepts edits, with the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Set where commands that the workspace brings do not run: which, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Other workspaces of this user that are served and lie above or below this one: their paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearby: Vec<String>,
}

/// Asks for a check of log, database and staging folder.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CheckRequest {}

/// One thing that was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// `ok`, `note` or `bad`.
    pub severity: String,
    /// What was looked at.
    pub subject: String,
    /// What was seen, and what to do about it.
    pub message: String,
}

/// The reply to `check`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CheckReply {
    /// What was found.
    pub findings: Vec<Finding>,
}

/// Asks the daemon to finish, settle and leave.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct StopRequest {}

/// The reply to `stop`, sent before it leaves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StopReply {
    /// The process that is leaving.
    pub pid: u32,
}
