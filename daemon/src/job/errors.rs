//! Turns the errors of the modules below into refusals: one function for each module. Each sentence says what to do
//! next.

use std::io;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::path::FilePath;

use super::step::{Go, Step};
use crate::disk::stage::StageError;
use crate::state::WorkspaceState;
use crate::store::StoreError;

/// The reason why a job ended early.
#[derive(Debug)]
pub enum JobAbort {
    /// The job is refused, and nothing was changed. The only exception: with full durability, the job was applied, but
    /// its files could not be flushed, as the message says.
    Refused(Refusal),
    /// A step failed after the intent was durable: recovery must finish the job or roll it back.
    NeedsRecovery(Refusal),
    /// Another program changed a file before the swap, and its version is kept. The job runs again, a bounded number of
    /// times; this is the refusal after the last.
    Retry(Refusal),
    /// The job needs to hold this many bytes of contents, which is more than it has reserved. Nothing was changed, and
    /// the job runs again once it has reserved them.
    NeedsMemory(usize),
    /// An observer stopped the job.
    Stopped,
}

impl From<Refusal> for JobAbort {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Refuses if the path of the workspace leads to another folder now, or to none: a job would read and write files that
/// nobody sees under that path.
pub fn root_present(state: &WorkspaceState) -> Result<(), Refusal> {
    match state.disk.stands() {
        Ok(true) => Ok(()),
        Ok(false) => {
            let message = format!(
                "the folder {} was moved, removed or replaced by another; nothing was done, and this daemon leaves: \
                 connect again and send it again",
                state.root.display()
            );
            Err(Box::new(RequestError::new(ErrorCode::Stopping, message)))
        }
        Err(error) => Err(disk_refusal(&".".into(), &error)),
    }
}

/// Tells the observer of a step.
pub(super) fn step(state: &WorkspaceState, step: Step) -> Result<(), JobAbort> {
    match state.took(step) {
        Go::On => Ok(()),
        Go::Stop => Err(JobAbort::Stopped),
    }
}

/// Returns the refusal for a failed system call.
pub fn disk_refusal(path: &FilePath, error: &io::Error) -> Refusal {
    use io::ErrorKind as FileKind;
    let (code, what) = match error.kind() {
        FileKind::NotFound => (ErrorCode::Missing, "it is gone; read it again".to_owned()),
        FileKind::PermissionDenied => (
            ErrorCode::Denied,
            "the system does not permit it; change the permissions of the file or its folder".to_owned(),
        ),
        FileKind::ReadOnlyFilesystem => {
            (ErrorCode::Denied, "the file system is read-only; mount it writable".to_owned())
        }
        FileKind::StorageFull | FileKind::QuotaExceeded => {
            (ErrorCode::Io, "the disk is full; make room and send the job again".to_owned())
        }
        _ if out_of_handles(error) => (
            ErrorCode::Limit,
            "too many files are open at once; send fewer files in one job, or raise the limit (`ulimit -n`)"
                .to_owned(),
        ),
        _ => (ErrorCode::Io, format!("{error}; mend that and send the job again")),
    };
    Box::new(RequestError::new(code, format!("{path}: {what}")).at(path))
}

/// Returns true if the process or the system has no descriptor left.
fn out_of_handles(error: &io::Error) -> bool {
    // EMFILE and ENFILE, which the standard library has no kind for.
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
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

/// Returns the refusal for a fault of editd itself.
pub fn fault(message: &str) -> Refusal {
    Box::new(RequestError::new(ErrorCode::Internal, message))
}

/// Returns the refusal for an error of the store.
pub fn store_refusal(error: &StoreError) -> Refusal {
    Box::new(RequestError::new(ErrorCode::Io, error.to_string()))
}
