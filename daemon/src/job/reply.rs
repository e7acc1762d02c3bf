//! `reply`: what the client is told.

use editd_proto::message::{FileOutcome, JobStatus, Receipt};

use super::DialectReply;
use super::errors::JobAbort;
use super::plan::{self, Planned};
use super::seal::Sealed;
use super::transaction::Transaction;
use crate::state::WorkspaceState;
use crate::store::record::{ChangeMethod, Entry};

/// The receipt of a job whose every file shows *after*.
pub(super) fn receipt_of(draft: &Transaction, entry: &Entry) -> Receipt {
    let mut files = draft.files.clone();
    for record in entry.files.iter().filter(|record| record.how == ChangeMethod::InPlace) {
        for file in files.iter_mut().filter(|file| file.path == record.path) {
            file.warnings.push(
                "the file has several names or another owner: it was rewritten in place, and a reader may have \
                 seen the middle of it"
                    .to_owned(),
            );
        }
    }
    let status = if draft.error.is_some() { JobStatus::Partial } else { JobStatus::Applied };
    Receipt {
        files,
        error: draft.error.as_deref().cloned(),
        rebased: draft.rebased,
        queued: entry.queued,
        ..Receipt::new(Some(entry.id), status)
    }
}

/// A receipt as it is stored: without diffs, which the journal can tell again, and in its dialect's words.
pub(crate) fn stored(receipt: &Receipt, said: Option<&DialectReply>) -> Vec<u8> {
    let mut receipt = receipt.clone();
    let of_hooks = receipt.hooks.iter_mut().flat_map(|hook| &mut hook.files);
    for file in receipt.files.iter_mut().chain(of_hooks) {
        file.diff = None;
        if let Some(formatted) = &mut file.formatted {
            formatted.diff.clear();
        }
    }
    if let Some(said) = said {
        said.say(&mut receipt);
    }
    // Encoding plain data into memory cannot fail; an empty receipt would be told as lost.
    rmp_serde::to_vec_named(&receipt).unwrap_or_default()
}

/// The last step: what was done goes out.
pub(super) fn applied(_: &WorkspaceState, sealed: Sealed) -> Result<Receipt, JobAbort> {
    let Sealed { receipt, entry, .. } = sealed;
    debug_assert_eq!(receipt.job, Some(entry.id));
    Ok(receipt)
}

/// The receipt of a job that was to write nothing.
pub(super) fn verified(planned: &Planned) -> Receipt {
    let error = planned.plan.error.as_deref().cloned();
    let status = match (&error, planned.plan.changes.is_empty()) {
        (Some(_), true) => JobStatus::Refused,
        (Some(_), false) => JobStatus::Partial,
        (None, _) => JobStatus::Verified,
    };
    Receipt {
        files: planned.plan.files.iter().cloned().map(would).collect(),
        error,
        verified: Some(plan::token(&planned.plan)),
        rebased: !planned.rebased.is_empty(),
        ..Receipt::new(None, status)
    }
}

/// The receipt of an undo or redo that was to write nothing.
pub(super) fn previewed(draft: Transaction) -> Receipt {
    Receipt {
        files: draft.files.into_iter().map(would).collect(),
        rebased: draft.rebased,
        ..Receipt::new(None, JobStatus::Verified)
    }
}

/// The outcome of a file that would have been written.
fn would(file: FileOutcome) -> FileOutcome {
    let status = if file.status == JobStatus::Applied { JobStatus::Verified } else { file.status };
    FileOutcome { status, ..file }
}
