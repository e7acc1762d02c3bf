//! The interface of a database: sorted keys and values. It makes no promise about durability: lost rows are rebuilt
//! from the log.

mod closed;
pub mod faulty;
pub mod memory;
pub mod shelf;
pub mod sled;
pub mod tree;

#[cfg(test)]
mod tests;

pub use closed::ClosedDatabase;

use serde::{Deserialize, Serialize};

use super::index::RowUpdates;

/// The reason why a database can no longer be used, in words for users; it is then rebuilt from the log.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct DatabaseError(pub String);

/// The reason if the disk is full.
const FULL: &str = "the disk is full";

impl DatabaseError {
    /// The error of a full disk.
    pub fn full() -> Self {
        Self(FULL.to_owned())
    }

    /// Returns true if the disk is full: another database on it would fail as well.
    pub fn is_full(&self) -> bool {
        self.0 == FULL
    }
}

/// A key and its value.
pub type DatabaseRow = (Vec<u8>, Vec<u8>);

/// The number of rows, and the bytes of their keys and values.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LiveRows {
    /// Rows.
    pub rows: u64,
    /// Bytes.
    pub bytes: u64,
}

impl LiveRows {
    /// Counts a row.
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        self.rows = self.rows.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add((key.len() + value.len()) as u64);
    }

    /// Counts a row no more.
    pub fn remove(&mut self, key: &[u8], value: &[u8]) {
        self.rows = self.rows.wrapping_sub(1);
        self.bytes = self.bytes.wrapping_sub((key.len() + value.len()) as u64);
    }
}

/// A sorted map of rows.
pub trait Database: Send + Sync {
    /// Returns the value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DatabaseError>;
    /// Returns at most `limit` rows with `lo <= key < hi`, highest key first.
    fn down(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError>;
    /// Returns at most `limit` rows with `lo <= key < hi`, lowest key first.
    fn up(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError>;
    /// Returns the number of rows with `lo <= key < hi`.
    fn count(&self, lo: &[u8], hi: &[u8]) -> Result<u64, DatabaseError>;
    /// Calls `visit` for every row, lowest key first; faster than [`Database::down`] for all of them.
    fn each(&self, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), DatabaseError>;
    /// Writes rows, all or none.
    fn apply(&self, changes: &RowUpdates) -> Result<(), DatabaseError>;
    /// Asks the database to write its rows to the disk. Nothing relies on it.
    fn flush(&self) -> Result<(), DatabaseError>;
    /// Returns the bytes on the disk.
    fn size(&self) -> u64;
    /// Returns the number and the bytes of its rows.
    fn live(&self) -> LiveRows;
}
