//! Requests for the results of the checks that ran after jobs.

use editd_types::CheckOutcome;
use serde::{Deserialize, Serialize};

use super::job::is_default;
use crate::ids::JobId;

/// Asks for the results of checks; without fields, for the last result of every check of the workspace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ChecksRequest {
    /// Only the checks that ran because of this job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// Only the results for jobs of this session that no reply had yet, and the checks that still run for its jobs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unseen: bool,
    /// The time to wait for checks that run, in milliseconds; none if absent, an hour at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// The reply to `checks`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChecksReply {
    /// The results, by the names of the checks.
    pub checks: Vec<CheckOutcome>,
}
