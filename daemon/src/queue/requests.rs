//! The interface to a workspace, so that the queue and the sockets can be tested without one. It adds nothing.

use std::path::PathBuf;

use editd_engine::Refusal;
use editd_proto::ids::JobId;
use editd_proto::message::{
    ChangeEvent, CheckReply, ClipReply, ClipRequest, DialectsReply, HistoryReply, HistoryRequest, JobRequest,
    OutlineReply, OutlineRequest, ReadReply, ReadRequest, Receipt, ShowReply, ShowRequest, TrustReply,
    TrustRequest, UndoRequest,
};
use editd_proto::path::FilePath;

use crate::workspace::{Admission, Counts, Lanes, ParsedRequest, ReservedReply, Who, Workspace};

/// The calls of [`Workspace`], with the same names and the same meaning.
#[expect(missing_docs, reason = "each call is described once, at the workspace's method of that name")]
pub trait WorkspaceRequests: Send + Sync {
    fn root(&self) -> PathBuf;
    fn root_present(&self) -> Result<(), Refusal>;
    fn read(&self, who: &Who, request: &ReadRequest) -> Result<ReservedReply<'_, ReadReply>, Refusal>;
    fn outline(&self, request: &OutlineRequest) -> Result<ReservedReply<'_, OutlineReply>, Refusal>;
    fn understand(&self, request: JobRequest) -> ParsedRequest;
    fn lanes(&self, asked: &ParsedRequest) -> Result<Lanes, Refusal>;
    fn runs_commands(&self, lanes: &Lanes) -> bool;
    fn admit(&self, who: &Who, asked: &ParsedRequest) -> Admission;
    fn edit(&self, who: &Who, id: JobId, asked: &ParsedRequest) -> Receipt;
    fn undo(&self, who: &Who, request: &UndoRequest) -> Receipt;
    fn redo(&self, who: &Who, request: &UndoRequest) -> Receipt;
    fn cancel(&self, id: JobId) -> Result<Receipt, Refusal>;
    fn receipt(&self, id: JobId) -> Result<Option<Receipt>, Refusal>;
    fn history(&self, request: &HistoryRequest) -> Result<ReservedReply<'_, HistoryReply>, Refusal>;
    fn show(&self, request: &ShowRequest) -> Result<ReservedReply<'_, ShowReply>, Refusal>;
    fn clip(&self, who: &Who, request: &ClipRequest) -> Result<ClipReply, Refusal>;
    fn observe(&self, path: &FilePath) -> Option<ChangeEvent>;
    fn tracked_below(&self, folder: &FilePath) -> Vec<FilePath>;
    fn settle(&self, all: bool) -> Option<u64>;
    fn flush(&self) -> Result<(), Refusal>;
    fn upkeep(&self);
    fn close(&self);
    fn counts(&self) -> Counts;
    fn failed(&self) -> Option<String>;
    fn touched_folders(&self, known: usize) -> Option<Vec<FilePath>>;
    fn check(&self) -> CheckReply;
    fn dialects(&self) -> DialectsReply;
    fn trust(&self, request: &TrustRequest) -> Result<TrustReply, Refusal>;
    fn left_out(&self) -> Option<String>;
}

impl WorkspaceRequests for Workspace {
    fn root(&self) -> PathBuf {
        Workspace::root(self)
    }
    fn root_present(&self) -> Result<(), Refusal> {
        Workspace::root_present(self)
    }
    fn read(&self, who: &Who, request: &ReadRequest) -> Result<ReservedReply<'_, ReadReply>, Refusal> {
        Workspace::read(self, who, request)
    }
    fn outline(&self, request: &OutlineRequest) -> Result<ReservedReply<'_, OutlineReply>, Refusal> {
        Workspace::outline(self, request)
    }
    fn understand(&self, request: JobRequest) -> ParsedRequest {
        Workspace::understand(self, request)
    }
    fn lanes(&self, asked: &ParsedRequest) -> Result<Lanes, Refusal> {
        Workspace::lanes(self, asked)
    }
    fn runs_commands(&self, lanes: &Lanes) -> bool {
        Workspace::runs_commands(self, lanes)
    }
    fn admit(&self, who: &Who, asked: &ParsedRequest) -> Admission {
        Workspace::admit(self, who, asked)
    }
    fn edit(&self, who: &Who, id: JobId, asked: &ParsedRequest) -> Receipt {
        Workspace::edit(self, who, id, asked)
    }
    fn undo(&self, who: &Who, request: &UndoRequest) -> Receipt {
        Workspace::undo(self, who, request)
    }
    fn redo(&self, who: &Who, request: &UndoRequest) -> Receipt {
        Workspace::redo(self, who, request)
    }
    fn cancel(&self, id: JobId) -> Result<Receipt, Refusal> {
        Workspace::cancel(self, id)
    }
    fn receipt(&self, id: JobId) -> Result<Option<Receipt>, Refusal> {
        Workspace::receipt(self, id)
    }
    fn history(&self, request: &HistoryRequest) -> Result<ReservedReply<'_, HistoryReply>, Refusal> {
        Workspace::history(self, request)
    }
    fn show(&self, request: &ShowRequest) -> Result<ReservedReply<'_, ShowReply>, Refusal> {
        Workspace::show(self, request)
    }
    fn clip(&self, who: &Who, request: &ClipRequest) -> Result<ClipReply, Refusal> {
        Workspace::clip(self, who, request)
    }
    fn observe(&self, path: &FilePath) -> Option<ChangeEvent> {
        Workspace::observe(self, path)
    }
    fn tracked_below(&self, folder: &FilePath) -> Vec<FilePath> {
        Workspace::tracked_below(self, folder)
    }
    fn settle(&self, all: bool) -> Option<u64> {
        Workspace::settle(self, all)
    }
    fn flush(&self) -> Result<(), Refusal> {
        Workspace::flush(self)
    }
    fn upkeep(&self) {
        Workspace::upkeep(self);
    }
    fn close(&self) {
        Workspace::close(self);
    }
    fn counts(&self) -> Counts {
        Workspace::counts(self)
    }
    fn failed(&self) -> Option<String> {
        Workspace::failed(self)
    }
    fn touched_folders(&self, known: usize) -> Option<Vec<FilePath>> {
        Workspace::touched_folders(self, known)
    }
    fn check(&self) -> CheckReply {
        Workspace::check(self)
    }
    fn dialects(&self) -> DialectsReply {
        Workspace::dialects(self)
    }
    fn trust(&self, request: &TrustRequest) -> Result<TrustReply, Refusal> {
        Workspace::trust(self, request)
    }
    fn left_out(&self) -> Option<String> {
        Workspace::left_out(self)
    }
}
