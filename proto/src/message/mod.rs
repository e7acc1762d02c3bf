//! The messages, one file for each subject. Every message is one MessagePack map with named fields that
//! has `id` and `kind` beside the fields listed here; see `proto/WIRE.md`.

pub mod clip;
pub mod dialect;
pub mod hello;
pub mod history;
pub mod job;
pub mod outline;
pub mod ranges;
pub mod read;
pub mod receipt;
pub mod status;
pub mod trust;
pub mod watch;

pub(crate) mod bounded;
mod strict;

pub use clip::{ClipAction, ClipInfo, ClipReply, ClipRequest};
pub use dialect::{DialectInfo, DialectsReply, DialectsRequest};
pub use hello::{Hello, ServerLimits, Welcome};
pub use history::{
    EntryDetail, EntryFile, EntryHunk, EntryKind, EntrySummary, HistoryReply, HistoryRequest, HunkChoice,
    LaterEntry, ShowReply, ShowRequest, UndoRequest,
};
pub use job::{
    Durability, Edit, FileEntry, FileMode, JobRequest, Mode, OnStale, Payload, Position, Reindent,
    SymbolPosition, WaitRequest, Within,
};
pub use outline::{Declaration, Extent, OutlineReply, OutlineRequest, SymbolInfo};
pub use ranges::LineRanges;
pub use read::{ReadReply, ReadRequest};
pub use receipt::{EditOutcome, EditStatus, FileOutcome, Formatted, HookOutcome, Issue, Receipt, Status};
pub use status::{CheckReply, CheckRequest, Finding, StatusReply, StopReply, StopRequest};
pub use trust::{CommandInfo, TrustReply, TrustRequest};
pub use watch::{ChangeEvent, ChangeKind, SubscribeReply, SubscribeRequest};

/// The words in `kind`: requests, their replies (the same word), and what only the server sends.
pub mod kind {
    /// First frame of a connection.
    pub const HELLO: &str = "hello";
    /// Read a file.
    pub const READ: &str = "read";
    /// An edit job.
    pub const EDIT: &str = "edit";
    /// Take entries back.
    pub const UNDO: &str = "undo";
    /// Take an undo back.
    pub const REDO: &str = "redo";
    /// List journal entries.
    pub const HISTORY: &str = "history";
    /// One journal entry, whole.
    pub const SHOW: &str = "show";
    /// Clipboards.
    pub const CLIP: &str = "clip";
    /// The dialects of payloads.
    pub const DIALECTS: &str = "dialects";
    /// A file's outline.
    pub const OUTLINE: &str = "outline";
    /// Which commands the workspace brings, and whether they may run.
    pub const TRUST: &str = "trust";
    /// Be told of changes.
    pub const SUBSCRIBE: &str = "subscribe";
    /// Wait for a detached job.
    pub const WAIT: &str = "wait";
    /// Withdraw a job that has not begun.
    pub const CANCEL: &str = "cancel";
    /// The daemon's state.
    pub const STATUS: &str = "status";
    /// Check the journal, the staging folder and the database.
    pub const CHECK: &str = "check";
    /// Stop the daemon.
    pub const STOP: &str = "stop";
    /// Server only: the request with this `id` failed.
    pub const ERROR: &str = "error";
    /// Server only: a change that was subscribed to; `id` is the subscription's.
    pub const EVENT: &str = "event";
}
