//! A database that could not be opened again: every call fails.

use super::{Database, DatabaseError, DatabaseRow, LiveRows};
use crate::store::index::RowUpdates;

/// A database whose calls all fail.
pub struct ClosedDatabase;

fn closed<T>() -> Result<T, DatabaseError> {
    Err(DatabaseError("it could not be opened again after it was rewritten".to_owned()))
}

impl Database for ClosedDatabase {
    fn get(&self, _: &[u8]) -> Result<Option<Vec<u8>>, DatabaseError> {
        closed()
    }

    fn down(&self, _: &[u8], _: &[u8], _: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        closed()
    }

    fn up(&self, _: &[u8], _: &[u8], _: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        closed()
    }

    fn count(&self, _: &[u8], _: &[u8]) -> Result<u64, DatabaseError> {
        closed()
    }

    fn each(&self, _: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), DatabaseError> {
        closed()
    }

    fn apply(&self, _: &RowUpdates) -> Result<(), DatabaseError> {
        closed()
    }

    fn flush(&self) -> Result<(), DatabaseError> {
        closed()
    }

    fn size(&self) -> u64 {
        0
    }

    fn live(&self) -> LiveRows {
        LiveRows::default()
    }
}
