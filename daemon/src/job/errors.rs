//! From the rooms' own errors to the wire's: one function for each room, each sentence says what to do next.

use std::io;

use editd_engine::Refusal;
use editd_proto::error::{Code, WireError};
use editd_proto::path::WirePath;

use super::step::{Go, Step};
use crate::disk::stage::StageError;
use crate::state::WorkspaceState;
use crate::store::StoreError;

/// Why a journey ended early.
#[derive(Debug)]
pub enum Halt {
    /// Refused: nothing was changed.
    Refused(Refusal),
    /// Something failed when the intent was durable already: recovery must look at what stands.
    Broken(Refusal),
    /// Others changed a file in the last moment; everything is as they left it. The journey begins again,
    /// a bounded number of times; this is the refusal after the last.
    Again(Refusal),
    /// It needs so many bytes of contents in hand, which is more than it has: nothing was changed, and the journey begins
    /// again once it has them.
    Heavier(usize),
    /// An observer asked for it.
    Stopped,
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Refuses where the workspace's path leads to another folder by now, or to none: nobody would see there what was read
/// or written here.
pub fn root_present(state: &WorkspaceState) -> Result<(), Refusal> {
    match state.disk.stands() {
        Ok(true) => Ok(()),
        Ok(false) => {
            let message = format!(
                "the folder {} was moved, removed or replaced by another; nothing was done, and this daemon leaves: \
                 connect again and send it again",
                state.root.display()
            );
            Err(Box::new(WireError::new(Code::Stopping, message)))
        }
        Err(error) => Err(disk_refusal(&".".into(), &error)),
    }
}

/// Tells the observer of a step.
pub(super) fn step(state: &WorkspaceState, step: Step) -> Result<(), Halt> {
    match state.took(step) {
        Go::On => Ok(()),
        Go::Stop => Err(Halt::Stopped),
    }
}

/// What a failed system call means for the job.
pub fn disk_refusal(path: &WirePath, error: &io::Error) -> Refusal {
    use io::ErrorKind as FileKind;
    let (code, what) = match error.kind() {
        FileKind::NotFound => (Code::Missing, "it is gone; read it again".to_owned()),
        FileKind::PermissionDenied => (
            Code::Denied,
            "the system does not permit it; change the permissions of the file or its folder".to_owned(),
        ),
        FileKind::ReadOnlyFilesystem => {
            (Code::Denied, "the file system is read-only; mount it writable".to_owned())
        }
        FileKind::StorageFull | FileKind::QuotaExceeded => {
            (Code::Io, "the disk is full; make room and send the job again".to_owned())
        }
        _ if out_of_handles(error) => (
            Code::Limit,
            "too many files are open at once; send fewer files in one job, or raise the limit (`ulimit -n`)"
                .to_owned(),
        ),
        _ => (Code::Io, format!("{error}; mend that and send the job again")),
    };
    Box::new(WireError::new(code, format!("{path}: {what}")).at(path))
}

/// Whether the process or the system has no descriptor left.
fn out_of_handles(error: &io::Error) -> bool {
    // EMFILE and ENFILE, which the standard library has no kind for.
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// What a failed staging means for the job.
pub(super) fn stage_refusal(path: &WirePath, error: &StageError) -> Refusal {
    match error {
        StageError::Io(error) => disk_refusal(path, error),
        StageError::ReadOnly => Box::new(
            WireError::new(
                Code::Denied,
                format!("{path} is read-only; make it writable first (`chmod` in the same job will do)"),
            )
            .at(path),
        ),
        StageError::Owner => Box::new(
            WireError::new(Code::Denied, format!("{path} belongs to another user, who must edit it"))
                .at(path),
        ),
    }
}

/// A fault of editd itself.
pub fn fault(message: &str) -> Refusal {
    Box::new(WireError::new(Code::Internal, message))
}

/// What a store that refuses means for the job.
pub fn store_refusal(error: &StoreError) -> Refusal {
    Box::new(WireError::new(Code::Io, error.to_string()))
}
