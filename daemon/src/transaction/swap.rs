//! The step `swap`: puts every file of a durable intent in place, or none. Files that others changed meanwhile are put
//! back, and a void record says that the job did not happen.

use std::io;

use editd_proto::error::{ErrorCode, RequestError};

use super::Transaction;
use super::intend::IntendedTransaction;
use crate::disk::put::{AllSwapped, RescuedBytes, SwapRefusal, Swapped};
use crate::journal::{external, roll_back, withdraw};
use crate::state::WorkspaceState;
use crate::state::refusal::{disk_refusal, fault};
use crate::state::undecided::{JobIdentity, outcome_unknown};
use crate::store::intent::Intended;
use crate::transaction::JobAbort;

/// A transaction of which every file has its new content.
#[must_use]
pub(super) struct SwappedTransaction {
    pub(super) transaction: Transaction,
    pub(super) swapped: AllSwapped,
}

/// Puts every file in place.
pub(super) fn swap(
    state: &WorkspaceState,
    intent: IntendedTransaction,
) -> Result<SwappedTransaction, JobAbort> {
    let IntendedTransaction { transaction, intended } = intent;
    let mut proofs = Vec::with_capacity(intended.files.len());
    for (file, change) in intended.files().zip(&transaction.changes) {
        let mut rescue = |rescue: RescuedBytes<'_>| external::rescue(state, &rescue);
        let put = state.disk.put_checked(file, &change.place, change.before.as_ref(), &mut rescue);
        match put {
            Ok(Ok(swapped)) => proofs.push(swapped),
            Ok(Err(foreign)) => return Err(withdraw(state, &transaction, &intended, &proofs, foreign)),
            Err(error) => {
                let refusal = disk_refusal(&file.path, &error);
                // The call may have had a part of its effect; only recovery, which observes the files, can tell.
                return Err(JobAbort::NeedsRecovery(refusal));
            }
        }
    }
    let swapped = AllSwapped::of(&intended, proofs)
        .ok_or_else(|| JobAbort::NeedsRecovery(fault("a file of the job was not put in place")))?;
    Ok(SwappedTransaction { transaction, swapped })
}

/// Rolls back the files that were put in place, and records in the log that the job did not happen.
fn withdraw(
    state: &WorkspaceState,
    transaction: &Transaction,
    entry: &Intended,
    proofs: &[Swapped<'_>],
    foreign: SwapRefusal,
) -> JobAbort {
    let done = proofs.len();
    let back = || -> io::Result<()> {
        if let Some(file) = entry.files.get(done) {
            roll_back::set_foreign_aside(state, file, foreign)?;
        }
        for ((file, change), proof) in entry.files().zip(&transaction.changes).zip(proofs).rev() {
            let change = (&change.place, change.before.as_ref());
            withdraw::withdraw(state, entry, file, change, proof.displaced())?;
        }
        // `disk` itself may have put the changed file in place and back.
        roll_back::flush(state, entry, done.saturating_add(1))?;
        roll_back::rescue_overwritten(state, entry.id, entry.files.get(..done).unwrap_or(&entry.files))
    };
    let path = entry.files.get(done).map(|file| file.path.clone()).unwrap_or_default();
    if let Err(error) = back() {
        return JobAbort::NeedsRecovery(disk_refusal(&path, &error));
    }
    if let Err(error) = roll_back::roll_back(state, entry) {
        let id = entry.id;
        let outcome = format!(
            "no file has the change of job {id}, but the log could not record that: the next start decides whether \
             the job is done, and `editctl show {id}` then shows the result"
        );
        return JobAbort::Refused(outcome_unknown(state, JobIdentity::of(entry), &error, &outcome));
    }
    if foreign == SwapRefusal::OtherMount {
        state.disk.stage_beside(&path);
    }
    let message = match foreign {
        SwapRefusal::OtherMount => format!("{path} is on another mount; the job is tried again"),
        SwapRefusal::Changed | SwapRefusal::Vanished | SwapRefusal::Appeared | SwapRefusal::Special(_) => {
            format!("{path} keeps changing while it is edited; send the job again when it no longer changes")
        }
        SwapRefusal::InUse => format!(
            "another program has {path} open and does not share it, so it was not edited; close it there, then send \
             the job again"
        ),
        SwapRefusal::Replaced => format!(
            "another program replaces files in .editd/staging, so {path} was not edited; its files are in .editd/lost: \
             stop it, then send the job again"
        ),
    };
    JobAbort::Retry(Box::new(RequestError::new(ErrorCode::Busy, message).at(&path)))
}
