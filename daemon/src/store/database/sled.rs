//! A database in sled 0.34.7. It does not rely on sled for durability; a panic in sled ends the use of sled, not the
//! daemon.
//!
//! There is one tree, since a batch is one transaction only within a tree. There is no background flush: durability
//! comes from the log. sled's `Mode` is not set: this version never reads it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::{Database, DatabaseError, DatabaseRow, LiveRows};
use crate::store::index::RowUpdates;

/// Bytes of sled's cache. The memory in use was seen to reach a small multiple of this. The pages in use are kept by
/// [`super::tree`], too.
const CACHE: u64 = 1024 * 1024;

/// The words by which sled says that another handle has the database open.
pub(super) const LOCKED: &str = "could not acquire lock";

/// A sled database with one tree.
pub struct SledDatabase(sled::Db);

/// Calls sled; a panic in it, as on damaged pages, becomes an error.
fn guarded<T>(call: impl FnOnce() -> sled::Result<T>) -> Result<T, DatabaseError> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(done) => done.map_err(|error| in_words(&error)),
        Err(panic) => {
            let why = panic.downcast_ref::<String>().map(String::as_str);
            let why = why.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
            tracing::debug!("sled panicked: {why}");
            // A panic of sled may carry the system's error only as text.
            Err(if why.contains("StorageFull") || why.contains("QuotaExceeded") {
                DatabaseError::full()
            } else {
                DatabaseError(
                    "sled, the program library that it uses, failed; its files may be damaged".to_owned(),
                )
            })
        }
    }
}

/// Returns the words for an error of sled.
fn in_words(error: &sled::Error) -> DatabaseError {
    tracing::debug!("sled: {error}");
    let words = match error {
        sled::Error::Io(error) => match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => return DatabaseError::full(),
            io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
            io::ErrorKind::PermissionDenied => "the system does not permit access to its files".to_owned(),
            // sled puts the reason for an occupied database, and copies of errors of the system, into text.
            _ => match error.to_string() {
                text if text.contains(LOCKED) => LOCKED.to_owned(),
                text if text.contains("StorageFull") => return DatabaseError::full(),
                text => match text.split_once("message: \"").and_then(|(_, rest)| rest.split_once('"')) {
                    Some((message, _)) => format!("the disk failed: {message}"),
                    None => format!("the disk failed: {}", without_number(&text)),
                },
            },
        },
        sled::Error::Corruption { .. } => "its files are damaged".to_owned(),
        sled::Error::CollectionNotFound(_) | sled::Error::Unsupported(_) | sled::Error::ReportableBug(_) => {
            "sled, the program library that it uses, failed; its files may be damaged".to_owned()
        }
    };
    DatabaseError(words)
}

/// Removes the number that the standard library adds to an error of the system.
fn without_number(text: &str) -> &str {
    text.split_once(" (os error").map_or(text, |(words, _)| words)
}

impl SledDatabase {
    /// Opens or creates a database in a folder of its own. May take long, or panic inside sled, if the files are
    /// damaged; see [`super::shelf`].
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        let config = sled::Config::new().path(path).cache_capacity(CACHE).flush_every_ms(None);
        guarded(|| config.open()).map(Self)
    }
}

impl Database for SledDatabase {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DatabaseError> {
        guarded(|| self.0.get(key)).map(|value| value.map(|value| value.to_vec()))
    }

    fn down(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        if lo >= hi {
            return Ok(Vec::new());
        }
        guarded(|| {
            let rows = self.0.range(lo..hi).rev().take(limit);
            rows.map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec()))).collect()
        })
    }

    fn up(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        if lo >= hi {
            return Ok(Vec::new());
        }
        guarded(|| {
            let rows = self.0.range(lo..hi).take(limit);
            rows.map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec()))).collect()
        })
    }

    fn count(&self, lo: &[u8], hi: &[u8]) -> Result<u64, DatabaseError> {
        if lo >= hi {
            return Ok(0);
        }
        guarded(|| self.0.range(lo..hi).try_fold(0, |count, row| row.map(|_| count + 1)))
    }

    fn each(&self, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), DatabaseError> {
        guarded(|| {
            for row in self.0.iter() {
                let (key, value) = row?;
                visit(&key, &value);
            }
            Ok(())
        })
    }

    fn apply(&self, changes: &RowUpdates) -> Result<(), DatabaseError> {
        let mut batch = sled::Batch::default();
        for (key, value) in changes {
            match value {
                Some(value) => batch.insert(key.as_slice(), value.as_slice()),
                None => batch.remove(key.as_slice()),
            }
        }
        guarded(|| self.0.apply_batch(batch))
    }

    fn flush(&self) -> Result<(), DatabaseError> {
        guarded(|| self.0.flush()).map(drop)
    }

    fn size(&self) -> u64 {
        guarded(|| self.0.size_on_disk()).unwrap_or_default()
    }

    fn live(&self) -> LiveRows {
        let mut live = LiveRows::default();
        // Of a database that fails, the part that can be read is counted.
        let _ = self.each(&mut |key, value| live.add(key, value));
        live
    }
}
