//! Void entries whose staged files may still be there. Another program may have opened such a file while it was at its
//! path, and may write to it, so the file outlives the record that makes its entry void. Until the file is removed, a row
//! leads from the entry to its intent, so that a start knows the path that the file belongs to.
//!
//! No record says that the files are removed: the row is removed without one. A rebuild of the database, which reads the
//! log, shows the row again, until [`Store::void_entries`] finds that the files are gone.

use editd_proto::ids::JobId;

use super::index::row::{self, VoidRow};
use super::index::{RowChanges, key};
use super::log::read;
use super::{LogPosition, Store, StoreError};
use crate::record::Entry;
use crate::sync::lock;

impl Store {
    /// Returns the position of an open entry's intent.
    pub fn intent_at(&self, id: JobId) -> Option<LogPosition> {
        lock(&self.shared.index).open.get(&id).map(|open| open.at)
    }

    /// Returns the void entries with staged files, and the positions of their intents, oldest first. `is_left` returns
    /// true if a name exists in `.editd/staging`. An entry that the log cannot return is left out.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn void_entries(
        &self,
        is_left: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<(LogPosition, Entry)>, StoreError> {
        let (mut left, mut gone) = (Vec::new(), Vec::new());
        self.shared.rows.down(&[key::VOID], &key::behind(&[key::VOID]), &mut |_, value| {
            let names = row::rest::<VoidRow>(value)?.staged_names;
            let is_done = names.is_some_and(|names| !names.iter().any(|name| is_left(name)));
            if is_done { &mut gone } else { &mut left }.push(row::place(value)?);
            Ok(true)
        })?;
        self.forget_void(&gone);
        let entry = |at: LogPosition| match read::record(self.shared.log.dir(), at) {
            Ok((record, ..)) => record.into_entry().map(|entry| (at, entry)),
            Err(error) => {
                tracing::warn!(%error, at = at.shown(), "the entry of staged files cannot be read");
                None
            }
        };
        Ok(left.into_iter().rev().filter_map(entry).collect())
    }

    /// Removes the rows of void entries whose staged files are gone.
    pub fn forget_void(&self, intents: &[LogPosition]) {
        if intents.is_empty() {
            return;
        }
        let mut draft = RowChanges { below: &self.shared.rows, changes: Default::default() };
        intents.iter().for_each(|at| draft.remove(key::void(*at)));
        let mut index = lock(&self.shared.index);
        self.shared.take_away(&mut index, draft, 0);
    }
}
