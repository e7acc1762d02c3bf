//! Removes the contents of a path from the log and from the kept contents: what jobs and other programs changed in it,
//! what was cut from it, and the texts of replies and requests that may quote it. Entries remain, with their hashes,
//! line counts and labels.
//!
//! *Calling sequence* of [`Store::forget`]: the log continues in a new segment, so that everything older can be rewritten
//! while edits continue. Clipboards are removed, every older segment is rewritten for itself, the kept contents are
//! removed, and at last all older records are read again: none may hold what was to be removed. A kill between two steps
//! leaves a valid log in which some contents are forgotten; the same call completes it.
//!
//! *Limitations*: the contents of an open entry remain, since recovery needs them. A content of the path that was stored
//! under another path is found by its hash; a part of it that a job copied into another file is not found.

use std::collections::{BTreeSet, HashSet};

use editd_proto::error::RequestError;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::Receipt;
use editd_proto::path::FilePath;

use super::index::row::{self, EntryRow, fitting_value};
use super::index::{RowChanges, RowView, key};
use super::shared::StoreParts;
use super::{Store, StoreError};
use crate::record::{
    CheckpointEntry, ClipboardRecord, EndedWithoutEntry, Entry, FileMeta, FileRecord, QueuedJobRecord,
    Record, SealRecord,
};
use crate::sync::lock;

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
    /// The hashes of all contents that the path had.
    pub hashes: HashSet<ContentHash>,
    /// The names that staged and displaced files of the path had.
    pub staged_names: HashSet<String>,
}

/// The records that hold contents of a path.
struct ForgetTarget<'t> {
    path: &'t FilePath,
    hashes: &'t HashSet<ContentHash>,
    /// Entries that are not settled.
    open: &'t BTreeSet<JobId>,
    /// Entries with contents of the path.
    entries: &'t BTreeSet<JobId>,
    /// Detached jobs that have not ended.
    waiting: &'t BTreeSet<JobId>,
}

impl Store {
    /// Removes the contents of a path, as far as they are in the log or kept now. Edits continue meanwhile.
    ///
    /// # Errors
    /// Errors of the disk and damage of the log. Some contents may be removed by then, and the log is valid.
    pub fn forget(&self, path: &FilePath) -> Result<ForgetReport, StoreError> {
        let shared = &self.shared;
        let _one = lock(&shared.upkeep);
        shared.whole()?;
        let mut report = ForgetReport::default();
        let end = shared.log.begin_segment()?;
        let segments: Vec<u64> =
            shared.log.segments().iter().map(|one| one.0).filter(|id| *id < end).collect();
        // A job that settles from now on stays: what is decided here counts for all passes.
        report.open = shared.open_entries().iter().map(|(entry, _)| entry.id).collect();
        let waiting = shared.waiting_jobs()?;
        let mut entries = BTreeSet::new();
        for pass in [TracePass::Hashes, TracePass::Entries] {
            for id in &segments {
                shared.log.segment(*id, &mut |_, record| {
                    trace(pass, (path, &waiting), &record, &mut report, &mut entries);
                    Ok(())
                })?;
            }
        }
        report.clipboards = shared.drop_clipboards(path, &report.hashes)?;
        let target = ForgetTarget {
            path,
            hashes: &report.hashes,
            open: &report.open,
            entries: &entries,
            waiting: &waiting,
        };
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
        let kept = shared.contents.remove_all(&report.hashes);
        report.contents = kept.map_err(|e| {
            StoreError::Io(
                format!("kept contents cannot be removed: {e}; repair the disk and run it again").into(),
            )
        })?;
        for id in &segments {
            shared.log.segment(*id, &mut |at, record| match target.without_contents(&record) {
                None => Ok(()),
                Some(_) => Err(StoreError::Io(
                    format!("the record at {} still has contents; run it again", at.shown()).into(),
                )),
            })?;
        }
        report.open.retain(|id| entries.contains(id));
        report.entries = changed;
        Ok(report)
    }
}

/// A pass over the log that finds what belongs to a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TracePass {
    /// Finds the hashes of all contents that the path had.
    Hashes,
    /// Finds all entries that have one of them.
    Entries,
}

fn trace(
    pass: TracePass,
    (path, waiting): (&FilePath, &BTreeSet<JobId>),
    record: &Record,
    report: &mut ForgetReport,
    entries: &mut BTreeSet<JobId>,
) {
    let Some(entry) = whole_entry(record) else {
        match record {
            Record::Clip(clip) => report.known |= clip.origin.as_ref() == Some(path),
            Record::ReadReceipt(seen) => report.known |= seen.path == *path,
            // Its request is needed to run it, and may quote the file.
            Record::Queued(job) if waiting.contains(&job.id) && names(path, &job.payload) => {
                report.open.insert(job.id);
                entries.insert(job.id);
            }
            _ => {}
        }
        return;
    };
    match pass {
        TracePass::Hashes => {
            let empty = ContentHash::from_bytes(*blake3::hash(b"").as_bytes());
            for file in entry.files.iter().filter(|file| file.path == *path) {
                report.known = true;
                report.staged_names.insert(file.staged_name.clone());
                let contents = [&file.before, &file.after].into_iter().flatten();
                report.hashes.extend(contents.map(|meta| meta.hash).filter(|hash| *hash != empty));
            }
        }
        TracePass::Entries => {
            let of_clip = |clip: &ClipboardRecord| clip.origin.as_ref() == Some(path);
            let is_meant = entry.files.iter().any(|file| is_of(path, &report.hashes, file));
            if is_meant || entry.clips.iter().any(of_clip) {
                entries.insert(entry.id);
            }
        }
    }
}

/// Returns true if some bytes contain the last component of a path.
fn names(path: &FilePath, bytes: &[u8]) -> bool {
    let name = path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    memchr::memmem::find(bytes, name).is_some()
}

/// Returns true if a change has a content of the path.
fn is_of(path: &FilePath, hashes: &HashSet<ContentHash>, file: &FileRecord) -> bool {
    let has = |meta: &Option<FileMeta>| meta.as_ref().is_some_and(|meta| hashes.contains(&meta.hash));
    file.path == *path || has(&file.before) || has(&file.after)
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
    /// Returns what remains of a record without contents of the path; `None` if it has none, or must keep them.
    fn without_contents(&self, record: &Record) -> Option<Record> {
        let instead = match record {
            Record::Intent(entry) => Record::Intent(self.entry_without(entry)?),
            Record::External(entry) => Record::External(self.entry_without(entry)?),
            Record::Checkpoint(carried) => {
                let entry = self.entry_without(&carried.entry)?;
                let receipt = carried.receipt.as_ref().map(|_| Vec::new());
                Record::Checkpoint(CheckpointEntry { entry, receipt, ..carried.clone() })
            }
            // The receipt of a job may quote the file.
            Record::Seal(seal) if self.entries.contains(&seal.id) && !self.open.contains(&seal.id) => {
                Record::Seal(SealRecord { receipt: Vec::new(), ..seal.clone() })
            }
            Record::Clip(clip) if self.is_of_clip(clip) => {
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
        if !self.entries.contains(&entry.id) || self.open.contains(&entry.id) {
            return None;
        }
        let mut entry = entry.clone();
        let files = entry.files.iter_mut().filter(|file| is_of(self.path, self.hashes, file));
        // A change of the mode alone has no contents.
        files.filter(|file| !file.splices.is_empty()).for_each(FileRecord::forget_contents);
        entry.clips.iter_mut().filter(|clip| self.is_of_clip(clip)).for_each(|clip| clip.bytes = None);
        Some(entry)
    }

    fn is_of_clip(&self, clip: &ClipboardRecord) -> bool {
        let Some(bytes) = &clip.bytes else { return false };
        let hash = || ContentHash::from_bytes(*blake3::hash(bytes).as_bytes());
        clip.origin.as_ref() == Some(self.path) || self.hashes.contains(&hash())
    }

    /// Returns the receipt of a job without an entry with nothing but its result, if it may quote the file: it names the
    /// last component of the path.
    fn short_receipt(&self, receipt: &[u8]) -> Option<Vec<u8>> {
        if !names(self.path, receipt) {
            return None;
        }
        let whole: Receipt = rmp_serde::from_slice(receipt).ok()?;
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

    /// Removes the clipboards that were cut from a path or have a whole content of it; returns their number.
    fn drop_clipboards(&self, path: &FilePath, hashes: &HashSet<ContentHash>) -> Result<u64, StoreError> {
        let mut rows = Vec::new();
        self.rows.down(&[key::CLIP], &key::behind(&[key::CLIP]), &mut |_, value| {
            rows.push(value.to_vec());
            Ok(true)
        })?;
        let mut gone = Vec::new();
        for value in rows {
            let clip = self.clip_at(&value)?;
            let hash =
                clip.bytes.as_ref().map(|bytes| ContentHash::from_bytes(*blake3::hash(bytes).as_bytes()));
            if clip.origin.as_ref() == Some(path) || hash.is_some_and(|hash| hashes.contains(&hash)) {
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
