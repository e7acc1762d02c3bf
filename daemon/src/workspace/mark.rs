//! The request `mark`: names the present state of the workspace by an entry without files. It changes no file.

use editd_engine::Refusal;
use editd_proto::codec::check_name;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::limits::MARK;
use editd_proto::message::{EntryKind, MarkReply, MarkRequest};

use super::Workspace;
use crate::caller::Caller;
use crate::record::{Entry, Record};
use crate::state::refusal::{log_present, root_present, store_refusal};
use crate::state::undecided::{AppendWatch, JobIdentity, outcome_unknown};

impl Workspace {
    /// Makes a mark. Changes that other programs have made before it have lower numbers.
    ///
    /// # Errors
    /// `malformed` and `too_large` for the name, `stopping` if the workspace's folder was moved, `io` if the log fails.
    pub fn mark(&self, caller: &Caller, request: &MarkRequest) -> Result<MarkReply, Refusal> {
        let name = checked(&request.name)?;
        root_present(&self.state)?;
        log_present(&self.state)?;
        let _unclear = self.look_at_journaled(caller)?;
        let entry = Entry {
            id: self.state.next_id(),
            kind: EntryKind::Mark,
            boot: self.state.boot,
            time: self.state.clock.wall_ms(),
            session: caller.session.clone(),
            client: caller.client.clone(),
            key: None,
            request: None,
            label: Some(name.to_owned()),
            queued: None,
            of: Vec::new(),
            files: Vec::new(),
            clips: Vec::new(),
            parts: Vec::new(),
        };
        let (job, identity) = (entry.id, JobIdentity::of(&entry));
        let watch = AppendWatch::before_append(&self.state.store);
        let stored = self.state.store.append(&[Record::External(entry)]);
        let _flushed = stored.and_then(|at| self.state.store.flush(at)).map_err(|error| {
            if !watch.may_be_stored(&error) {
                return store_refusal(&error);
            }
            let outcome =
                "the mark may be in the log; restart the daemon: `editctl log` then shows whether it exists";
            outcome_unknown(&self.state, identity, &error, outcome)
        })?;
        Ok(MarkReply { job, name: name.to_owned() })
    }
}

fn checked(name: &str) -> Result<&str, Refusal> {
    check_name("mark", name)?;
    if name.len() > MARK {
        let message = format!("the name of the mark has {} bytes and the limit is {MARK}", name.len());
        return Err(Box::new(RequestError {
            limit: Some(MARK as u64),
            ..RequestError::new(ErrorCode::TooLarge, message)
        }));
    }
    Ok(name)
}
