//! Requests for jobs by their numbers: cancels a detached job that has not begun, and returns the receipts of jobs that
//! have ended. It runs none.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{JobRequest, Receipt};

use super::Workspace;
use super::edit::cancelled;
use crate::caller::Caller;
use crate::state::lock;
use crate::state::refusal::{log_present, store_refusal};

impl Workspace {
    /// Cancels a detached job that has not begun.
    ///
    /// # Errors
    /// `not_found` if no such job waits, `busy` if it has begun, `io` if the journal is gone.
    pub fn cancel(&self, id: JobId) -> Result<Receipt, Refusal> {
        log_present(&self.state)?;
        let mut pending = lock(&self.state.pending);
        let Some((queued, begun)) = pending.detached.get(&id) else {
            drop(pending);
            let message = match self.state.store.receipt(id) {
                Ok(None) => never(id),
                _ => format!("no detached job {id} waits; `editctl wait {id}` shows how it ended"),
            };
            return Err(Box::new(RequestError::new(ErrorCode::NotFound, message)));
        };
        if *begun {
            let message = format!("job {id} has begun; wait for it, then undo it");
            return Err(Box::new(RequestError::new(ErrorCode::Busy, message)));
        }
        let queued = queued.clone();
        // From here on it cannot begin.
        pending.detached.remove(&id);
        drop(pending);
        let caller = Caller::of_session(&queued.session, &queued.client);
        // A job whose stored request cannot be decoded is cancelled all the same.
        let bare = || JobRequest { key: queued.key.clone(), detach: true, ..JobRequest::default() };
        let parsed = self.understand(rmp_serde::from_slice(&queued.payload).unwrap_or_else(|_| bare()));
        Ok(self.end(&caller, id, &parsed, queued.request, Receipt::refused(*cancelled())))
    }

    /// Returns the receipt of a job that ended; `None` while it waits or runs.
    ///
    /// # Errors
    /// `not_found` if there is none.
    pub fn receipt(&self, id: JobId) -> Result<Option<Receipt>, Refusal> {
        let pending = lock(&self.state.pending);
        if pending.detached.contains_key(&id) || pending.keys.values().any(|(other, _)| *other == id) {
            return Ok(None);
        }
        drop(pending);
        match self.state.store.receipt(id) {
            Err(error) => Err(store_refusal(&error)),
            Ok(Some(receipt)) => Ok(Some(receipt)),
            Ok(None) => {
                if let Some(undecided) = lock(&self.state.undecided).numbered(id) {
                    return Err(undecided.refusal.clone());
                }
                Err(Box::new(RequestError::new(ErrorCode::NotFound, never(id))))
            }
        }
    }
}

/// Returns the message that there is no such job.
fn never(id: JobId) -> String {
    format!(
        "no detached job {id} waits, and the journal has no job {id}; `editctl log` lists the entries of jobs"
    )
}

#[cfg(all(test, unix))]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use editd_proto::message::{FileEdit, FileEntry, JobRequest, JobStatus};

    use super::*;
    use crate::workspace::Admission;
    use crate::workspace::tests::kit::Bench;

    #[test]
    fn a_job_that_never_was_is_told_apart_from_one_that_has_ended() {
        let bench = Bench::new();
        let messages = [
            bench.workspace.cancel(JobId(999)).unwrap_err().message,
            bench.workspace.receipt(JobId(999)).unwrap_err().message,
        ];
        for message in messages {
            assert!(message.contains("the journal has no job 999; `editctl log`"), "{message}");
        }
    }

    #[test]
    fn a_key_sent_while_its_job_is_withdrawn_is_told_of_the_withdrawal() {
        let bench = Arc::new(Bench::new());
        let caller = Caller::of_session("s", "test");
        // The moment is short, so it is looked for more than once.
        for nth in 0..20 {
            let edit = FileEdit { op: "create".into(), text: Some("text\n".into()), ..FileEdit::default() };
            let request = JobRequest {
                key: Some(format!("{nth}")),
                detach: true,
                files: vec![FileEntry {
                    path: "new".into(),
                    base: None,
                    edits: vec![edit],
                    ..FileEntry::default()
                }],
                ..JobRequest::default()
            };
            let parsed = bench.workspace.understand(request.clone());
            let Admission::New(id) = bench.workspace.admit(&caller, &parsed) else { panic!("it is new") };
            let (tell, told) = mpsc::channel();
            let held = lock(&bench.state().pending);
            let (again, same) = (Arc::clone(&bench), caller.clone());
            let cancels = {
                let bench = Arc::clone(&bench);
                std::thread::spawn(move || bench.workspace.cancel(id).unwrap())
            };
            std::thread::spawn(move || {
                let parsed = again.workspace.understand(request);
                tell.send(again.workspace.admit(&same, &parsed)).unwrap();
            });
            drop(held);
            assert_eq!(cancels.join().unwrap().status, JobStatus::Refused);
            let admission = told.recv_timeout(Duration::from_secs(20)).unwrap();
            match admission {
                Admission::Ended(receipt) => assert_eq!(receipt.error.unwrap().code, ErrorCode::Rejected),
                // It came before the other.
                Admission::Pending(job) => assert_eq!(job, id),
                other => panic!("{other:?}"),
            }
        }
    }
}
