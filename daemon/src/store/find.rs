//! Look-ups of single items: entries, receipts, keys, clipboards, contents. It writes nothing except kept contents.

use std::sync::Arc;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{ClipInfo, EntrySummary, FileOutcome, JobStatus, Receipt};
use editd_proto::path::FilePath;

use super::database::DatabaseError;
use super::index::row::{self, ClipRow, EntryRow, KeyRow, ReceiptRow};
use super::index::{RowView, entry, key};
use super::log::read;
use super::shared::StoreParts;
use super::taken::TakenBack;
use super::{KeyState, LogPosition, Store, StoreError};
use crate::record::{CheckpointEntry, ClipboardRecord, Entry, EntryPart, ReadReceipt, Record};

impl Store {
    /// Returns a sealed or external entry, whole, read back from the log.
    pub fn entry(&self, id: JobId) -> Result<Option<Entry>, StoreError> {
        self.shared.entry(id)
    }

    /// Returns the unpacked size of an entry's record: the memory that reading it takes.
    pub fn entry_size(&self, id: JobId) -> Result<Option<usize>, StoreError> {
        self.shared.held(&key::job(key::ENTRY, id), |value| {
            let (frame, _) = read::frame_at(self.shared.log.dir(), row::place(value)?)?;
            Ok(Some(frame.raw as usize))
        })
    }

    /// Returns the summary of an entry.
    pub fn summary(&self, id: JobId) -> Result<Option<EntrySummary>, StoreError> {
        self.shared.summary(id)
    }

    /// Returns the entries of hooks that changed files of this entry, oldest first. Retention may have dropped some
    /// of them.
    pub fn hooks_of(&self, id: JobId) -> Result<Vec<JobId>, StoreError> {
        let hooks = |value: &[u8]| row::rest::<EntryRow>(value).map(|row| Some(row.hooks));
        Ok(self.shared.held(&key::job(key::ENTRY, id), hooks)?.unwrap_or_default())
    }

    /// Returns the parts of an entry that have been undone.
    pub fn taken_back(&self, id: JobId) -> Result<TakenBack, StoreError> {
        let taken = |value: &[u8]| {
            row::rest::<EntryRow>(value).map(|row| Some(TakenBack::new(row.undone, row.parts)))
        };
        Ok(self.shared.held(&key::job(key::ENTRY, id), taken)?.unwrap_or_default())
    }

    /// Returns the parts of other entries that an undo or redo names. An entry in its list without parts here is
    /// meant whole.
    pub fn parts_named(&self, id: JobId) -> Result<Vec<EntryPart>, StoreError> {
        let parts = |value: &[u8]| match row::rest::<EntryRow>(value)?.brief {
            Some(brief) => Ok(Some(brief.parts)),
            None => Ok(self.shared.record(row::place(value)?)?.into_entry().map(|entry| entry.parts)),
        };
        Ok(self.shared.held(&key::job(key::ENTRY, id), parts)?.unwrap_or_default())
    }

    /// Returns the read receipt of a session for a path.
    pub fn seen(&self, session: &str, path: &FilePath) -> Result<Option<ReadReceipt>, StoreError> {
        let key = key::seen(session, path);
        self.shared.held(&key, |value| {
            let row: ReceiptRow = row::rest(value)?;
            let Some(ranges) = row.ranges else {
                return match self.shared.record(row::place(value)?)? {
                    Record::ReadReceipt(seen) => Ok(Some(seen)),
                    other => Err(unexpected(&other)),
                };
            };
            let (session, path) = (session.to_owned(), path.clone());
            let ReceiptRow { hash, time, numbered, .. } = row;
            Ok(Some(ReadReceipt { session, path, hash, ranges, time, numbered }))
        })
    }

    /// Returns a clipboard. A name that begins with `/` belongs to the workspace, whatever the session.
    pub fn clip(&self, session: &str, name: &str) -> Result<Option<ClipboardRecord>, StoreError> {
        self.shared.held(&key::clip(session, name), |value| self.shared.clip_at(value).map(Some))
    }

    /// Returns the session's clipboards and the workspace's, by name.
    pub fn clips(&self, session: &str) -> Result<Vec<ClipInfo>, StoreError> {
        let (mut clips, mut cut) = (Vec::new(), Vec::new());
        let mut owners = vec![session, ""];
        owners.dedup();
        for owner in owners {
            let prefix = key::clips(owner);
            self.shared.rows.down(&prefix, &key::behind(&prefix), &mut |key, value| {
                let ClipRow { name, size, time, origin, cut: is_cut, .. } = row::rest(value)?;
                if is_cut {
                    cut.push((key.to_vec(), clips.len()));
                }
                clips.push(ClipInfo { name, size, time, origin });
                Ok(true)
            })?;
        }
        // Each row is read again: retention may have moved its record since the rows were listed.
        for (key, nth) in cut {
            let clip = self.shared.held(&key, |value| self.shared.clip_at(value).map(Some))?;
            if let (Some(clip), Some(info)) = (clip, clips.get_mut(nth)) {
                info.origin = clip.origin;
            }
        }
        clips.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(clips)
    }

    /// Returns the job that waits, runs or ended under a session's key.
    pub fn keyed(&self, session: &str, key: &str) -> Result<Option<KeyState>, StoreError> {
        let running = {
            let index = self.shared.index_for_request();
            let held = index
                .unsealed()
                .rfind(|open| open.entry.session == session && open.entry.key.as_deref() == Some(key));
            held.map(|open| {
                // Clients wait for a detached job under the number that it was queued with.
                let id = open.entry.queued.unwrap_or(open.entry.id);
                KeyState { id, request: open.entry.request, receipt: None }
            })
        };
        let row = self.shared.held(&key::client_key(session, key), |value| {
            let row: KeyRow = row::rest(value)?;
            let receipt =
                if row.ended { Some(self.shared.receipt_at(row.id, row::place(value)?)?) } else { None };
            Ok(Some(KeyState { id: row.id, request: row.request, receipt }))
        })?;
        Ok(match (running, row) {
            (Some(running), Some(row)) if row.receipt.is_some() && row.id >= running.id => Some(row),
            (Some(running), _) => Some(running),
            (None, row) => row,
        })
    }

    /// Returns the receipt of a job that ended.
    pub fn receipt(&self, id: JobId) -> Result<Option<Receipt>, StoreError> {
        self.shared.held(&key::job(key::RECEIPT, id), |value| {
            self.shared.receipt_at(id, row::place(value)?).map(Some)
        })
    }

    /// Keeps a content that a session was shown, for diffs and merges: compressed, with a bound on the total, not
    /// flushed. Losing it breaks no promise.
    pub fn keep_content(&self, hash: ContentHash, bytes: impl Into<Arc<[u8]>>) {
        if self.shared.contents.offer(hash, bytes.into()) {
            self.write_contents();
        }
    }

    /// Keeps a content by which a job replaced another. Of many in quick succession only the last is written.
    pub fn keep_made(&self, before: Option<ContentHash>, hash: ContentHash, bytes: Arc<[u8]>) {
        if self.shared.contents.offer_instead(before, hash, bytes) {
            self.write_contents();
        }
    }

    /// Writes the contents that wait. Called before a command runs that may change the files.
    pub fn write_kept(&self) {
        self.shared.contents.write_waiting();
    }

    fn write_contents(&self) {
        if !self.shared.signal.ask_contents() {
            self.shared.contents.write_waiting();
        }
    }

    /// Returns the size of a content that is kept.
    pub fn content_size(&self, hash: ContentHash) -> Option<usize> {
        self.shared.contents.size(hash)
    }

    /// Returns a content that is kept, checked by its hash.
    pub fn content(&self, hash: ContentHash) -> Option<Vec<u8>> {
        self.shared.contents.get(hash)
    }
}

/// Returns the entry in a record.
pub(super) fn entry_in(record: Record) -> Result<Entry, StoreError> {
    match record {
        Record::Intent(entry) | Record::External(entry) => Ok(entry),
        Record::Checkpoint(carried) => Ok(carried.entry),
        other => Err(unexpected(&other)),
    }
}

impl StoreParts {
    /// Returns the record at a position.
    pub(super) fn record(&self, at: LogPosition) -> Result<Record, StoreError> {
        read::record(self.log.dir(), at).map(|(record, _, _)| record)
    }

    /// Reads the record that a row points to. If retention moved the record meanwhile, the row has changed, and the
    /// read is repeated.
    pub(super) fn held<T>(
        &self,
        key: &[u8],
        read: impl Fn(&[u8]) -> Result<Option<T>, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.whole()?;
        let Some(mut value) = self.rows.get(key)? else { return Ok(None) };
        loop {
            let failed = match read(&value) {
                Err(e) => e,
                done => return done,
            };
            match (self.rows.get(key)?, failed) {
                (None, _) => return Ok(None),
                (Some(same), failed) if same == value => match failed {
                    StoreError::Database(why) => self.rows.doubt(why)?,
                    other => {
                        self.suspect(row::place(&same).ok(), &other);
                        return Err(other);
                    }
                },
                (Some(changed), _) => value = changed,
            }
        }
    }

    pub(super) fn entry(&self, id: JobId) -> Result<Option<Entry>, StoreError> {
        self.held(&key::job(key::ENTRY, id), |value| self.entry_at(row::place(value)?).map(Some))
    }

    pub(super) fn entry_at(&self, at: LogPosition) -> Result<Entry, StoreError> {
        entry_in(self.record(at)?)
    }

    pub(super) fn summary(&self, id: JobId) -> Result<Option<EntrySummary>, StoreError> {
        Ok(self.summary_if(id, &|_| true)?.flatten())
    }

    /// Returns the summary of an entry; `None` if there is no such entry, `Some(None)` if its record must be read and
    /// `may` refuses that many bytes.
    pub(super) fn summary_if(
        &self,
        id: JobId,
        may: &dyn Fn(usize) -> bool,
    ) -> Result<Option<Option<EntrySummary>>, StoreError> {
        self.held(&key::job(key::ENTRY, id), |value| {
            let mut row: EntryRow = row::rest(value)?;
            let brief = match row.brief.take() {
                Some(brief) => brief,
                None => {
                    let at = row::place(value)?;
                    let (frame, _) = read::frame_at(self.log.dir(), at)?;
                    if !may(frame.raw as usize) {
                        return Ok(Some(None));
                    }
                    entry::brief(&self.entry_at(at)?)
                }
            };
            Ok(Some(Some(entry::summary(id, &row, brief))))
        })
    }

    /// Returns the clipboard that a row points to.
    pub(super) fn clip_at(&self, value: &[u8]) -> Result<ClipboardRecord, StoreError> {
        let row: ClipRow = row::rest(value)?;
        match (self.record(row::place(value)?)?, row.index) {
            (Record::Clip(clip), None) => Ok(clip),
            (
                Record::Intent(mut entry) | Record::Checkpoint(CheckpointEntry { mut entry, .. }),
                Some(index),
            ) if (index as usize) < entry.clips.len() => Ok(entry.clips.swap_remove(index as usize)),
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Returns the receipt in the record at a position.
    fn receipt_at(&self, id: JobId, at: LogPosition) -> Result<Receipt, StoreError> {
        let bytes = match self.record(at)? {
            Record::Seal(seal) => seal.receipt,
            Record::Done(done) => done.receipt,
            Record::Checkpoint(CheckpointEntry { receipt: Some(receipt), .. }) => receipt,
            // Its seal was lost through damage of the log.
            Record::Intent(_) => return self.plain_receipt(id),
            other => return Err(unexpected(&other)),
        };
        if bytes.is_empty() {
            return self.plain_receipt(id);
        }
        rmp_serde::from_slice(&bytes).map_err(|e| StoreError::Rotten {
            at,
            what: format!("the receipt of job {id} does not decode: {e}"),
        })
    }

    /// Returns a receipt for a job that recovery sealed; no receipt was made when it ran.
    pub(super) fn plain_receipt(&self, id: JobId) -> Result<Receipt, StoreError> {
        let summary = self.summary(id)?;
        let queued = summary.as_ref().and_then(|summary| summary.queued);
        let files = summary.map(|summary| summary.files).unwrap_or_default();
        let files = files.into_iter().map(|file| FileOutcome {
            before: file.before,
            after: file.after,
            added: file.added,
            removed: file.removed,
            ..FileOutcome::new(file.path, JobStatus::Applied)
        });
        Ok(Receipt { files: files.collect(), queued, ..Receipt::new(Some(id), JobStatus::Applied) })
    }
}

/// The error for a row that points to the wrong record.
pub(super) fn unexpected(found: &Record) -> StoreError {
    let kind = match found {
        Record::Start(_) => "a start",
        Record::Intent(_) => "an intent",
        Record::Void(_) => "a void",
        Record::Seal(_) => "a seal",
        Record::Settle(_) => "a settle",
        Record::External(_) => "an external change",
        Record::Clip(_) => "a clipboard",
        Record::ReadReceipt(_) => "a receipt for a file",
        Record::Queued(_) => "a detached job",
        Record::Done(_) => "an end",
        Record::Checkpoint(_) => "an open entry",
        Record::Lost(_) => "a note of lost records",
    };
    StoreError::Database(DatabaseError(format!("one of its rows leads to {kind}, which is not meant")))
}
