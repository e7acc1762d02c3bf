//! The edits that were refused for their syntax. A grammar may be older than its language: if a client sends the same edit
//! again, the text is meant as it is, and it is applied with the errors as warnings.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use editd_proto::ErrorCode;
use editd_proto::message::{JobMode, JobRequest, Receipt};

/// The most refused jobs that are remembered.
const REFUSED: usize = 4;

/// The name of the validator that checks the syntax.
const SYNTAX: &str = "syntax";

/// The end of the daemon's message, and the same for a client that can only repeat its call.
const WAY_OUT: (&str, &str) = (
    ", or send the job with the mode `interactive`",
    ", or repeat this call unchanged if the syntax is right",
);

/// The last jobs that were refused for nothing but their syntax, each with the root of its workspace, oldest first.
#[derive(Default)]
pub(crate) struct RefusedSyntax(Mutex<Vec<(PathBuf, JobRequest)>>);

impl RefusedSyntax {
    /// Sets the mode of a job that is sent again, so that errors in its syntax do not refuse it.
    pub(crate) fn accept_again(&self, root: &Path, job: &mut JobRequest) {
        let alike = (root.to_owned(), without_key(job));
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = jobs.iter().position(|refused| *refused == alike) {
            jobs.remove(at);
            job.mode = JobMode::Interactive;
        }
    }

    /// Remembers a job if its receipt refuses it for its syntax, and says in the receipt that it can be sent again.
    pub(crate) fn note(&self, root: &Path, job: &JobRequest, receipt: &mut Receipt) {
        let Some(error) = receipt.error.as_mut().filter(|error| error.code == ErrorCode::Rejected) else {
            return;
        };
        let is_syntax = |error: &editd_proto::RequestError| {
            !error.issues.is_empty() && error.issues.iter().all(|issue| issue.validator == SYNTAX)
        };
        if job.mode != JobMode::Strict || !is_syntax(error) || !error.others.is_empty() {
            return;
        }
        let before = error.message.clone();
        error.message = before.replace(WAY_OUT.0, WAY_OUT.1);
        if let Some(text) = &mut receipt.text {
            *text = text.replace(&before, &error.message);
        }
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.len() == REFUSED {
            jobs.remove(0);
        }
        jobs.push((root.to_owned(), without_key(job)));
    }
}

/// Returns the job without its key, which is another one in each call.
fn without_key(job: &JobRequest) -> JobRequest {
    JobRequest { key: None, ..job.clone() }
}
