//! Computes the rows of a record: a pure function of the record, its position and the present rows. It reads no file
//! and keeps no row itself.
//!
//! | first byte | key | value |
//! |---|---|---|
//! | `e` | entry | the summary that `history` shows, unless too large; undone or not |
//! | `p` | path, entry | hash of the content that the entry left there; a zero byte if the content was never there |
//! | `s` | session, entry | nothing |
//! | `k` | session and client key | job, request |
//! | `r` | job | nothing: the record at the position has the receipt |
//! | `c` | session, name | a clipboard's size, time, origin |
//! | `v` | session, path | the read receipt of the session |
//! | `o` | entry | the position of its seal |
//! | `q` | job | nothing: the record at the position is the detached job |
//! | `w` | position of a void entry's intent | the names of its staged files, until they are removed |
//! | `x` | position of damage | the numbers of entries that may have been lost there |
//! | `!` | | the meta row: the contents of the database and its last record |
//!
//! Paths, sessions and names are in keys as 16 bytes of their BLAKE3 hash. Every value but the meta row's begins with
//! the position of the record that it belongs to.
//!
//! *Invariants*: a job's entry has no row except `o` before it is sealed. A value is at most [`crate::limits::ROW`]
//! bytes; what does not fit is read from the log. Applying a record twice changes nothing.

pub mod entry;
pub mod key;
pub mod marks;
pub mod row;

mod apply;

pub use apply::{IndexState, OpenEntry};

use std::collections::BTreeMap;

use super::StoreError;

/// Rows to write; `None` removes a row.
pub type RowUpdates = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// Access to the present rows.
pub trait RowView {
    /// Returns the value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;
}

/// Changes on top of the present rows.
pub struct RowChanges<'a> {
    /// The present rows.
    pub below: &'a dyn RowView,
    /// The changes.
    pub changes: RowUpdates,
}

impl RowChanges<'_> {
    /// Returns the value of a key, changes included.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        match self.changes.get(key) {
            Some(changed) => Ok(changed.clone()),
            None => self.below.get(key),
        }
    }

    /// Writes a row.
    pub fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.changes.insert(key, Some(value));
    }

    /// Removes a row.
    pub fn remove(&mut self, key: Vec<u8>) {
        self.changes.insert(key, None);
    }
}
