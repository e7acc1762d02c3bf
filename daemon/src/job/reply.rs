//! The step `reply`: makes the receipt of a job.

use editd_proto::message::{FileOutcome, JobStatus, Receipt};

use super::DialectReply;
use super::errors::JobAbort;
use super::plan::{self, Planned};
use super::seal::Sealed;
use super::transaction::Transaction;
use crate::state::WorkspaceState;
use crate::store::record::{ChangeMethod, Entry};

/// Returns the receipt of a job of which every file has its new content.
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

/// Encodes a receipt for the journal: without diffs, which the journal can compute again, and with the text of its
/// dialect.
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
    // Encoding plain data into memory cannot fail; an empty receipt is replaced by a plain one when it is read.
    rmp_serde::to_vec_named(&receipt).unwrap_or_default()
}

/// Returns the receipt of a sealed job: the last step.
pub(super) fn applied(_: &WorkspaceState, sealed: Sealed) -> Result<Receipt, JobAbort> {
    let Sealed { receipt, entry, .. } = sealed;
    debug_assert_eq!(receipt.job, Some(entry.id));
    Ok(receipt)
}

/// Returns the receipt of a job with the mode `verify_only`.
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

/// Returns the receipt of an undo or redo with the mode `verify_only`.
pub(super) fn previewed(draft: Transaction) -> Receipt {
    Receipt {
        files: draft.files.into_iter().map(would).collect(),
        rebased: draft.rebased,
        ..Receipt::new(None, JobStatus::Verified)
    }
}

/// Returns the outcome of a file as of one that was only verified.
fn would(file: FileOutcome) -> FileOutcome {
    let status = if file.status == JobStatus::Applied { JobStatus::Verified } else { file.status };
    FileOutcome { status, ..file }
}
