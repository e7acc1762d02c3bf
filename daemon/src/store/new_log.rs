//! A log that is written beside the present one, to take its place once it is complete: by `salvage` and by an import.
//! Nothing reads it before.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use super::log::payload::{self, RecordPayload};
use super::log::{Log, LogLocation, recover};
use super::open::folder;
use super::{LogPosition, StoreError};
use crate::os::{Dir, Os};
use crate::record::Record;

/// The records and the bytes that are appended at once.
const BATCH: (usize, usize) = (256, 1024 * 1024);

/// A log that is being written.
pub(super) struct NewLog {
    log: Log,
    batch: Vec<RecordPayload>,
    /// The bytes of the batch.
    bytes: usize,
}

impl NewLog {
    /// Begins a log in a folder of the state folder, which must be empty.
    pub(super) fn create(os: &Arc<dyn Os>, dir: &Dir, name: &str, segment: u64) -> Result<Self, StoreError> {
        let home = LogLocation { os: os.clone(), dir: folder(dir, name)?, size: segment };
        let log = recover::open(home, None, &mut |_| Ok(()))?;
        Ok(Self { log, batch: Vec::new(), bytes: 0 })
    }

    /// Adds a record.
    pub(super) fn add(&mut self, record: &Record) -> Result<(), StoreError> {
        let payload = payload::encode(record)?;
        self.bytes += payload.bytes.len();
        self.batch.push(payload);
        if self.batch.len() >= BATCH.0 || self.bytes >= BATCH.1 {
            self.write()?;
        }
        Ok(())
    }

    /// Returns a position after all records so far and before all later ones.
    pub(super) fn after(&mut self) -> Result<LogPosition, StoreError> {
        self.write()?;
        Ok(LogPosition(self.log.last().0 + 1))
    }

    /// Makes all records durable.
    pub(super) fn finish(mut self) -> Result<(), StoreError> {
        self.write()?;
        self.log.flush(self.log.last()).map(drop)
    }

    fn write(&mut self) -> Result<(), StoreError> {
        let first = self.log.last() == LogPosition(0);
        self.log.append(&self.batch)?;
        self.batch.clear();
        self.bytes = 0;
        // The first append to a log must be durable before the next one.
        if first && self.log.last() > LogPosition(0) {
            self.log.flush(self.log.last()).map(drop)?;
        }
        Ok(())
    }
}

/// Returns a function that makes the error of a failed action.
pub(super) fn failed(what: &str) -> impl Fn(io::Error) -> StoreError {
    let what = what.to_owned();
    move |error| StoreError::Io(format!("{what} failed: {error}; the state is unchanged").into())
}

/// Returns the names in the state folder.
pub(super) fn names(dir: &Dir) -> Result<BTreeSet<Vec<u8>>, StoreError> {
    let listed = dir.list().map_err(failed("listing the state folder"))?;
    Ok(listed.into_iter().map(|entry| entry.name).collect())
}

/// Renames a folder in the state folder, durably.
pub(super) fn rename(os: &Arc<dyn Os>, dir: &Dir, from: &str, to: &str) -> Result<(), StoreError> {
    let renamed = os.rename(dir, from.as_bytes(), dir, to.as_bytes()).and_then(|()| dir.sync());
    renamed.map_err(failed(&format!("renaming {from} to {to} in the state folder")))
}

/// Removes the folder of a log that is not needed, if there is one.
pub(super) fn clear(dir: &Dir, name: &str) -> Result<(), StoreError> {
    if !names(dir)?.contains(name.as_bytes()) {
        return Ok(());
    }
    let remove = || -> io::Result<()> {
        let left = dir.open_dir(name.as_bytes())?;
        for entry in left.list()? {
            left.remove_file(&entry.name)?;
        }
        // Windows does not remove a folder that is open.
        drop(left);
        dir.remove_dir(name.as_bytes())
    };
    remove().map_err(failed(&format!("removing {name} from the state folder")))
}
