//! Counters, latencies and the times of the steps of a job, in `status` and `metrics`.

use serde::{Deserialize, Serialize};

use crate::ids::JobId;

/// Latencies since the start of the daemon. Quantiles are at most a sixteenth too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LatencyInfo {
    /// The number of answers.
    pub count: u64,
    /// The sum of their times, in microseconds.
    pub sum_us: u64,
    /// The time that half of them did not exceed, in microseconds.
    pub p50_us: u64,
    /// The time that 90 of 100 did not exceed.
    pub p90_us: u64,
    /// The time that 99 of 100 did not exceed.
    pub p99_us: u64,
    /// The greatest time.
    pub max_us: u64,
}

/// The time of a step of a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StepTime {
    /// The name of the step.
    pub step: String,
    /// Its time, in microseconds.
    pub us: u64,
}

/// The times of a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceInfo {
    /// The number of its entry; absent if it left none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// The number of a detached job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<JobId>,
    /// `edit`, `undo` or `redo`.
    pub kind: String,
    /// The status of its receipt.
    pub status: String,
    /// The code of its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The time at which it ended, in milliseconds since 1970 UTC.
    pub time: u64,
    /// The time from the arrival of the request to the end of the last step, in microseconds.
    pub total_us: u64,
    /// The steps in their order, without those that took less than a microsecond.
    pub steps: Vec<StepTime>,
}

/// Asks for the counters and latencies as OpenMetrics text.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MetricsRequest {}

/// The reply to `metrics`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MetricsReply {
    /// The text, which ends with `# EOF`.
    pub text: String,
}
