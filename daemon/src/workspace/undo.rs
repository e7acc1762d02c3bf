//! Undo and redo requests: their keys, previews and attempts.

use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::ContentHash;
use editd_proto::message::{FileOutcome, JobMode, JobRequest, JobStatus, Receipt, UndoRequest};
use editd_proto::path::FilePath;

use super::attempts::stopped;
use super::edit::encode;
use super::{Admission, Workspace};
use crate::caller::Caller;
use crate::metrics::JobTrace;
use crate::state::lock;
use crate::transaction::{self, JobAbort, JobGuard, Transaction};
use crate::undo::{self, UndoDirection, UndoJob, UndoOptions};

impl Workspace {
    /// Undoes entries. The caller holds all lanes.
    pub fn undo(&self, caller: &Caller, request: &UndoRequest, trace: &JobTrace) -> Receipt {
        self.undo_or_redo(caller, request, UndoDirection::Undo, trace)
    }

    /// Redoes what was undone. The caller holds all lanes.
    pub fn redo(&self, caller: &Caller, request: &UndoRequest, trace: &JobTrace) -> Receipt {
        self.undo_or_redo(caller, request, UndoDirection::Redo, trace)
    }

    fn undo_or_redo(
        &self,
        caller: &Caller,
        request: &UndoRequest,
        direction: UndoDirection,
        trace: &JobTrace,
    ) -> Receipt {
        let known = |path: &FilePath| self.known_path(path).unwrap_or_else(|_| path.clone());
        let job = UndoJob::parse(caller, request, direction, &known);
        let hash = undo_hash(request, direction);
        if request.to.is_none() {
            return self.undo_known((caller, hash), job, trace);
        }
        let unclear = match self.look_at_journaled(caller) {
            Ok(unclear) => unclear,
            Err(refusal) => return Receipt::refused(*refusal),
        };
        let mut receipt = self.undo_known((caller, hash), job, trace);
        let meant = |path: &FilePath| request.path.as_ref().is_none_or(|only| only == path);
        unclear.into_iter().filter(meant).for_each(|path| add_unclear(&mut receipt, path));
        receipt
    }

    /// Undoes or redoes what the journal has. A preview writes nothing and takes no key.
    fn undo_known(&self, (caller, hash): (&Caller, ContentHash), job: UndoJob, trace: &JobTrace) -> Receipt {
        let preview = job.options.mode == JobMode::VerifyOnly;
        let key = job.options.key.clone().filter(|_| !preview);
        match key.as_deref().and_then(|key| self.hold_key(caller, key, hash)) {
            None => {}
            Some(Admission::Ended(receipt)) => return *receipt,
            Some(Admission::Refused(refusal)) => return Receipt::refused(*refusal),
            Some(Admission::New(_) | Admission::Pending(_)) => {
                let message = "the job with this key has not ended; wait for it";
                return Receipt::refused(RequestError::new(ErrorCode::Busy, message));
            }
        }
        let ended = match undo::with_fixed_entry(&self.state, job) {
            Ok(job) => self.attempts(trace, |guard| {
                let transaction = undo::transaction(&self.state, guard, (caller, hash), &job)?;
                if preview {
                    return transaction::preview(&self.state, transaction);
                }
                transaction::commit(&self.state, guard, transaction)
            }),
            Err(refusal) => Some(Receipt::refused(*refusal)),
        };
        if let Some(key) = key {
            lock(&self.state.pending).keys.remove(&(caller.session.clone(), key));
        }
        let receipt = ended.unwrap_or_else(stopped);
        if !preview {
            receipt.files.iter().for_each(|file| self.touch(&file.path));
        }
        receipt
    }

    /// Takes a key for an undo or redo that begins now; returns the admission of a key that is taken.
    fn hold_key(&self, caller: &Caller, key: &str, hash: ContentHash) -> Option<Admission> {
        let mut pending = lock(&self.state.pending);
        let known = self.find_key(&pending, caller, key, hash);
        if known.is_none() {
            let ticket = self.state.next_call_id();
            pending.keys.insert((caller.session.clone(), key.to_owned()), (ticket, hash));
        }
        known
    }

    /// Returns the transaction that undoes the last change of a path by this session, as a payload may request.
    pub(super) fn undo_of_last(
        &self,
        guard: &JobGuard<'_>,
        (caller, hash): (&Caller, ContentHash),
        request: &JobRequest,
        path: &FilePath,
    ) -> Result<Transaction, JobAbort> {
        let last = undo::last_of_session(&self.state, caller, &self.known_path(path)?)?;
        let options = UndoOptions {
            key: request.key.clone(),
            label: request.label.clone(),
            on_stale: request.on_stale.unwrap_or_default(),
            durability: request.durability,
            // The answer of the dialect shows the changed lines.
            diff: request.diff.or(Some(true)),
            ..UndoOptions::default()
        };
        undo::transaction(&self.state, guard, (caller, hash), &UndoJob::of_entry(last, options))
    }
}

/// Returns the hash by which a different request with the same key is recognised. Fields that only change the reply are
/// not part of it.
fn undo_hash(request: &UndoRequest, direction: UndoDirection) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{direction:?}").as_bytes());
    hasher.update(&encode(&UndoRequest { diff: None, budget: None, ..request.clone() }));
    ContentHash::from_bytes(*hasher.finalize().as_bytes())
}

/// Adds a file that could not be compared with the journal to the receipt of an undo to a mark.
fn add_unclear(receipt: &mut Receipt, path: FilePath) {
    if receipt.files.iter().any(|file| file.path == path) {
        return;
    }
    let warning = "another program changed it, but it is too large, may not be read or keeps changing: it is not undone";
    match &mut receipt.error {
        Some(error) => error.message = format!("{}; {path}: {warning}", error.message),
        None => {
            let warnings = vec![warning.to_owned()];
            receipt.files.push(FileOutcome { warnings, ..FileOutcome::new(path, JobStatus::Unchanged) });
        }
    }
}
