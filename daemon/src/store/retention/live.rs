//! Finds the records of a segment that are still needed. It writes nothing.

use editd_proto::ids::ContentHash;

use crate::limits;
use crate::record::{CheckpointEntry, ClipboardRecord, EndedWithoutEntry, Entry, Record, SealRecord};
use crate::store::find::unexpected;
use crate::store::index::row::{self, ClipRow, EntryRow, KeyRow};
use crate::store::index::{IndexState, OpenEntry, RowView, key};
use crate::store::log::frame::FRAME;
use crate::store::log::position::align;
use crate::store::log::read::RecordReader;
use crate::store::log::{ALIGN, payload};
use crate::store::shared::StoreParts;
use crate::store::{LogPosition, StoreError};
use crate::sync::lock;

/// The contents of a segment, as far as retention needs them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct SegmentSurvey {
    /// Entries that would lose their rows.
    pub(super) entries: u64,
    /// Bytes that would be written again in any case, frames included.
    always: u64,
    /// Bytes of keys that would be written again, for each of [`limits::KEYS_MS`].
    keys: [u64; limits::KEYS_MS.len()],
}

impl SegmentSurvey {
    /// Returns the bytes that would be written again with one of [`limits::KEYS_MS`].
    pub(super) fn carried_bytes(&self, nth: usize) -> u64 {
        self.always + self.keys.get(nth).copied().unwrap_or_default()
    }

    /// Adds the bytes of another segment.
    pub(super) fn add(&mut self, more: &Self) {
        self.always += more.always;
        self.keys.iter_mut().zip(more.keys).for_each(|(keys, more)| *keys += more);
    }
}

/// The age up to which keys are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KeyAge {
    /// The time of the clock.
    pub(super) now_ms: u64,
    /// The age in milliseconds.
    pub(super) keys_ms: u64,
}

impl KeyAge {
    /// Returns true if a time is within the age, or in the future: the clock may have been set back.
    fn keeps(self, time: u64) -> bool {
        time.saturating_add(self.keys_ms) > self.now_ms
    }
}

impl StoreParts {
    /// Surveys a segment.
    pub(super) fn survey(&self, segment: u64, now_ms: u64) -> Result<SegmentSurvey, StoreError> {
        let keys = KeyAge { now_ms, keys_ms: limits::KEY_MS };
        let mut survey = SegmentSurvey::default();
        let mut reader = RecordReader::new(self.log.dir());
        // As it is now: entries that are settled meanwhile are counted as open. Requests do not wait.
        let index = lock(&self.index).clone();
        self.log.segment(segment, &mut |at, record| {
            if let Record::Intent(entry)
            | Record::External(entry)
            | Record::Checkpoint(CheckpointEntry { entry, .. }) = &record
                && !index.open.contains_key(&entry.id)
            {
                let stands = self.stands_at(&key::job(key::ENTRY, entry.id), at)?;
                survey.entries += u64::from(stands.is_some());
            }
            for needed in self.needed(&index, at, &record, keys, &mut reader)? {
                let bytes = FRAME as u64 + payload::encode(&needed)?.bytes.len() as u64;
                let bytes = align(bytes, ALIGN);
                match &needed {
                    Record::Done(done) => {
                        let ages = limits::KEYS_MS.map(|keys_ms| KeyAge { now_ms, keys_ms });
                        let counted = survey.keys.iter_mut().zip(ages);
                        counted.filter(|(_, age)| age.keeps(done.time)).for_each(|(sum, _)| *sum += bytes);
                    }
                    _ => survey.always += bytes,
                }
            }
            Ok(())
        })?;
        Ok(survey)
    }

    /// Returns the records that must be written again when this record is dropped. `keys` is the age up to which keys and
    /// receipts without an entry are kept.
    pub(super) fn needed(
        &self,
        index: &IndexState,
        at: LogPosition,
        record: &Record,
        keys: KeyAge,
        reader: &mut RecordReader<'_>,
    ) -> Result<Vec<Record>, StoreError> {
        let mut needed = Vec::new();
        match record {
            Record::Start(_) | Record::Void(_) | Record::Seal(_) | Record::Settle(_) => {}
            Record::Intent(entry)
            | Record::External(entry)
            | Record::Checkpoint(CheckpointEntry { entry, .. }) => {
                for (number, clip) in (0u32..).zip(&entry.clips) {
                    if self.clip_stands(at, Some(number), clip)? {
                        needed.push(Record::Clip(clip.clone()));
                    }
                }
                if let Some(open) = index.open.get(&entry.id).filter(|open| open.at == at) {
                    needed.push(Record::Checkpoint(self.open_whole(open, reader)?));
                } else if self.is_last_of(index, at, entry)? {
                    needed.extend(self.end_of(entry, keys, reader)?.map(Record::Done));
                }
            }
            Record::Clip(clip) => {
                if self.clip_stands(at, None, clip)? {
                    needed.push(record.clone());
                }
            }
            Record::ReadReceipt(seen) => {
                if self.stands_at(&key::seen(&seen.session, &seen.path), at)?.is_some() {
                    needed.push(record.clone());
                }
            }
            Record::Queued(queued) => {
                if self.stands_at(&key::job(key::QUEUED, queued.id), at)?.is_some() {
                    needed.push(record.clone());
                }
            }
            Record::Lost(lost) => {
                if self.stands_at(&key::lost(lost.at), at)?.is_some() {
                    needed.push(record.clone());
                }
            }
            Record::Done(done) => {
                let stands = self.stands_at(&key::job(key::RECEIPT, done.id), at)?.is_some();
                if stands && keys.keeps(done.time) {
                    needed.push(record.clone());
                }
            }
        }
        Ok(needed)
    }

    /// Returns the value of a row if it belongs to the record at this position.
    pub(super) fn stands_at(&self, key: &[u8], at: LogPosition) -> Result<Option<Vec<u8>>, StoreError> {
        match self.rows.get(key)? {
            Some(value) if row::place(&value)? == at => Ok(Some(value)),
            _ => Ok(None),
        }
    }

    /// Returns true if no later intent has the entry's number: a detached job whose first intent was rolled back by
    /// recovery runs again under the same number.
    pub(super) fn is_last_of(
        &self,
        index: &IndexState,
        at: LogPosition,
        entry: &Entry,
    ) -> Result<bool, StoreError> {
        if index.open.contains_key(&entry.id) {
            return Ok(false);
        }
        match self.rows.get(&key::job(key::ENTRY, entry.id))? {
            Some(value) => Ok(row::place(&value)? == at),
            None => Ok(true),
        }
    }

    fn clip_stands(
        &self,
        at: LogPosition,
        index: Option<u32>,
        clip: &ClipboardRecord,
    ) -> Result<bool, StoreError> {
        match self.stands_at(&key::clip(&clip.session, &clip.name), at)? {
            Some(value) => Ok(row::rest::<ClipRow>(&value)?.index == index),
            None => Ok(false),
        }
    }

    /// Returns an open entry with all that its seal and later entries said of it.
    fn open_whole(
        &self,
        open: &OpenEntry,
        reader: &mut RecordReader<'_>,
    ) -> Result<CheckpointEntry, StoreError> {
        let receipt = match open.sealed {
            Some(at) => Some(match reader.record(at)? {
                Record::Seal(SealRecord { receipt, .. })
                | Record::Checkpoint(CheckpointEntry { receipt: Some(receipt), .. }) => receipt,
                other => return Err(unexpected(&other)),
            }),
            None => None,
        };
        let row = self.rows.get(&key::job(key::ENTRY, open.entry.id))?;
        let row = row.map(|value| row::rest::<EntryRow>(&value)).transpose()?;
        let (undone, hooks, parts) = row.map(|row| (row.undone, row.hooks, row.parts)).unwrap_or_default();
        Ok(CheckpointEntry { entry: (*open.entry).clone(), receipt, undone, hooks, parts })
    }

    /// Returns a record that keeps an entry's key and receipt after the entry is dropped, if the entry is young enough.
    fn end_of(
        &self,
        entry: &Entry,
        keys: KeyAge,
        reader: &mut RecordReader<'_>,
    ) -> Result<Option<EndedWithoutEntry>, StoreError> {
        let Some(name) = entry.key.as_ref().filter(|_| keys.keeps(entry.time)) else { return Ok(None) };
        let Some(value) = self.rows.get(&key::client_key(&entry.session, name))? else { return Ok(None) };
        let row: KeyRow = row::rest(&value)?;
        if row.id != entry.id || !row.ended {
            return Ok(None);
        }
        let receipt = match reader.record(row::place(&value)?)? {
            Record::Seal(SealRecord { receipt, .. })
            | Record::Checkpoint(CheckpointEntry { receipt: Some(receipt), .. })
                if !receipt.is_empty() =>
            {
                receipt
            }
            Record::Seal(_) | Record::Checkpoint(_) | Record::Intent(_) => {
                rmp_serde::to_vec_named(&self.plain_receipt(entry.id)?)
                    .map_err(|e| StoreError::Io(format!("a receipt cannot be encoded: {e}").into()))?
            }
            // It was written again before.
            _ => return Ok(None),
        };
        Ok(Some(EndedWithoutEntry {
            id: entry.id,
            session: entry.session.clone(),
            time: entry.time,
            key: entry.key.clone(),
            request: entry.request.unwrap_or(ContentHash::from_bytes([0; 32])),
            receipt,
        }))
    }
}
