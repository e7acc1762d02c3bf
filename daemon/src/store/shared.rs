//! What all of the store's calls and its thread share. No logic beyond small look-ups.

use std::sync::{Arc, Mutex, OnceLock};

use super::contents::ContentFiles;
use super::database::shelf::DatabaseFolder;
use super::index::IndexState;
use super::log::Log;
use super::overlay::OverlaidRows;
use super::worker::WorkerSignal;
use super::{Position, StoreError};

/// The parts of an open store.
pub(super) struct StoreParts {
    /// The truth.
    pub(super) log: Log,
    /// Held from writing a group until its rows are visible, so that both have one order.
    pub(super) index: Mutex<IndexState>,
    /// What look-ups see.
    pub(super) rows: OverlaidRows,
    /// Where the database is.
    pub(super) shelf: DatabaseFolder,
    /// Kept contents.
    pub(super) contents: ContentFiles,
    /// Held while segments may be dropped or must not be.
    pub(super) upkeep: Mutex<()>,
    /// What the thread is asked for; nobody listens where there is none.
    pub(super) signal: WorkerSignal,
    /// Why rows no longer follow the log.
    pub(super) torn: OnceLock<Arc<str>>,
}

impl StoreParts {
    /// Makes the log durable up to a record.
    pub(super) fn flush(&self, upto: Position) -> Result<(), StoreError> {
        self.log.flush(upto).map(drop)
    }

    /// Applies what waits to the database.
    pub(super) fn apply(&self) -> Result<(), StoreError> {
        self.whole()?;
        self.rows.apply(&|upto| self.flush(upto))?;
        // sled keeps what it was told in memory until it is asked to write it; a kill takes that.
        self.rows.flush()
    }

    /// Fails where rows no longer follow the log.
    pub(super) fn whole(&self) -> Result<(), StoreError> {
        match self.torn.get() {
            Some(why) => Err(StoreError::Failed(why.clone())),
            None => Ok(()),
        }
    }
}
