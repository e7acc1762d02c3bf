//! Records that were lost through damage of the log: it notes them durably, with the entries that their absence leaves in
//! doubt. It changes no file of the workspace.
//!
//! An entry whose intent lies before damage may have been sealed, settled or rolled back by a lost record. To do it
//! again could overwrite later work, so it is *doubtful*: recovery decides by its files, and changes only what a power
//! cut has left of it ([`crate::journal::recover::doubt`]). A detached job without an entry may have been done, so it ends
//! here, with an *unknown* outcome.

use std::collections::{BTreeMap, BTreeSet};

use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{JobStatus, Receipt};

use super::index::key;
use super::index::row::{self, LostRow};
use super::index::{OpenEntry, RowView};
use super::log::mend::LogGap;
use super::log::read;
use super::shared::StoreParts;
use super::{LogPosition, Store, StoreError};
use crate::record::{EndedWithoutEntry, Entry, LostRecords, Record};
use crate::sync::lock;

/// The paths of a job that a message names.
const PATHS: usize = 5;

/// The damage that a walk over the log passed, and the numbers of entries that may be lost with it.
#[derive(Default, Debug)]
pub(super) struct LogLosses {
    /// Each gap, with the first and last number of the entries that may be lost with it and with those before.
    gaps: Vec<(LogGap, Option<(u64, u64)>)>,
    /// The highest number seen so far.
    newest: u64,
    /// The highest number before the last gap, if none was seen behind it.
    waiting: Option<u64>,
    /// The highest number that lost records may have given to a job.
    highest: u64,
    /// Entries that are known to have been sealed, from a database.
    pub(super) sealed: BTreeSet<JobId>,
}

impl LogLosses {
    /// No losses, in a log whose records so far have numbers up to this one.
    pub(super) fn after(newest: u64) -> Self {
        Self { newest, ..Self::default() }
    }

    /// Notes a gap.
    pub(super) fn gap(&mut self, gap: LogGap) {
        if gap.loses() {
            self.waiting.get_or_insert(self.newest);
        }
        self.gaps.push((gap, None));
    }

    /// Notes the next record.
    pub(super) fn record(&mut self, record: &Record) {
        let id = match record {
            Record::Intent(entry) | Record::External(entry) => entry.id.0,
            Record::Queued(queued) => queued.id.0,
            Record::Done(done) => done.id.0,
            _ => return,
        };
        if id > self.newest {
            if let Some(before) = self.waiting.take() {
                self.range(before + 1, id - 1);
            }
            self.newest = id;
        }
    }

    /// Ends the walk. `last_id` is the highest number that is known to have been given to a job.
    pub(super) fn end(&mut self, last_id: u64) {
        let Some(before) = self.waiting.take() else { return };
        // A record gives at most one number.
        let lost = self.gaps.iter().filter_map(|(gap, _)| gap.records).fold(0, u64::saturating_add);
        self.range(before + 1, last_id.max(before.saturating_add(lost)));
        let most = self.gaps.iter().map(|(gap, _)| gap.most()).fold(0, u64::saturating_add);
        self.highest = if last_id > 0 { last_id } else { before.saturating_add(most) };
    }

    fn range(&mut self, first: u64, last: u64) {
        if first <= last
            && let Some((_, range)) = self.gaps.iter_mut().rev().find(|(gap, _)| gap.loses())
        {
            *range = Some((first, last));
        }
    }

    /// Returns the gaps.
    pub(super) fn gaps(&self) -> impl Iterator<Item = &LogGap> {
        self.gaps.iter().map(|(gap, _)| gap)
    }

    /// Returns the runs of numbers of entries that may be lost.
    pub(super) fn ranges(&self) -> Vec<(u64, u64)> {
        self.gaps.iter().filter_map(|(_, range)| *range).collect()
    }
}

/// Formats runs of numbers: `7, 9-12`.
pub(super) fn shown(ranges: &[(u64, u64)]) -> String {
    let one = |&(first, last): &(u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    ranges.iter().map(one).collect::<Vec<String>>().join(", ")
}

impl Store {
    /// Returns true if the record of an entry may have been lost through damage of the log.
    pub fn may_be_lost(&self, id: JobId) -> Result<bool, StoreError> {
        Ok(self.lost_entries()?.iter().any(|&(first, last)| (first..=last).contains(&id.0)))
    }

    /// Returns the first and last number of each run of entries that may have been lost through damage of the log.
    pub(super) fn lost_entries(&self) -> Result<Vec<(u64, u64)>, StoreError> {
        let mut lost = Vec::new();
        self.shared.rows.down(&[key::LOST], &key::behind(&[key::LOST]), &mut |_, value| {
            let row: LostRow = row::rest(value)?;
            lost.extend(match row.entries {
                Some(entries) => entries,
                None => match self.shared.record(row::place(value)?)? {
                    Record::Lost(lost) => lost.entries,
                    other => return Err(super::find::unexpected(&other)),
                },
            });
            Ok(true)
        })?;
        lost.sort_unstable();
        lost.dedup();
        Ok(lost)
    }
}

impl StoreParts {
    /// Notes losses durably, and ends what they leave in doubt. Returns sentences about both. Losses that an earlier
    /// start noted are left alone.
    pub(super) fn note_losses(&self, losses: &LogLosses, now_ms: u64) -> Result<Vec<String>, StoreError> {
        let (mut told, mut fresh) = (Vec::new(), Vec::new());
        for (gap, range) in losses.gaps.iter().filter(|(gap, _)| gap.loses()) {
            if self.rows.get(&key::lost(gap.from.0))?.is_none() {
                fresh.push((gap, *range));
            }
        }
        let Some(last) = fresh.iter().map(|(gap, _)| gap.from).max() else { return Ok(told) };
        let mut records = Vec::new();
        for (gap, range) in fresh {
            let last_id = range.map_or(0, |(_, last)| last).max(losses.highest);
            let (at, entries) = (gap.from.0, range.into_iter().collect());
            records.push(Record::Lost(LostRecords {
                at,
                records: gap.records,
                entries,
                last_id,
                time: now_ms,
                doubtful: Vec::new(),
            }));
        }
        let ranges = losses.ranges();
        if !ranges.is_empty() {
            told.push(format!("these entries may be lost with it: {}", shown(&ranges)));
        }
        let doubtful = self.note_doubtful(last, &losses.sealed, &mut told);
        told.extend(self.end_queued(last, &doubtful, &mut records)?);
        if let Some(Record::Lost(newest)) =
            records.iter_mut().rev().find(|one| matches!(one, Record::Lost(_)))
        {
            newest.doubtful = doubtful.iter().map(|(open, applied)| (open.entry.id, *applied)).collect();
        }
        let end = self.append(&records)?;
        self.flush(end)?;
        Ok(told)
    }

    /// Returns the entries that records before a position leave open; `true`: the entry was applied.
    fn note_doubtful(
        &self,
        before: LogPosition,
        applied: &BTreeSet<JobId>,
        told: &mut Vec<String>,
    ) -> Vec<(OpenEntry, bool)> {
        let mut doubtful = Vec::new();
        for open in lock(&self.index).open.values().filter(|open| open.at < before) {
            let applied = open.sealed.is_some() || applied.contains(&open.entry.id);
            if !applied {
                told.push(format!(
                    "the end of job {} may be lost with it, so when editd starts, the outcome is decided by its files: {}",
                    open.entry.id,
                    paths_of(&open.entry)
                ));
            }
            doubtful.push((open.clone(), applied));
        }
        doubtful
    }

    /// Adds the records that end detached jobs without an entry that were stored before a position.
    fn end_queued(
        &self,
        before: LogPosition,
        doubtful: &[(OpenEntry, bool)],
        records: &mut Vec<Record>,
    ) -> Result<Vec<String>, StoreError> {
        let mut told = Vec::new();
        let has_entry = |id| doubtful.iter().any(|(open, _)| open.entry.queued == Some(id));
        for at in self.queued_before(before)? {
            if let Record::Queued(job) = read::record(self.log.dir(), at)?.0
                && !has_entry(job.id)
            {
                told.push(format!("the outcome of the detached job {} is unknown", job.id));
                let (id, session, time, key, request) = (job.id, job.session, job.time, job.key, job.request);
                let receipt = unknown_outcome(id)?;
                records.push(Record::Done(EndedWithoutEntry { id, session, time, key, request, receipt }));
            }
        }
        Ok(told)
    }

    /// Returns the entries whose end may be lost; `true`: the entry is known to have been applied.
    pub(super) fn doubtful(&self) -> Result<BTreeMap<JobId, bool>, StoreError> {
        let mut notes = Vec::new();
        if !lock(&self.index).open.is_empty() {
            self.rows.down(&[key::LOST], &key::behind(&[key::LOST]), &mut |_, value| {
                notes.push(row::place(value)?);
                Ok(true)
            })?;
        }
        let mut doubtful = BTreeMap::new();
        for at in notes {
            if let Record::Lost(lost) = read::record(self.log.dir(), at)?.0 {
                doubtful.extend(lost.doubtful);
            }
        }
        let index = lock(&self.index);
        doubtful.retain(|id, _| index.open.contains_key(id));
        Ok(doubtful)
    }

    /// Returns the positions of detached jobs that have not ended and were stored before a position.
    fn queued_before(&self, before: LogPosition) -> Result<Vec<LogPosition>, StoreError> {
        let mut places = Vec::new();
        self.rows.down(&[key::QUEUED], &key::behind(&[key::QUEUED]), &mut |_, value| {
            places.push(row::place(value)?);
            Ok(true)
        })?;
        places.retain(|at| *at < before);
        Ok(places)
    }
}

fn paths_of(entry: &Entry) -> String {
    let paths: Vec<String> = entry.files.iter().take(PATHS).map(|file| file.path.to_string()).collect();
    match entry.files.len().checked_sub(PATHS) {
        None | Some(0) => paths.join(", "),
        Some(more) => format!("{} and {more} more", paths.join(", ")),
    }
}

/// Returns the record that tells the client of an entry that its outcome is unknown; `None` if no client can ask.
///
/// # Errors
/// The receipt cannot be encoded.
pub fn unknown_end(entry: &Entry) -> Result<Option<Record>, StoreError> {
    if entry.key.is_none() && entry.queued.is_none() {
        return Ok(None);
    }
    let id = entry.queued.unwrap_or(entry.id);
    Ok(Some(Record::Done(EndedWithoutEntry {
        id,
        session: entry.session.clone(),
        time: entry.time,
        key: entry.key.clone(),
        request: entry.request.unwrap_or(ContentHash::from_bytes([0; 32])),
        receipt: unknown_outcome(id)?,
    })))
}

/// Returns the stored receipt of a job whose end is lost.
fn unknown_outcome(id: JobId) -> Result<Vec<u8>, StoreError> {
    let message = "the record of this job's end was lost through damage of the log, so its outcome is unknown: look at \
                   its files, and send what is missing under a new key";
    let error = Some(RequestError::new(ErrorCode::Io, message));
    let receipt = Receipt { error, ..Receipt::new(Some(id), JobStatus::Refused) };
    rmp_serde::to_vec_named(&receipt)
        .map_err(|e| StoreError::Io(format!("a receipt cannot be encoded: {e}").into()))
}
