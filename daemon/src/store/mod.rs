//! The log and the database; the one door through which a batch becomes durable.
//!
//! *Calling sequence*: [`Store::open`] recovers the log and brings the database up to it. [`Store::append`]
//! writes records: they survive a kill, and are visible to every look-up, from its return. [`Store::flush`]
//! makes everything up to a position durable; callers that wait at the same time share one flush.
//!
//! *Invariants*: the log is the truth; the database holds nothing that the log has not flushed. After a
//! failed flush nothing is appended or flushed any more.
//!
//! *Limitations*: a damaged log is not opened ([`StoreError::Rotten`] says where and what to do); damage
//! in a part that the database has already seen is found when a record there is read, and by
//! [`Store::check`]. Retention works in whole segments; after the database was rebuilt, entries beyond
//! the limits may show again until the next upkeep.

pub mod contents;
pub mod database;
pub mod index;
pub mod log;
pub mod overlay;
pub mod record;
pub mod taken;

mod by_path;
mod check;
mod find;
mod history;
mod lock;
mod open;
mod retention;
mod shared;
mod worker;
mod write;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::Receipt;
use editd_proto::path::WirePath;

use record::{Entry, Queued};

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
pub struct OpenReport {
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
pub struct KeyState {
    /// The job.
    pub id: JobId,
    /// Hash of its request.
    pub request: Option<ContentHash>,
    /// Its receipt, once it ended.
    pub receipt: Option<Receipt>,
}

/// What some clipboards come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClipboardUsage {
    /// How many they are.
    pub number: u64,
    /// Bytes in all of them.
    pub bytes: u64,
}

impl ClipboardUsage {
    fn add(&mut self, bytes: u64) {
        self.number += 1;
        self.bytes += bytes;
    }
}

/// Which entries a look-up wants; newest first.
#[derive(Clone, Default, Debug)]
pub struct EntryQuery {
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
pub enum DatabaseBackend {
    /// In memory: rebuilt from the log at every opening. For tests and the simulator.
    Memory,
    /// In sled, in this folder of its own. A real path: sled does not go through the seam.
    Sled(PathBuf),
}

/// How a store works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreOptions {
    /// Where the rows are kept.
    pub database: DatabaseBackend,
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
pub struct RetentionPolicy {
    /// Oldest entry, milliseconds.
    pub age_ms: u64,
    /// Most entries.
    pub entries: u64,
    /// Most bytes of log.
    pub bytes: u64,
    /// Times before this one, milliseconds since 1970, were told by a clock that was wrong, and are no age.
    pub sane_ms: u64,
}

/// What an upkeep did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UpkeepReport {
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
pub struct StoreCounts {
    /// Sealed and external entries.
    pub entries: u64,
    /// Open intents.
    pub open: u64,
    /// Bytes of the log on the disk.
    pub log_bytes: u64,
    /// Bytes of the database on the disk.
    pub database_bytes: u64,
}

/// Log, database and what is not yet in the database. All calls may come from any thread. Dropping it
/// writes nothing more, as a kill would; [`Store::close`] first saves the next opening some work.
pub struct Store {
    shared: Arc<shared::StoreParts>,
    #[expect(dead_code, reason = "dropping it ends the thread")]
    worker: Option<worker::StoreWorker>,
}
