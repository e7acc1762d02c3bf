//! The seal of an entry, and the receipt that is stored with it.
//!
//! A seal takes a proof that only the swaps of a transaction and recovery make. Nothing else makes one:
//!
//! ```compile_fail,E0423
//! use editd::testing::SealProof;
//! use editd_proto::ids::JobId;
//!
//! fn proof(id: JobId) -> SealProof {
//!     SealProof(id)
//! }
//! ```
//!
//! Nor does the number of an entry replace it:
//!
//! ```compile_fail,E0308
//! use editd::testing::{Record, seal_record};
//! use editd_proto::ids::JobId;
//!
//! fn seal(id: JobId) -> Record {
//!     seal_record(&id, Vec::new())
//! }
//! ```

use std::io;

use editd_proto::ids::JobId;
use editd_proto::message::{FileOutcome, JobStatus, Receipt};

use super::flushing;
use super::recover::repair::find;
use super::seen;
use crate::disk::put::AllSwapped;
use crate::record::{EndedWithoutEntry, Entry, FileMeta, Record, SealRecord};
use crate::state::{WorkspaceState, lock};
use crate::store::intent::Intended;

/// Proof that every file of an entry has its new content, or that recovery has done for it what can be done.
#[derive(Debug)]
#[must_use]
pub struct SealProof(JobId);

impl SealProof {
    /// Returns the proof of a transaction.
    pub fn of_swaps(swapped: &AllSwapped) -> Self {
        Self(swapped.entry().id)
    }

    /// Returns the proof of recovery, which has observed, put or restored every file of the entry.
    pub(super) fn of_recovery(entry: &Intended) -> Self {
        Self(entry.id)
    }
}

/// Returns the seal of an entry.
pub fn seal_record(proof: &SealProof, receipt: Vec<u8>) -> Record {
    Record::Seal(SealRecord { id: proof.0, receipt })
}

/// Returns the stored form of a receipt.
pub fn encode_receipt(receipt: &Receipt) -> Vec<u8> {
    // Encoding plain data into memory cannot fail; an empty receipt is replaced by a plain one when it is read.
    rmp_serde::to_vec_named(receipt).unwrap_or_default()
}

/// Seals an entry whose job could not do it itself.
pub(super) fn seal(state: &WorkspaceState, entry: &Intended) -> io::Result<()> {
    state.store.append(&seal_records(state, entry)).map_err(io::Error::other)?;
    for file in &entry.files {
        lock(&state.path_cache).wrote(&file.path, file.after.as_ref(), None);
        let place = find(state, file).ok().flatten();
        let left =
            place.zip(file.after.as_ref()).and_then(|(place, meta)| state.disk.open_left(&place, meta));
        flushing::hold(state, file, left.map(|left| left.file));
    }
    lock(&state.unsettled).sealed(entry, state.clock.monotonic());
    Ok(())
}

/// Returns the record that answers clients waiting for a detached job. It is written with the seal, so that the job
/// never runs twice.
pub(crate) fn done_record(state: &WorkspaceState, entry: &Entry, receipt: Vec<u8>) -> Option<Record> {
    let (id, request) = (entry.queued?, entry.request?);
    let (session, key) = (entry.session.clone(), entry.key.clone());
    Some(Record::Done(EndedWithoutEntry { id, session, time: state.clock.wall_ms(), key, request, receipt }))
}

/// Returns the seal, and the read receipts that the session would have got with it.
pub(super) fn seal_records(state: &WorkspaceState, entry: &Intended) -> Vec<Record> {
    let mut receipt = receipt_of(entry);
    let seen = seen::receipts_of(state, entry, &mut receipt);
    let stored = encode_receipt(&receipt);
    let mut records = vec![seal_record(&SealProof::of_recovery(entry), stored.clone())];
    records.extend(done_record(state, entry, stored));
    records.extend(seen.into_iter().map(Record::ReadReceipt));
    records
}

/// Returns a receipt of a job from its entry alone.
pub fn receipt_of(entry: &Entry) -> Receipt {
    let version = |meta: &Option<FileMeta>| meta.as_ref().map(|meta| meta.hash.version());
    let files = entry.files.iter().map(|file| FileOutcome {
        before: version(&file.before),
        after: version(&file.after),
        ..FileOutcome::new(file.path.clone(), JobStatus::Applied)
    });
    Receipt { files: files.collect(), ..Receipt::new(Some(entry.id), JobStatus::Applied) }
}
