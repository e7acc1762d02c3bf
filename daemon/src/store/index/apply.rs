//! Applies records one after the other: it makes their rows and keeps the open entries, which are few, in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_proto::ids::JobId;

use super::entry::EntryMarks;
use super::marks::{self, ReadNamed};
use super::row::{
    ClipRow, EntryRow, KeyRow, LostRow, ReceiptRow, VoidRow, fitting_value, place, place_only, rest, value,
};
use super::{RowChanges, entry, key};
use crate::limits;
use crate::record::{
    CheckpointEntry, ClipboardRecord, EndedWithoutEntry, Entry, FileRecord, LostRecords, QueuedJobRecord,
    ReadReceipt, Record, SealRecord, SettleRecord, StagingFolder,
};
use crate::store::{LogPosition, StoreError};

/// An entry that is not settled.
#[derive(Clone, PartialEq, Debug)]
pub struct OpenEntry {
    /// The entry.
    pub entry: Arc<Entry>,
    /// The position of its intent.
    pub at: LogPosition,
    /// The position of its seal.
    pub sealed: Option<LogPosition>,
}

/// The state of the index that is kept in memory.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct IndexState {
    /// Entries that are neither voided nor settled.
    pub open: BTreeMap<JobId, OpenEntry>,
    /// Those of them that are not sealed, and the bytes that the log reserves for their end: jobs that run, or that a
    /// failure interrupted.
    pub unsealed: BTreeMap<JobId, u64>,
    /// The highest number ever given to a job.
    pub last_id: u64,
    /// Entries with rows, without those that a rebuild of the database has shown again: it wraps below 0. See
    /// `OverlaidRows::entries`.
    pub entries: u64,
}

impl IndexState {
    /// Adds an open entry.
    pub fn add(&mut self, open: OpenEntry) {
        let id = open.entry.id;
        if open.sealed.is_none() {
            self.unsealed.insert(id, bytes_to_end(&open.entry));
        } else {
            self.unsealed.remove(&id);
        }
        self.open.insert(id, open);
    }

    /// Returns the open entries that are not sealed, oldest first.
    pub fn unsealed(&self) -> impl DoubleEndedIterator<Item = &OpenEntry> {
        self.unsealed.keys().filter_map(|id| self.open.get(id))
    }

    /// Returns the bytes that the log reserves for records that end open jobs and for starts, if these records are added.
    pub fn reserve(&self, records: &[Record]) -> u64 {
        let added = records.iter().map(|record| match record {
            Record::Intent(entry) => bytes_to_end(entry),
            _ => 0,
        });
        self.unsealed.values().copied().chain(added).sum::<u64>() + limits::RESERVE_STARTS
    }

    /// Applies the record at `at`. `of` reads the entries that an entry names, if its row does not hold them.
    pub fn apply(
        &mut self,
        at: LogPosition,
        record: &Record,
        draft: &mut RowChanges<'_>,
        of: &ReadNamed<'_>,
    ) -> Result<(), StoreError> {
        match record {
            Record::Start(_) => Ok(()),
            Record::Intent(entry) => self.intent(at, entry, draft),
            Record::Void(id) => match self.close(*id, draft) {
                Some(open) => put_void(&open, draft),
                None => Ok(()),
            },
            Record::Seal(seal) => self.seal(at, seal, draft, of),
            Record::Settle(settle) => self.settle(settle, draft, of),
            Record::External(entry) => {
                self.number(entry.id);
                self.enter(at, entry, draft, of)
            }
            Record::Clip(clip) => put_clip(at, None, clip, draft),
            Record::ReadReceipt(seen) => put_seen(at, seen, draft),
            Record::Queued(queued) => self.queued(at, queued, draft),
            Record::Done(done) => self.done(at, done, draft),
            Record::Checkpoint(carried) => self.carried(at, carried, draft),
            Record::Lost(lost) => {
                self.number(JobId(lost.last_id));
                put_lost(at, lost, draft)
            }
        }
    }

    fn number(&mut self, id: JobId) {
        self.last_id = self.last_id.max(id.0);
    }

    fn intent(
        &mut self,
        at: LogPosition,
        entry: &Entry,
        draft: &mut RowChanges<'_>,
    ) -> Result<(), StoreError> {
        self.number(entry.id);
        let open = OpenEntry { entry: Arc::new(entry.clone()), at, sealed: None };
        draft.put(key::job(key::OPEN, entry.id), value(at, &0u64)?);
        self.add(open);
        Ok(())
    }

    /// Applies a checkpoint of an open entry: it is at this position from now on. The entries it undoes were marked
    /// when it was sealed.
    fn carried(
        &mut self,
        at: LogPosition,
        carried: &CheckpointEntry,
        draft: &mut RowChanges<'_>,
    ) -> Result<(), StoreError> {
        let entry = &carried.entry;
        self.number(entry.id);
        let sealed = carried.receipt.is_some().then_some(at);
        draft.put(key::job(key::OPEN, entry.id), value(at, &sealed.unwrap_or_default().0)?);
        self.add(OpenEntry { entry: Arc::new(entry.clone()), at, sealed });
        if sealed.is_none() {
            return Ok(());
        }
        let is_new = draft.get(&key::job(key::ENTRY, entry.id))?.is_none();
        self.entries = self.entries.wrapping_add(u64::from(is_new));
        let marks = EntryMarks { undone: carried.undone, parts: &carried.parts, hooks: &carried.hooks };
        entry::put_marked(draft, at, entry, marks)?;
        draft.put(key::job(key::RECEIPT, entry.id), place_only(at));
        draft.remove(key::job(key::QUEUED, entry.id));
        let Some(name) = &entry.key else { return Ok(()) };
        let name = key::client_key(&entry.session, name);
        let ended_otherwise = match draft.get(&name)? {
            Some(bytes) => {
                let row: KeyRow = rest(&bytes)?;
                row.ended && row.id != entry.id
            }
            None => false,
        };
        if !ended_otherwise {
            let row = KeyRow { id: entry.id, request: entry.request, time: entry.time, ended: true };
            draft.put(name, value(at, &row)?);
        }
        Ok(())
    }

    fn close(&mut self, id: JobId, draft: &mut RowChanges<'_>) -> Option<OpenEntry> {
        let open = self.open.remove(&id)?;
        self.unsealed.remove(&id);
        draft.remove(key::job(key::OPEN, id));
        Some(open)
    }

    fn seal(
        &mut self,
        at: LogPosition,
        seal: &SealRecord,
        draft: &mut RowChanges<'_>,
        of: &ReadNamed<'_>,
    ) -> Result<(), StoreError> {
        // A second seal, or the seal of an entry that retention has dropped, changes nothing.
        let Some(open) = self.open.get_mut(&seal.id).filter(|open| open.sealed.is_none()) else {
            return Ok(());
        };
        open.sealed = Some(at);
        self.unsealed.remove(&seal.id);
        let (entry, intent) = (open.entry.clone(), open.at);
        draft.put(key::job(key::OPEN, seal.id), value(intent, &at.0)?);
        self.sealed(intent, at, &entry, draft, of)
    }

    /// Writes the rows of an entry that is sealed; the record at `receipt` has its receipt.
    fn sealed(
        &mut self,
        intent: LogPosition,
        receipt: LogPosition,
        entry: &Entry,
        draft: &mut RowChanges<'_>,
        of: &ReadNamed<'_>,
    ) -> Result<(), StoreError> {
        self.enter(intent, entry, draft, of)?;
        for (index, clip) in (0u32..).zip(&entry.clips) {
            put_clip(intent, Some(index), clip, draft)?;
        }
        draft.put(key::job(key::RECEIPT, entry.id), place_only(receipt));
        draft.remove(key::job(key::QUEUED, entry.id));
        if let Some(name) = &entry.key {
            let row = KeyRow { id: entry.id, request: entry.request, time: entry.time, ended: true };
            draft.put(key::client_key(&entry.session, name), value(receipt, &row)?);
        }
        Ok(())
    }

    /// Writes the rows of an entry.
    fn enter(
        &mut self,
        at: LogPosition,
        entry: &Entry,
        draft: &mut RowChanges<'_>,
        of: &ReadNamed<'_>,
    ) -> Result<(), StoreError> {
        if draft.get(&key::job(key::ENTRY, entry.id))?.is_some() {
            return Ok(());
        }
        self.entries = self.entries.wrapping_add(1);
        entry::put(draft, at, entry)?;
        marks::mark(draft, entry, of)
    }

    fn settle(
        &mut self,
        settle: &SettleRecord,
        draft: &mut RowChanges<'_>,
        of: &ReadNamed<'_>,
    ) -> Result<(), StoreError> {
        if let Some(OpenEntry { entry, at, sealed: None }) = self.close(settle.id, draft) {
            // Only a sealed entry is settled, so its seal was lost through damage of the log. A receipt is made from the
            // intent.
            self.sealed(at, at, &entry, draft, of)?;
        }
        let key = key::job(key::ENTRY, settle.id);
        if let Some(bytes) = draft.get(&key)?.filter(|_| settle.diverged) {
            let row = EntryRow { diverged: true, ..rest(&bytes)? };
            draft.put(key, value(place(&bytes)?, &row)?);
        }
        Ok(())
    }

    fn queued(
        &mut self,
        at: LogPosition,
        queued: &QueuedJobRecord,
        draft: &mut RowChanges<'_>,
    ) -> Result<(), StoreError> {
        self.number(queued.id);
        draft.put(key::job(key::QUEUED, queued.id), place_only(at));
        if let Some(name) = &queued.key {
            let (id, request) = (queued.id, Some(queued.request));
            let row = KeyRow { id, request, time: queued.time, ended: false };
            draft.put(key::client_key(&queued.session, name), value(at, &row)?);
        }
        Ok(())
    }

    fn done(
        &mut self,
        at: LogPosition,
        done: &EndedWithoutEntry,
        draft: &mut RowChanges<'_>,
    ) -> Result<(), StoreError> {
        self.number(done.id);
        draft.remove(key::job(key::QUEUED, done.id));
        draft.put(key::job(key::RECEIPT, done.id), place_only(at));
        if let Some(name) = &done.key {
            let row = KeyRow { id: done.id, request: Some(done.request), time: done.time, ended: true };
            draft.put(key::client_key(&done.session, name), value(at, &row)?);
        }
        Ok(())
    }
}

/// Returns the bytes that the seal of an entry needs at most, as a rule: its receipt, which a detached job stores twice, and
/// a read receipt for each file. A void needs far fewer.
fn bytes_to_end(entry: &Entry) -> u64 {
    let files = entry.files.iter().map(|file| limits::RESERVE_FILE + 2 * file.path.as_bytes().len() as u64);
    limits::RESERVE_JOB + files.sum::<u64>() * (1 + u64::from(entry.queued.is_some()))
}

fn put_clip(
    at: LogPosition,
    index: Option<u32>,
    clip: &ClipboardRecord,
    draft: &mut RowChanges<'_>,
) -> Result<(), StoreError> {
    let key = key::clip(&clip.session, &clip.name);
    let Some(bytes) = &clip.bytes else {
        draft.remove(key);
        return Ok(());
    };
    let row = ClipRow {
        index,
        name: clip.name.clone(),
        size: bytes.len() as u64,
        time: clip.time,
        origin: clip.origin.clone(),
        cut: false,
        setter: (clip.name.starts_with('/') && !clip.session.is_empty())
            .then(|| key::session_digest(&clip.session)),
    };
    let bytes = fitting_value(at, row, |row| {
        row.cut = true;
        row.origin = None;
    })?;
    draft.put(key, bytes);
    Ok(())
}

fn put_seen(at: LogPosition, seen: &ReadReceipt, draft: &mut RowChanges<'_>) -> Result<(), StoreError> {
    let ranges = Some(seen.ranges.clone());
    let row = ReceiptRow { hash: seen.hash, ranges, time: seen.time, numbered: seen.numbered.clone() };
    let bytes = fitting_value(at, row, |row| {
        row.ranges = None;
        row.numbered.clear();
    })?;
    draft.put(key::seen(&seen.session, &seen.path), bytes);
    Ok(())
}

fn put_void(open: &OpenEntry, draft: &mut RowChanges<'_>) -> Result<(), StoreError> {
    let mut staged = open.entry.files.iter().filter(|file| file.is_staged()).peekable();
    if staged.peek().is_none() {
        return Ok(());
    }
    let in_root = |file: &FileRecord| match file.staging {
        StagingFolder::Root => Some(file.staged_name.clone()),
        StagingFolder::Folder(_) => None,
    };
    let row = VoidRow { staged_names: staged.map(in_root).collect() };
    draft.put(key::void(open.at), fitting_value(open.at, row, |row| row.staged_names = None)?);
    Ok(())
}

fn put_lost(at: LogPosition, lost: &LostRecords, draft: &mut RowChanges<'_>) -> Result<(), StoreError> {
    let row = LostRow { records: lost.records, entries: Some(lost.entries.clone()), time: lost.time };
    draft.put(key::lost(lost.at), fitting_value(at, row, |row| row.entries = None)?);
    Ok(())
}
