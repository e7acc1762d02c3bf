//! A database in memory, for tests and the simulator. It is empty at every start.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use super::{Database, DatabaseError, DatabaseRow, LiveRows};
use crate::store::index::RowUpdates;

/// A sorted map.
#[derive(Default)]
pub struct MemoryDatabase(RwLock<BTreeMap<Vec<u8>, Vec<u8>>>);

impl Database for MemoryDatabase {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DatabaseError> {
        Ok(self.0.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned())
    }

    fn down(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        if lo >= hi {
            return Ok(Vec::new());
        }
        let rows = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let range = rows.range::<[u8], _>((std::ops::Bound::Included(lo), std::ops::Bound::Excluded(hi)));
        Ok(range.rev().take(limit).map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    fn up(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        if lo >= hi {
            return Ok(Vec::new());
        }
        let rows = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let range = rows.range::<[u8], _>((std::ops::Bound::Included(lo), std::ops::Bound::Excluded(hi)));
        Ok(range.take(limit).map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    fn count(&self, lo: &[u8], hi: &[u8]) -> Result<u64, DatabaseError> {
        if lo >= hi {
            return Ok(0);
        }
        let rows = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let range = rows.range::<[u8], _>((std::ops::Bound::Included(lo), std::ops::Bound::Excluded(hi)));
        Ok(range.count() as u64)
    }

    fn each(&self, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), DatabaseError> {
        let rows = self.0.read().unwrap_or_else(PoisonError::into_inner);
        rows.iter().for_each(|(key, value)| visit(key, value));
        Ok(())
    }

    fn apply(&self, changes: &RowUpdates) -> Result<(), DatabaseError> {
        let mut rows = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in changes {
            match value {
                Some(value) => rows.insert(key.clone(), value.clone()),
                None => rows.remove(key),
            };
        }
        Ok(())
    }

    fn flush(&self) -> Result<(), DatabaseError> {
        Ok(())
    }

    fn size(&self) -> u64 {
        self.live().bytes
    }

    fn live(&self) -> LiveRows {
        let rows = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut live = LiveRows::default();
        rows.iter().for_each(|(key, value)| live.add(key, value));
        live
    }
}
