//! Requests about the daemon itself: status, check and stop.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::metrics::{LatencyInfo, TraceInfo};
use crate::ids::JobId;

/// Asks for the state of the daemon.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct StatusRequest {
    /// Also the times of the steps of this job; 0 is the newest job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<JobId>,
}

/// The reply to `status`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct StatusReply {
    /// The process id of the daemon.
    pub pid: u32,
    /// The version of the daemon.
    pub version: String,
    /// The workspace's absolute path.
    pub workspace: String,
    /// The path of the socket or the name of the pipe.
    pub socket: String,
    /// The folder of the log and the database.
    pub state: String,
    /// The uptime in seconds.
    pub uptime: u64,
    /// The number of open connections.
    pub sessions: u64,
    /// The number of jobs that wait or run.
    pub queue: u64,
    /// The number of journal entries.
    pub entries: u64,
    /// The number of entries whose files are not flushed yet.
    pub unsettled: u64,
    /// The number of watched folders.
    pub watch: u64,
    /// The reason for which the daemon no longer accepts edits; absent if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The damage of the log that is known, the entries and clipboards that it makes unreadable, and the remedy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// The reason for which the database of the journal is in memory or is being rebuilt, and what to do; absent if it is
    /// on the disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// The commands of the workspace that do not run, its settings that do not apply, and the way to allow them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// The paths of other served workspaces of this user that contain this one or are inside of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearby: Vec<String>,
    /// The numbers of events since the start of the daemon, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// The numbers of refusals, by error code.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refusals: BTreeMap<String, u64>,
    /// The latencies of jobs (`job`) and of reads (`read`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latency: BTreeMap<String, LatencyInfo>,
    /// The times of the job that `trace` names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceInfo>,
}

/// Asks for a check of the log, the database and the staging folder.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CheckRequest {}

/// A result of the check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CheckFinding {
    /// `ok`, `note` or `bad`.
    pub severity: String,
    /// The checked subject.
    pub subject: String,
    /// The observation, and the way to fix a problem.
    pub message: String,
}

/// The reply to `check`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CheckReply {
    /// The results of the check.
    pub findings: Vec<CheckFinding>,
}

/// Asks the daemon to finish its jobs, settle and stop.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct StopRequest {}

/// The reply to `stop`, sent before the daemon stops.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StopReply {
    /// The id of the stopping process.
    pub pid: u32,
}
