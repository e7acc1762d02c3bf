//! The log and the database; the one door through which a batch becomes durable.
//!
//! *Calling sequence*: [`Store::open`] recovers the log and brings the database up to it. [`Store::append`]
//! writes records: they survive a kill, and are visible to every look-up, from its return. [`Store::flush`]
//! makes everything up to a position durable; callers that wait at the same time share one flush.
//!
//! *Invariants*: the log is the truth; the database holds nothing that the log does not. After a failed
//! flush nothing is appended or flushed any more.

pub mod record;

use std::path::PathBuf;
use std::sync::Arc;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{ClipInfo, EntrySummary, Receipt};
use editd_proto::path::WirePath;

use crate::os::{Dir, Os};
use record::{Clip, Done, Entry, Queued, Record, Seen};

/// A place in the log: grows with every record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position(pub u64);

/// Proof that everything up to a position is durable. Only [`Store::flush`] makes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Flushed(Position);

/// Why the store refused.
#[derive(Clone, thiserror::Error, Debug)]
pub enum StoreError {
    /// An earlier write or flush failed; nothing more is accepted.
    #[error(
        "the log failed and accepts nothing more: {0}; stop the daemon, mend the disk and start it again"
    )]
    Failed(Arc<str>),
    /// The log's content is damaged before its flushed end.
    #[error("the log is damaged at {at}: {what}")]
    Rotten {
        /// Segment and offset.
        at: String,
        /// What was found.
        what: String,
    },
    /// The disk or the database.
    #[error("{0}")]
    Io(Arc<str>),
}

/// What opening found.
#[derive(Debug, Default)]
pub struct Opened {
    /// Intents without a settle or void, oldest first: recovery's work. `true`: sealed.
    pub open: Vec<(Arc<Entry>, bool)>,
    /// Detached jobs that have not ended, oldest first.
    pub queued: Vec<Queued>,
    /// The highest number ever given to a job.
    pub last_id: u64,
    /// The database was rebuilt, and why.
    pub rebuilt: Option<String>,
}

/// What is known of a job's key.
#[derive(Clone, PartialEq, Debug)]
pub struct Keyed {
    /// The job.
    pub id: JobId,
    /// Hash of its request.
    pub request: Option<ContentHash>,
    /// Its receipt, once it ended.
    pub receipt: Option<Receipt>,
}

/// Which entries a look-up wants; newest first.
#[derive(Clone, Default, Debug)]
pub struct Query {
    /// Only those that touch this path.
    pub path: Option<WirePath>,
    /// Only those of this session.
    pub session: Option<String>,
    /// Only those at or after, milliseconds since 1970.
    pub since: Option<u64>,
    /// Only those below.
    pub before: Option<JobId>,
    /// At most so many.
    pub limit: usize,
}

/// Where the rows are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Backing {
    /// In memory: rebuilt from the log at every opening. For tests and the simulator.
    Memory,
    /// In sled, in this folder of its own. A real path: sled does not go through the seam.
    Sled(PathBuf),
}

/// How a store works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Where the rows are kept.
    pub database: Backing,
    /// Bytes of a log segment, a multiple of 4096; [`crate::limits::SEGMENT`] in the daemon.
    pub segment: u64,
    /// Most bytes of kept contents.
    pub contents: u64,
    /// Whether a thread applies rows, prepares segments and writes contents. Without it the callers do:
    /// every call is then deterministic, and correctness needs no thread either way.
    pub background: bool,
}

/// What retention keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keep {
    /// Oldest entry, milliseconds.
    pub age_ms: u64,
    /// Most entries.
    pub entries: u64,
    /// Most bytes of log.
    pub bytes: u64,
}

/// What an upkeep did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kept {
    /// Entries that went away.
    pub entries: u64,
    /// Log segments that were dropped.
    pub segments: u64,
    /// Records that were carried to the log's end.
    pub carried: u64,
    /// The database was moved into a fresh folder.
    pub compacted: bool,
}

/// Numbers for `status`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Numbers {
    /// Sealed and external entries.
    pub entries: u64,
    /// Open intents.
    pub open: u64,
    /// Bytes of the log on the disk.
    pub log_bytes: u64,
    /// Bytes of the database on the disk.
    pub database_bytes: u64,
}

/// Log, database and what is not yet in the database.
pub struct Store {}

#[expect(
    clippy::unimplemented,
    unused_variables,
    missing_docs,
    reason = "signatures only, until the room is built"
)]
impl Store {
    /// x
    pub fn open(
        os: Arc<dyn Os>,
        dir: Dir,
        options: Options,
        now_ms: u64,
    ) -> Result<(Store, Opened), StoreError> {
        unimplemented!()
    }
    /// Writes records, all of them in order or none. They survive a kill from here.
    pub fn append(&self, records: &[Record]) -> Result<Position, StoreError> {
        unimplemented!()
    }
    /// Makes everything up to `upto` durable.
    pub fn flush(&self, upto: Position) -> Result<Flushed, StoreError> {
        unimplemented!()
    }
    /// A sealed or external entry, whole, read back from the log.
    pub fn entry(&self, id: JobId) -> Result<Option<Entry>, StoreError> {
        unimplemented!()
    }
    /// Its summary.
    pub fn summary(&self, id: JobId) -> Result<Option<EntrySummary>, StoreError> {
        unimplemented!()
    }
    /// Summaries of sealed and external entries, newest first.
    pub fn history(&self, query: &Query) -> Result<Vec<EntrySummary>, StoreError> {
        unimplemented!()
    }
    /// The newest sealed or external entry that touches a path, and the content it left there.
    pub fn last_of(&self, path: &WirePath) -> Result<Option<(JobId, Option<ContentHash>)>, StoreError> {
        unimplemented!()
    }
    /// What a session has seen of a path.
    pub fn seen(&self, session: &str, path: &WirePath) -> Result<Option<Seen>, StoreError> {
        unimplemented!()
    }
    /// A clipboard.
    pub fn clip(&self, session: &str, name: &str) -> Result<Option<Clip>, StoreError> {
        unimplemented!()
    }
    /// The session's clipboards and the workspace's.
    pub fn clips(&self, session: &str) -> Result<Vec<ClipInfo>, StoreError> {
        unimplemented!()
    }
    /// What is known of a key. Keys belong to a session.
    pub fn keyed(&self, session: &str, key: &str) -> Result<Option<Keyed>, StoreError> {
        unimplemented!()
    }
    /// The receipt of a job that ended.
    pub fn receipt(&self, id: JobId) -> Result<Option<Receipt>, StoreError> {
        unimplemented!()
    }
    /// Open intents: written, neither voided nor settled. `true`: sealed.
    pub fn open_entries(&self) -> Vec<(Arc<Entry>, bool)> {
        unimplemented!()
    }
    /// Keeps a content for diffs and merges: compressed, bounded, not flushed. Losing it loses no promise.
    pub fn keep_content(&self, hash: ContentHash, bytes: &[u8]) {
        unimplemented!()
    }
    /// A content that was kept and still is, checked by its hash.
    pub fn content(&self, hash: ContentHash) -> Option<Vec<u8>> {
        unimplemented!()
    }
    pub fn upkeep(&self, now: u64, keep: Keep) -> Result<Kept, StoreError> {
        unimplemented!()
    }
    pub fn numbers(&self) -> Numbers {
        unimplemented!()
    }
    pub fn failed(&self) -> Option<Arc<str>> {
        unimplemented!()
    }
    pub fn check(&self) -> Vec<editd_proto::message::Finding> {
        unimplemented!()
    }
    pub fn end(&self) -> Position {
        unimplemented!()
    }
}
