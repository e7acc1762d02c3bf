//! Removes the contents that a file had under all its names from the log and from the kept contents: what jobs and other
//! programs changed in it, what was cut from it, and the texts of replies and requests that may quote it. Entries remain,
//! with their hashes, line counts and labels.
//!
//! *Calling sequence* of [`Store::forget`]: the log continues in a new segment, so that everything older can be rewritten
//! while edits continue. The log is read until no more names of the file are found. Clipboards are removed, every older
//! segment is rewritten for itself, the kept contents are removed, and at last their folder is listed and all older
//! records are read again: none may hold what was to be removed. A kill between two steps leaves a valid log in which
//! some contents are forgotten; the same call completes it.
//!
//! *Kept contents* that no record of another file names are removed, too: a session may have read them in this file, and
//! the record of that may have been dropped.
//!
//! *Limitations*: the contents of an open entry remain, since recovery needs them. A part of a content that a job copied
//! into another file is not found.

use std::collections::{BTreeSet, HashSet};
use std::io;

use editd_proto::error::RequestError;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{FileOutcome, Receipt};
use editd_proto::path::FilePath;
use editd_proto::system_error::in_words;

use super::index::row::{self, EntryRow, fitting_value};
use super::index::{RowChanges, RowView, key};
use super::shared::StoreParts;
use super::{Store, StoreError};
use crate::record::{
    CheckpointEntry, ClipboardRecord, EndedWithoutEntry, Entry, FileRecord, QueuedJobRecord, Record,
    SealRecord,
};
use crate::sync::lock;
use trace::FileTrace;

mod trace;

/// Rows that are changed in one step, so that appends wait only briefly.
const STEP: usize = 64;

/// The result of [`Store::forget`].
#[derive(Debug, Default)]
pub struct ForgetReport {
    /// False if no record names the path.
    pub known: bool,
    /// Entries whose contents were removed now.
    pub entries: BTreeSet<JobId>,
    /// Clipboards that were removed.
    pub clipboards: u64,
    /// Files of kept contents that were removed.
    pub contents: u64,
    /// Records of the log that were replaced.
    pub records: u64,
    /// Entries that are not settled, and detached jobs that have not ended: their contents remain.
    pub open: BTreeSet<JobId>,
    /// The hashes of all contents that the file had under any of its names.
    pub hashes: HashSet<ContentHash>,
    /// The names that staged and displaced files of it had.
    pub staged_names: HashSet<String>,
}

/// The records that hold contents of a file.
struct ForgetTarget<'t> {
    trace: &'t FileTrace<'t>,
    /// Entries that are not settled.
    open: &'t BTreeSet<JobId>,
    /// Detached jobs that have not ended.
    waiting: &'t BTreeSet<JobId>,
}

impl Store {
    /// Removes the contents that a file had under this path and its other names, as far as they are in the log or kept now.
    /// Edits continue meanwhile.
    ///
    /// # Errors
    /// Errors of the disk and damage of the log. Some contents may be removed by then, and the log is valid.
    pub fn forget(&self, path: &FilePath) -> Result<ForgetReport, StoreError> {
        self.forget_in_all(path).inspect_err(|error| self.shared.suspect(None, error))
    }

    fn forget_in_all(&self, path: &FilePath) -> Result<ForgetReport, StoreError> {
        let shared = &self.shared;
        let _one = lock(&shared.upkeep);
        shared.whole()?;
        let mut report = ForgetReport::default();
        // Listed first: what a job keeps from now on has a record in a segment that is not read.
        let kept = shared.contents.hashes().map_err(|e| contents_failed("cannot be listed", &e))?;
        let end = shared.log.begin_segment()?;
        let segments: Vec<u64> =
            shared.log.segments().iter().map(|one| one.0).filter(|id| *id < end).collect();
        // A job that settles from now on stays: what is decided here counts for all passes.
        report.open = shared.open_entries().iter().map(|(entry, _)| entry.id).collect();
        let waiting = shared.waiting_jobs()?;
        let mut trace = FileTrace::of(path, &waiting, kept);
        while trace.has_grown() {
            trace.begin();
            for id in &segments {
                shared.log.segment(*id, &mut |_, record| {
                    trace.see(&record);
                    Ok(())
                })?;
            }
        }
        report.known = trace.known;
        if !report.known {
            return Ok(report);
        }
        report.clipboards = shared.drop_clipboards(&trace)?;
        let target = ForgetTarget { trace: &trace, open: &report.open, waiting: &waiting };
        let mut changed = BTreeSet::new();
        for id in &segments {
            report.records += shared.log.erase(*id, &mut |_, record| {
                let instead = target.without_contents(record);
                if let (Some(_), Some(id)) = (&instead, entry_of(record)) {
                    changed.insert(id);
                }
                Ok(instead)
            })?;
        }
        shared.mark_forgotten(&changed)?;
        let gone: HashSet<ContentHash> = trace.hashes.union(&trace.unattributed).copied().collect();
        let removed = shared.contents.remove_all(&gone);
        report.contents = removed.map_err(|e| contents_failed("cannot be removed", &e))?;
        for id in &segments {
            shared.log.segment(*id, &mut |at, record| match target.without_contents(&record) {
                None => Ok(()),
                Some(_) => {
                    Err(StoreError::Io(format!("the record at {} still has contents", at.shown()).into()))
                }
            })?;
        }
        report.open.extend(&trace.jobs);
        report.open.retain(|id| trace.entries.contains(id));
        report.entries = changed;
        (report.hashes, report.staged_names) = (trace.hashes, trace.staged_names);
        Ok(report)
    }
}

fn contents_failed(what: &str, error: &io::Error) -> StoreError {
    StoreError::Io(format!("kept contents {what}: {}", in_words(error)).into())
}

/// Returns true if some bytes contain the last component of a path.
fn names(path: &FilePath, bytes: &[u8]) -> bool {
    let name = path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    memchr::memmem::find(bytes, name).is_some()
}

fn whole_entry(record: &Record) -> Option<&Entry> {
    match record {
        Record::Intent(entry) | Record::External(entry) => Some(entry),
        Record::Checkpoint(CheckpointEntry { entry, .. }) => Some(entry),
        _ => None,
    }
}

fn entry_of(record: &Record) -> Option<JobId> {
    whole_entry(record).map(|entry| entry.id)
}

impl ForgetTarget<'_> {
    /// Returns what remains of a record without contents of the file; `None` if it has none, or must keep them.
    fn without_contents(&self, record: &Record) -> Option<Record> {
        let instead = match record {
            Record::Intent(entry) => Record::Intent(self.entry_without(entry)?),
            Record::External(entry) => Record::External(self.entry_without(entry)?),
            Record::Checkpoint(carried) => {
                let entry = self.entry_without(&carried.entry)?;
                let receipt = carried.receipt.as_deref().map(only_moves);
                Record::Checkpoint(CheckpointEntry { entry, receipt, ..carried.clone() })
            }
            // The receipt of a job may quote the file.
            Record::Seal(seal) if self.is_of_entry(seal.id) => {
                Record::Seal(SealRecord { receipt: only_moves(&seal.receipt), ..seal.clone() })
            }
            Record::Clip(clip) if self.trace.has_clip(clip) => {
                Record::Clip(ClipboardRecord { bytes: None, ..clip.clone() })
            }
            // Nothing reads the request of a job that has ended.
            Record::Queued(queued) if !self.waiting.contains(&queued.id) => {
                Record::Queued(QueuedJobRecord { payload: Vec::new(), ..queued.clone() })
            }
            Record::Done(done) => {
                let receipt = self.short_receipt(&done.receipt)?;
                Record::Done(EndedWithoutEntry { receipt, ..done.clone() })
            }
            _ => return None,
        };
        (instead != *record).then_some(instead)
    }

    fn entry_without(&self, entry: &Entry) -> Option<Entry> {
        if !self.is_of_entry(entry.id) {
            return None;
        }
        let mut entry = entry.clone();
        let files = entry.files.iter_mut().filter(|file| self.trace.has_content_in(file));
        // A change of the mode alone has no contents.
        files.filter(|file| !file.splices.is_empty()).for_each(FileRecord::forget_contents);
        entry.clips.iter_mut().filter(|clip| self.trace.has_clip(clip)).for_each(|clip| clip.bytes = None);
        Some(entry)
    }

    /// Returns true if an entry has contents of the file and is settled.
    fn is_of_entry(&self, id: JobId) -> bool {
        self.trace.entries.contains(&id) && !self.open.contains(&id)
    }

    /// Returns the receipt of a job without an entry with nothing but its result, if it may quote the file: it names the
    /// last component of one of its paths.
    fn short_receipt(&self, receipt: &[u8]) -> Option<Vec<u8>> {
        if !self.trace.are_named_in(receipt) {
            return None;
        }
        // Nothing can show one that does not decode, and it may quote the file.
        let Ok(whole) = rmp_serde::from_slice::<Receipt>(receipt) else { return Some(Vec::new()) };
        let error = whole.error.as_ref().map(|error| {
            RequestError::new(
                error.code,
                "the text of this reply was removed from the journal by `editctl forget`",
            )
        });
        let short = Receipt { queued: whole.queued, error, ..Receipt::new(whole.job, whole.status) };
        rmp_serde::to_vec_named(&short).ok()
    }
}

/// Returns what the names of a file are found by: a receipt that only has the paths and versions of the job's files; an
/// empty one, which stands for that of the entry, if the job moved no file.
fn only_moves(receipt: &[u8]) -> Vec<u8> {
    let Some(whole) = rmp_serde::from_slice::<Receipt>(receipt).ok().filter(trace::has_moves) else {
        return Vec::new();
    };
    let files = whole.files.into_iter().map(|file| {
        let FileOutcome { path, to, status, before, after, .. } = file;
        FileOutcome { to, before, after, ..FileOutcome::new(path, status) }
    });
    let short =
        Receipt { queued: whole.queued, files: files.collect(), ..Receipt::new(whole.job, whole.status) };
    rmp_serde::to_vec_named(&short).unwrap_or_default()
}

impl StoreParts {
    /// Returns the detached jobs that have not ended.
    fn waiting_jobs(&self) -> Result<BTreeSet<JobId>, StoreError> {
        let mut waiting = BTreeSet::new();
        self.rows.down(&[key::QUEUED], &key::behind(&[key::QUEUED]), &mut |key, _| {
            waiting.extend(key::id_of(key));
            Ok(true)
        })?;
        Ok(waiting)
    }

    /// Removes the clipboards that were cut from a file or have a whole content of it; returns their number.
    fn drop_clipboards(&self, trace: &FileTrace<'_>) -> Result<u64, StoreError> {
        let mut rows = Vec::new();
        self.rows.down(&[key::CLIP], &key::behind(&[key::CLIP]), &mut |_, value| {
            rows.push(value.to_vec());
            Ok(true)
        })?;
        let mut gone = Vec::new();
        for value in rows {
            let clip = self.clip_at(&value)?;
            if trace.has_clip(&clip) {
                gone.push(Record::Clip(ClipboardRecord { bytes: None, ..clip }));
            }
        }
        if !gone.is_empty() {
            let at = self.append(&gone)?;
            self.flush(at)?;
        }
        Ok(gone.len() as u64)
    }

    /// Marks entries in the rows that lists show.
    fn mark_forgotten(&self, entries: &BTreeSet<JobId>) -> Result<(), StoreError> {
        let ids: Vec<JobId> = entries.iter().copied().collect();
        for ids in ids.chunks(STEP) {
            let mut index = lock(&self.index);
            let mut draft = RowChanges { below: &self.rows, changes: Default::default() };
            for id in ids {
                let key = key::job(key::ENTRY, *id);
                let Some(value) = self.rows.get(&key)? else { continue };
                let row = EntryRow { forgotten: true, ..row::rest(&value)? };
                draft.put(key, fitting_value(row::place(&value)?, row, |row| row.brief = None)?);
            }
            self.take_away(&mut index, draft, 0);
        }
        self.apply()
    }
}
