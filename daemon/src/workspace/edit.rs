//! Admits and runs jobs: keys, numbers, further attempts if another program changed a file first, and the end of a
//! detached job. A panic of a job ends that job alone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{MutexGuard, PoisonError};

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::limits;
use editd_proto::message::{JobMode, JobRequest, Receipt, UndoRequest};
use editd_proto::path::FilePath;
use serde::Serialize;

use super::understand::{Action, ParsedRequest};
use super::{Admission, Who, Workspace};
use crate::job::{self, JobAbort, fault, root_present, store_refusal, stored_receipt};
use crate::journal::recover::repair::{RepairAim, RepairOutcome, receipt_of, repair};
use crate::journal::undo::{self, UndoDirection};
use crate::state::{PendingJobs, WorkspaceState, is_call_id, lock};
use crate::store::record::{EndedWithoutEntry, QueuedJobRecord, Record};

/// The number of attempts of one job before it gives up on files that others keep changing.
const JOURNEYS: usize = 8;

impl Workspace {
    /// Issues a number for a job, or finds the job by its key. A detached job is durable when this returns.
    pub fn admit(&self, who: &Who, asked: &ParsedRequest) -> Admission {
        let request = asked.request();
        // A bad request is refused before it is queued, while its client waits for the reply.
        if request.detach
            && let Err(refusal) = self.lanes(asked)
        {
            return Admission::Refused(refusal);
        }
        let hash = asked.hash();
        // Held from the look-up to the insertion: of two requests with the same key, one becomes the job.
        let mut underway = self.underway_stored(who, request.key.as_deref());
        if let Some(key) = &request.key
            && let Some(known) = self.find_key(&underway, who, key, hash)
        {
            return known;
        }
        let id = if request.detach { self.state.next_id() } else { self.state.next_call_id() };
        if let Some(key) = &request.key {
            underway.keys.insert((who.session.clone(), key.clone()), (id, hash));
        }
        drop(underway);
        if !request.detach {
            return Admission::New(id);
        }
        let queued = self.queue_detached(who, id, request, hash);
        if let (Some(key), Err(_)) = (&request.key, &queued) {
            lock(&self.state.underway).keys.remove(&(who.session.clone(), key.clone()));
        }
        self.state.queued.notify_all();
        match queued {
            Ok(()) => Admission::New(id),
            Err(refusal) => Admission::Refused(refusal),
        }
    }

    /// Locks the pending jobs. If a detached job with this key is being stored, it waits for that first: only then may
    /// the number of the job be told to another request with the key.
    fn underway_stored(&self, who: &Who, key: Option<&str>) -> MutexGuard<'_, PendingJobs> {
        let underway = lock(&self.state.underway);
        let Some(key) = key else { return underway };
        let name = (who.session.clone(), key.to_owned());
        let being_stored = |underway: &mut PendingJobs| {
            let job = underway.keys.get(&name).map(|(id, _)| *id).filter(|id| !is_call_id(*id));
            job.is_some_and(|id| !underway.detached.contains_key(&id))
        };
        self.state.queued.wait_while(underway, being_stored).unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the admission of a known key; `None` if the key is new.
    fn find_key(&self, underway: &PendingJobs, who: &Who, key: &str, hash: ContentHash) -> Option<Admission> {
        if key.is_empty() || key.len() > limits::NAME {
            let message = format!("a key has 1 to {} bytes; this one has {}", limits::NAME, key.len());
            return Some(Admission::Refused(Box::new(RequestError::new(ErrorCode::Malformed, message))));
        }
        if let Some((id, first)) = underway.keys.get(&(who.session.clone(), key.to_owned())) {
            let same = *first == hash;
            return Some(if same { Admission::Underway(*id) } else { Admission::Refused(other_job(key)) });
        }
        match self.state.store.keyed(&who.session, key) {
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
                None => Some(Admission::Underway(keyed.id)),
            },
        }
    }

    fn queue_detached(
        &self,
        who: &Who,
        id: JobId,
        request: &JobRequest,
        hash: ContentHash,
    ) -> Result<(), Refusal> {
        let queued = QueuedJobRecord {
            id,
            session: who.session.clone(),
            client: who.client.clone(),
            time: self.state.clock.wall_ms(),
            key: request.key.clone(),
            request: hash,
            payload: encode(request),
        };
        let record = Record::Queued(queued.clone());
        let durable = self.state.store.append(&[record]).and_then(|at| self.state.store.flush(at));
        let _flushed = durable.map_err(|error| store_refusal(&error))?;
        lock(&self.state.underway).detached.insert(id, (queued, false));
        Ok(())
    }

    /// Runs a job that was admitted and whose lanes are free. Never panics; errors are in the receipt.
    pub fn edit(&self, who: &Who, id: JobId, asked: &ParsedRequest) -> Receipt {
        let request = asked.request();
        let hash = asked.hash();
        if request.detach {
            match lock(&self.state.underway).detached.get_mut(&id) {
                Some((_, begun)) => *begun = true,
                // It was cancelled before its turn.
                None => {
                    return self.receipt(id).ok().flatten().unwrap_or_else(|| Receipt::refused(*cancelled()));
                }
            }
        }
        let queued = request.detach.then_some(id);
        let said = asked.words();
        let run = |request: &job::ParsedJob| {
            let given = job::EditRequest { who, queued, hash, request, said };
            self.journeys(|underway| job::run(&self.state, underway, given))
        };
        let ended = match asked.action() {
            Err(refusal) => Ended::Receipt(Box::new(Receipt::refused(*refusal))),
            Ok(Action::Native | Action::Job(_)) => match self.edit_job(asked) {
                Ok(request) => run(request),
                Err(refusal) => Ended::Receipt(Box::new(Receipt::refused(*refusal))),
            },
            Ok(Action::View(view)) => Ended::Receipt(Box::new(self.view(who, view, said))),
            Ok(Action::Undo(path)) => self.journeys(|underway| {
                let mut draft = self.draft_of_undo(underway, (who, hash), request, path)?;
                (draft.origin.queued, draft.said) = (queued, said.cloned());
                job::commit(&self.state, underway, draft)
            }),
        };
        match ended {
            Ended::Receipt(receipt) => self.end(who, id, asked, hash, *receipt),
            // As if the process had ended here: nothing more is written.
            Ended::Stopped => Receipt::refused(*fault("the job was stopped")),
        }
    }

    /// Makes the transaction that undoes the last change of a path by this session, for a payload that asks for it.
    fn draft_of_undo(
        &self,
        underway: &job::JobGuard<'_>,
        (who, hash): (&Who, ContentHash),
        request: &JobRequest,
        path: &FilePath,
    ) -> Result<job::Transaction, JobAbort> {
        let last = undo::last_of_session(&self.state, who, &self.known_path(path)?)?;
        let undo = UndoRequest {
            jobs: vec![last],
            key: request.key.clone(),
            label: request.label.clone(),
            on_stale: request.on_stale.unwrap_or_default(),
            durability: request.durability,
            // The reply in the dialect shows the changed lines.
            diff: request.diff.or(Some(true)),
            budget: request.budget,
            ..UndoRequest::default()
        };
        undo::draft(&self.state, underway, (who, hash), &undo, UndoDirection::Undo)
    }

    /// Undoes entries. The caller holds all lanes.
    pub fn undo(&self, who: &Who, request: &UndoRequest) -> Receipt {
        self.turn_back(who, request, UndoDirection::Undo)
    }

    /// Redoes entries that were undone. The caller holds all lanes.
    pub fn redo(&self, who: &Who, request: &UndoRequest) -> Receipt {
        self.turn_back(who, request, UndoDirection::Redo)
    }

    fn turn_back(&self, who: &Who, request: &UndoRequest, direction: UndoDirection) -> Receipt {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{direction:?}").as_bytes());
        // Fields that only change the reply do not make it another request.
        hasher.update(&encode(&UndoRequest { diff: None, budget: None, ..request.clone() }));
        let hash = ContentHash::from_bytes(*hasher.finalize().as_bytes());
        if request.mode == JobMode::VerifyOnly {
            return self.preview_undo(who, hash, request, direction);
        }
        match request.key.as_deref().and_then(|key| self.hold_key(who, key, hash)) {
            None => {}
            Some(Admission::Ended(receipt)) => return *receipt,
            Some(Admission::Refused(refusal)) => return Receipt::refused(*refusal),
            Some(Admission::New(_) | Admission::Underway(_)) => {
                let message = "the job with this key has not ended; wait for it";
                return Receipt::refused(RequestError::new(ErrorCode::Busy, message));
            }
        }
        let ended = self.journeys(|underway| {
            let draft = undo::draft(&self.state, underway, (who, hash), request, direction)?;
            job::commit(&self.state, underway, draft)
        });
        if let Some(key) = &request.key {
            lock(&self.state.underway).keys.remove(&(who.session.clone(), key.clone()));
        }
        match ended {
            Ended::Receipt(receipt) => {
                receipt.files.iter().for_each(|file| self.touch(&file.path));
                *receipt
            }
            Ended::Stopped => Receipt::refused(*fault("the job was stopped")),
        }
    }

    /// Returns the receipt that an undo or redo would have. It writes nothing and takes no key.
    fn preview_undo(
        &self,
        who: &Who,
        hash: ContentHash,
        request: &UndoRequest,
        direction: UndoDirection,
    ) -> Receipt {
        let ended = self.journeys(|underway| {
            let draft = undo::draft(&self.state, underway, (who, hash), request, direction)?;
            job::preview(&self.state, draft)
        });
        match ended {
            Ended::Receipt(receipt) => *receipt,
            Ended::Stopped => Receipt::refused(*fault("the job was stopped")),
        }
    }

    /// Takes a key for an undo or redo that begins now. Returns the admission of a known key.
    fn hold_key(&self, who: &Who, key: &str, hash: ContentHash) -> Option<Admission> {
        let mut underway = lock(&self.state.underway);
        let known = self.find_key(&underway, who, key, hash);
        if known.is_none() {
            let ticket = self.state.next_call_id();
            underway.keys.insert((who.session.clone(), key.to_owned()), (ticket, hash));
        }
        known
    }

    /// Runs the steps of a job, again if another program changed a file first, or if it needs more memory. Repairs a
    /// job that fails after its intent.
    fn journeys(&self, go: impl Fn(&job::JobGuard<'_>) -> Result<Receipt, JobAbort>) -> Ended {
        let (mut last, mut needed) = (None, 0);
        for _ in 0..JOURNEYS {
            let underway = job::JobGuard::new(&self.state, needed);
            let journey = || {
                root_present(&self.state)?;
                go(&underway)
            };
            let ended = match catch_unwind(AssertUnwindSafe(journey)) {
                Ok(Ok(receipt)) => Ok(receipt),
                Ok(Err(JobAbort::Refused(refusal))) => Err(refusal),
                Ok(Err(JobAbort::NeedsRecovery(refusal))) => mend_job(&self.state, underway.entry(), refusal),
                Ok(Err(JobAbort::Retry(refusal))) => {
                    last = Some(refusal);
                    continue;
                }
                Ok(Err(JobAbort::NeedsMemory(bytes))) => {
                    needed = needed.max(bytes);
                    last = Some(heavier());
                    continue;
                }
                Ok(Err(JobAbort::Stopped)) => return Ended::Stopped,
                Err(_) => {
                    let what = "editd made a mistake in this job; please report it with the daemon's log";
                    mend_job(&self.state, underway.entry(), fault(what))
                }
            };
            return Ended::Receipt(Box::new(ended.unwrap_or_else(|refusal| Receipt::refused(*refusal))));
        }
        let refusal = last.unwrap_or_else(|| fault("the job made no journey"));
        Ended::Receipt(Box::new(Receipt::refused(*refusal)))
    }

    /// Removes a job that ended from the pending ones, and records the end of a detached job.
    pub(super) fn end(
        &self,
        who: &Who,
        id: JobId,
        asked: &ParsedRequest,
        hash: ContentHash,
        mut receipt: Receipt,
    ) -> Receipt {
        let key = asked.request().key.as_deref();
        if asked.request().detach
            && receipt.error.as_ref().is_some_and(|left| left.code == ErrorCode::Stopping)
        {
            // It has not ended: it stays stored, and the next daemon runs it.
            return asked.said(receipt);
        }
        // The end of a job with an entry was recorded with its seal.
        let written = receipt.job.is_some_and(|job| job != id);
        if asked.request().detach && !written {
            receipt.job = Some(id);
            let done = EndedWithoutEntry {
                id,
                session: who.session.clone(),
                time: self.state.clock.wall_ms(),
                key: key.map(str::to_owned),
                request: hash,
                receipt: stored_receipt(&asked.said(receipt.clone()), asked.words()),
            };
            let durable =
                self.state.store.append(&[Record::Done(done)]).and_then(|at| self.state.store.flush(at));
            if let Err(error) = durable {
                tracing::error!(%error, job = id.0, "cannot write down how a detached job ended");
            }
        }
        let mut underway = lock(&self.state.underway);
        underway.detached.remove(&id);
        if let Some(key) = key {
            underway.keys.remove(&(who.session.clone(), key.to_owned()));
        }
        drop(underway);
        // A request with the same key may wait for this.
        self.state.queued.notify_all();
        asked.said(receipt)
    }
}

/// The result of all attempts of a job.
enum Ended {
    /// The job ended with a receipt.
    Receipt(Box<Receipt>),
    /// An observer stopped the job.
    Stopped,
}

/// Finishes a job that failed after its intent, or rolls it back, as recovery would.
fn mend_job(state: &WorkspaceState, id: Option<JobId>, refusal: Refusal) -> Result<Receipt, Refusal> {
    let open = state.store.open_entries().into_iter().find(|(entry, _)| Some(entry.id) == id);
    let Some((entry, sealed)) = open else { return Err(refusal) };
    if sealed {
        return Ok(receipt_of(&entry));
    }
    match repair(state, &entry, RepairAim::RollBack) {
        Ok(RepairOutcome::Applied) => Ok(receipt_of(&entry)),
        Ok(RepairOutcome::Voided) => Err(refusal),
        Err(error) => {
            let id = entry.id;
            lock(&state.broken).push(entry);
            let message = format!(
                "{}; and it could not be taken back yet ({error}): its files wait until that is done; should the \
                 daemon end before, the next start finishes it or takes it back, and `editctl show {id}` tells",
                refusal.message
            );
            Err(Box::new(RequestError::new(ErrorCode::Io, message)))
        }
    }
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

fn heavier() -> Refusal {
    let message = "the job's files grow while it looks at them; send it again when that has ceased";
    Box::new(RequestError::new(ErrorCode::Busy, message))
}
