//! The step `check_limits`: checks permissions, sizes, `.git` folders, hard links and clipboards of a planned
//! transaction, and that its paths were resolved in one tree. It writes nothing.

use std::ops::Deref;

use editd_engine::{FileState, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::limits;
use editd_proto::message::EntryKind;

use super::clips::check_clips;
use super::{FileChange, JobAbort, Transaction, git_folder, hard_links};
use crate::disk::stage::StagedMode;
use crate::disk::{ResolveError, inconsistent_folder};
use crate::limits::JOB_BYTES;
use crate::state::WorkspaceState;
use crate::transaction::abort::stage_refusal;

/// Files that the daemon may have open beside those of one job: connections, the log, the database, folders.
const OTHER_DESCRIPTORS: u64 = 128;

/// Files that must not be open when a job begins to change files, beside those that it will open.
const SPARE_DESCRIPTORS: u64 = 64;

/// The number of changes for which descriptors always suffice.
const FEW_CHANGES: u64 = 64;

/// A transaction that may be carried out.
pub(super) struct CheckedTransaction(Transaction);

impl CheckedTransaction {
    /// Returns true if it changes no file, and marks no entry as undone or redone.
    pub(super) fn changes_nothing(&self) -> bool {
        // An undo marks the entries that it undoes, even if other programs had restored the files already.
        let origin = &self.0.origin;
        let marks = matches!(origin.kind, EntryKind::Undo | EntryKind::Redo) && !origin.of.is_empty();
        self.0.changes.is_empty() && !marks
    }

    pub(super) fn into_inner(self) -> Transaction {
        self.0
    }
}

impl Deref for CheckedTransaction {
    type Target = Transaction;

    fn deref(&self) -> &Transaction {
        &self.0
    }
}

/// Checks a transaction.
pub(super) fn check_limits(
    state: &WorkspaceState,
    transaction: Transaction,
) -> Result<CheckedTransaction, JobAbort> {
    if let Some(folder) = inconsistent_folder(transaction.changes.iter().map(|change| &change.place)) {
        let refusal = ResolveError::Changing(folder.clone()).to_wire(&folder);
        return Err(JobAbort::Retry(Box::new(refusal)));
    }
    let clips: Vec<(&str, usize)> =
        transaction.clips.iter().map(|clip| (clip.name.as_str(), clip.bytes.len())).collect();
    check_clips(state, &transaction.origin.caller.session, &clips)?;
    hard_links::check(state, &transaction.changes)?;
    check_descriptors(&transaction.changes)?;
    let mut total = 0_usize;
    for change in &transaction.changes {
        git_folder::check(state, change.place.path())?;
        check_size(change)?;
        check_permission(state, change)?;
        #[cfg(windows)]
        check_shared(state, change)?;
        total = total.saturating_add(size_of_change(change));
    }
    if total > JOB_BYTES {
        let message = format!(
            "the job would write and journal {total} bytes; one job may have {JOB_BYTES}: split it into several"
        );
        let mut error = RequestError::new(ErrorCode::TooLarge, message);
        error.limit = Some(JOB_BYTES as u64);
        return Err(JobAbort::Refused(Box::new(error)));
    }
    Ok(CheckedTransaction(transaction))
}

/// Checks that all files of the changes, and their folders, can be open at once, as the job, its rollback, its recovery and its
/// undo may need them, and that so many files are not open for others now.
fn check_descriptors(changes: &[FileChange]) -> Result<(), JobAbort> {
    let count = changes.len() as u64;
    // The system is not asked for each small job.
    if count <= FEW_CHANGES {
        return Ok(());
    }
    let Some(most) = crate::os::descriptor_limit() else { return Ok(()) };
    let needed = count.saturating_mul(2).saturating_add(OTHER_DESCRIPTORS);
    if needed > most {
        let message = format!(
            "a job that changes {count} files may need {needed} open files, and the daemon may have {most}; send fewer files \
             in one job, or raise the limit (`ulimit -n`) and restart the daemon"
        );
        let mut error = RequestError::new(ErrorCode::Limit, message);
        error.limit = Some(most.saturating_sub(OTHER_DESCRIPTORS) / 2);
        return Err(JobAbort::Refused(Box::new(error)));
    }
    // The others are open already; these are opened once the job has made them.
    let folders = changes.iter().filter(|change| !change.place.missing().is_empty()).count() as u64;
    let open = crate::os::open_descriptors().unwrap_or_default();
    if open.saturating_add(folders).saturating_add(SPARE_DESCRIPTORS) > most {
        let message = "too many files are open for earlier jobs, until these are flushed; send the job again in some seconds";
        return Err(JobAbort::Refused(Box::new(RequestError::new(ErrorCode::Busy, message))));
    }
    Ok(())
}

/// Returns the bytes of a change: the new file and its part of the journal.
fn size_of_change(change: &FileChange) -> usize {
    let journal = change.splices.iter().map(|splice| splice.old.len() + splice.new.len());
    journal.fold(change.after.bytes().len(), usize::saturating_add)
}

fn check_size(change: &FileChange) -> Result<(), Refusal> {
    match &change.after {
        FileState::File { bytes, .. } if bytes.len() > limits::FILE => {
            let path = change.place.path();
            let mut error = RequestError::new(
                ErrorCode::TooLarge,
                format!("{path} would have {} bytes; the limit is {}", bytes.len(), limits::FILE),
            )
            .at(path);
            error.limit = Some(limits::FILE as u64);
            Err(Box::new(error))
        }
        _ => Ok(()),
    }
}

/// Refuses to change a file that another program has open without sharing it: the swap would fail.
#[cfg(windows)]
fn check_shared(state: &WorkspaceState, change: &FileChange) -> Result<(), Refusal> {
    let Some(found) = &change.before else { return Ok(()) };
    let in_place = found.links > 1 && matches!(change.after, FileState::File { .. });
    let shared = state.disk.check_shared(&change.place, in_place);
    shared.map_err(|error| crate::state::refusal::disk_refusal(change.place.path(), &error))
}

/// Refuses to edit a read-only file, although an exchange would be permitted, unless the job changes its mode.
fn check_permission(state: &WorkspaceState, change: &FileChange) -> Result<(), Refusal> {
    let (Some(found), FileState::File { bytes, .. }) = (&change.before, &change.after) else { return Ok(()) };
    let edits = change.hash.map_or_else(|| **bytes != *found.bytes, |hash| hash != found.meta.hash);
    // An edit drops set-id bits by itself.
    let changes_mode =
        !matches!(change.mode, StagedMode::Exact(mode) if (mode ^ found.meta.mode) & 0o777 == 0);
    if !edits || changes_mode {
        return Ok(());
    }
    state.disk.writable(&change.place, found).map_err(|error| stage_refusal(change.place.path(), &error))
}
