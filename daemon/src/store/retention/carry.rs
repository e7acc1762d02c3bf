//! Writes the records of a segment that are still needed again, and removes the rows of the others.

use super::live::KeyAge;
use crate::limits;
use crate::record::{CheckpointEntry, Entry, Record};
use crate::store::index::row::{self, KeyRow};
use crate::store::index::{IndexState, OpenEntry, RowChanges, entry, key};
use crate::store::log::payload;
use crate::store::log::read::RecordReader;
use crate::store::overlay::AppliedUpTo;
use crate::store::shared::StoreParts;
use crate::store::{LogPosition, StoreError};
use crate::sync::lock;

/// Records that are read, written again and forgotten in one step: requests wait for the index meanwhile.
const STEP: usize = 32;

/// Bytes of the log after which a step ends before it has so many records.
const STEP_BYTES: u64 = 1 << 20;

impl StoreParts {
    /// Appends a segment's needed records again and removes the rows of its entries and of keys that are too old. Returns
    /// the number of removed entries and of rewritten records; `None` if this is not possible now.
    pub(super) fn carry(&self, segment: u64, keys: KeyAge) -> Result<Option<(u64, u64)>, StoreError> {
        let mut reader = RecordReader::new(self.log.dir());
        let Some(mut carried) = self.carry_open(segment, keys, &mut reader)? else { return Ok(None) };
        let mut entries = 0;
        let mut step = Vec::new();
        let mut take = |step: Vec<(LogPosition, Record)>| {
            let (forgotten, needed) = self.carry_step(&step, keys, &mut reader)?;
            // This adds rows faster than the database takes them, and requests would wait for it.
            if self.overlay_exceeds(limits::OVERLAY_RETENTION) {
                self.apply()?;
            }
            entries += forgotten;
            carried += needed;
            Ok(())
        };
        self.log.segment(segment, &mut |at, record| {
            // They have no rows of their own.
            if matches!(record, Record::Start(_) | Record::Void(_) | Record::Seal(_) | Record::Settle(_)) {
                return Ok(());
            }
            step.push((at, record));
            let begin = step.first().map_or(at, |(first, _)| *first).offset();
            if step.len() < STEP && at.offset() - begin < STEP_BYTES {
                return Ok(());
            }
            take(std::mem::take(&mut step))
        })?;
        take(step)?;
        Ok(Some((entries, carried)))
    }

    /// Does this for consecutive records of a segment.
    fn carry_step(
        &self,
        step: &[(LogPosition, Record)],
        keys: KeyAge,
        reader: &mut RecordReader<'_>,
    ) -> Result<(u64, u64), StoreError> {
        // Nothing is appended between reading and writing, so nothing newer is overwritten.
        let mut index = self.index_for_retention();
        let mut needed = Vec::new();
        for (at, record) in step {
            needed.extend(self.needed(&index, *at, record, keys, reader)?);
        }
        let payloads = needed.iter().map(payload::encode).collect::<Result<Vec<_>, _>>()?;
        self.place(&mut index, &needed, &payloads)?;
        let mut draft = RowChanges { below: &self.rows, changes: Default::default() };
        let mut gone = 0;
        for (at, record) in step {
            gone += self.forget(&index, *at, record, &mut draft, reader)?;
        }
        self.take_away(&mut index, draft, gone);
        Ok((gone, needed.len() as u64))
    }

    /// Appends a segment's open entries again, in one group, so that their references to each other are consistent.
    /// An unsealed undo has not marked its entries, so its copied intent could follow its seal. Returns `None` in that
    /// case: the caller must then retry.
    fn carry_open(
        &self,
        segment: u64,
        keys: KeyAge,
        reader: &mut RecordReader<'_>,
    ) -> Result<Option<u64>, StoreError> {
        let mut index = lock(&self.index);
        let held: Vec<OpenEntry> =
            index.open.values().filter(|open| open.at.segment() == segment).cloned().collect();
        if held.is_empty() {
            return Ok(Some(0));
        }
        if index.unsealed().any(|open| !open.entry.of.is_empty()) {
            return Ok(None);
        }
        let mut needed = Vec::new();
        for open in held {
            let intent = Record::Intent((*open.entry).clone());
            needed.extend(self.needed(&index, open.at, &intent, keys, reader)?);
        }
        let payloads = needed.iter().map(payload::encode).collect::<Result<Vec<_>, _>>()?;
        self.place(&mut index, &needed, &payloads)?;
        Ok(Some(needed.len() as u64))
    }

    /// Removes the rows of a record that is dropped, and returns the number of its entries. Rows that are still needed
    /// belong to the rewritten record by now.
    fn forget(
        &self,
        index: &IndexState,
        at: LogPosition,
        record: &Record,
        draft: &mut RowChanges<'_>,
        reader: &mut RecordReader<'_>,
    ) -> Result<u64, StoreError> {
        let mut gone = 0;
        if matches!(record, Record::Intent(_) | Record::Checkpoint(_)) {
            draft.remove(key::void(at));
        }
        match record {
            // The entry's seal may be in a later segment; without its intent it has no meaning.
            Record::Intent(entry)
            | Record::External(entry)
            | Record::Checkpoint(CheckpointEntry { entry, .. })
                if self.is_last_of(index, at, entry)? =>
            {
                gone = u64::from(self.stands_at(&key::job(key::ENTRY, entry.id), at)?.is_some());
                self.forget_entry(entry, draft, reader)?;
            }
            Record::Done(done) => {
                let receipt = key::job(key::RECEIPT, done.id);
                if self.stands_at(&receipt, at)?.is_some() {
                    draft.remove(receipt);
                }
                if let Some(name) = &done.key {
                    let name = key::client_key(&done.session, name);
                    if self.stands_at(&name, at)?.is_some() {
                        draft.remove(name);
                    }
                }
            }
            _ => {}
        }
        Ok(gone)
    }

    /// Removes an entry's rows, and the rows of its receipt and key unless they belong to another job or to a record
    /// that was written to keep them.
    pub(super) fn forget_entry(
        &self,
        entry: &Entry,
        draft: &mut RowChanges<'_>,
        reader: &mut RecordReader<'_>,
    ) -> Result<(), StoreError> {
        entry::remove(draft, entry);
        if let Some(value) = draft.get(&key::job(key::RECEIPT, entry.id))?
            && !matches!(reader.record(row::place(&value)?)?, Record::Done(_))
        {
            draft.remove(key::job(key::RECEIPT, entry.id));
        }
        let Some(name) = &entry.key else { return Ok(()) };
        let name = key::client_key(&entry.session, name);
        if let Some(value) = draft.get(&name)? {
            let row: KeyRow = row::rest(&value)?;
            if row.id == entry.id
                && row.ended
                && !matches!(reader.record(row::place(&value)?)?, Record::Done(_))
            {
                draft.remove(name);
            }
        }
        Ok(())
    }

    /// Makes removals visible, with the index locked by the caller.
    pub(in crate::store) fn take_away(&self, index: &mut IndexState, draft: RowChanges<'_>, entries: u64) {
        if draft.changes.is_empty() && entries == 0 {
            return;
        }
        index.entries = index.entries.wrapping_sub(entries);
        let (at, sum) = self.log.reach();
        self.rows.add(draft.changes, AppliedUpTo::new(at, sum, index));
    }
}
