//! The edits that were only checked, so that the token of the check is enough to apply them.

use std::sync::{Mutex, PoisonError};

use editctl::Workspace;
use editd_proto::ids::JobId;
use editd_proto::message::JobRequest;

/// The most checked jobs that are remembered.
const CHECKED: usize = 32;

/// A job that was checked.
#[derive(Clone)]
pub(crate) struct CheckedJob {
    /// The token of the check.
    pub(crate) token: String,
    /// The workspace.
    pub(crate) workspace: Workspace,
    /// The job as it was checked.
    pub(crate) job: JobRequest,
    /// The job that applied it.
    pub(crate) applied: Option<JobId>,
}

/// The last checked jobs, oldest first.
#[derive(Default)]
pub(crate) struct CheckedJobs(Mutex<Vec<CheckedJob>>);

impl CheckedJobs {
    /// Remembers a job.
    pub(crate) fn put(&self, checked: CheckedJob) {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.len() == CHECKED {
            jobs.remove(0);
        }
        jobs.push(checked);
    }

    /// Notes that the job with a token was applied.
    pub(crate) fn applied(&self, token: &str, job: JobId) {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(one) = jobs.iter_mut().rev().find(|one| one.token == token) {
            one.applied = Some(job);
        }
    }

    /// Returns the job with a token.
    pub(crate) fn with(&self, token: &str) -> Option<CheckedJob> {
        let jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.iter().rev().find(|one| one.token == token).cloned()
    }
}
