//! Detached jobs and others by their number: withdrawn before they begin, asked for when they have ended. It runs none.

use editd_engine::Refusal;
use editd_proto::error::{Code, WireError};
use editd_proto::ids::JobId;
use editd_proto::message::{JobRequest, Receipt};

use super::edit::cancelled;
use super::{Who, Workspace};
use crate::job::store_refusal;
use crate::rooms::lock;

impl Workspace {
    /// Withdraws a detached job that has not begun.
    ///
    /// # Errors
    /// `not_found` where no such job waits, `busy` where it has begun.
    pub fn cancel(&self, id: JobId) -> Result<Receipt, Refusal> {
        let mut underway = lock(&self.rooms.underway);
        let Some((queued, begun)) = underway.detached.get(&id) else {
            let message = format!("no detached job {id} waits; `editctl wait {id}` tells how it ended");
            return Err(Box::new(WireError::new(Code::NotFound, message)));
        };
        if *begun {
            let message = format!("job {id} has begun; wait for it, then undo it");
            return Err(Box::new(WireError::new(Code::Busy, message)));
        }
        let queued = queued.clone();
        // From here it cannot begin.
        underway.detached.remove(&id);
        drop(underway);
        let who = Who { session: queued.session, client: queued.client };
        // What cannot be read any more is withdrawn all the same.
        let bare = || JobRequest { key: queued.key.clone(), detach: true, ..JobRequest::default() };
        let asked = self.understand(rmp_serde::from_slice(&queued.payload).unwrap_or_else(|_| bare()));
        Ok(self.end(&who, id, &asked, queued.request, Receipt::refused(*cancelled())))
    }

    /// The receipt of a job that ended; `None` while it waits or runs.
    ///
    /// # Errors
    /// `not_found` where there is none.
    pub fn receipt(&self, id: JobId) -> Result<Option<Receipt>, Refusal> {
        let underway = lock(&self.rooms.underway);
        if underway.detached.contains_key(&id) || underway.keys.values().any(|(other, _)| *other == id) {
            return Ok(None);
        }
        drop(underway);
        match self.rooms.store.receipt(id) {
            Err(error) => Err(store_refusal(&error)),
            Ok(Some(receipt)) => Ok(Some(receipt)),
            Ok(None) => {
                let message = format!("no job {id} has ended; `editctl log` lists those that left an entry");
                Err(Box::new(WireError::new(Code::NotFound, message)))
            }
        }
    }
}
