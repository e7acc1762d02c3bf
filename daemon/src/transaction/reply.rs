//! The receipts of transactions.

use editd_proto::message::{FileOutcome, JobStatus, Receipt};

use super::check_limits::CheckedTransaction;
use super::{DialectReply, Transaction};
use crate::journal::seal::encode_receipt;
use crate::record::{ChangeMethod, Entry};

/// Returns the receipt of a job of which every file has its new content.
pub(super) fn receipt_of(transaction: &Transaction, entry: &Entry) -> Receipt {
    let mut files = transaction.files.clone();
    for record in entry.files.iter().filter(|record| record.how == ChangeMethod::InPlace) {
        for file in files.iter_mut().filter(|file| file.path == record.path) {
            file.warnings.push(
                "the file has several names or another owner: it was rewritten in place, and a reader may have \
                 seen the middle of it"
                    .to_owned(),
            );
        }
    }
    let status = if transaction.error.is_some() { JobStatus::Partial } else { JobStatus::Applied };
    Receipt {
        files,
        error: transaction.error.as_deref().cloned(),
        rebased: transaction.rebased,
        queued: entry.queued,
        ..Receipt::new(Some(entry.id), status)
    }
}

/// Encodes a receipt for the journal: without diffs, which the journal can compute again, and with the text of its
/// dialect.
pub fn stored(receipt: &Receipt, dialect_reply: Option<&DialectReply>) -> Vec<u8> {
    let mut receipt = receipt.clone();
    let of_hooks = receipt.hooks.iter_mut().flat_map(|hook| &mut hook.files);
    for file in receipt.files.iter_mut().chain(of_hooks) {
        file.diff = None;
        if let Some(formatted) = &mut file.formatted {
            formatted.diff.clear();
        }
    }
    if let Some(dialect_reply) = dialect_reply {
        dialect_reply.add_text(&mut receipt);
    }
    encode_receipt(&receipt)
}

/// Returns the receipt of an undo or redo with the mode `verify_only`.
pub(super) fn previewed(checked: CheckedTransaction) -> Receipt {
    let transaction = checked.into_inner();
    Receipt {
        files: transaction.files.into_iter().map(would_apply).collect(),
        rebased: transaction.rebased,
        ..Receipt::new(None, JobStatus::Verified)
    }
}

/// Returns the outcome of a file that would be written.
pub fn would_apply(file: FileOutcome) -> FileOutcome {
    let status = if file.status == JobStatus::Applied { JobStatus::Verified } else { file.status };
    FileOutcome { status, ..file }
}
