//! The store: an append-only log of records, and a database of rows that answers look-ups. [`Store::flush`] is the
//! only call that makes records durable.
//!
//! *Calling sequence*: [`Store::open`] recovers the log and brings the database up to it. [`Store::append`]
//! writes records: they survive a kill, and are visible to every look-up, from its return. [`Store::flush`]
//! makes everything up to a position durable; callers that wait at the same time share one flush.
//!
//! *Invariants*: the log is the source of truth; the database is trusted only if it has nothing that is not in the
//! log. A database that fails is rebuilt from the log while the store is in use. After a failed flush nothing is
//! appended or flushed any more.
//!
//! *Limitations*: a log with damage near its end, or without one of its segments, is not opened
//! ([`StoreError::Rotten`] says where the damage is and what to do); other damage is passed, noted in the log and
//! reported. Damage in a part that the database has already applied is found when a record there is read, and by
//! [`Store::check_segment`]. Retention does not drop a damaged segment. It removes whole segments; after the database was rebuilt, entries beyond the limits may
//! show again until the next upkeep.

pub mod contents;
pub mod database;
pub mod index;
pub mod intent;
pub mod log;
pub mod overlay;
pub mod portable;
pub mod taken;

mod by_path;
mod check;
mod clips;
mod damage;
mod entries;
mod find;
mod forget;
mod history;
mod losses;
mod moving;
mod new_log;
mod open;
mod quota;
mod rebuild;
mod retention;
pub mod salvage;
mod shared;
mod voided;
mod worker;
mod write;

#[cfg(test)]
mod tests;

pub use by_path::{LastChange, PathDigest};
pub use damage::DamageSignal;
pub use database::faulty::DatabaseFaults;
pub use forget::ForgetReport;
pub use log::FlushAnnouncement;
pub use losses::unknown_end;
pub use quota::RetentionTask;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::Receipt;
use editd_proto::path::FilePath;

use crate::progress::StartProgress;
use crate::record::QueuedJobRecord;
use intent::Intended;

/// A position in the log; each record has a higher one than the record before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LogPosition(pub u64);

/// Proof that everything up to a position is durable. Only [`Store::flush`] returns one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Flushed(LogPosition);

/// An error of the store.
#[derive(Clone, thiserror::Error, Debug)]
pub enum StoreError {
    /// An earlier write or flush failed; nothing more is accepted.
    #[error(
        "{0}; what was acknowledged before is safe, and editd accepts no more changes: repair the disk, then run \
         `editctl stop`"
    )]
    Failed(Arc<str>),
    /// The log is damaged before its flushed end.
    #[error(
        "the log is damaged at {}: {what}; run `editctl stop`, then `editctl salvage`, which keeps every record that is known to be intact",
        at.shown()
    )]
    Rotten {
        /// The position of the damage.
        at: LogPosition,
        /// A description of the damage.
        what: String,
    },
    /// The log's folder was removed while the store was in use.
    #[error(
        "the journal was removed with its state folder while editd ran, so it cannot be read; the files of the workspace \
         stay as they are: begin a new journal with `editctl stop`, or put a copy of the state folder back after that"
    )]
    Gone,
    /// The log has more bytes than this, and retention has not made room yet. Nothing was written.
    #[error(
        "the journal has reached its limit of {} (`keep_bytes`), and older entries are being removed or wait to be \
         flushed; nothing was done: send it again in a moment",
        shown_size(*.0)
    )]
    Full(u64),
    /// One request needs more of the log than `keep_bytes` allows for all. Nothing was written.
    #[error(
        "this needs {} in the journal, more than its limit of {}; nothing was done: send less at once, or raise \
         `keep_bytes` in .editd.toml",
        shown_size(*needed),
        shown_size(*limit)
    )]
    TooLarge {
        /// The bytes of its records.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// The database failed. While the store is in use, it is rebuilt, so callers of the store hardly ever get this.
    #[error(
        "the database failed: {0}; nothing is lost: run `editctl stop`, and the next start rebuilds it from the log"
    )]
    Database(database::DatabaseError),
    /// Another error of the disk.
    #[error("{0}")]
    Io(Arc<str>),
}

/// Formats a number of bytes for messages.
fn shown_size(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// The state that [`Store::open`] found.
#[derive(Debug, Default)]
pub struct OpenReport {
    /// Intents that are neither settled nor void, oldest first: the input of recovery. `true`: sealed.
    pub open: Vec<(Intended, bool)>,
    /// Those of them whose end may be lost through damage of the log.
    pub doubtful: BTreeSet<JobId>,
    /// Detached jobs that have not ended, oldest first.
    pub queued: Vec<QueuedJobRecord>,
    /// The highest number ever given to a job.
    pub last_id: u64,
    /// The reason for which the database was rebuilt, if it was.
    pub rebuilt: Option<String>,
    /// The damage of the log that was passed, one sentence each.
    pub damage: Vec<String>,
}

/// The job that a client's key belongs to.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyState {
    /// The job's number.
    pub id: JobId,
    /// Hash of its request.
    pub request: Option<ContentHash>,
    /// Its receipt, once it ended.
    pub receipt: Option<Receipt>,
}

/// The number and size of clipboards, by their owners.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClipboardHoldings {
    /// Those of all sessions, and those of the workspace.
    pub all: ClipboardUsage,
    /// Those of one session.
    pub session: ClipboardUsage,
    /// Those of the workspace, whose names begin with `/`.
    pub workspace: ClipboardUsage,
    /// Those of the workspace that the session has set last.
    pub shared: ClipboardUsage,
}

/// An owner of clipboards, and what it has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClipboardOwner {
    /// The session; empty if it is not known.
    pub session: String,
    /// True for clipboards of the workspace that it has set.
    pub shared: bool,
    /// Its clipboards.
    pub usage: ClipboardUsage,
}

/// The number and size of some clipboards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClipboardUsage {
    /// Number of clipboards.
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

/// A query for entries; results are newest first.
#[derive(Clone, Default, Debug)]
pub struct EntryQuery {
    /// Only entries that touch this path.
    pub path: Option<FilePath>,
    /// Only entries of this session.
    pub session: Option<String>,
    /// Only entries made at this time or later, in milliseconds since 1970.
    pub since: Option<u64>,
    /// Only entries with a higher number.
    pub after: Option<JobId>,
    /// Only entries with a lower number.
    pub before: Option<JobId>,
    /// The most entries to return.
    pub limit: usize,
}

/// The storage of the database's rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DatabaseBackend {
    /// In memory: rebuilt from the log at each opening. For tests and the simulator.
    Memory,
    /// In memory, with faults that a test injects.
    Faulty(DatabaseFaults),
    /// In sled, in a folder of its own. This is a path of the real file system: sled does not use `os`.
    Sled(PathBuf),
}

/// Settings of a store.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// The storage of the rows.
    pub database: DatabaseBackend,
    /// Bytes of a log segment, a multiple of 4096; `limits::SEGMENT` in the daemon.
    pub segment: u64,
    /// The most bytes of kept contents.
    pub contents: u64,
    /// If true, a thread applies rows, prepares segments and writes contents. Otherwise the callers do this: every
    /// call is then deterministic. Correctness needs no thread in either case.
    pub background: bool,
    /// Receives the progress of opening.
    pub progress: StartProgress,
}

/// The limits of retention.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetentionPolicy {
    /// The greatest age of an entry, in milliseconds.
    pub age_ms: u64,
    /// The most entries.
    pub entries: u64,
    /// The most bytes of log.
    pub bytes: u64,
    /// Earlier times, in milliseconds since 1970, come from a clock that was wrong and are not used as an age.
    pub sane_ms: u64,
}

/// The result of an upkeep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UpkeepReport {
    /// Entries that were removed.
    pub entries: u64,
    /// Log segments that were packed.
    pub packed: u64,
    /// Log segments that were dropped.
    pub segments: u64,
    /// Records that were appended again because their segment was dropped.
    pub carried: u64,
    /// True if the database was moved into a fresh folder.
    pub compacted: bool,
}

/// Counts for `status`.
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
    /// Flushes of the log since it was opened, the calls of `fdatasync` for them, and the bytes appended since then.
    pub log_counts: [u64; 3],
}

/// The log, the database, and the rows that are not in the database yet. All calls may come from any thread. Dropping
/// a store writes nothing, as a kill would; [`Store::close`] brings the database up to date first, which makes the
/// next opening shorter.
pub struct Store {
    shared: Arc<shared::StoreParts>,
    #[expect(dead_code, reason = "dropping it ends the thread")]
    worker: Option<worker::StoreWorker>,
}
