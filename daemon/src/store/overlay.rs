//! The rows as look-ups see them: the database, and above it the changes that were not applied to it yet. The
//! database never gets a row of a record that the log has not flushed, except while the log is replayed at opening:
//! the checksum in the meta row then shows whether a power cut removed such a record.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::database::{Database, DatabaseError, DatabaseRow, LiveRows};
use super::index::row::{self, DatabaseMeta, ROWS};
use super::index::{IndexState, RowUpdates, RowView, key};
use super::log::frame::Checksum;
use super::rebuild::DatabaseRebuilding;
use super::{LogPosition, StoreError};
use crate::limits;
use crate::sync::lock;

/// The number of rows that are read from the database at once.
const PAGE: usize = 256;

/// Attempts to read a page of the database without locking the overlay.
const UNLOCKED_READS: usize = 3;

/// Receives a key and its value; returns false to end the walk.
pub type RowVisitor<'a> = dyn FnMut(&[u8], &[u8]) -> Result<bool, StoreError> + 'a;

/// The last record that rows include, and further fields of the meta row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AppliedUpTo {
    /// The start of the last record.
    pub at: LogPosition,
    /// Its checksum.
    pub sum: Checksum,
    /// See [`DatabaseMeta::last_id`].
    pub last_id: u64,
    /// See [`DatabaseMeta::entries`].
    pub entries: u64,
    /// Entries that are neither void nor settled.
    pub open: u64,
}

impl AppliedUpTo {
    /// The last record, with the present state of the index.
    pub fn new(at: LogPosition, sum: Checksum, index: &IndexState) -> Self {
        let open = index.open.len() as u64;
        Self { at, sum, last_id: index.last_id, entries: index.entries, open }
    }
}

#[derive(Default)]
struct PendingRows {
    /// Changes by key, each with the number of the step that made it.
    rows: BTreeMap<Vec<u8>, (u64, Option<Vec<u8>>)>,
    step: u64,
    bytes: usize,
    reach: Option<AppliedUpTo>,
    /// The number of times that rows were removed, since they were in the database.
    applied: u64,
}

/// The database with the overlay on top. If the database fails, it is rebuilt from the log, and the call is repeated
/// once; calls of other threads wait for that.
pub struct OverlaidRows {
    pending: RwLock<PendingRows>,
    pub(super) database: RwLock<Box<dyn Database>>,
    /// The contents of the database; locked while changes are applied to it, and while it is rebuilt.
    pub(super) meta: Mutex<DatabaseMeta>,
    /// The copy of the database, while it is moved. Locked after `meta`, never before it.
    pub(super) copy: Mutex<Option<Box<dyn Database>>>,
    pub(super) rebuilding: DatabaseRebuilding,
    /// See [`DatabaseMeta::oldest`]: of the rows with the overlay.
    pub(super) oldest: AtomicU64,
}

impl OverlaidRows {
    /// Puts an empty overlay on a database with this meta row.
    pub fn new(database: Box<dyn Database>, meta: DatabaseMeta) -> Self {
        Self {
            pending: RwLock::default(),
            database: RwLock::new(database),
            oldest: AtomicU64::new(meta.oldest),
            meta: Mutex::new(meta),
            copy: Mutex::default(),
            rebuilding: DatabaseRebuilding::default(),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, PendingRows> {
        self.pending.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, PendingRows> {
        self.pending.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn database(&self) -> RwLockReadGuard<'_, Box<dyn Database>> {
        self.database.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds changes, visible at once, and the last record that they include.
    pub fn add(&self, changes: RowUpdates, reach: AppliedUpTo) {
        let mut pending = self.write();
        pending.step += 1;
        let step = pending.step;
        for (key, value) in changes {
            pending.bytes += key.len() + value.as_ref().map_or(0, Vec::len);
            if let Some((_, old)) = pending.rows.insert(key.clone(), (step, value)) {
                pending.bytes = pending.bytes.saturating_sub(key.len() + old.map_or(0, |old| old.len()));
            }
        }
        pending.reach = Some(reach);
    }

    /// Returns the number of rows and bytes that are not in the database.
    pub fn waiting(&self) -> (usize, usize) {
        let pending = self.read();
        (pending.rows.len(), pending.bytes)
    }

    /// Notes that no row leads to a segment of the log before this one. The next [`OverlaidRows::apply`] writes it.
    pub fn begin_at(&self, segment: u64) {
        self.oldest.fetch_max(segment, Ordering::AcqRel);
    }

    /// Applies the overlay to the database after `flush` made the log durable up to its last record. Appends continue
    /// meanwhile. All changes are one transaction.
    pub fn apply(&self, flush: &dyn Fn(LogPosition) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut meta = lock(&self.meta);
        for _ in 0..=limits::DATABASE_REBUILDS {
            match self.apply_to(&mut meta, flush) {
                Err(StoreError::Database(why)) => self.rebuild(&mut meta, &why)?,
                done => return done,
            }
        }
        self.apply_to(&mut meta, flush)
    }

    fn apply_to(
        &self,
        meta: &mut DatabaseMeta,
        flush: &dyn Fn(LogPosition) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        // Read before the rows: rows that lead to segments before this one must be among the removals.
        let oldest = self.oldest.load(Ordering::Acquire);
        let (step, reach, changes) = {
            let pending = self.read();
            let Some(reach) = pending.reach else { return Ok(()) };
            let changes: RowUpdates =
                pending.rows.iter().map(|(key, (_, value))| (key.clone(), value.clone())).collect();
            (pending.step, reach, changes)
        };
        if reach.at.0 == meta.at && oldest == meta.oldest && changes.is_empty() {
            return Ok(());
        }
        flush(reach.at)?;
        let updated = DatabaseMeta {
            rows: ROWS,
            at: reach.at.0,
            sum: reach.sum,
            last_id: reach.last_id,
            entries: self.entries(reach.entries),
            oldest,
        };
        self.apply_to_copy(&changes);
        let mut changes = changes;
        changes.insert(key::META.to_vec(), Some(row::value(reach.at, &updated)?));
        self.database().apply(&changes).map_err(broken)?;
        *meta = updated;
        let mut pending = self.write();
        pending.applied += 1;
        let mut freed = 0;
        pending.rows.retain(|key, (made, value)| {
            let stays = *made > step;
            if !stays {
                freed += key.len() + value.as_ref().map_or(0, Vec::len);
            }
            stays
        });
        pending.bytes = pending.bytes.saturating_sub(freed);
        Ok(())
    }

    /// Returns the number of entries that have rows, and of those that are neither void nor settled.
    pub fn counts(&self) -> (u64, u64) {
        let reach = self.read().reach.unwrap_or_default();
        (self.entries(reach.entries), reach.open)
    }

    /// Returns the meta row after the last [`OverlaidRows::apply`].
    pub fn meta(&self) -> DatabaseMeta {
        lock(&self.meta).clone()
    }

    /// Returns the bytes of the database on the disk.
    pub fn size(&self) -> u64 {
        self.database().size()
    }

    /// Returns the number of rows with `lo <= key < hi` in the database, without the overlay.
    pub fn stored_count(&self, lo: &[u8], hi: &[u8]) -> Result<u64, StoreError> {
        self.call(|| self.database().count(lo, hi))
    }

    /// Calls `visit` for the rows with `lo <= key < hi` in the database, without the overlay, lowest key first, until it
    /// returns false.
    pub fn stored_up(&self, lo: &[u8], hi: &[u8], visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
        let mut lo = lo.to_vec();
        loop {
            let rows = self.call(|| self.database().up(&lo, hi, PAGE))?;
            for (key, value) in &rows {
                if !visit(key, value)? {
                    return Ok(());
                }
            }
            let Some((last, _)) = rows.last().filter(|_| rows.len() >= PAGE) else { return Ok(()) };
            // The lowest key behind it.
            lo = [last.as_slice(), &[0]].concat();
        }
    }

    /// Returns the number and the bytes of the rows in the database.
    pub fn live(&self) -> LiveRows {
        self.database().live()
    }

    /// Asks the database to write its rows to the disk.
    pub fn flush(&self) -> Result<(), StoreError> {
        self.call(|| self.database().flush())
    }

    /// Calls `visit` for the rows with `lo <= key < hi`, highest key first, until it returns false.
    pub fn down(&self, lo: &[u8], hi: &[u8], visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
        let mut hi = hi.to_vec();
        loop {
            let (rows, last) = self.page(lo, &hi)?;
            for (key, value) in rows.iter().rev() {
                if !visit(key, value)? {
                    return Ok(());
                }
            }
            match last {
                Some(lowest) => hi = lowest,
                None => return Ok(()),
            }
        }
    }

    /// Returns one page of the database with the overlay on top, and the start of the next page if there is one.
    #[expect(clippy::type_complexity, reason = "two results that belong together, used once")]
    fn page(
        &self,
        lo: &[u8],
        hi: &[u8],
    ) -> Result<(BTreeMap<Vec<u8>, Vec<u8>>, Option<Vec<u8>>), StoreError> {
        let (pending, page) = self.call(|| self.both(lo, hi))?;
        let last = page.last().filter(|_| page.len() >= PAGE).map(|(key, _)| key.clone());
        let floor = last.as_deref().unwrap_or(lo);
        let mut rows: BTreeMap<Vec<u8>, Vec<u8>> = page.iter().cloned().collect();
        if floor < hi {
            let above = pending.rows.range::<[u8], _>((Bound::Included(floor), Bound::Excluded(hi)));
            for (key, (_, value)) in above {
                match value {
                    Some(value) => rows.insert(key.clone(), value.clone()),
                    None => rows.remove(key),
                };
            }
        }
        Ok((rows, last))
    }

    /// Returns the overlay, and rows of the database that fit it. Appends do not wait while the database is read: if rows
    /// went from one to the other meanwhile, it is read again.
    fn both(
        &self,
        lo: &[u8],
        hi: &[u8],
    ) -> Result<(RwLockReadGuard<'_, PendingRows>, Vec<DatabaseRow>), DatabaseError> {
        for _ in 0..UNLOCKED_READS {
            let applied = self.read().applied;
            let page = self.database().down(lo, hi, PAGE)?;
            let pending = self.read();
            if pending.applied == applied {
                return Ok((pending, page));
            }
        }
        let pending = self.read();
        let page = self.database().down(lo, hi, PAGE)?;
        Ok((pending, page))
    }
}

impl RowView for OverlaidRows {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.call(|| {
            let pending = self.read().rows.get(key).map(|(_, value)| value.clone());
            // Not locked while the database is read: a row that was not in the overlay is in the database, if anywhere.
            match pending {
                Some(value) => Ok(value),
                None => self.database().get(key),
            }
        })
    }
}

/// The error of a database that cannot be used.
pub fn broken(why: DatabaseError) -> StoreError {
    StoreError::Database(why)
}
