//! Look-ups of many entries, one after the other. It writes nothing.

use std::cell::RefCell;

use editd_proto::ids::JobId;

use super::find::entry_in;
use super::index::{key, row};
use super::log::read::RecordReader;
use super::shared::StoreParts;
use super::{LogPosition, Store, StoreError};
use crate::record::Entry;

impl Store {
    /// Returns a reader of many entries.
    pub fn entry_reader(&self) -> EntryReader<'_> {
        EntryReader { shared: &self.shared, reader: RefCell::new(RecordReader::new(self.shared.log.dir())) }
    }
}

/// Reads many entries, and keeps the last segment open. A segment that was packed or dropped meanwhile is opened again.
pub struct EntryReader<'s> {
    shared: &'s StoreParts,
    reader: RefCell<RecordReader<'s>>,
}

impl EntryReader<'_> {
    /// Does the same as [`Store::entry_size`].
    pub fn size(&self, id: JobId) -> Result<Option<usize>, StoreError> {
        self.read(id, |reader, at| reader.frame_at(at).map(|frame| frame.raw as usize))
    }

    /// Does the same as [`Store::entry`].
    pub fn entry(&self, id: JobId) -> Result<Option<Entry>, StoreError> {
        self.read(id, |reader, at| reader.record(at).and_then(entry_in))
    }

    fn read<T>(
        &self,
        id: JobId,
        read: impl Fn(&mut RecordReader<'_>, LogPosition) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.shared.held(&key::job(key::ENTRY, id), |value| {
            let at = row::place(value)?;
            let mut reader = self.reader.borrow_mut();
            let found = read(&mut reader, at).or_else(|_| {
                reader.close();
                read(&mut reader, at)
            });
            found.map(Some)
        })
    }
}
