//! Where a job's receipt goes. Exactly one goes there, whatever happens to the job.

use editd_engine::Refusal;
use editd_proto::error::{Code, WireError};
use editd_proto::ids::JobId;
use editd_proto::message::{Receipt, Status};

/// What comes of a job: its receipt, or a refusal to take it at all.
pub type JobOutcome = Result<Receipt, Refusal>;

/// Somebody who waits for an outcome. Dropped unanswered (the job panicked), it answers `internal`.
#[must_use]
pub struct Reply {
    to: Option<Box<dyn FnOnce(JobOutcome) + Send>>,
    /// The request's key had been seen.
    is_repeat: bool,
}

impl Reply {
    /// The outcome is handed to `to`.
    pub fn new(to: impl FnOnce(JobOutcome) + Send + 'static) -> Self {
        Self { to: Some(Box::new(to)), is_repeat: false }
    }

    /// The same, told or not told that its key had been seen.
    pub(super) fn repeated_if(mut self, repeated: bool) -> Self {
        self.is_repeat = repeated;
        self
    }

    /// Answers.
    pub fn send(mut self, outcome: JobOutcome) {
        let is_repeat = self.is_repeat;
        if let Some(to) = self.to.take() {
            to(if is_repeat { outcome.map(|receipt| repeated(&receipt)) } else { outcome });
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(to) = self.to.take() {
            to(Err(internal()));
        }
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reply")
    }
}

/// A fault of editd itself.
pub fn internal() -> Refusal {
    let message = "editd failed inside; look at the file before you try again, and report the daemon's log";
    Box::new(WireError::new(Code::Internal, message))
}

/// The daemon leaves: what is refused with this was not done, and will be by the next one.
pub fn stopping() -> Refusal {
    let message = "the daemon is stopping, and did nothing of this; connect again and send it again";
    Box::new(WireError::new(Code::Stopping, message))
}

/// The receipt of a job that waits or runs.
pub fn queued(job: JobId) -> Receipt {
    Receipt::new(Some(job), Status::Queued)
}

/// The receipt as a client gets it that sent the same key again.
pub fn repeated(receipt: &Receipt) -> Receipt {
    Receipt { repeated: true, ..without_diffs(receipt) }
}

/// The receipt as everybody but the sender gets it.
pub fn without_diffs(receipt: &Receipt) -> Receipt {
    let mut copy = receipt.clone();
    let of_hooks = copy.hooks.iter_mut().flat_map(|hook| &mut hook.files);
    for file in copy.files.iter_mut().chain(of_hooks) {
        file.diff = None;
        file.omitted_hunks = None;
    }
    copy
}
