//! The interface to a workspace, so that the queue and the sockets can be tested without one. It adds nothing.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use editd_engine::Refusal;
use editd_proto::ids::JobId;
use editd_proto::message::{
    ChangeEvent, CheckReply, ClipReply, ClipRequest, ConfigReply, ContentReply, ContentRequest,
    DialectsReply, ExportReply, ExportRequest, ForgetReply, ForgetRequest, HistoryReply, HistoryRequest,
    JobRequest, MarkReply, MarkRequest, NoteReply, NoteRequest, OutlineReply, OutlineRequest, ReadReply,
    ReadRequest, Receipt, ShowReply, ShowRequest, TrustReply, TrustRequest, UndoRequest,
};
use editd_proto::path::FilePath;

use crate::caller::{Caller, Lanes};
use crate::metrics::{JobTrace, Metrics, OtherCounts};
use crate::workspace::{
    Admission, Counts, DamageSignal, DueCheck, FinishedRun, ParsedRequest, ReservedReply, StartedCheck,
    Workspace,
};

/// Declares the interface, and implements it with the methods of [`Workspace`] that have the same names.
macro_rules! workspace_requests {
    ($(fn $name:ident(&self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*) => {
        /// The methods of [`Workspace`] that other modules call. Their documentation is there.
        pub trait WorkspaceRequests: Send + Sync {
            $(fn $name(&self $(, $argument: $type)*) $(-> $result)?;)*
        }

        impl WorkspaceRequests for Workspace {
            $(fn $name(&self $(, $argument: $type)*) $(-> $result)? {
                Workspace::$name(self $(, $argument)*)
            })*
        }
    };
}

workspace_requests! {
    fn root_present(&self) -> Result<(), Refusal>;
    fn read(&self, caller: &Caller, request: &ReadRequest) -> Result<ReservedReply<'_, ReadReply>, Refusal>;
    fn outline(&self, caller: &Caller, request: &OutlineRequest) -> Result<ReservedReply<'_, OutlineReply>, Refusal>;
    fn understand(&self, request: JobRequest) -> ParsedRequest;
    fn lanes(&self, caller: &Caller, parsed: &ParsedRequest) -> Result<Lanes, Refusal>;
    fn runs_commands(&self, lanes: &Lanes) -> bool;
    fn admit(&self, caller: &Caller, parsed: &ParsedRequest) -> Admission;
    fn edit(&self, caller: &Caller, id: JobId, parsed: &ParsedRequest, freed: &dyn Fn(), trace: &JobTrace) -> Receipt;
    fn undo(&self, caller: &Caller, request: &UndoRequest, trace: &JobTrace) -> Receipt;
    fn redo(&self, caller: &Caller, request: &UndoRequest, trace: &JobTrace) -> Receipt;
    fn cancel(&self, id: JobId) -> Result<Receipt, Refusal>;
    fn receipt(&self, id: JobId) -> Result<Option<Receipt>, Refusal>;
    fn history(&self, caller: &Caller, request: &HistoryRequest) -> Result<ReservedReply<'_, HistoryReply>, Refusal>;
    fn show(&self, caller: &Caller, request: &ShowRequest) -> Result<ReservedReply<'_, ShowReply>, Refusal>;
    fn content(&self, caller: &Caller, request: &ContentRequest) -> Result<ReservedReply<'_, ContentReply>, Refusal>;
    fn export(&self, caller: &Caller, request: &ExportRequest) -> Result<ReservedReply<'_, ExportReply>, Refusal>;
    fn clip(&self, caller: &Caller, request: &ClipRequest) -> Result<ClipReply, Refusal>;
    fn forget(&self, caller: &Caller, request: &ForgetRequest) -> Result<ForgetReply, Refusal>;
    fn note(&self, caller: &Caller, request: &NoteRequest) -> Result<NoteReply, Refusal>;
    fn mark(&self, caller: &Caller, request: &MarkRequest) -> Result<MarkReply, Refusal>;
    fn is_announced(&self, path: &FilePath) -> bool;
    fn observe(&self, path: &FilePath) -> Option<ChangeEvent>;
    fn is_as_left(&self, path: &FilePath) -> bool;
    fn unreported(&self) -> (Vec<JobId>, bool);
    fn tracked_below(&self, folder: &FilePath) -> Vec<FilePath>;
    fn settle(&self, all: bool) -> Option<u64>;
    fn flush(&self) -> Result<(), Refusal>;
    fn ask_upkeep(&self);
    fn drop_trees(&self);
    fn retain(&self) -> bool;
    fn end_retention(&self);
    fn log_segments(&self) -> Vec<u64>;
    fn check_log_segment(&self, id: u64) -> Result<Option<String>, Refusal>;
    fn close(&self);
    fn counts(&self) -> Counts;
    fn metrics(&self) -> Arc<Metrics>;
    fn other_counts(&self) -> OtherCounts;
    fn failed(&self) -> Option<String>;
    fn on_damage(&self, signal: DamageSignal);
    fn found_damage(&self) -> Vec<String>;
    fn damage(&self) -> Option<String>;
    fn rebuilding(&self) -> Option<String>;
    fn database_fault(&self) -> Option<String>;
    fn touched_folders(&self, known: usize) -> Option<Vec<FilePath>>;
    fn check(&self) -> CheckReply;
    fn dialects(&self) -> DialectsReply;
    fn trust(&self, request: &TrustRequest) -> Result<TrustReply, Refusal>;
    fn config(&self) -> ConfigReply;
    fn left_out(&self) -> Option<String>;
    fn checks_after(&self, receipt: &Receipt) -> Vec<DueCheck>;
    fn check_names(&self) -> Option<BTreeSet<String>>;
    fn run_check(&self, started: &StartedCheck, stop: &AtomicBool) -> FinishedRun;
}
