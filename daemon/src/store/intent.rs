//! The permission to change files of the workspace. Only the store makes it: from the intent of an entry that it has
//! written, or that it has read from the log. [`Disk::put`](crate::disk::Disk::put) and its like take nothing else.
//!
//! A record without an intent permits nothing:
//!
//! ```compile_fail,E0308
//! use editd::testing::{Disk, FileRecord, RescueSink, ResolvedPath};
//!
//! fn put(disk: &Disk, file: &FileRecord, place: &ResolvedPath, rescue: &mut RescueSink<'_>) {
//!     let _ = disk.put(file, place, rescue);
//! }
//! ```
//!
//! Neither is a file rewritten with one:
//!
//! ```compile_fail,E0308
//! use editd::testing::{Disk, FileMeta, FileRecord, ResolvedPath};
//!
//! fn rewrite(disk: &Disk, file: &FileRecord, place: &ResolvedPath, was: &FileMeta) {
//!     let _ = disk.rewrite(file, place, was, b"text", 0o644);
//! }
//! ```
//!
//! Nor does an intent permit anything before it is flushed:
//!
//! ```compile_fail,E0599
//! use editd::testing::{AppendedIntent, Disk, RescueSink, ResolvedPath};
//!
//! fn put(disk: &Disk, intent: &AppendedIntent, place: &ResolvedPath, rescue: &mut RescueSink<'_>) {
//!     for file in intent.files() {
//!         let _ = disk.put(file, place, rescue);
//!     }
//! }
//! ```
//!
//! No other module can make the permission:
//!
//! ```compile_fail,E0423
//! use editd::testing::{Entry, Intended};
//!
//! fn intended(entry: Entry) -> Intended {
//!     Intended(entry.into())
//! }
//! ```
//!
//! ```compile_fail,E0423
//! use editd::testing::{FileRecord, IntendedFile};
//!
//! fn intended(record: &FileRecord) -> IntendedFile<'_> {
//!     IntendedFile(record)
//! }
//! ```
//!
//! With it, this compiles:
//!
//! ```
//! use std::time::Duration;
//!
//! use editd::testing::{AppendedIntent, Disk, RescueSink, ResolvedPath, Store, StoreError};
//!
//! fn put(
//!     disk: &Disk,
//!     store: &Store,
//!     intent: AppendedIntent,
//!     place: &ResolvedPath,
//!     rescue: &mut RescueSink<'_>,
//! ) -> Result<(), StoreError> {
//!     let intended = store.flush_intent(intent, &|| Duration::ZERO)?;
//!     for file in intended.files() {
//!         let _ = disk.put(file, place, rescue);
//!     }
//!     Ok(())
//! }
//! ```

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use editd_proto::ids::JobId;

use super::shared::StoreParts;
use super::{LogPosition, Store, StoreError};
use crate::record::{ChangeMethod, Entry, FileMeta, FileRecord, Record};
use crate::sync::lock;

/// An intent that is in the log: it survives a kill, but not yet a power cut.
#[derive(Debug)]
#[must_use]
pub struct AppendedIntent {
    entry: Arc<Entry>,
    at: LogPosition,
}

impl AppendedIntent {
    /// Returns the permission of a job with relaxed durability, which does not wait for the flush: after a power cut, its
    /// files may show a change of which the log knows nothing.
    pub fn relaxed(self) -> Intended {
        Intended(self.entry)
    }
}

/// An entry whose intent is in the log, as durable as its job demands. It permits the changes of its files.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(PartialEq))]
#[must_use]
pub struct Intended(Arc<Entry>);

impl Intended {
    /// Returns the permitted changes, in the order of the entry.
    pub fn files(
        &self,
    ) -> impl DoubleEndedIterator<Item = IntendedFile<'_>> + ExactSizeIterator<Item = IntendedFile<'_>> {
        self.0.files.iter().map(|record| self.permit_repair(record))
    }

    /// Permits a change that restores or rewrites a file of the entry, for recovery and for files whose flush failed. The
    /// record of such a change is not in the log: if it is interrupted, recovery makes it again from the entry.
    pub fn permit_repair<'r>(&'r self, record: &'r FileRecord) -> IntendedFile<'r> {
        IntendedFile { record, entry: self }
    }
}

impl Deref for Intended {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        &self.0
    }
}

#[cfg(test)]
impl From<Entry> for Intended {
    fn from(entry: Entry) -> Self {
        Self(Arc::new(entry))
    }
}

/// One file of an [`Intended`] entry.
#[derive(Clone, Copy, Debug)]
pub struct IntendedFile<'i> {
    record: &'i FileRecord,
    entry: &'i Entry,
}

impl<'i> IntendedFile<'i> {
    /// Returns the record of the change.
    pub fn record(self) -> &'i FileRecord {
        self.record
    }

    /// Returns true if the entry moves an existing file here: it removes the old name of the same file.
    pub fn is_moved(self) -> bool {
        let identity = |meta: &Option<FileMeta>| meta.as_ref().map(|meta| meta.identity);
        let moved = identity(&self.record.after);
        let is_old =
            |other: &FileRecord| other.how == ChangeMethod::Delete && identity(&other.before) == moved;
        self.record.how == ChangeMethod::Create && moved.is_some() && self.entry.files.iter().any(is_old)
    }
}

impl Deref for IntendedFile<'_> {
    type Target = FileRecord;

    fn deref(&self) -> &FileRecord {
        self.record
    }
}

impl Store {
    /// Appends the intent of an entry.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub fn append_intent(&self, entry: Entry) -> Result<AppendedIntent, StoreError> {
        let record = Record::Intent(entry);
        let at = self.append(std::slice::from_ref(&record))?;
        let Record::Intent(entry) = record else { return Err(StoreError::Io("an intent was lost".into())) };
        Ok(AppendedIntent { entry: Arc::new(entry), at })
    }

    /// Makes an intent durable, together with announced ones. `now` returns the time since some fixed moment.
    ///
    /// # Errors
    /// As [`Store::flush`]: the intent may have reached the disk all the same, and the next start decides.
    pub fn flush_intent(
        &self,
        intent: AppendedIntent,
        now: &dyn Fn() -> Duration,
    ) -> Result<Intended, StoreError> {
        self.shared.log.flush_together(intent.at, now)?;
        Ok(Intended(intent.entry))
    }

    /// Returns an open entry.
    pub fn open_entry(&self, id: JobId) -> Option<Intended> {
        lock(&self.shared.index).open.get(&id).map(|open| Intended(open.entry.clone()))
    }

    /// Returns the open entries, oldest first: those that are neither void nor settled. `true`: sealed.
    pub fn open_entries(&self) -> Vec<(Intended, bool)> {
        self.shared.open_entries()
    }
}

impl StoreParts {
    pub(super) fn open_entries(&self) -> Vec<(Intended, bool)> {
        let index = lock(&self.index);
        index.open.values().map(|open| (Intended(open.entry.clone()), open.sealed.is_some())).collect()
    }
}
