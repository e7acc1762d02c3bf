//! The requests by their names: which body belongs to which kind and which reply. It adds nothing to them.

use editd_proto::ids::JobId;
use editd_proto::message::{
    CheckReply, CheckRequest, ClipReply, ClipRequest, DialectsReply, DialectsRequest, HistoryReply,
    HistoryRequest, JobRequest, OutlineReply, OutlineRequest, ReadReply, ReadRequest, Receipt, ShowReply,
    ShowRequest, StatusReply, StopReply, StopRequest, SubscribeReply, SubscribeRequest, TrustReply,
    TrustRequest, UndoRequest, WaitRequest, kind,
};

use super::{CallError, Connection};

/// Each sends one request and waits for its reply; errors are those of [`Connection::call`].
impl Connection {
    /// Reads a file, which gives the session a receipt for it.
    pub fn read(&mut self, request: &ReadRequest) -> Result<ReadReply, CallError> {
        self.call(kind::READ, request)
    }

    /// Lists the definitions in a file.
    pub fn outline(&mut self, request: &OutlineRequest) -> Result<OutlineReply, CallError> {
        self.call(kind::OUTLINE, request)
    }

    /// Runs a job. A refusal of the job is a receipt, with its error inside.
    pub fn edit(&mut self, request: &JobRequest) -> Result<Receipt, CallError> {
        self.call(kind::EDIT, request)
    }

    /// Takes entries back.
    pub fn undo(&mut self, request: &UndoRequest) -> Result<Receipt, CallError> {
        self.call(kind::UNDO, request)
    }

    /// Takes undos back.
    pub fn redo(&mut self, request: &UndoRequest) -> Result<Receipt, CallError> {
        self.call(kind::REDO, request)
    }

    /// Lists journal entries.
    pub fn history(&mut self, request: &HistoryRequest) -> Result<HistoryReply, CallError> {
        self.call(kind::HISTORY, request)
    }

    /// One journal entry with its changes; where they are more than a reply holds, those behind the first `from` files.
    pub fn show(&mut self, job: JobId, from: Option<u64>) -> Result<ShowReply, CallError> {
        self.call(kind::SHOW, &ShowRequest { job, from })
    }

    /// Clipboards.
    pub fn clip(&mut self, request: &ClipRequest) -> Result<ClipReply, CallError> {
        self.call(kind::CLIP, request)
    }

    /// Asks to be told of changes; they come with [`Connection::next_event`].
    pub fn subscribe(&mut self, request: &SubscribeRequest) -> Result<SubscribeReply, CallError> {
        self.call(kind::SUBSCRIBE, request)
    }

    /// Waits for a detached job.
    pub fn wait(&mut self, request: &WaitRequest) -> Result<Receipt, CallError> {
        self.call(kind::WAIT, request)
    }

    /// Withdraws a detached job that has not begun.
    pub fn cancel(&mut self, job: JobId) -> Result<Receipt, CallError> {
        self.call(kind::CANCEL, &WaitRequest { job, timeout_ms: None })
    }

    /// Which payloads the daemon understands.
    pub fn dialects(&mut self) -> Result<DialectsReply, CallError> {
        self.call(kind::DIALECTS, &DialectsRequest {})
    }

    /// The daemon's state.
    pub fn status(&mut self) -> Result<StatusReply, CallError> {
        // The request has no fields.
        self.call(kind::STATUS, &StopRequest {})
    }

    /// Checks journal, staging folder and database.
    pub fn check(&mut self) -> Result<CheckReply, CallError> {
        self.call(kind::CHECK, &CheckRequest {})
    }

    /// Which commands the workspace brings, and that they may run.
    pub fn trust(&mut self, request: &TrustRequest) -> Result<TrustReply, CallError> {
        self.call(kind::TRUST, request)
    }

    /// Asks the daemon to leave; the connection is closed when its process has ended.
    pub fn stop(&mut self) -> Result<StopReply, CallError> {
        self.call(kind::STOP, &StopRequest {})
    }
}
