//! The destination of a job's receipt. It is answered exactly once, whatever happens to the job.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{JobStatus, Receipt};

/// The result of a job: its receipt, or the refusal to take it.
pub type JobOutcome = Result<Receipt, Refusal>;

/// A request that waits for an outcome. If it is dropped unanswered (the job panicked), it answers `internal`.
#[must_use]
pub struct JobReply {
    to: Option<Box<dyn FnOnce(JobOutcome) + Send>>,
    /// True if the request's key had been seen before.
    is_repeat: bool,
}

impl JobReply {
    /// Creates a reply that passes the outcome to `to`.
    pub fn new(to: impl FnOnce(JobOutcome) + Send + 'static) -> Self {
        Self { to: Some(Box::new(to)), is_repeat: false }
    }

    /// Returns the same reply, marked or not marked as a repeated request.
    pub(super) fn repeated_if(mut self, repeated: bool) -> Self {
        self.is_repeat = repeated;
        self
    }

    /// Sends the outcome.
    pub fn send(mut self, outcome: JobOutcome) {
        let is_repeat = self.is_repeat;
        if let Some(to) = self.to.take() {
            to(if is_repeat { outcome.map(|receipt| repeated(&receipt)) } else { outcome });
        }
    }
}

impl Drop for JobReply {
    fn drop(&mut self) {
        if let Some(to) = self.to.take() {
            to(Err(internal()));
        }
    }
}

impl std::fmt::Debug for JobReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reply")
    }
}

/// The refusal for an error in editd itself.
pub fn internal() -> Refusal {
    let message = "internal error in editd; check the file before you try again, and report the daemon's log";
    Box::new(RequestError::new(ErrorCode::Internal, message))
}

/// The refusal of a daemon that stops: a request refused with this was not carried out and must be sent again.
pub fn stopping() -> Refusal {
    let message = "the daemon is stopping and did not carry this out; connect again and send it again";
    Box::new(RequestError::new(ErrorCode::Stopping, message))
}

/// Returns the receipt of a job that waits or runs.
pub fn queued(job: JobId) -> Receipt {
    Receipt::new(Some(job), JobStatus::Queued)
}

/// Returns the receipt for a client that sent the same key again.
pub fn repeated(receipt: &Receipt) -> Receipt {
    Receipt { repeated: true, ..without_diffs(receipt) }
}

/// Returns the receipt for clients other than the sender.
pub fn without_diffs(receipt: &Receipt) -> Receipt {
    let mut copy = receipt.clone();
    let of_hooks = copy.hooks.iter_mut().flat_map(|hook| &mut hook.files);
    for file in copy.files.iter_mut().chain(of_hooks) {
        file.diff = None;
        file.omitted_hunks = None;
    }
    copy
}
