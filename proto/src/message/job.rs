//! The request of an edit job. The reply is a `Receipt`.

use editd_types::{FileEntry, FilePath, JobInput, JobMode};
use serde::{Deserialize, Serialize};

use crate::ids::JobId;

/// The handling of content that changed since its base.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnStale {
    /// Refuse the job, with the details that are needed to try again.
    #[default]
    Reject,
    /// Merge the plan into the current content.
    Rebase,
}

/// The moment at which the reply may be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// After the intent is on disk. The job survives a killed daemon and a power cut.
    #[default]
    Durable,
    /// After everything is settled: the files are flushed, too.
    Full,
    /// After the files are swapped. The job survives a killed daemon; a power cut may lose the last 50 ms and tear
    /// files.
    Relaxed,
}

/// An edit job.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct JobRequest {
    /// The client's name for the job. A job with the same key is not applied again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// A description for the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The handling of validator issues.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: JobMode,
    /// The handling of content that changed since its base; if absent, the session's setting, else the daemon's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_stale: Option<OnStale>,
    /// Apply the edits that can be applied and report the rest, instead of all or nothing.
    #[serde(default, skip_serializing_if = "is_default")]
    pub partial: bool,
    /// Set if the reply shows diffs; if absent, it shows those of files whose result differs from the request
    /// (merged, matched loosely, or changed by a command).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<bool>,
    /// Maximum size of the reply as JSON in bytes, without a requested diff. If absent, a default for the kind of
    /// reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// The moment at which the reply may be sent; if absent, the daemon's setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// The similarity that fuzzy matching requires (0.5–1), for edits without their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Queue the job durably and reply at once with its number.
    #[serde(default, skip_serializing_if = "is_default")]
    pub detach: bool,
    /// The token of a `verify_only` reply: apply exactly that plan, or fail as stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<String>,
    /// The files. A path that is listed again is a later stage.
    #[serde(default, deserialize_with = "super::bounded::files", skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileEntry>,
    /// Instead of `files`: the payload of another tool, as that tool's callers write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
}

impl<'r> From<&'r JobRequest> for JobInput<'r> {
    fn from(request: &'r JobRequest) -> Self {
        Self {
            files: &request.files,
            partial: request.partial,
            verify_only: request.mode == JobMode::VerifyOnly,
            diff: request.diff,
            threshold: request.threshold,
        }
    }
}

/// The payload of another tool.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Payload {
    /// The dialect, as listed by `dialects`. If it is absent, it is recognised by the payload's fields or its first
    /// marker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The payload: JSON or text.
    pub text: String,
    /// The file, if the payload does not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FilePath>,
    /// The base of that file; for a payload about several files only `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// Waits for a detached job, or cancels one that has not started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WaitRequest {
    /// The number of the job.
    pub job: JobId,
    /// The time to wait in milliseconds; an hour if absent, which is also the maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
