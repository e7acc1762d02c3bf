//! Turns the errors of the modules below into refusals: one function for each module. Each sentence says what to do
//! next.

use std::io;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::path::FilePath;
use editd_proto::system_error::{in_words, is_out_of_descriptors};

use super::WorkspaceState;
use crate::disk::RootError;
use crate::store::StoreError;

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

/// Checks `.editd` if another program changed it. Refuses if another daemon has its lock by now; other faults are
/// reported in the log.
pub fn own_present(state: &WorkspaceState) -> Result<(), Refusal> {
    match state.disk.check_own() {
        Ok(()) => Ok(()),
        Err(error @ RootError::Locked(_)) => {
            let message = format!(
                ".editd/lock was replaced, and {error}; nothing was done, and this daemon leaves: connect again and send it \
                 again"
            );
            Err(Box::new(RequestError::new(ErrorCode::Stopping, message)))
        }
        Err(error) => {
            tracing::warn!("another program changed .editd: {error}");
            Ok(())
        }
    }
}

/// Refuses if the path of the state folder no longer leads to the log: the next start would not find what is recorded
/// now. It is checked before anything is recorded that the reply confirms.
pub fn log_present(state: &WorkspaceState) -> Result<(), Refusal> {
    let message = match state.store.is_in(&state.state_folder) {
        Ok(true) => return Ok(()),
        Ok(false) => format!("{}; then send it again: nothing was done", log_gone(state)),
        Err(error) => format!(
            "the journal in the state folder {} cannot be examined: {error}; nothing was done: repair that and send \
             it again",
            state.state_folder.display()
        ),
    };
    Err(Box::new(RequestError::new(ErrorCode::Io, message)))
}

/// Checks that the log has not failed: then a job is refused before it fails at something else.
///
/// # Errors
/// `io`, with the reason.
pub fn log_works(state: &WorkspaceState) -> Result<(), Refusal> {
    match state.store.failed() {
        None => Ok(()),
        Some(why) => Err(store_refusal(&StoreError::Failed(why))),
    }
}

/// Returns the fault of a log that is no longer in the state folder, and its remedy.
pub fn log_gone(state: &WorkspaceState) -> String {
    format!(
        "the journal in the state folder {} was removed, moved or replaced while editd ran: move it back, or begin a \
         new journal with `editctl stop`",
        state.state_folder.display()
    )
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
        #[cfg(windows)]
        FileKind::WouldBlock => (
            ErrorCode::Busy,
            "another program has it open and does not share it; close it there, then send the job again"
                .to_owned(),
        ),
        _ if is_out_of_descriptors(error) => (
            ErrorCode::Limit,
            "too many files are open at once; send fewer files in one job, or raise the limit (`ulimit -n`)"
                .to_owned(),
        ),
        _ => (ErrorCode::Io, format!("{}; repair that and send the job again", in_words(error))),
    };
    Box::new(RequestError::new(code, format!("{path}: {what}")).at(path))
}

/// Returns the refusal for a fault of editd itself.
pub fn fault(message: &str) -> Refusal {
    Box::new(RequestError::new(ErrorCode::Internal, message))
}

/// Returns the refusal for an error of the store.
pub fn store_refusal(error: &StoreError) -> Refusal {
    let code = match error {
        StoreError::Full(_) => ErrorCode::Busy,
        StoreError::TooLarge { .. } => ErrorCode::Limit,
        StoreError::Failed(_)
        | StoreError::Rotten { .. }
        | StoreError::Gone
        | StoreError::Database(_)
        | StoreError::Io(_) => ErrorCode::Io,
    };
    Box::new(RequestError::new(code, error.to_string()))
}

/// Returns the refusal for the number of an entry that the journal does not have.
pub fn no_entry(state: &WorkspaceState, id: JobId) -> Refusal {
    let message = match state.store.may_be_lost(id) {
        Ok(true) => format!(
            "the journal has no entry {id}: the log is damaged and its record may be lost, so the entry cannot be \
             shown or undone"
        ),
        Ok(false) => format!("the journal has no entry {id}; `editctl log` lists what it has"),
        Err(error) => return store_refusal(&error),
    };
    Box::new(RequestError::new(ErrorCode::NotFound, message))
}
