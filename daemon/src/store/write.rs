//! Appends records and makes them durable. It changes only the log and the rows that follow from it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::index::{IndexState, RowChanges};
use super::log::payload::{self, RecordPayload};
use super::log::{FlushAnnouncement, PlacedRecord};
use super::open::{LOG_FOLDER, named_at};
use super::overlay::AppliedUpTo;
use super::rebuild::DatabaseState;
use super::shared::StoreParts;
use super::{Flushed, LogPosition, Store, StoreError};
use crate::limits;
use crate::record::Record;

/// The names of damaged logs and databases begin with these: see [`super::salvage`] and `database/shelf.rs`.
const DAMAGED: [&str; 3] = ["log.damaged-", "sled.damaged-", "sled.corrupt-"];

impl Store {
    /// Appends records, all of them in order or none. From its return they survive a kill, and every look-up sees
    /// them. Returns the position of the last one.
    ///
    /// Fails with `Io`, `Full` or `TooLarge` if nothing was written and a later call may succeed (no space for a segment,
    /// a record above `limits::RECORD`, a log at its limit), or if the database failed and cannot be rebuilt. After any other failure
    /// all calls fail with `Failed`. Records that begin something may wait for `limits::ROOM_MS` until the log has room
    /// for them; records that end something are written in any case.
    pub fn append(&self, records: &[Record]) -> Result<LogPosition, StoreError> {
        self.shared.append(records)
    }

    /// Makes everything up to `upto`, or the last record, durable. Callers that wait at the same time share one flush.
    pub fn flush(&self, upto: LogPosition) -> Result<Flushed, StoreError> {
        let upto = upto.min(self.shared.log.last());
        self.shared.log.flush(upto)?;
        Ok(Flushed(upto))
    }

    /// Announces a flush of a record that is not appended yet: another caller of [`Self::flush_intent`] waits for it for a
    /// short time, so that both need one flush of the disk.
    pub fn announce_flush(&self) -> FlushAnnouncement<'_> {
        self.shared.log.announce_flush()
    }

    /// Returns the position of the last record; flushing it makes everything durable.
    pub fn end(&self) -> LogPosition {
        self.shared.log.last()
    }

    /// Returns true if the log is in its folder below the state folder with this path, where the next start looks for
    /// it. One system call.
    ///
    /// # Errors
    /// Errors of the system if it cannot be told.
    pub fn is_in(&self, state_folder: &Path) -> io::Result<bool> {
        self.shared.log.is_in(&state_folder.join(LOG_FOLDER))
    }

    /// Returns the names of the damaged logs and databases that are kept in the state folder, which has this absolute path.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn damaged_folders(&self, state_folder: &Path) -> io::Result<Vec<String>> {
        let names = self.shared.log.names_in(state_folder)?;
        let is_damaged = |name: &String| DAMAGED.iter().any(|prefix| name.starts_with(prefix));
        let mut damaged: Vec<String> = names.into_iter().filter(is_damaged).collect();
        damaged.sort();
        Ok(damaged)
    }

    /// Applies all records to the database. Not needed for correctness: it bounds the overlay and shortens the next
    /// opening.
    #[cfg(test)]
    pub fn apply_pending(&self) -> Result<(), StoreError> {
        self.shared.apply()
    }

    /// Makes everything durable and brings the database up to date, for a clean shutdown.
    pub fn close(&self) -> Result<(), StoreError> {
        if let Some(why) = self.failed() {
            return Err(StoreError::Failed(why));
        }
        self.shared.flush(self.shared.log.last())?;
        self.shared.apply()?;
        self.shared.rows.flush()
    }

    /// Returns the reason why nothing is accepted any more, if there is one.
    pub fn failed(&self) -> Option<Arc<str>> {
        let torn = self.shared.torn.get().cloned().or_else(|| self.shared.log.failed());
        torn.or_else(|| match self.shared.rows.state() {
            DatabaseState::Failed(why) => Some(why),
            _ => None,
        })
    }
}

#[cfg(test)]
impl Flushed {
    /// Returns the position up to which everything is durable.
    pub fn position(self) -> LogPosition {
        self.0
    }
}

impl StoreParts {
    pub(super) fn append(&self, records: &[Record]) -> Result<LogPosition, StoreError> {
        let payloads = records.iter().map(payload::encode).collect::<Result<Vec<RecordPayload>, _>>()?;
        // This is done before anything is written, so that an error leaves nothing behind.
        self.relieve()?;
        let may_wait = begins_something(records);
        if may_wait {
            self.quota.permits(payloads.iter().map(|payload| payload.bytes.len() as u64).sum())?;
        }
        let place = |most: u64| {
            let mut index = self.index_for_request();
            self.place_within(&mut index, records, &payloads, most)
        };
        let placed = match place(if may_wait { self.quota.most() } else { u64::MAX }) {
            Err(StoreError::Full(_)) if self.quota.wait_for_room(&self.log) => place(self.quota.most()),
            other => other,
        };
        self.quota.grown(&self.log);
        Ok(placed?.unwrap_or_else(|| self.log.last()))
    }

    /// Appends a group and adds its rows, with the index locked by the caller.
    pub(super) fn place(
        &self,
        index: &mut IndexState,
        records: &[Record],
        payloads: &[RecordPayload],
    ) -> Result<Option<LogPosition>, StoreError> {
        self.place_within(index, records, payloads, u64::MAX)
    }

    /// The same, but begins no new segment while the log has more than `most` bytes.
    fn place_within(
        &self,
        index: &mut IndexState,
        records: &[Record],
        payloads: &[RecordPayload],
        most: u64,
    ) -> Result<Option<LogPosition>, StoreError> {
        self.whole()?;
        let reserve = if ends_jobs(records) { 0 } else { index.reserve(records) };
        let placed = self.log.append_within(payloads, most, reserve)?;
        let Some(last) = placed.last() else { return Ok(None) };
        let changes = self.rows_of(index, records, &placed).map_err(|e| {
            // The log has the records and the overlay does not: only opening the store again repairs that.
            let why: Arc<str> = match e {
                StoreError::Failed(why) => why,
                other => other.to_string().into(),
            };
            StoreError::Failed(self.torn.get_or_init(|| why).clone())
        })?;
        self.rows.add(changes, AppliedUpTo::new(last.at, last.sum, index));
        Ok(Some(last.at))
    }

    fn rows_of(
        &self,
        index: &mut IndexState,
        records: &[Record],
        placed: &[PlacedRecord],
    ) -> Result<super::index::RowUpdates, StoreError> {
        let mut draft = RowChanges { below: &self.rows, changes: Default::default() };
        for (record, placed) in records.iter().zip(placed) {
            index.apply(placed.at, record, &mut draft, &|at| named_at(self.log.dir(), at))?;
        }
        Ok(draft.changes)
    }

    /// Returns true if the overlay has more than so many times what the database should get at once.
    pub(super) fn overlay_exceeds(&self, times: usize) -> bool {
        let (rows, bytes) = self.rows.waiting();
        rows > times * limits::OVERLAY_ROWS || bytes > times * limits::OVERLAY_BYTES
    }

    /// Asks the thread to do what is due. If it falls behind, this waits a moment for it. Does it here if there is no
    /// thread, or if it is stuck, since the overlay takes memory.
    fn relieve(&self) -> Result<(), StoreError> {
        let exceeds = |times| self.overlay_exceeds(times);
        let listening = self.signal.ask(exceeds(1), self.log.wants_next());
        if exceeds(if listening { limits::OVERLAY_STUCK } else { 1 }) {
            self.apply()?;
        } else if exceeds(limits::OVERLAY_BEHIND) {
            self.signal.wait_until_applied(limits::OVERLAY_WAIT_MS);
        }
        Ok(())
    }
}

/// Returns true if a group ends a job, or belongs to a start, which ends the jobs that were running. It may use the bytes
/// that are reserved for this.
fn ends_jobs(records: &[Record]) -> bool {
    let ends = |record: &Record| {
        matches!(record, Record::Seal(_) | Record::Void(_) | Record::Start(_) | Record::Lost(_))
    };
    records.iter().any(ends)
}

/// Returns true if a group begins something that a client asked for, and can be refused: an intent, a clipboard, a
/// detached job, a read receipt. Others end what has begun, or hold contents of other programs.
fn begins_something(records: &[Record]) -> bool {
    match records.first() {
        Some(Record::Clip(clip)) => clip.bytes.is_some(),
        Some(first) => {
            matches!(first, Record::Intent(_) | Record::Queued(_) | Record::ReadReceipt(_))
        }
        None => false,
    }
}
