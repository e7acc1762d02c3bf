//! The step `seal`: records in the log that every file has its new content. From then on the entry counts as applied,
//! its clipboards are stored, and its session has read receipts for its files.

use std::sync::Arc;

use editd_engine::{FileState, splices_between};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::{Durability, JobStatus, Receipt};

use super::JobGuard;
use super::check_limits::CheckedTransaction;
use super::reply;
use super::swap::SwappedTransaction;
use super::{FileChange, Transaction};
use crate::journal::seal::{SealProof, done_record, seal_record};
use crate::journal::{flushing, settle};
use crate::receipt::{self, KnownChange, ReceiptContent};
use crate::record::{ClipboardRecord, EndedWithoutEntry, FileRecord, ReadReceipt, Record};
use crate::state::refusal::{log_present, store_refusal};
use crate::state::undecided::{AppendWatch, JobIdentity, outcome_unknown};
use crate::state::{WorkspaceState, lock};
use crate::store::intent::Intended;
use crate::transaction::JobAbort;

/// A sealed job.
#[must_use]
pub(super) struct SealedTransaction {
    pub(super) transaction: Transaction,
    pub(super) receipt: Receipt,
    pub(super) entry: Intended,
}

/// Seals a job.
pub(super) fn seal(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    swapped: SwappedTransaction,
) -> Result<SealedTransaction, JobAbort> {
    let SwappedTransaction { transaction, swapped } = swapped;
    let entry = swapped.entry().clone();
    let receipt = reply::receipt_of(&transaction, &entry);
    let stored = reply::stored(&receipt, transaction.dialect_reply.as_ref());
    let mut records = vec![seal_record(&SealProof::of_swaps(&swapped), stored.clone())];
    records.extend(done_record(state, &entry, stored));
    let changed = transaction.changes.iter().zip(&entry.files);
    records.extend(
        changed.map(|(change, file)| Record::ReadReceipt(seen_after(state, &transaction, change, file))),
    );
    state.store.append(&records).map_err(|error| JobAbort::NeedsRecovery(store_refusal(&error)))?;
    let left = swapped.into_left();
    for ((change, file), left) in transaction.changes.iter().zip(&entry.files).zip(left) {
        flushing::put(state, file, &change.place, left);
        if let (FileState::File { bytes, .. }, Some(after)) = (&change.after, &file.after) {
            let before = file.before.as_ref().map(|meta| meta.hash);
            state.store.keep_made(before, after.hash, Arc::clone(bytes));
        }
    }
    for made in &transaction.unmade {
        state.disk.remove_made(made);
    }
    guard.end();
    lock(&state.unsettled).sealed(&entry, state.clock.monotonic());
    if transaction.origin.durability == Durability::Full {
        settle::flush_now(state, &entry).map_err(|error| {
            let message = format!(
                "job {} was applied, but its files could not be flushed ({error}); repair the disk, then see \
                 `editctl show {}`",
                entry.id, entry.id
            );
            JobAbort::Refused(Box::new(RequestError::new(ErrorCode::Io, message)))
        })?;
    }
    Ok(SealedTransaction { transaction, receipt, entry })
}

/// Ends a job that changes no file: stores its clipboards, and its receipt if it has a key.
pub(super) fn unchanged(state: &WorkspaceState, checked: CheckedTransaction) -> Result<Receipt, JobAbort> {
    let transaction = checked.into_inner();
    let now = state.clock.wall_ms();
    let origin = &transaction.origin;
    let status = match &transaction.error {
        None => JobStatus::Unchanged,
        Some(_) if transaction.files.iter().any(|file| file.status != JobStatus::Refused) => {
            JobStatus::Partial
        }
        Some(_) => JobStatus::Refused,
    };
    let receipt = Receipt {
        files: transaction.files,
        error: transaction.error.map(|refusal| *refusal),
        rebased: transaction.rebased,
        ..Receipt::new(origin.queued, status)
    };
    let mut records: Vec<Record> = transaction
        .clips
        .into_iter()
        .map(|clip| {
            let session = origin.caller.session.clone();
            let (name, bytes) = (clip.name, Some(clip.bytes));
            Record::Clip(ClipboardRecord { session, name, bytes, origin: Some(clip.origin), time: now })
        })
        .collect();
    // The caller that runs a detached job writes its record, as for refusals.
    let mut job = None;
    if origin.key.is_some() && origin.queued.is_none() && receipt.status == JobStatus::Unchanged {
        let id = state.next_id();
        job = Some(id);
        records.push(Record::Done(EndedWithoutEntry {
            id,
            session: origin.caller.session.clone(),
            time: now,
            key: origin.key.clone(),
            request: origin.request,
            receipt: reply::stored(&receipt, transaction.dialect_reply.as_ref()),
        }));
    }
    if !records.is_empty() {
        log_present(state)?;
        let watch = AppendWatch::before_append(&state.store);
        let durable = state.store.append(&records).and_then(|at| {
            if origin.durability == Durability::Relaxed { Ok(None) } else { state.store.flush(at).map(Some) }
        });
        durable.map_err(|error| {
            if !watch.may_be_stored(&error) {
                return JobAbort::Refused(store_refusal(&error));
            }
            let outcome = "the job changed no file, but its clipboards may be in the log: the next start decides, and \
                           `editctl clip list` then shows them";
            let job = JobIdentity {
                id: job.or(origin.queued).unwrap_or_else(|| state.next_id()),
                queued: origin.queued,
                session: origin.caller.session.clone(),
                key: origin.key.clone(),
                request: Some(origin.request),
            };
            JobAbort::Refused(outcome_unknown(state, job, &error, outcome))
        })?;
    }
    Ok(receipt)
}

/// Returns the read receipt of the session for a path that it changed.
fn seen_after(
    state: &WorkspaceState,
    transaction: &Transaction,
    change: &FileChange,
    file: &FileRecord,
) -> ReadReceipt {
    let now = state.clock.wall_ms();
    let path = change.place.path();
    let shown = match (file.after.as_ref().map(|meta| meta.hash), &change.from) {
        (None, _) => receipt::absent(now),
        (Some(hash), Some(from)) => shown_of_moved(transaction, change, from, hash, now),
        (Some(hash), None) => shown_of_written(transaction, change, hash, now),
    };
    receipt::of(&transaction.origin.caller, path, shown)
}

/// Returns the receipt for a moved file: the lines that were shown at its old path, since a move shows none, and those that
/// the same job wrote.
fn shown_of_moved(
    transaction: &Transaction,
    change: &FileChange,
    from: &editd_proto::FilePath,
    hash: editd_proto::ids::ContentHash,
    now: u64,
) -> ReceiptContent {
    let source = transaction.changes.iter().find(|change| change.place.path() == from);
    let source = source.and_then(|change| change.before.as_ref());
    match (transaction.seen.get(from), source) {
        (Some(seen), _) if seen.hash == Some(hash) => receipt::unchanged(seen, now),
        (Some(seen), Some(source)) if seen.hash == Some(source.meta.hash) => {
            let splices = splices_between(&source.bytes, change.after.bytes());
            receipt::renewed(
                seen,
                hash,
                &KnownChange::new((&source.bytes, change.after.bytes()), &splices),
                now,
            )
        }
        // The session knows that the file exists, but none of its lines.
        _ => receipt::glimpsed(None, hash, &[], now),
    }
}

fn shown_of_written(
    transaction: &Transaction,
    change: &FileChange,
    hash: editd_proto::ids::ContentHash,
    now: u64,
) -> ReceiptContent {
    let before: &[u8] = change.before.as_ref().map_or(&[], |found| &found.bytes);
    let changed = KnownChange::new((before, change.after.bytes()), &change.splices);
    let known = KnownChange { quoted: &change.quoted.whole, copied: &change.quoted.copied, ..changed };
    let had = change.before.as_ref().map(|found| found.meta.hash);
    let earlier = transaction.seen.get(change.place.path());
    receipt::written(earlier, (had, hash), &known, change.foreign, now)
}
