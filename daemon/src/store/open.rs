//! Opens a store: the database as far as it can be trusted, the rest from the log. It refuses a damaged log and
//! rebuilds a doubtful database.

use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use editd_proto::ids::JobId;

use super::contents::ContentFiles;
use super::database::shelf::DatabaseFolder;
use super::database::{Database, DatabaseRow};
use super::index::row::{self, DatabaseMeta, ROWS};
use super::index::{IndexState, OpenEntry, RowChanges, key};
use super::log::recover::{self, LogCheckpoint};
use super::log::{Log, LogLocation, read};
use super::overlay::{AppliedUpTo, OverlaidRows};
use super::shared::StoreParts;
use super::worker::{StoreWorker, WorkerSignal};
use super::{DatabaseBackend, LogPosition, OpenReport, Store, StoreError, StoreOptions};
use crate::limits;
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

impl Store {
    /// Opens or creates the store in `dir`, a private folder, and begins a new epoch of its log. Fails with `Rotten`
    /// if the log is damaged; nothing was changed then, and the message says what to do.
    pub fn open(
        os: Arc<dyn Os>,
        dir: Dir,
        options: StoreOptions,
        now_ms: u64,
    ) -> Result<(Store, OpenReport), StoreError> {
        let home = LogLocation { os: os.clone(), dir: folder(&dir, LOG_FOLDER)?, size: options.segment };
        let contents = ContentFiles::new(os.clone(), folder(&dir, "contents")?, options.contents);
        let memory = options.database == DatabaseBackend::Memory;
        let shelf = DatabaseFolder::new(options.database);
        let (trusted, log, mut rebuilt) = recover(&home, &shelf, &options.progress, now_ms)?;
        if memory {
            rebuilt = None;
        }
        let shared = Arc::new(StoreParts {
            log,
            index: Mutex::new(trusted.index),
            rows: trusted.rows,
            shelf,
            contents,
            upkeep: Mutex::new(()),
            signal: WorkerSignal::default(),
            torn: OnceLock::new(),
        });
        let boot = os.boot_id().map_err(|e| StoreError::Io(format!("no boot id: {e}").into()))?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let start = shared.append(&[Record::Start(StartRecord { boot, time: now_ms, version })])?;
        shared.flush(start)?;
        // Also if nothing changed: an empty database beside a log means that the database has lost rows.
        shared.apply()?;
        let opened = OpenReport {
            open: shared.open_entries(),
            queued: queued(&shared)?,
            last_id: lock(&shared.index).last_id,
            rebuilt,
        };
        let worker = options.background.then(|| StoreWorker::start(&shared)).flatten();
        Ok((Store { shared, worker }, opened))
    }
}

/// Opens a folder of the store, made durable if it is new.
fn folder(dir: &Dir, name: &str) -> Result<Dir, StoreError> {
    let open = || -> io::Result<Dir> {
        match dir.create_dir(name.as_bytes(), 0o700) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
            _ => {}
        }
        // Also if the folder existed: a killed daemon may have created it a moment ago.
        dir.sync()?;
        dir.open_dir(name.as_bytes())
    };
    open().map_err(|e| StoreError::Io(format!("the folder {name} of the store cannot be opened: {e}").into()))
}

/// Opens the database and the log and brings the rows up to date. Also returns the reason for which the database was
/// rebuilt, if it was.
fn recover(
    home: &LogLocation,
    shelf: &DatabaseFolder,
    progress: &StartProgress,
    now_ms: u64,
) -> Result<(TrustedDatabase, Log, Option<String>), StoreError> {
    progress.set(StartStep::CheckingDatabase);
    let doubt = match shelf.open().map_err(|why| why.0).and_then(|database| trust(database, &home.dir)) {
        Ok(mut trusted) => match replay(home, &mut trusted, progress) {
            Ok(log) => return Ok((trusted, log, None)),
            Err(e @ StoreError::Rotten { .. }) => return Err(e),
            Err(e) => e.to_string(),
        },
        Err(why) => why,
    };
    tracing::warn!("the database is rebuilt from the log: {doubt}");
    let database = shelf.renew(now_ms).map_err(|why| StoreError::Io(why.0.into()))?;
    let rows = OverlaidRows::new(database, DatabaseMeta::default());
    let mut trusted = TrustedDatabase { rows, index: IndexState::default(), from: None };
    let log = replay(home, &mut trusted, progress)?;
    Ok((trusted, log, Some(doubt)))
}

/// Checks a database against itself and the log. The error is the reason why it cannot be trusted.
fn trust(database: Box<dyn Database>, log: &Dir) -> Result<TrustedDatabase, String> {
    let oldest = recover::oldest(log).map_err(|e| e.to_string())?;
    let meta = database.get(key::META).map_err(|why| why.0)?;
    let Some(meta) = meta else {
        let rows = database.down(&[], &[u8::MAX], 1).map_err(|why| why.0)?;
        return match (rows.is_empty(), oldest) {
            (true, None) => {
                let rows = OverlaidRows::new(database, DatabaseMeta::default());
                Ok(TrustedDatabase { rows, index: IndexState::default(), from: None })
            }
            (true, Some(_)) => Err("it was empty".to_owned()),
            (false, _) => Err("it does not say what it holds".to_owned()),
        };
    };
    let meta: DatabaseMeta = row::rest(&meta).map_err(|e| e.to_string())?;
    if meta.rows != ROWS {
        return Err(format!("its rows have version {}, this daemon makes {ROWS}", meta.rows));
    }
    let from = LogCheckpoint { at: LogPosition(meta.at), sum: meta.sum };
    recover::find(log, &from).map_err(|elsewhere| elsewhere.0)?;
    let open = continuous(&*database, &meta, oldest.unwrap_or_default())?;
    let mut index = IndexState { last_id: meta.last_id, entries: meta.entries, ..IndexState::default() };
    for (key, value) in open {
        let (id, open) = reopen(log, &key, &value).map_err(|e| e.to_string())?;
        index.open.insert(id, open);
    }
    Ok(TrustedDatabase { rows: OverlaidRows::new(database, meta), index, from: Some(from) })
}

/// Reads every row: their number, bytes and hashes must match the meta row, and each row must belong to a record in
/// the log. Returns the rows of open entries.
fn continuous(
    database: &dyn Database,
    meta: &DatabaseMeta,
    oldest: LogPosition,
) -> Result<Vec<DatabaseRow>, String> {
    let mut seen = DatabaseMeta { entries: 0, count: 0, bytes: 0, hash: 0, ..meta.clone() };
    let (mut open, mut outside) = (Vec::new(), None);
    let check = &mut |key: &[u8], value: &[u8]| {
        if key == key::META {
            return;
        }
        seen.count += 1;
        seen.bytes += (key.len() + value.len()) as u64;
        seen.hash = seen.hash.wrapping_add(row::hash(key, value));
        match row::place(value) {
            Ok(at) if at >= oldest && at.0 <= meta.at => {}
            other => outside = Some(other.unwrap_or_default()),
        }
        match key.first() {
            Some(&key::ENTRY) => seen.entries += 1,
            Some(&key::OPEN) => open.push((key.to_vec(), value.to_vec())),
            _ => {}
        }
    };
    database.each(check).map_err(|why| why.0)?;
    if let Some(at) = outside {
        return Err(format!("a row points to a record outside the log, at {}", at.shown()));
    }
    if seen != *meta {
        return Err(format!(
            "it holds {} rows that differ from the {} that were written",
            seen.count, meta.count
        ));
    }
    Ok(open)
}

fn reopen(log: &Dir, key: &[u8], value: &[u8]) -> Result<(JobId, OpenEntry), StoreError> {
    let at = row::place(value)?;
    let sealed = row::rest::<u64>(value).map(|sealed| (sealed != 0).then_some(LogPosition(sealed)))?;
    match (key::id_of(key), read::record(log, at)?.0.into_entry()) {
        (Some(id), Some(entry)) if entry.id == id => {
            Ok((id, OpenEntry { entry: Arc::new(entry), at, sealed }))
        }
        _ => Err(StoreError::Io("an open entry's intent is not where the database says".into())),
    }
}

/// Opens the log and applies the records that the database does not have yet.
fn replay(
    home: &LogLocation,
    trusted: &mut TrustedDatabase,
    progress: &StartProgress,
) -> Result<Log, StoreError> {
    let TrustedDatabase { rows, index, from } = trusted;
    let dir = home.dir.clone();
    let segments = recover::segments(&dir)?;
    let first = from.map_or(*segments.start(), |from| from.at.segment());
    // Few segments have another size.
    let bytes = |segments: u64| home.size.saturating_mul(segments);
    let rebuild = from.is_none();
    let size = bytes((segments.end() + 1).saturating_sub(first));
    let reading = |at: LogPosition| {
        let read = bytes(at.segment().saturating_sub(first)).saturating_add(at.offset());
        StartStep::ReadingLog { rebuild, read: read.min(size), size }
    };
    recover::open(home.clone(), *from, &mut |at, sum, record| {
        progress.set(reading(at));
        let mut draft = RowChanges { below: &*rows, changes: Default::default() };
        index.apply(at, &record, &mut draft, &|at| {
            Ok(read::record(&dir, at)?
                .0
                .into_entry()
                .map(|entry| (entry.of, entry.parts))
                .unwrap_or_default())
        })?;
        rows.add(draft.changes, AppliedUpTo::new(at, sum, index));
        if rows.waiting().0 > limits::REPLAY_ROWS {
            // If a power cut removes records that were not flushed, the next opening sees it from their checksums and
            // rebuilds the database.
            rows.apply(&|_| Ok(()))?;
            // sled keeps rows in memory until it has written them.
            rows.flush()?;
        }
        Ok(())
    })
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
