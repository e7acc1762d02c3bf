//! Where rows are kept: sorted keys and values behind a trait. It decides nothing and promises nothing:
//! whatever it loses is rebuilt from the log.

mod closed;
pub mod memory;
pub mod shelf;
pub mod sled;

#[cfg(test)]
mod tests;

pub use closed::ClosedDatabase;

use super::index::RowUpdates;

/// Why a database cannot be used any more; it is rebuilt at the next start.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct DatabaseError(pub String);

/// A key and its value.
pub type Row = (Vec<u8>, Vec<u8>);

/// Sorted rows.
pub trait Database: Send + Sync {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DatabaseError>;
    /// At most `limit` rows with `lo <= key < hi`, highest key first.
    fn down(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<Row>, DatabaseError>;
    /// Hands over every row, lowest key first: quicker than [`Database::down`] for all of them.
    fn each(&self, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), DatabaseError>;
    /// Writes rows, all or none.
    fn apply(&self, changes: &RowUpdates) -> Result<(), DatabaseError>;
    /// Asks for what was written to reach the disk. Nothing relies on it.
    fn flush(&self) -> Result<(), DatabaseError>;
    /// Bytes on the disk.
    fn size(&self) -> u64;
}
