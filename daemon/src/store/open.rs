//! Opens a store: the database as far as it can be trusted, the rest from the log. It rebuilds a doubtful database,
//! reports damage of the log, and refuses a log whose damage it cannot pass.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, OnceLock};

use super::contents::ContentFiles;
use super::database::memory::MemoryDatabase;
use super::database::shelf::DatabaseFolder;
use super::database::{Database, DatabaseError};
use super::index::marks::NamedEntries;
use super::index::row::{self, DatabaseMeta, ROWS};
use super::index::{IndexState, OpenEntry, key};
use super::log::mend::LogGap;
use super::log::recover::{self, LogCheckpoint, LogItem};
use super::log::{Log, LogLocation, read};
use super::losses::LogLosses;
use super::overlay::OverlaidRows;
use super::quota::LogQuota;
use super::rebuild::{self, MemoryReason, RowSource};
use super::shared::StoreParts;
use super::worker::{StoreWorker, WorkerSignal};
use super::{DatabaseBackend, LogPosition, OpenReport, Store, StoreError, StoreOptions, salvage};
use crate::os::{Dir, Os};
use crate::progress::{StartProgress, StartStep};
use crate::record::{QueuedJobRecord, Record, StartRecord};
use crate::sync::lock;

/// The name of the log's folder in the state folder.
pub(super) const LOG_FOLDER: &str = "log";

/// A database that passed its checks, and the record up to which it is complete.
struct TrustedDatabase {
    rows: OverlaidRows,
    index: IndexState,
    from: Option<LogCheckpoint>,
}

/// A database that did not pass its checks.
struct DoubtfulDatabase {
    /// The reason.
    why: DatabaseError,
    /// The last record that it has, and the highest number that was given to a job, as far as it is readable.
    reach: Option<(LogPosition, u64)>,
    /// Set if it has no row, so that nothing is lost with it.
    empty: bool,
}

impl<E: ToString> From<E> for DoubtfulDatabase {
    fn from(why: E) -> Self {
        Self { why: DatabaseError(why.to_string()), reach: None, empty: false }
    }
}

/// A log and its database, opened.
struct RecoveredStore {
    trusted: TrustedDatabase,
    log: Log,
    /// The reason for which the database was rebuilt.
    rebuilt: Option<String>,
    losses: LogLosses,
    /// The reason why the database is in memory, if it should be on the disk.
    in_memory: Option<MemoryReason>,
}

impl Store {
    /// Opens or creates the store in `dir`, a private folder, and begins a new epoch of its log. Fails with `Rotten`
    /// if the log has damage that cannot be passed; nothing was changed then, and the message says what to do.
    pub fn open(
        os: Arc<dyn Os>,
        dir: Dir,
        options: StoreOptions,
        now_ms: u64,
    ) -> Result<(Store, OpenReport), StoreError> {
        salvage::not_interrupted(&dir)?;
        Self::open_log(os, dir, LOG_FOLDER, options, (now_ms, None))
    }

    /// Opens the store whose log is in the folder `log`. `losses` are those that are known already.
    pub(super) fn open_log(
        os: Arc<dyn Os>,
        dir: Dir,
        log: &str,
        options: StoreOptions,
        (now_ms, losses): (u64, Option<LogLosses>),
    ) -> Result<(Store, OpenReport), StoreError> {
        let home = LogLocation { os: os.clone(), dir: folder(&dir, log)?, size: options.segment };
        let contents = ContentFiles::new(os.clone(), folder(&dir, "contents")?, options.contents);
        let memory = options.database == DatabaseBackend::Memory;
        let shelf = Arc::new(DatabaseFolder::new(options.database));
        let RecoveredStore { trusted, log, rebuilt, losses: found, in_memory } =
            recover(&home, &shelf, &options.progress, now_ms)?;
        let rebuilt = rebuilt.filter(|_| !memory);
        let log = Arc::new(log);
        let source = RowSource { log: Arc::clone(&log), shelf: Arc::clone(&shelf), opened_ms: now_ms };
        trusted.rows.rebuild_from(source, in_memory);
        let shared = Arc::new(StoreParts {
            log,
            index: Mutex::new(trusted.index),
            index_waiters: AtomicUsize::new(0),
            rows: trusted.rows,
            shelf,
            contents,
            upkeep: Mutex::new(()),
            surveyed: AtomicU64::new(0),
            quota: LogQuota::default(),
            signal: WorkerSignal::default(),
            torn: OnceLock::new(),
            damage: Mutex::default(),
            on_damage: OnceLock::new(),
        });
        let boot = os.boot_id().map_err(|e| {
            StoreError::Io(format!("cannot determine if the machine was restarted: {e}").into())
        })?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let start = shared.append(&[Record::Start(StartRecord { boot, time: now_ms, version })])?;
        shared.flush(start)?;
        let losses = losses.unwrap_or(found);
        let mut damage: Vec<String> = losses.gaps().map(LogGap::shown).collect();
        damage.extend(shared.note_losses(&losses, now_ms)?);
        lock(&shared.damage).open(&losses, &damage);
        // Also if nothing changed: an empty database beside a log means that the database has lost rows.
        shared.apply()?;
        let doubtful = shared.doubtful()?;
        let mut open = shared.open_entries();
        for (entry, sealed) in &mut open {
            *sealed |= doubtful.get(&entry.id) == Some(&true);
        }
        let opened = OpenReport {
            open,
            doubtful: doubtful.into_keys().collect(),
            queued: queued(&shared)?,
            last_id: lock(&shared.index).last_id,
            rebuilt,
            damage,
        };
        let worker = options.background.then(|| StoreWorker::start(&shared)).flatten();
        Ok((Store { shared, worker }, opened))
    }
}

/// Opens a folder of the store, made durable if it is new.
pub(super) fn folder(dir: &Dir, name: &str) -> Result<Dir, StoreError> {
    let open = || -> io::Result<Dir> {
        match dir.create_dir(name.as_bytes(), 0o700) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
            _ => {}
        }
        // Also if the folder existed: a killed daemon may have created it a moment ago.
        dir.sync()?;
        dir.open_dir(name.as_bytes())
    };
    open().map_err(|e| {
        StoreError::Io(
            format!("the journal's folder {name} cannot be opened: {e}; check the disk and its permissions")
                .into(),
        )
    })
}

/// Opens the database and the log and brings the rows up to date.
fn recover(
    home: &LogLocation,
    shelf: &DatabaseFolder,
    progress: &StartProgress,
    now_ms: u64,
) -> Result<RecoveredStore, StoreError> {
    progress.set(StartStep::CheckingDatabase);
    let doubt = match shelf.open().map_err(DoubtfulDatabase::from).and_then(|it| trust(it, &home.dir)) {
        Ok(mut trusted) => match replay(home, &mut trusted, progress) {
            Ok((log, losses)) => {
                return Ok(RecoveredStore { trusted, log, rebuilt: None, losses, in_memory: None });
            }
            // If the log cannot be read, the database is not to blame.
            Err(e @ (StoreError::Rotten { .. } | StoreError::Io(_))) => return Err(e),
            Err(StoreError::Database(why)) => DoubtfulDatabase { why, reach: None, empty: false },
            Err(e) => DoubtfulDatabase::from(e),
        },
        Err(doubt) => doubt,
    };
    tracing::warn!("the database is rebuilt from the log: {}", doubt.why);
    if doubt.empty {
        shelf.discard();
    }
    let (trusted, log, mut losses, in_memory) = match anew(home, shelf.renew(&doubt.why, now_ms), progress) {
        Ok((trusted, log, losses)) => (trusted, log, losses, None),
        Err(StoreError::Database(why)) => {
            shelf.discard();
            let (trusted, log, losses) = anew(home, Ok(Box::new(MemoryDatabase::default())), progress)?;
            (trusted, log, losses, Some(MemoryReason { why: why.0, until_start: false, tried_ms: now_ms }))
        }
        Err(other) => return Err(other),
    };
    if let Some((reach, last_id)) = doubt.reach.filter(|(reach, _)| *reach > log.last()) {
        losses.gap(LogGap::lost_end(log.last(), reach));
        losses.end(last_id);
    }
    Ok(RecoveredStore { trusted, log, rebuilt: Some(doubt.why.0), losses, in_memory })
}

/// Fills an empty database from the log.
fn anew(
    home: &LogLocation,
    database: Result<Box<dyn Database>, DatabaseError>,
    progress: &StartProgress,
) -> Result<(TrustedDatabase, Log, LogLosses), StoreError> {
    let rows = OverlaidRows::new(database.map_err(StoreError::Database)?, DatabaseMeta::default());
    let mut trusted = TrustedDatabase { rows, index: IndexState::default(), from: None };
    let (log, losses) = replay(home, &mut trusted, progress)?;
    Ok((trusted, log, losses))
}

/// Checks the meta row of a database against the log. The other rows are checked when they are read: see
/// [`super::database::tree`].
fn trust(database: Box<dyn Database>, log: &Dir) -> Result<TrustedDatabase, DoubtfulDatabase> {
    let oldest = recover::oldest(log)?;
    let meta = database.get(key::META)?;
    let Some(meta) = meta else {
        let rows = database.down(&[], &[u8::MAX], 1)?;
        return match (rows.is_empty(), oldest) {
            (true, None) => {
                let rows = OverlaidRows::new(database, DatabaseMeta::default());
                Ok(TrustedDatabase { rows, index: IndexState::default(), from: None })
            }
            (true, Some(_)) => Err(DoubtfulDatabase { empty: true, .."it was empty".into() }),
            (false, _) => Err("it does not say what it holds".into()),
        };
    };
    let meta: DatabaseMeta = row::rest(&meta)?;
    if meta.rows != ROWS {
        return Err(format!("its rows have version {}, this daemon makes {ROWS}", meta.rows).into());
    }
    let reach = Some((LogPosition(meta.at), meta.last_id));
    let (open, from) = believed(&*database, &meta, oldest.unwrap_or_default(), log)
        .map_err(|why| DoubtfulDatabase { why: DatabaseError(why), reach, empty: false })?;
    let mut index = IndexState { last_id: meta.last_id, entries: meta.entries, ..IndexState::default() };
    open.into_iter().for_each(|entry| index.add(entry));
    Ok(TrustedDatabase { rows: OverlaidRows::new(database, meta), index, from: Some(from) })
}

/// Returns the open entries of a database whose meta row matches the log, and the record that it reaches. The error is the
/// reason why it cannot be trusted.
fn believed(
    database: &dyn Database,
    meta: &DatabaseMeta,
    oldest: LogPosition,
    log: &Dir,
) -> Result<(Vec<OpenEntry>, LogCheckpoint), String> {
    let from = LogCheckpoint { at: LogPosition(meta.at), sum: meta.sum };
    recover::find(log, &from).map_err(|elsewhere| elsewhere.0)?;
    if oldest.segment() > meta.oldest {
        return Err(format!(
            "the log begins with segment {}, and rows lead to segments from {} on",
            oldest.segment(),
            meta.oldest
        ));
    }
    let rows = database.down(&[key::OPEN], &key::behind(&[key::OPEN]), usize::MAX).map_err(|why| why.0)?;
    let open = rows.iter().map(|(key, value)| reopen(log, key, value).map_err(|e| e.to_string()));
    Ok((open.collect::<Result<_, _>>()?, from))
}

fn reopen(log: &Dir, key: &[u8], value: &[u8]) -> Result<OpenEntry, StoreError> {
    let at = row::place(value)?;
    let sealed = row::rest::<u64>(value).map(|sealed| (sealed != 0).then_some(LogPosition(sealed)))?;
    match (key::id_of(key), read::record(log, at)?.0.into_entry()) {
        (Some(id), Some(entry)) if entry.id == id => Ok(OpenEntry { entry: Arc::new(entry), at, sealed }),
        _ => {
            Err(StoreError::Database(DatabaseError("one of its rows leads to no unfinished job".to_owned())))
        }
    }
}

/// Opens the log and applies the records that the database does not have yet.
fn replay(
    home: &LogLocation,
    trusted: &mut TrustedDatabase,
    progress: &StartProgress,
) -> Result<(Log, LogLosses), StoreError> {
    let TrustedDatabase { rows, index, from } = trusted;
    let dir = home.dir.clone();
    let segments = recover::segments(&dir)?;
    let first = from.map_or(*segments.start(), |from| from.at.segment());
    // Few segments have another size.
    let bytes = |segments: u64| home.size.saturating_mul(segments);
    let rebuild = from.is_none();
    if rebuild {
        // A log begins with segment 1.
        rows.begin_at(first.max(1));
    }
    let size = bytes((segments.end() + 1).saturating_sub(first));
    let reading = |at: LogPosition| {
        let read = bytes(at.segment().saturating_sub(first)).saturating_add(at.offset());
        StartStep::ReadingLog { rebuild, read: read.min(size), size }
    };
    let mut losses = LogLosses::after(index.last_id);
    let log = recover::open(home.clone(), *from, &mut |item| {
        let (at, sum, record) = match item {
            LogItem::Record(at, sum, record) => (at, sum, record),
            LogItem::Gap(gap) => {
                tracing::error!("the log is damaged: {}", gap.shown());
                losses.gap(gap);
                return Ok(());
            }
        };
        losses.record(&record);
        progress.set(reading(at));
        rebuild::enter(rows, index, &dir, (at, sum), &record)
    })?;
    losses.end(0);
    Ok((log, losses))
}

/// Returns the entries that the entry at a position names.
pub(super) fn named_at(log: &Dir, at: LogPosition) -> Result<NamedEntries, StoreError> {
    let entry = read::record(log, at)?.0.into_entry();
    Ok(entry.map(|entry| (entry.of, entry.parts)).unwrap_or_default())
}

/// Returns the detached jobs that have not ended, oldest first.
fn queued(shared: &StoreParts) -> Result<Vec<QueuedJobRecord>, StoreError> {
    let mut places = Vec::new();
    shared.rows.down(&[key::QUEUED], &key::behind(&[key::QUEUED]), &mut |_, value| {
        places.push(row::place(value)?);
        Ok(true)
    })?;
    let mut queued = Vec::new();
    for at in places.into_iter().rev() {
        if let Record::Queued(job) = read::record(shared.log.dir(), at)?.0 {
            queued.push(job);
        }
    }
    Ok(queued)
}
