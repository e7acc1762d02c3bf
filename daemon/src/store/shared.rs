//! The state that the calls of a store and its thread share. It has no logic beyond small look-ups.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use super::contents::ContentFiles;
use super::damage::{DamageSignal, FoundDamage};
use super::database::shelf::DatabaseFolder;
use super::index::IndexState;
use super::log::Log;
use super::overlay::OverlaidRows;
use super::quota::LogQuota;
use super::rebuild::DatabaseState;
use super::worker::WorkerSignal;
use super::{LogPosition, StoreError};
use crate::limits;
use crate::sync::lock;

/// The parts of an open store.
pub(super) struct StoreParts {
    /// The source of truth.
    pub(super) log: Arc<Log>,
    /// Held from appending a group until its rows are visible, so that both have one order.
    pub(super) index: Mutex<IndexState>,
    /// Requests that wait for the index.
    pub(super) index_waiters: AtomicUsize,
    /// The rows that look-ups see.
    pub(super) rows: OverlaidRows,
    /// The folder of the database.
    pub(super) shelf: Arc<DatabaseFolder>,
    /// Kept contents.
    pub(super) contents: ContentFiles,
    /// Held while segments are dropped, or must not be dropped.
    pub(super) upkeep: Mutex<()>,
    /// The number of the segment that retention surveyed last while the log was within its limits.
    pub(super) surveyed: AtomicU64,
    /// The limit of the log's size.
    pub(super) quota: LogQuota,
    /// The requests to the thread; ignored if there is none.
    pub(super) signal: WorkerSignal,
    /// The reason why the rows no longer match the log.
    pub(super) torn: OnceLock<Arc<str>>,
    /// The damage of the log that was found.
    pub(super) damage: Mutex<FoundDamage>,
    /// Called when a request has found damage that nobody was told of.
    pub(super) on_damage: OnceLock<DamageSignal>,
}

impl StoreParts {
    /// Locks the index for a request.
    pub(super) fn index_for_request(&self) -> MutexGuard<'_, IndexState> {
        self.index_waiters.fetch_add(1, Ordering::AcqRel);
        let index = lock(&self.index);
        self.index_waiters.fetch_sub(1, Ordering::AcqRel);
        index
    }

    /// Locks the index for one of many steps of retention, after the requests that wait for it: a lock that is released
    /// and taken again at once would keep them out until the last step.
    pub(super) fn index_for_retention(&self) -> MutexGuard<'_, IndexState> {
        for _ in 0..limits::RETENTION_YIELDS {
            if self.index_waiters.load(Ordering::Acquire) == 0 {
                break;
            }
            std::thread::park_timeout(Duration::from_millis(1));
        }
        lock(&self.index)
    }

    /// Makes the log durable up to a record.
    pub(super) fn flush(&self, upto: LogPosition) -> Result<(), StoreError> {
        self.log.flush(upto).map(drop)
    }

    /// Applies the overlay to the database.
    pub(super) fn apply(&self) -> Result<(), StoreError> {
        self.whole()?;
        self.rows.apply(&|upto| self.flush(upto))?;
        // sled keeps rows in memory until it is asked to write them; a kill would lose them.
        self.rows.flush()
    }

    /// Fails if the rows no longer match the log, or there are none.
    pub(super) fn whole(&self) -> Result<(), StoreError> {
        if let Some(why) = self.torn.get() {
            return Err(StoreError::Failed(why.clone()));
        }
        match self.rows.state() {
            DatabaseState::Failed(why) => Err(StoreError::Failed(why)),
            _ => Ok(()),
        }
    }
}
