//! A method for each request, with the types of its body and its reply.

use editd_proto::ids::JobId;
use editd_proto::message::{
    CheckReply, CheckRequest, ChecksReply, ChecksRequest, ClipReply, ClipRequest, ConfigReply, ConfigRequest,
    ContentReply, ContentRequest, DialectsReply, DialectsRequest, ExportReply, ExportRequest, ForgetReply,
    ForgetRequest, HistoryReply, HistoryRequest, JobRequest, MarkReply, MarkRequest, MetricsReply,
    MetricsRequest, NoteReply, NoteRequest, OutlineReply, OutlineRequest, ReadReply, ReadRequest, Receipt,
    ShowReply, ShowRequest, StatusReply, StatusRequest, StopReply, StopRequest, SubscribeReply,
    SubscribeRequest, TrustReply, TrustRequest, UndoRequest, WaitRequest, kind,
};

use super::{CallError, Connection};

/// Each method sends one request and waits for its reply. The errors are those of [`Connection::call`].
impl Connection {
    /// Reads a file. The session gets a receipt for it.
    pub fn read(&mut self, request: &ReadRequest) -> Result<ReadReply, CallError> {
        self.call(kind::READ, request)
    }

    /// Lists the definitions of a file.
    pub fn outline(&mut self, request: &OutlineRequest) -> Result<OutlineReply, CallError> {
        self.call(kind::OUTLINE, request)
    }

    /// Runs a job. If the job is refused, the receipt contains the error.
    pub fn edit(&mut self, request: &JobRequest) -> Result<Receipt, CallError> {
        self.call(kind::EDIT, request)
    }

    /// Undoes entries.
    pub fn undo(&mut self, request: &UndoRequest) -> Result<Receipt, CallError> {
        self.call(kind::UNDO, request)
    }

    /// Undoes undos.
    pub fn redo(&mut self, request: &UndoRequest) -> Result<Receipt, CallError> {
        self.call(kind::REDO, request)
    }

    /// Lists journal entries.
    pub fn history(&mut self, request: &HistoryRequest) -> Result<HistoryReply, CallError> {
        self.call(kind::HISTORY, request)
    }

    /// Returns a journal entry with its changes, without those of the first `from` files.
    pub fn show(&mut self, job: JobId, from: Option<u64>) -> Result<ShowReply, CallError> {
        self.call(kind::SHOW, &ShowRequest { job, from })
    }

    /// Returns a content, or a part of it, that a file had before or after an entry.
    pub fn content(&mut self, request: &ContentRequest) -> Result<ContentReply, CallError> {
        self.call(kind::CONTENT, request)
    }

    /// Returns a piece of the exported journal.
    pub fn export(&mut self, request: &ExportRequest) -> Result<ExportReply, CallError> {
        self.call(kind::EXPORT, request)
    }

    /// Lists, shows, stores, copies or removes clipboards.
    pub fn clip(&mut self, request: &ClipRequest) -> Result<ClipReply, CallError> {
        self.call(kind::CLIP, request)
    }

    /// Removes the contents of a file from the journal.
    pub fn forget(&mut self, request: &ForgetRequest) -> Result<ForgetReply, CallError> {
        self.call(kind::FORGET, request)
    }

    /// Attributes changes by other tools to a session.
    pub fn note(&mut self, request: &NoteRequest) -> Result<NoteReply, CallError> {
        self.call(kind::NOTE, request)
    }

    /// Names the present state of the workspace.
    pub fn mark(&mut self, name: &str) -> Result<MarkReply, CallError> {
        self.call(kind::MARK, &MarkRequest { name: name.to_owned() })
    }

    /// Subscribes to changes. Get them with [`Connection::next_event`].
    pub fn subscribe(&mut self, request: &SubscribeRequest) -> Result<SubscribeReply, CallError> {
        self.call(kind::SUBSCRIBE, request)
    }

    /// Waits for a detached job.
    pub fn wait(&mut self, request: &WaitRequest) -> Result<Receipt, CallError> {
        self.call(kind::WAIT, request)
    }

    /// Cancels a detached job that has not started.
    pub fn cancel(&mut self, job: JobId) -> Result<Receipt, CallError> {
        self.call(kind::CANCEL, &WaitRequest { job, timeout_ms: None })
    }

    /// Lists the dialects of payloads.
    pub fn dialects(&mut self) -> Result<DialectsReply, CallError> {
        self.call(kind::DIALECTS, &DialectsRequest {})
    }

    /// Returns the state of the daemon.
    pub fn status(&mut self) -> Result<StatusReply, CallError> {
        self.status_with(&StatusRequest::default())
    }

    /// Returns the state of the daemon, and the times of a job.
    pub fn status_with(&mut self, request: &StatusRequest) -> Result<StatusReply, CallError> {
        self.call(kind::STATUS, request)
    }

    /// Returns counters and latencies as OpenMetrics text.
    pub fn metrics(&mut self) -> Result<MetricsReply, CallError> {
        self.call(kind::METRICS, &MetricsRequest {})
    }

    /// Checks the journal, the staging folder and the database.
    pub fn check(&mut self) -> Result<CheckReply, CallError> {
        self.call(kind::CHECK, &CheckRequest {})
    }

    /// Returns the settings of the daemon and their sources.
    pub fn config(&mut self) -> Result<ConfigReply, CallError> {
        self.call(kind::CONFIG, &ConfigRequest {})
    }

    /// Returns the results of the checks that ran after jobs.
    pub fn checks(&mut self, request: &ChecksRequest) -> Result<ChecksReply, CallError> {
        self.call(kind::CHECKS, request)
    }

    /// Lists the commands of the workspace, and allows or forbids them.
    pub fn trust(&mut self, request: &TrustRequest) -> Result<TrustReply, CallError> {
        self.call(kind::TRUST, request)
    }

    /// Stops the daemon. It closes the connection when its process has ended.
    pub fn stop(&mut self) -> Result<StopReply, CallError> {
        self.call(kind::STOP, &StopRequest {})
    }
}
