//! Admits and runs jobs: keys, numbers, and the end of a detached job.

use std::sync::{MutexGuard, PoisonError};

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::limits;
use editd_proto::message::{JobRequest, Receipt};
use serde::Serialize;

use super::attempts::stopped;
use super::understand::{Action, ParsedRequest};
use super::{Admission, Workspace};
use crate::caller::Caller;
use crate::edit;
use crate::metrics::JobTrace;
use crate::record::{EndedWithoutEntry, QueuedJobRecord, Record};
use crate::state::refusal::{log_present, store_refusal};
use crate::state::undecided::{AppendWatch, JobIdentity, outcome_unknown};
use crate::state::{PendingJobs, is_call_id, lock};
use crate::transaction::reply::stored;
use crate::transaction::{self, JobAbort, JobGuard, Transaction};

impl Workspace {
    /// Issues a number for a job, or finds the job by its key. A detached job is durable when this returns.
    pub fn admit(&self, caller: &Caller, parsed: &ParsedRequest) -> Admission {
        let request = parsed.request();
        let hash = parsed.hash();
        // It is refused before it is queued, while its client is connected, unless its key is known.
        if request.detach
            && let Err(refusal) = self.lanes(caller, parsed)
        {
            let pending = self.pending_jobs(caller, request.key.as_deref());
            let known = request.key.as_ref().and_then(|key| self.find_key(&pending, caller, key, hash));
            return known.unwrap_or(Admission::Refused(refusal));
        }
        // Locked from the look-up to the insertion: of two requests with one key, one becomes the job.
        let mut pending = self.pending_jobs(caller, request.key.as_deref());
        if let Some(key) = &request.key
            && let Some(known) = self.find_key(&pending, caller, key, hash)
        {
            return known;
        }
        let id = if request.detach { self.state.next_id() } else { self.state.next_call_id() };
        if let Some(key) = &request.key {
            pending.keys.insert((caller.session.clone(), key.clone()), (id, hash));
        }
        drop(pending);
        if !request.detach {
            return Admission::New(id);
        }
        let queued = self.queue_detached(caller, id, request, hash);
        if let (Some(key), Err(_)) = (&request.key, &queued) {
            lock(&self.state.pending).keys.remove(&(caller.session.clone(), key.clone()));
        }
        self.state.queued.notify_all();
        match queued {
            Ok(()) => Admission::New(id),
            Err(refusal) => Admission::Refused(refusal),
        }
    }

    /// Locks the pending jobs. If a detached job with this key is being stored, it waits for that first: only then may
    /// the number of the job be told to another request with the key.
    fn pending_jobs(&self, caller: &Caller, key: Option<&str>) -> MutexGuard<'_, PendingJobs> {
        let mut pending = lock(&self.state.pending);
        let Some(key) = key else { return pending };
        let name = (caller.session.clone(), key.to_owned());
        let being_stored = |pending: &mut PendingJobs| {
            let job = pending.keys.get(&name).map(|(id, _)| *id).filter(|id| !is_call_id(*id));
            job.is_some_and(|id| !pending.detached.contains_key(&id))
        };
        if being_stored(&mut pending) {
            pending.waiting += 1;
            let waited = self.state.queued.wait_while(pending, being_stored);
            pending = waited.unwrap_or_else(PoisonError::into_inner);
            pending.waiting -= 1;
        }
        pending
    }

    /// Returns the admission of a known key; `None` if the key is new.
    pub(super) fn find_key(
        &self,
        pending: &PendingJobs,
        caller: &Caller,
        key: &str,
        hash: ContentHash,
    ) -> Option<Admission> {
        if key.is_empty() || key.len() > limits::NAME {
            let message = format!("a key has 1 to {} bytes; this one has {}", limits::NAME, key.len());
            return Some(Admission::Refused(Box::new(RequestError::new(ErrorCode::Malformed, message))));
        }
        if let Some((id, first)) = pending.keys.get(&(caller.session.clone(), key.to_owned())) {
            let same = *first == hash;
            return Some(if same { Admission::Pending(*id) } else { Admission::Refused(other_job(key)) });
        }
        if let Some(first) = lock(&self.state.undecided).keyed(&caller.session, key) {
            let same = first.job.request == Some(hash);
            return Some(Admission::Refused(if same { first.refusal.clone() } else { other_job(key) }));
        }
        match self.state.store.keyed(&caller.session, key) {
            Err(error) => Some(Admission::Refused(store_refusal(&error))),
            Ok(None) => None,
            Ok(Some(keyed)) if keyed.request.is_some_and(|first| first != hash) => {
                Some(Admission::Refused(other_job(key)))
            }
            Ok(Some(keyed)) => match keyed.receipt {
                Some(mut receipt) => {
                    receipt.repeated = true;
                    Some(Admission::Ended(Box::new(receipt)))
                }
                None => Some(Admission::Pending(keyed.id)),
            },
        }
    }

    fn queue_detached(
        &self,
        caller: &Caller,
        id: JobId,
        request: &JobRequest,
        hash: ContentHash,
    ) -> Result<(), Refusal> {
        log_present(&self.state)?;
        let queued = QueuedJobRecord {
            id,
            session: caller.session.clone(),
            client: caller.client.clone(),
            time: self.state.clock.wall_ms(),
            key: request.key.clone(),
            request: hash,
            payload: encode(request),
        };
        let record = Record::Queued(queued.clone());
        let watch = AppendWatch::before_append(&self.state.store);
        let durable = self.state.store.append(&[record]).and_then(|at| self.state.store.flush(at));
        let _flushed = durable.map_err(|error| {
            if !watch.may_be_stored(&error) {
                return store_refusal(&error);
            }
            let outcome = format!(
                "job {id} is not run, but may be in the log: if so, the next start runs it; `editctl wait {id}` shows \
                 the result"
            );
            outcome_unknown(&self.state, detached_job(caller, id, request, hash), &error, &outcome)
        })?;
        lock(&self.state.pending).detached.insert(id, (queued, false));
        Ok(())
    }

    /// Runs a job that was admitted and whose lanes are free. Never panics; errors are in the receipt. Calls `freed` once
    /// the texts of its edits were freed, which may be long before its hooks have ended. `trace` gets the times of its steps.
    pub fn edit(
        &self,
        caller: &Caller,
        id: JobId,
        parsed: &ParsedRequest,
        freed: &dyn Fn(),
        trace: &JobTrace,
    ) -> Receipt {
        let request = parsed.request();
        let hash = parsed.hash();
        if request.detach {
            match lock(&self.state.pending).detached.get_mut(&id) {
                Some((_, begun)) => *begun = true,
                // It was cancelled before its turn.
                None => {
                    return self.receipt(id).ok().flatten().unwrap_or_else(|| Receipt::refused(*cancelled()));
                }
            }
        }
        let queued = request.detach.then_some(id);
        let dialect_reply = parsed.dialect_reply();
        let free = || {
            parsed.free_edits();
            freed();
        };
        let ended = match parsed.action() {
            Err(refusal) => Some(Receipt::refused(*refusal)),
            Ok(Action::Native | Action::Job(_)) => self.attempts(trace, |guard| {
                let request = self.edit_job(caller, parsed)?;
                let given = edit::EditRequest { caller, queued, hash, request: &request, dialect_reply };
                let resolved = parsed.take_resolved(self.state.clock.monotonic());
                let resolved = resolved.filter(|resolved| resolved.still_holds(&self.state));
                let (transaction, verified) = edit::decide(&self.state, guard, given, resolved)?;
                drop(request);
                guard.call_when_sealed(&free);
                self.commit_decided(guard, transaction, verified)
            }),
            Ok(Action::View(view)) => Some(self.view(caller, view, dialect_reply)),
            Ok(Action::Undo(path)) => self.attempts(trace, |guard| {
                let mut transaction = self.undo_of_last(guard, (caller, hash), request, path)?;
                (transaction.origin.queued, transaction.dialect_reply) = (queued, dialect_reply.cloned());
                transaction::commit(&self.state, guard, transaction)
            }),
        };
        match ended {
            Some(receipt) => self.end(caller, id, parsed, hash, receipt),
            None => stopped(),
        }
    }

    /// Commits the transaction of a job, unless the job only verifies.
    fn commit_decided(
        &self,
        guard: &JobGuard<'_>,
        transaction: Transaction,
        verified: Option<Receipt>,
    ) -> Result<Receipt, JobAbort> {
        let Some(receipt) = verified else { return transaction::commit(&self.state, guard, transaction) };
        transaction::check(&self.state, transaction)?;
        Ok(receipt)
    }

    /// Removes a job that ended from the pending jobs, and stores the receipt of a detached one.
    pub(super) fn end(
        &self,
        caller: &Caller,
        id: JobId,
        parsed: &ParsedRequest,
        hash: ContentHash,
        mut receipt: Receipt,
    ) -> Receipt {
        let key = parsed.request().key.as_deref();
        if parsed.request().detach
            && receipt.error.as_ref().is_some_and(|left| left.code == ErrorCode::Stopping)
        {
            // It has not ended: it stays stored, and the next daemon runs it.
            return parsed.with_dialect_text(receipt);
        }
        // The receipt of a job with an entry was stored with its seal.
        let written = receipt.job.is_some_and(|job| job != id);
        // That of a job whose outcome is unknown is stored once it is known; otherwise the next start runs the job.
        let known = lock(&self.state.undecided).numbered(id).is_none();
        if parsed.request().detach && !written && known {
            receipt.job = Some(id);
            let done = EndedWithoutEntry {
                id,
                session: caller.session.clone(),
                time: self.state.clock.wall_ms(),
                key: key.map(str::to_owned),
                request: hash,
                receipt: stored(&parsed.with_dialect_text(receipt.clone()), parsed.dialect_reply()),
            };
            let durable =
                self.state.store.append(&[Record::Done(done)]).and_then(|at| self.state.store.flush(at));
            if let Err(error) = durable {
                tracing::error!(%error, job = id.0, "cannot store the receipt of a detached job");
                let outcome = format!(
                    "job {id} has ended without a change, but the log could not record that: the next start may run \
                     it again; afterwards, `editctl wait {id}` shows its result"
                );
                let job = detached_job(caller, id, parsed.request(), hash);
                receipt = Receipt::refused(*outcome_unknown(&self.state, job, &error, &outcome));
                receipt.job = Some(id);
            }
        }
        let mut pending = lock(&self.state.pending);
        pending.detached.remove(&id);
        if let Some(key) = key {
            pending.keys.remove(&(caller.session.clone(), key.to_owned()));
        }
        let waiting = pending.waiting;
        drop(pending);
        // Another request with its key may wait for its end.
        if waiting > 0 {
            self.state.queued.notify_all();
        }
        parsed.with_dialect_text(receipt)
    }
}

fn detached_job(caller: &Caller, id: JobId, request: &JobRequest, hash: ContentHash) -> JobIdentity {
    let (session, key) = (caller.session.clone(), request.key.clone());
    JobIdentity { id, queued: Some(id), session, key, request: Some(hash) }
}

pub(super) fn encode(value: &impl Serialize) -> Vec<u8> {
    // Encoding plain data into memory cannot fail.
    rmp_serde::to_vec_named(value).unwrap_or_default()
}

pub(super) fn cancelled() -> Refusal {
    Box::new(RequestError::new(ErrorCode::Rejected, "the job was cancelled before it began"))
}

fn other_job(key: &str) -> Refusal {
    let message = format!("the key {key:?} was used for another job; give every job a key of its own");
    Box::new(RequestError::new(ErrorCode::Malformed, message))
}
