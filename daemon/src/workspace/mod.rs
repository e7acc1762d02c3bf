//! Everything that a request may ask of a workspace, as plain synchronous code: what `queue` runs on its
//! worker threads. It knows no socket and starts no thread.
//!
//! *Calling sequence*: [`Workspace::open`] recovers; then any call, from any thread. Calls that change
//! files are made only for what `queue::lanes` has let through, so that no two jobs touch a file at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_engine::Refusal;
use editd_proto::ids::JobId;
use editd_proto::message::{
    ChangeEvent, CheckReply, ClipReply, ClipRequest, HistoryReply, HistoryRequest, JobRequest, ReadReply,
    ReadRequest, Receipt, ShowReply, UndoRequest,
};
use editd_proto::path::WirePath;

use crate::clock::Clock;
use crate::config::Settings;
use crate::os::{Identity, Os};
use crate::store::record::Queued;

/// Who asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Who {
    /// Whose receipts, clipboards and undo.
    pub session: String,
    /// Which program, for the journal.
    pub client: String,
}

/// What a job needs to itself while it runs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LaneKey {
    /// A path, links resolved.
    Path(WirePath),
    /// A file, under whatever names.
    File(Identity),
}

/// The lanes of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// These.
    Some(Vec<LaneKey>),
    /// All: it waits for every job before it, and every later one waits for it (undo, redo).
    All,
}

/// What recovery did when the workspace was opened.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Detached jobs to run again, oldest first.
    pub queued: Vec<Queued>,
    /// What people should know, one sentence each.
    pub notes: Vec<String>,
}

/// Whether a job that comes with a key is new.
#[derive(Clone, PartialEq, Debug)]
pub enum Admission {
    /// It is: run it under this number.
    New(JobId),
    /// It ended already: this is its receipt.
    Ended(Box<Receipt>),
    /// It waits or runs: attach to it.
    Underway(JobId),
    /// Refused, for instance since the key was used for another request.
    Refused(Refusal),
}

/// What the watcher needs to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Journal entries.
    pub entries: u64,
    /// Entries not yet settled.
    pub unsettled: u64,
}

/// Opening failed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OpenError(pub String);

/// A workspace with its journal.
pub struct Workspace {}

#[expect(clippy::unimplemented, unused_variables, reason = "signatures only, until the room is built")]
impl Workspace {
    /// Opens a workspace: takes its lock, opens the store in `state`, recovers what was open.
    pub fn open(
        os: Arc<dyn Os>,
        root: &Path,
        state: &Path,
        settings: Settings,
        clock: Arc<dyn Clock>,
    ) -> Result<(Workspace, Recovered), OpenError> {
        unimplemented!()
    }
    /// The folder it serves.
    pub fn root(&self) -> PathBuf {
        unimplemented!()
    }
    /// Reads a file and renews the session's receipt.
    pub fn read(&self, who: &Who, request: &ReadRequest) -> Result<ReadReply, Refusal> {
        unimplemented!()
    }
    /// What a job needs to itself; checks its paths.
    pub fn lanes(&self, request: &JobRequest) -> Result<Lanes, Refusal> {
        unimplemented!()
    }
    /// Gives a job its number, or finds it by its key. A detached job is durable when this returns.
    pub fn admit(&self, who: &Who, request: &JobRequest) -> Admission {
        unimplemented!()
    }
    /// Runs a job that was admitted and whose lanes are free. Never panics; errors are in the receipt.
    pub fn edit(&self, who: &Who, id: JobId, request: &JobRequest) -> Receipt {
        unimplemented!()
    }
    /// Takes entries back, with all lanes free.
    pub fn undo(&self, who: &Who, request: &UndoRequest) -> Receipt {
        unimplemented!()
    }
    /// Takes undos back, with all lanes free.
    pub fn redo(&self, who: &Who, request: &UndoRequest) -> Receipt {
        unimplemented!()
    }
    /// Withdraws a detached job that has not begun.
    pub fn cancel(&self, id: JobId) -> Result<Receipt, Refusal> {
        unimplemented!()
    }
    /// The receipt of a job that ended; `None` while it waits or runs; `not_found` where there is none.
    pub fn receipt(&self, id: JobId) -> Result<Option<Receipt>, Refusal> {
        unimplemented!()
    }
    /// Lists entries.
    pub fn history(&self, request: &HistoryRequest) -> Result<HistoryReply, Refusal> {
        unimplemented!()
    }
    /// One entry with its diffs.
    pub fn show(&self, id: JobId) -> Result<ShowReply, Refusal> {
        unimplemented!()
    }
    /// Clipboards.
    pub fn clip(&self, who: &Who, request: &ClipRequest) -> Result<ClipReply, Refusal> {
        unimplemented!()
    }
    /// Looks at a path because the watcher had a hint. A foreign change of a file that some session read or
    /// the daemon wrote becomes an `external` entry. `None` where nothing changed since the last look.
    pub fn look(&self, path: &WirePath) -> Option<ChangeEvent> {
        unimplemented!()
    }
    /// Settles what is due: call it from one background thread whenever [`Workspace::unsettled`] is above
    /// zero, and with `all` at shutdown. Returns when to call again, in milliseconds.
    pub fn settle(&self, all: bool) -> Option<u64> {
        unimplemented!()
    }
    /// Flushes what `relaxed` jobs left; call within 50 ms of one. Also makes unflushed receipts durable.
    pub fn flush(&self) -> Result<(), Refusal> {
        unimplemented!()
    }
    /// Journal upkeep: retention, database size. Call now and then from a background thread.
    pub fn upkeep(&self) {
        unimplemented!()
    }
    /// Numbers for `status`.
    pub fn counts(&self) -> Counts {
        unimplemented!()
    }
    /// Why no more edits are accepted, where that is so.
    pub fn failed(&self) -> Option<String> {
        unimplemented!()
    }
    /// The folders, as workspace paths, of files that were read or written since it was opened (at most
    /// `limits::WATCHED_FOLDERS`): what the watcher watches. Grows; the number tells cheaply whether it did.
    pub fn touched_folders(&self, known: usize) -> Option<Vec<WirePath>> {
        unimplemented!()
    }
    /// Checks log, database and staging folder.
    pub fn check(&self) -> CheckReply {
        unimplemented!()
    }
}
