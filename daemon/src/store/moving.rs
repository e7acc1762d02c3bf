//! Moves the database into a fresh one while the store is in use. It copies a few rows at a time, and changes that are
//! applied meanwhile go to both databases, so that no look-up and no change waits for more than one step. Both are open
//! when they are exchanged; the old one is closed afterwards, without a lock.
//!
//! *Invariants*: the old database has everything until the last step. The copy gets its meta row last: one that is opened
//! without it is not trusted.
//!
//! *Limitations*: two databases are open during a move, each with a cache of its own.

use super::LogPosition;
use super::StoreError;
use super::database::{Database, DatabaseError, shelf};
use super::index::row::{self, DatabaseMeta};
use super::index::{RowUpdates, key};
use super::overlay::{OverlaidRows, broken};
use crate::limits;
use crate::sync::lock;

/// The actions of a move outside of the rows.
pub struct MoveActions<'a> {
    /// Opens an empty database for the copy.
    pub open: &'a dyn Fn() -> Result<Box<dyn Database>, DatabaseError>,
    /// Called between two steps; no lock is held then.
    pub between: &'a dyn Fn(),
    /// Makes the copy the database that the next start opens.
    pub publish: &'a dyn Fn() -> Result<(), DatabaseError>,
}

impl OverlaidRows {
    /// Copies every row into a fresh database and puts that in the place of the present one. Returns the old one, which is
    /// still open.
    ///
    /// # Errors
    /// `Database` or `Io` if it could not be copied, or if the present database was rebuilt meanwhile: the present one stays.
    pub fn move_into(&self, actions: &MoveActions<'_>) -> Result<Box<dyn Database>, StoreError> {
        let fresh = (actions.open)().map_err(broken)?;
        {
            let _meta = lock(&self.meta);
            *lock(&self.copy) = Some(fresh);
        }
        let moved = self.copy_all(actions.between).and_then(|()| self.exchange_copy(actions.publish));
        if moved.is_err() {
            self.give_up_copy();
        }
        moved
    }

    fn copy_all(&self, between: &dyn Fn()) -> Result<(), StoreError> {
        let mut hi = vec![u8::MAX];
        while let Some(next) = self.copy_step(&hi)? {
            hi = next;
            // sled keeps rows in memory until it has written them.
            self.with_copy(|copy| copy.flush())?;
            between();
        }
        self.with_copy(|copy| copy.flush())
    }

    /// Copies the highest rows below `hi`. Returns the lowest of their keys if there are more.
    fn copy_step(&self, hi: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        // Held so that no change of these rows is applied between reading and writing them.
        let mut meta = lock(&self.meta);
        let read = self.database().down(&[], hi, limits::MOVE_ROWS);
        let rows = match read {
            Ok(rows) => rows,
            Err(why) => {
                // Otherwise each later move would fail here.
                self.rebuild(&mut meta, &why)?;
                return Err(given_up());
            }
        };
        let next = rows.last().filter(|_| rows.len() >= limits::MOVE_ROWS).map(|(key, _)| key.clone());
        let rows = rows.into_iter().filter(|(key, _)| key != key::META);
        let changes: RowUpdates = rows.map(|(key, value)| (key, Some(value))).collect();
        self.with_copy(|copy| copy.apply(&changes))?;
        Ok(next)
    }

    fn exchange_copy(
        &self,
        publish: &dyn Fn() -> Result<(), DatabaseError>,
    ) -> Result<Box<dyn Database>, StoreError> {
        let meta = lock(&self.meta);
        let last = meta_row(&meta)?;
        self.with_copy(|copy| copy.apply(&last).and_then(|()| copy.flush()))?;
        publish().map_err(broken)?;
        let copy = lock(&self.copy).take().ok_or_else(given_up)?;
        Ok(self.exchange(copy))
    }

    /// Applies changes to the copy, if there is one. If it fails, the move is given up. The caller holds the meta row.
    pub(super) fn apply_to_copy(&self, changes: &RowUpdates) {
        let failed = match &*lock(&self.copy) {
            Some(copy) => copy.apply(changes).err(),
            None => None,
        };
        if let Some(why) = failed {
            tracing::warn!("the database cannot be moved into a fresh folder: {why}");
            self.give_up_copy();
        }
    }

    /// Closes the copy, if there is one. The move ends with an error.
    pub(super) fn give_up_copy(&self) {
        let copy = lock(&self.copy).take();
        if let Some(copy) = copy {
            shelf::close(copy);
        }
    }

    fn with_copy(
        &self,
        call: impl FnOnce(&dyn Database) -> Result<(), DatabaseError>,
    ) -> Result<(), StoreError> {
        match &*lock(&self.copy) {
            Some(copy) => call(&**copy).map_err(broken),
            None => Err(given_up()),
        }
    }
}

fn meta_row(meta: &DatabaseMeta) -> Result<RowUpdates, StoreError> {
    let value = row::value(LogPosition(meta.at), meta)?;
    Ok(RowUpdates::from([(key::META.to_vec(), Some(value))]))
}

fn given_up() -> StoreError {
    StoreError::Io("the database changed in a way that its copy does not follow".into())
}
