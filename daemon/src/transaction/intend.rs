//! The step `intend`: makes the record of the intended changes durable. Only that permits the swap.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::Durability;
use editd_proto::path::FilePath;

use super::JobGuard;
use super::Transaction;
use super::stage::StagedTransaction;
use crate::record::{ClipboardRecord, Entry};
use crate::state::refusal::{log_present, root_present, store_refusal};
use crate::state::undecided::{AppendWatch, JobIdentity, outcome_unknown};
use crate::state::{WorkspaceState, lock};
use crate::store::intent::Intended;
use crate::store::{FlushAnnouncement, StoreError};
use crate::transaction::JobAbort;

/// A transaction whose intent is in the log.
#[must_use]
pub(super) struct IntendedTransaction {
    pub(super) transaction: Transaction,
    pub(super) intended: Intended,
}

/// Writes the intent and waits until it is as durable as the job demands. `announced` has announced the flush.
pub(super) fn intend(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    ready: StagedTransaction,
    announced: Option<FlushAnnouncement<'_>>,
) -> Result<IntendedTransaction, JobAbort> {
    // Jobs that come while too many entries are unsettled settle them themselves.
    if !crate::journal::settle::make_room(state) {
        ready.unstage(state);
        let message = "too many jobs wait to be flushed; look at the daemon's log, then send the job again";
        return Err(JobAbort::Refused(Box::new(RequestError::new(ErrorCode::Busy, message))));
    }
    if let Err(refusal) = root_present(state).and_then(|()| log_present(state)) {
        ready.unstage(state);
        return Err(JobAbort::Refused(refusal));
    }
    let paths: Vec<FilePath> = ready.records.iter().map(|file| file.path.clone()).collect();
    if !guard.begin(paths) {
        ready.unstage(state);
        let message = "another job is writing one of the files; send the job again";
        return Err(JobAbort::Retry(Box::new(RequestError::new(ErrorCode::Busy, message))));
    }
    if was_rewritten(state, &ready) {
        ready.unstage(state);
        let message = "one of the files was written again, since it could not be flushed; send the job again";
        return Err(JobAbort::Retry(Box::new(RequestError::new(ErrorCode::Busy, message))));
    }
    let entry = entry_of(state, &ready);
    guard.intends(entry.id);
    let (job, watch) = (JobIdentity::of(&entry), AppendWatch::before_append(&state.store));
    let refused = |error: StoreError| {
        ready.unstage(state);
        JobAbort::Refused(if watch.may_be_stored(&error) {
            unknown(state, &job, &error)
        } else {
            store_refusal(&error)
        })
    };
    let appended = state.store.append_intent(entry).map_err(refused)?;
    drop(announced);
    let intended = match ready.transaction.origin.durability {
        Durability::Relaxed => appended.relaxed(),
        Durability::Durable | Durability::Full => {
            state.store.flush_intent(appended, &|| state.clock.monotonic()).map_err(|error| {
                ready.unstage(state);
                JobAbort::Refused(unknown(state, &job, &error))
            })?
        }
    };
    Ok(IntendedTransaction { transaction: ready.transaction, intended })
}

/// Returns the refusal of a job whose intent may be on the disk although the log failed.
fn unknown(state: &WorkspaceState, job: &JobIdentity, error: &StoreError) -> Refusal {
    let id = job.id;
    let outcome = format!(
        "job {id} has changed no file, but may be in the log: the next start decides whether it is done, and `editctl \
         show {id}` then shows the result"
    );
    outcome_unknown(state, job.clone(), error, &outcome)
}

/// Returns true if a file of the job was rewritten since the job read it: recovery would not recognise the present one.
fn was_rewritten(state: &WorkspaceState, ready: &StagedTransaction) -> bool {
    let known = lock(&state.path_cache);
    let mut found = ready.records.iter().filter_map(|file| Some((&file.path, file.before.as_ref()?)));
    found.any(|(path, meta)| known.was_rewritten(path, meta.identity))
}

fn entry_of(state: &WorkspaceState, ready: &StagedTransaction) -> Entry {
    let origin = &ready.transaction.origin;
    let now = state.clock.wall_ms();
    let clip = |write: &editd_engine::ClipboardWrite| ClipboardRecord {
        session: origin.caller.session.clone(),
        name: write.name.clone(),
        bytes: Some(write.bytes.clone()),
        origin: Some(write.origin.clone()),
        time: now,
    };
    Entry {
        id: state.next_id(),
        kind: origin.kind,
        boot: state.boot,
        time: now,
        session: origin.caller.session.clone(),
        client: origin.caller.client.clone(),
        key: origin.key.clone(),
        request: Some(origin.request),
        label: origin.label.clone(),
        queued: origin.queued,
        of: origin.of.clone(),
        files: ready.records.clone(),
        clips: ready.transaction.clips.iter().map(clip).collect(),
        parts: origin.parts.clone(),
    }
}
