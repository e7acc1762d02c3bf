//! The messages, one file per subject. Each message is a MessagePack map of named fields, with `id` and `kind` beside
//! the fields that are defined here; see `proto/WIRE.md`.

pub mod checks;
pub mod clip;
pub mod config;
pub mod content;
pub mod dialect;
pub mod export;
pub mod forget;
pub mod hello;
pub mod history;
pub mod job;
pub mod mark;
pub mod metrics;
pub mod note;
pub mod outline;
pub mod read;
pub mod status;
pub mod trust;
pub mod watch;

pub(crate) mod bounded;
#[cfg(test)]
mod tests;

pub use checks::{ChecksReply, ChecksRequest};
pub use clip::{ClipAction, ClipInfo, ClipReply, ClipRequest};
pub use config::{ConfigReply, ConfigRequest, SettingInfo, SettingSource, SettingWait};
pub use content::{ContentReply, ContentRequest, EntrySide};
pub use dialect::{DialectInfo, DialectsReply, DialectsRequest};
pub use editd_types::{
    CheckOutcome, CheckStatus, Diagnostic, EditOutcome, EditPosition, EditScope, EditStatus, EntryKind,
    FileEdit, FileEntry, FileMode, FileOutcome, FormatterChange, HookOutcome, Issue, JobMode, JobStatus,
    LaterEntry, LineRanges, Receipt, Reindent, SymbolDeclaration, SymbolInfo, SymbolPosition, TextExtent,
};
pub use export::{ExportReply, ExportRequest};
pub use forget::{ForgetReply, ForgetRequest};
pub use hello::{Hello, ServerLimits, Welcome};
pub use history::{
    EntryDetail, EntryFile, EntryHunk, EntrySummary, HistoryReply, HistoryRequest, HunkChoice, OUTSIDE,
    ShowReply, ShowRequest, UndoRequest,
};
pub use job::{Durability, JobRequest, OnStale, Payload, WaitRequest};
pub use mark::{MarkReply, MarkRequest};
pub use metrics::{LatencyInfo, MetricsReply, MetricsRequest, StepTime, TraceInfo};
pub use note::{NotePhase, NoteReply, NoteRequest, NotedEntry};
pub use outline::{OutlineReply, OutlineRequest};
pub use read::{ReadReply, ReadRequest};
pub use status::{
    CheckFinding, CheckReply, CheckRequest, StatusReply, StatusRequest, StopReply, StopRequest,
};
pub use trust::{CommandInfo, TrustReply, TrustRequest};
pub use watch::{ChangeEvent, ChangeKind, SubscribeReply, SubscribeRequest};

/// The values of `kind`: requests, their replies (with the same value), and messages that only the server sends.
pub mod kind {
    /// The first message of a connection.
    pub const HELLO: &str = "hello";
    /// Read a file.
    pub const READ: &str = "read";
    /// An edit job.
    pub const EDIT: &str = "edit";
    /// Undo entries.
    pub const UNDO: &str = "undo";
    /// Undo an undo.
    pub const REDO: &str = "redo";
    /// List journal entries.
    pub const HISTORY: &str = "history";
    /// Show one journal entry.
    pub const SHOW: &str = "show";
    /// Get a content that a file of a journal entry had.
    pub const CONTENT: &str = "content";
    /// Get the journal as lines of JSON.
    pub const EXPORT: &str = "export";
    /// Use clipboards.
    pub const CLIP: &str = "clip";
    /// Remove the contents of a file from the journal.
    pub const FORGET: &str = "forget";
    /// Names the present state of the workspace.
    pub const MARK: &str = "mark";
    /// List the dialects of payloads.
    pub const DIALECTS: &str = "dialects";
    /// Attribute changes by other tools to a session.
    pub const NOTE: &str = "note";
    /// Show the outline of a file.
    pub const OUTLINE: &str = "outline";
    /// List the commands of the workspace, and allow or forbid them.
    pub const TRUST: &str = "trust";
    /// Show the settings and their sources.
    pub const CONFIG: &str = "config";
    /// Subscribe to changes.
    pub const SUBSCRIBE: &str = "subscribe";
    /// Wait for a detached job.
    pub const WAIT: &str = "wait";
    /// Cancel a detached job that has not started.
    pub const CANCEL: &str = "cancel";
    /// Show the daemon's state.
    pub const STATUS: &str = "status";
    /// Get counters and latencies as OpenMetrics text.
    pub const METRICS: &str = "metrics";
    /// Check the journal, the staging folder and the database.
    pub const CHECK: &str = "check";
    /// Show the results of checks.
    pub const CHECKS: &str = "checks";
    /// Stop the daemon.
    pub const STOP: &str = "stop";
    /// Server only: the request with this `id` failed.
    pub const ERROR: &str = "error";
    /// Server only: a change that was subscribed to; `id` is the subscription's.
    pub const EVENT: &str = "event";
}
