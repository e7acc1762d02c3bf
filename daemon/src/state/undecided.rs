//! Jobs whose outcome is unknown. A record of such a job may be on the disk although its write or its flush failed, or
//! the job could not be rolled back yet. Until the next start or a later attempt decides, the same request gets the
//! first reply again. It reads no file and writes none.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::{ContentHash, JobId};

use super::{WorkspaceState, lock};
use crate::record::Entry;
use crate::store::{Store, StoreError};

/// A job by its numbers and its key.
#[derive(Clone, PartialEq, Debug)]
pub struct JobIdentity {
    /// The number of its entry; of the job if it makes none.
    pub id: JobId,
    /// The number with which it was queued, if it is detached.
    pub queued: Option<JobId>,
    /// Its session.
    pub session: String,
    /// Its key.
    pub key: Option<String>,
    /// The hash of its request.
    pub request: Option<ContentHash>,
}

impl JobIdentity {
    /// Returns the identity of an entry's job.
    pub fn of(entry: &Entry) -> Self {
        Self {
            id: entry.id,
            queued: entry.queued,
            session: entry.session.clone(),
            key: entry.key.clone(),
            request: entry.request,
        }
    }
}

/// A job whose outcome is unknown.
#[derive(Clone, Debug)]
pub struct UndecidedJob {
    /// Its numbers and its key.
    pub job: JobIdentity,
    /// Its first reply, which says that the outcome is unknown.
    pub refusal: Refusal,
    /// Its reply if it turns out to be rolled back.
    pub rolled_back: Refusal,
}

/// The jobs whose outcome is unknown, oldest first.
#[derive(Default, Debug)]
pub struct UndecidedJobs(Vec<UndecidedJob>);

impl UndecidedJobs {
    /// Adds a job.
    pub fn add(&mut self, undecided: UndecidedJob) {
        self.0.push(undecided);
    }

    /// Returns the last job with this key.
    pub fn keyed(&self, session: &str, key: &str) -> Option<&UndecidedJob> {
        self.0.iter().rfind(|one| one.job.session == session && one.job.key.as_deref() == Some(key))
    }

    /// Returns the job with this number, which may be the one with which it was queued.
    pub fn numbered(&self, id: JobId) -> Option<&UndecidedJob> {
        self.0.iter().find(|one| one.job.id == id || one.job.queued == Some(id))
    }

    /// Removes the job of an entry whose outcome is known now, and returns it.
    pub fn decided(&mut self, entry: JobId) -> Option<UndecidedJob> {
        let at = self.0.iter().position(|one| one.job.id == entry)?;
        Some(self.0.remove(at))
    }
}

/// Tells whether a record that could not be made durable may be on the disk all the same. Created before the record
/// is appended.
#[derive(Debug)]
pub struct AppendWatch {
    failed: bool,
}

impl AppendWatch {
    /// Notes whether the log has failed already: then nothing more is written to it.
    pub fn before_append(store: &Store) -> Self {
        Self { failed: store.failed().is_some() }
    }

    /// Returns true if a record may be on the disk whose append, or the flush after it, failed with this error.
    pub fn may_be_stored(&self, error: &StoreError) -> bool {
        matches!(error, StoreError::Failed(_)) && !self.failed
    }
}

/// Returns the refusal of a job whose outcome is unknown, and keeps it for the same request. `outcome` says what is
/// known and when the rest will be.
pub fn outcome_unknown(
    state: &WorkspaceState,
    job: JobIdentity,
    error: &StoreError,
    outcome: &str,
) -> Refusal {
    let refusal = Box::new(RequestError::new(ErrorCode::Io, format!("{error}; {outcome}")));
    let rolled_back = refusal.clone();
    lock(&state.undecided).add(UndecidedJob { job, refusal: refusal.clone(), rolled_back });
    refusal
}
