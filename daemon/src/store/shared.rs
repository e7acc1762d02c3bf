//! The state that the calls of a store and its thread share. It has no logic beyond small look-ups.

use std::sync::{Arc, Mutex, OnceLock};

use super::contents::ContentFiles;
use super::damage::FoundDamage;
use super::database::shelf::DatabaseFolder;
use super::index::IndexState;
use super::log::Log;
use super::overlay::OverlaidRows;
use super::quota::LogQuota;
use super::rebuild::DatabaseState;
use super::worker::WorkerSignal;
use super::{LogPosition, StoreError};

/// The parts of an open store.
pub(super) struct StoreParts {
    /// The source of truth.
    pub(super) log: Arc<Log>,
    /// Held from appending a group until its rows are visible, so that both have one order.
    pub(super) index: Mutex<IndexState>,
    /// The rows that look-ups see.
    pub(super) rows: OverlaidRows,
    /// The folder of the database.
    pub(super) shelf: Arc<DatabaseFolder>,
    /// Kept contents.
    pub(super) contents: ContentFiles,
    /// Held while segments are dropped, or must not be dropped.
    pub(super) upkeep: Mutex<()>,
    /// The limit of the log's size.
    pub(super) quota: LogQuota,
    /// The requests to the thread; ignored if there is none.
    pub(super) signal: WorkerSignal,
    /// The reason why the rows no longer match the log.
    pub(super) torn: OnceLock<Arc<str>>,
    /// The damage of the log that was found.
    pub(super) damage: Mutex<FoundDamage>,
}

impl StoreParts {
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
