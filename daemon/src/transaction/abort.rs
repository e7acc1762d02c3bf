//! The reasons why a job ends early.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::path::FilePath;

use super::JobGuard;
use crate::disk::stage::StageError;
use crate::state::WorkspaceState;
use crate::state::refusal::disk_refusal;
use crate::state::step::{JobStep, StepDecision};

/// The reason why a job ended early.
#[derive(Debug)]
pub enum JobAbort {
    /// The job is refused, and nothing was changed. There are two exceptions, which the message reports. With full
    /// durability, the job was applied, but its files could not be flushed. If the log failed, the record of the job may
    /// be on the disk, and the next daemon may then run the job.
    Refused(Refusal),
    /// A step failed after the intent was durable: recovery must finish the job or roll it back.
    NeedsRecovery(Refusal),
    /// Another program changed a file before the swap, and its version is kept. The job runs again, a bounded number of
    /// times; this is the refusal after the last.
    Retry(Refusal),
    /// The job needs to hold this many bytes of contents, which is more than it has reserved. Nothing was changed, and the
    /// job runs again once it has reserved them.
    NeedsMemory(usize),
    /// An observer stopped the job.
    Stopped,
}

impl From<Refusal> for JobAbort {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Notes that a step has ended, and tells the observer of it.
pub fn step(state: &WorkspaceState, guard: &JobGuard<'_>, step: JobStep) -> Result<(), JobAbort> {
    guard.took(step);
    match state.took(step) {
        StepDecision::Continue => Ok(()),
        StepDecision::Stop => Err(JobAbort::Stopped),
    }
}

/// Returns the refusal for a failed staging.
pub(super) fn stage_refusal(path: &FilePath, error: &StageError) -> Refusal {
    match error {
        StageError::Io(error) => disk_refusal(path, error),
        StageError::ReadOnly => Box::new(
            RequestError::new(
                ErrorCode::Denied,
                format!("{path} is read-only; make it writable first (`chmod` in the same job will do)"),
            )
            .at(path),
        ),
        StageError::Owner => Box::new(
            RequestError::new(ErrorCode::Denied, format!("{path} belongs to another user, who must edit it"))
                .at(path),
        ),
    }
}
