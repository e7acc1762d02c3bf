//! Rebuilds the rows of the database from the log while the store is in use. The log decides, and the database holds
//! nothing else, so a database that fails is replaced: on the disk or, if that takes none, in memory.
//!
//! The rows are made up to the last record that the failed database had. The overlay above them stays as it is, so no
//! append waits for a lock of the index, and look-ups see the same rows before and after.
//!
//! *Limitations*: rows that retention had removed, but whose records are still in the log, show again until the next
//! upkeep, as after every rebuild.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::database::memory::MemoryDatabase;
use super::database::shelf::{self, DatabaseFolder};
use super::database::{ClosedDatabase, Database, DatabaseError};
use super::index::row::DatabaseMeta;
use super::index::{IndexState, RowChanges};
use super::log::Log;
use super::log::frame::Checksum;
use super::log::mend::LogGap;
use super::log::recover::{LogCheckpoint, LogItem};
use super::open::named_at;
use super::overlay::{AppliedUpTo, OverlaidRows, broken};
use super::{LogPosition, Store, StoreError};
use crate::limits;
use crate::os::Dir;
use crate::progress::{StartProgress, StartStep};
use crate::record::Record;
use crate::sync::lock;

/// The state of the database.
#[derive(Clone, Default, Debug)]
pub(super) enum DatabaseState {
    /// It is where the options say.
    #[default]
    Sound,
    /// It failed, and is being rebuilt from so many bytes of log.
    Rebuilding(DatabaseError, StartProgress, u64),
    /// It is in memory, since the disk takes none.
    InMemory(MemoryReason),
    /// It failed and could not be rebuilt, for this reason: look-ups and changes fail.
    Failed(Arc<str>),
}

/// The reason why a database is in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MemoryReason {
    /// The reason, in words.
    pub(super) why: String,
    /// True if only a start can make the database on the disk again, since records were lost.
    pub(super) until_start: bool,
    /// The time of the last attempt to move it to the disk, in milliseconds since 1970; 0 until the first upkeep.
    pub(super) tried_ms: u64,
}

/// The rebuilding of one database.
#[derive(Default)]
pub(super) struct DatabaseRebuilding {
    /// Rebuilds the database. Without it, a failure of the database is an error.
    source: OnceLock<RowSource>,
    /// The number of times that it was rebuilt.
    count: AtomicU64,
    /// The entries that rebuilds have shown again although retention had removed them.
    shown_again: AtomicI64,
    /// True if it was rebuilt because of a row.
    doubted: AtomicBool,
    state: Mutex<DatabaseState>,
}

/// A database that was made from the log.
pub(super) struct RebuiltDatabase {
    pub(super) database: Box<dyn Database>,
    pub(super) meta: DatabaseMeta,
    /// The reason why it is in memory, if it should be on the disk.
    pub(super) in_memory: Option<MemoryReason>,
}

/// The log, and the folder in which a database is made from it.
pub(super) struct RowSource {
    pub(super) log: Arc<Log>,
    pub(super) shelf: Arc<DatabaseFolder>,
    /// The time of the opening, in milliseconds since 1970, for the name of a folder that is set aside.
    pub(super) opened_ms: u64,
}

impl RowSource {
    /// Makes the rows of all records up to `upto`, whose database failed for this reason and is closed. They are made in
    /// memory if the disk takes none, or after many rebuilds.
    pub(super) fn rebuild(
        &self,
        upto: LogCheckpoint,
        why: &DatabaseError,
        rebuilds: u64,
        progress: &StartProgress,
    ) -> Result<RebuiltDatabase, StoreError> {
        let (why, damaged) = if rebuilds < limits::DATABASE_REBUILDS {
            match self.on_disk(upto, why, progress)? {
                Ok(rebuilt) => return Ok(rebuilt),
                Err(reason) => reason,
            }
        } else {
            self.shelf.discard();
            (why.0.clone(), false)
        };
        let (mut rebuilt, gaps) = self.fill(Box::new(MemoryDatabase::default()), upto, progress)?;
        let until_start = damaged || !gaps.is_empty();
        rebuilt.in_memory = Some(MemoryReason { why, until_start, tried_ms: 0 });
        Ok(rebuilt)
    }

    /// Makes the rows in the folder of the database. Returns the reason if that cannot be, and true if that is damage of
    /// the log: the next start must note it, so it must find no database that has passed it.
    fn on_disk(
        &self,
        upto: LogCheckpoint,
        why: &DatabaseError,
        progress: &StartProgress,
    ) -> Result<Result<RebuiltDatabase, (String, bool)>, StoreError> {
        let database = match self.shelf.renew(why, self.opened_ms) {
            Ok(database) => database,
            Err(why) => return Ok(Err((why.0, false))),
        };
        match self.fill(database, upto, progress) {
            Ok((rebuilt, gaps)) if gaps.is_empty() => Ok(Ok(rebuilt)),
            Ok((rebuilt, _)) => {
                drop(rebuilt);
                self.shelf.discard();
                Ok(Err(("the log is damaged".to_owned(), true)))
            }
            Err(StoreError::Database(why)) => {
                self.shelf.discard();
                Ok(Err((why.to_string(), false)))
            }
            Err(other) => Err(other),
        }
    }

    fn fill(
        &self,
        database: Box<dyn Database>,
        upto: LogCheckpoint,
        progress: &StartProgress,
    ) -> Result<(RebuiltDatabase, Vec<LogGap>), StoreError> {
        let segments = self.log.segments();
        let size = segments.iter().map(|(_, len)| len).sum();
        let before = |at: LogPosition| -> u64 {
            let whole = segments.iter().filter(|(id, _)| *id < at.segment());
            whole.map(|(_, len)| len).sum::<u64>() + at.offset()
        };
        let rows = OverlaidRows::new(database, DatabaseMeta::default());
        rows.begin_at(segments.first().map_or(1, |(id, _)| *id));
        let (mut index, mut gaps) = (IndexState::default(), Vec::new());
        self.log.replay(upto.at, &mut |item| match item {
            LogItem::Record(at, sum, record) => {
                progress.set(StartStep::ReadingLog { rebuild: true, read: before(at), size });
                enter(&rows, &mut index, self.log.dir(), (at, sum), &record)
            }
            LogItem::Gap(gap) => {
                tracing::error!("the log is damaged: {}", gap.shown());
                gaps.push(gap);
                Ok(())
            }
        })?;
        rows.apply(&|_| Ok(()))?;
        rows.flush()?;
        let (database, mut meta) = rows.take();
        if gaps.is_empty() && (meta.at, meta.sum) != (upto.at.0, upto.sum) {
            let message = format!("the log has no record at {}, which the database had", upto.at.shown());
            return Err(StoreError::Io(message.into()));
        }
        (meta.at, meta.sum) = (upto.at.0, upto.sum);
        Ok((RebuiltDatabase { database, meta, in_memory: None }, gaps))
    }
}

/// Adds the rows of one record of the log, while all of its records are read in order.
pub(super) fn enter(
    rows: &OverlaidRows,
    index: &mut IndexState,
    log: &Dir,
    (at, sum): (LogPosition, Checksum),
    record: &Record,
) -> Result<(), StoreError> {
    let mut draft = RowChanges { below: rows, changes: Default::default() };
    index.apply(at, record, &mut draft, &|at| named_at(log, at))?;
    rows.add(draft.changes, AppliedUpTo::new(at, sum, index));
    if rows.waiting().0 > limits::REPLAY_ROWS {
        // If a power cut removes records that were not flushed, the next opening sees it from their checksums and
        // rebuilds the database.
        rows.apply(&|_| Ok(()))?;
        // sled keeps rows in memory until it has written them.
        rows.flush()?;
    }
    Ok(())
}

impl DatabaseState {
    /// Returns a sentence about a database that is not as it should be, and what to do.
    pub(super) fn told(&self) -> Option<String> {
        match self {
            Self::Sound => None,
            Self::Rebuilding(why, progress, _) => {
                Some(format!("the database failed ({why}); editd is {progress}"))
            }
            Self::InMemory(MemoryReason { why, until_start: true, .. }) => Some(format!(
                "the database failed ({why}) and was rebuilt in memory from the intact part of the log, so some entries may \
                 be lost; all others are served: run `editctl stop`, and the next start lists what is lost"
            )),
            Self::InMemory(MemoryReason { why, until_start: false, .. }) => {
                let remedy = if *why == DatabaseError::full().0 {
                    "make room there; editd moves it back within minutes, or at its next start"
                } else {
                    "look at the disk; editd tries to move it back within minutes, and at its next start"
                };
                Some(format!(
                    "the database cannot be kept in the state folder ({why}), so it was rebuilt from the log in memory; \
                     nothing is lost, and all requests are served: {remedy}"
                ))
            }
            Self::Failed(why) => Some(StoreError::Failed(why.clone()).to_string()),
        }
    }
}

/// Returns the reason why a database that failed is not there.
pub(super) fn not_rebuilt(why: &DatabaseError, failed: &StoreError) -> Arc<str> {
    format!("the database failed ({why}) and cannot be rebuilt from the log: {failed}").into()
}

impl OverlaidRows {
    /// Lets a failed database be rebuilt from now on. `in_memory` is the reason if it is in memory already.
    pub(super) fn rebuild_from(&self, source: RowSource, in_memory: Option<MemoryReason>) {
        // There is one opening, and it calls this once.
        let _ = self.rebuilding.source.set(source);
        if let Some(reason) = in_memory {
            *lock(&self.rebuilding.state) = DatabaseState::InMemory(reason);
        }
    }

    /// Returns the database and its meta row, without the overlay.
    pub(super) fn take(self) -> (Box<dyn Database>, DatabaseMeta) {
        let database = self.database.into_inner().unwrap_or_else(PoisonError::into_inner);
        (database, self.meta.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the state of the database.
    pub(super) fn state(&self) -> DatabaseState {
        lock(&self.rebuilding.state).clone()
    }

    /// Returns the number of times that the database was rebuilt.
    pub(super) fn rebuilds(&self) -> u64 {
        self.rebuilding.count.load(Ordering::Acquire)
    }

    /// Returns the number of entries that have rows, from the number that the index counts.
    pub(super) fn entries(&self, counted: u64) -> u64 {
        counted.wrapping_add_signed(self.rebuilding.shown_again.load(Ordering::Acquire))
    }

    /// Returns true if the database is in memory since it failed, and it is time to try to move it to the disk; false if
    /// it is not time yet, `None` if it is where it should be.
    pub(super) fn in_memory_since(&self, now_ms: u64) -> Option<bool> {
        match &mut *lock(&self.rebuilding.state) {
            DatabaseState::InMemory(reason) => {
                // The first attempt is made some time after the failure, not at once.
                if reason.tried_ms == 0 {
                    reason.tried_ms = now_ms;
                }
                let due =
                    !reason.until_start && now_ms.abs_diff(reason.tried_ms) >= limits::DATABASE_RETRY_MS;
                if due {
                    reason.tried_ms = now_ms;
                }
                Some(due)
            }
            DatabaseState::Sound => None,
            DatabaseState::Rebuilding(..) | DatabaseState::Failed(_) => Some(false),
        }
    }

    /// Notes that the database is on the disk again.
    pub(super) fn is_sound(&self) {
        let mut state = lock(&self.rebuilding.state);
        if matches!(*state, DatabaseState::InMemory(_)) {
            *state = DatabaseState::Sound;
        }
    }

    /// Rebuilds a database that has a row which cannot be right, the first time that this happens.
    ///
    /// # Errors
    /// The given reason if it happened before, so that no request can cause one rebuild after the other.
    pub(super) fn doubt(&self, why: DatabaseError) -> Result<(), StoreError> {
        let mut meta = lock(&self.meta);
        if self.rebuilding.doubted.swap(true, Ordering::AcqRel) {
            return Err(broken(why));
        }
        self.rebuild(&mut meta, &why)
    }

    /// Runs `run` unless the database was rebuilt since `rebuilds` was taken: its rows may then have come back. It is not
    /// rebuilt meanwhile.
    pub(super) fn unless_rebuilt<T>(&self, rebuilds: u64, run: impl FnOnce() -> T) -> Option<T> {
        let _meta = lock(&self.meta);
        (self.rebuilds() == rebuilds).then(run)
    }

    /// Calls the database. If it fails, it is rebuilt and called again; in the end, it is in memory and does not fail.
    pub(super) fn call<T>(&self, call: impl Fn() -> Result<T, DatabaseError>) -> Result<T, StoreError> {
        let mut failures = 0;
        loop {
            // Taken before the call: a rebuild after this has repaired it.
            let rebuilds = self.rebuilds();
            let why = match call() {
                Ok(done) => return Ok(done),
                Err(why) => why,
            };
            failures += 1;
            if failures > limits::DATABASE_REBUILDS + 1 {
                return Err(broken(why));
            }
            let mut meta = lock(&self.meta);
            if self.rebuilds() == rebuilds {
                self.rebuild(&mut meta, &why)?;
            }
        }
    }

    /// Replaces a database that failed.
    pub(super) fn rebuild(&self, meta: &mut DatabaseMeta, why: &DatabaseError) -> Result<(), StoreError> {
        let Some(source) = self.rebuilding.source.get() else { return Err(broken(why.clone())) };
        if let DatabaseState::Failed(why) = self.state() {
            return Err(StoreError::Failed(why));
        }
        tracing::error!("the database failed ({why}); it is rebuilt from the log");
        let progress = StartProgress::default();
        let size = source.log.segments().iter().map(|(_, len)| len).sum();
        *lock(&self.rebuilding.state) = DatabaseState::Rebuilding(why.clone(), progress.clone(), size);
        // Its folder is removed as well.
        self.give_up_copy();
        let failed = self.exchange(Box::new(ClosedDatabase));
        shelf::close(failed);
        let upto = LogCheckpoint { at: LogPosition(meta.at), sum: meta.sum };
        match source.rebuild(upto, why, self.rebuilds(), &progress) {
            Ok(rebuilt) => {
                let more = rebuilt.meta.entries.cast_signed().wrapping_sub(meta.entries.cast_signed());
                self.rebuilding.shown_again.fetch_add(more, Ordering::AcqRel);
                *meta = rebuilt.meta;
                self.oldest.store(meta.oldest, Ordering::Release);
                drop(self.exchange(rebuilt.database));
                let state = rebuilt.in_memory.map_or(DatabaseState::Sound, DatabaseState::InMemory);
                match state.told() {
                    Some(told) => tracing::warn!("{told}"),
                    None => tracing::info!("the database is rebuilt"),
                }
                *lock(&self.rebuilding.state) = state;
                self.rebuilding.count.fetch_add(1, Ordering::AcqRel);
                Ok(())
            }
            Err(failed) => {
                let told = not_rebuilt(why, &failed);
                tracing::error!("{}", StoreError::Failed(told.clone()));
                *lock(&self.rebuilding.state) = DatabaseState::Failed(told.clone());
                Err(StoreError::Failed(told))
            }
        }
    }

    pub(super) fn exchange(&self, database: Box<dyn Database>) -> Box<dyn Database> {
        let mut slot = self.database.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *slot, database)
    }
}

impl Store {
    /// Returns true while the database is being rebuilt: look-ups and changes wait until that is done.
    pub(super) fn is_rebuilding(&self) -> bool {
        matches!(self.shared.rows.state(), DatabaseState::Rebuilding(..))
    }

    /// Returns the progress while the database is being rebuilt from so long a log that requests should not wait.
    pub fn rebuilding(&self) -> Option<String> {
        match self.shared.rows.state() {
            state @ DatabaseState::Rebuilding(_, _, size) if size > limits::REBUILD_WAITED => state.told(),
            _ => None,
        }
    }

    /// Returns a sentence about a database that is not on the disk, and what to do; `None` if it is.
    pub fn database_fault(&self) -> Option<String> {
        self.shared.rows.state().told()
    }
}
