//! A database in memory that fails when a test says so, as sled does on a full or failing disk: from its first failure
//! on, every call of it fails.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::memory::MemoryDatabase;
use super::{Database, DatabaseError, DatabaseRow, LiveRows};
use crate::store::index::RowUpdates;
use crate::sync::lock;

/// The faults of the databases of one store. All clones share them.
#[derive(Clone, Default)]
pub struct DatabaseFaults(Arc<Mutex<FaultPlan>>);

impl fmt::Debug for DatabaseFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseFaults").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct FaultPlan {
    /// Calls that still succeed; `None`: all of them.
    calls: Option<u64>,
    /// True if no new database can be opened after a failure.
    full: bool,
    /// True if no database can be opened now.
    closed: bool,
    /// Databases that failed.
    failed: u64,
}

impl DatabaseFaults {
    /// Lets the present database fail after this many calls. `full`: no new one can be opened then, as on a full disk.
    pub fn fail_after(&self, calls: u64, full: bool) {
        let mut plan = lock(&self.0);
        (plan.calls, plan.full, plan.closed) = (Some(calls), full, false);
    }

    /// Ends all faults: new databases can be opened.
    pub fn repair(&self) {
        let mut plan = lock(&self.0);
        (plan.calls, plan.full, plan.closed) = (None, false, false);
    }

    /// Returns the number of databases that failed.
    pub fn failed(&self) -> u64 {
        lock(&self.0).failed
    }
}

impl PartialEq for DatabaseFaults {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for DatabaseFaults {}

/// A database in memory with faults.
pub struct FaultyDatabase {
    inner: MemoryDatabase,
    faults: DatabaseFaults,
    failed: AtomicBool,
}

impl FaultyDatabase {
    /// Opens an empty database.
    pub fn open(faults: &DatabaseFaults) -> Result<Self, DatabaseError> {
        if lock(&faults.0).closed {
            return Err(DatabaseError::full());
        }
        Ok(Self { inner: MemoryDatabase::default(), faults: faults.clone(), failed: AtomicBool::new(false) })
    }

    fn call(&self) -> Result<&MemoryDatabase, DatabaseError> {
        let mut plan = lock(&self.faults.0);
        let fails = match plan.calls {
            Some(0) => true,
            Some(calls) => {
                plan.calls = Some(calls - 1);
                false
            }
            None => false,
        };
        if fails {
            // The databases after this one are sound, if they can be opened.
            plan.calls = None;
            plan.closed = plan.full;
            plan.failed += 1;
            self.failed.store(true, Ordering::Relaxed);
        }
        if self.failed.load(Ordering::Relaxed) {
            return Err(if plan.full {
                DatabaseError::full()
            } else {
                DatabaseError("a test says so".to_owned())
            });
        }
        Ok(&self.inner)
    }
}

impl Database for FaultyDatabase {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DatabaseError> {
        self.call()?.get(key)
    }

    fn down(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        self.call()?.down(lo, hi, limit)
    }

    fn up(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        self.call()?.up(lo, hi, limit)
    }

    fn count(&self, lo: &[u8], hi: &[u8]) -> Result<u64, DatabaseError> {
        self.call()?.count(lo, hi)
    }

    fn each(&self, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), DatabaseError> {
        self.call()?.each(visit)
    }

    fn apply(&self, changes: &RowUpdates) -> Result<(), DatabaseError> {
        self.call()?.apply(changes)
    }

    fn flush(&self) -> Result<(), DatabaseError> {
        self.call()?.flush()
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    fn live(&self) -> LiveRows {
        self.inner.live()
    }
}
