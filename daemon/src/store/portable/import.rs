//! Imports an exported journal into a state folder whose journal is empty. No daemon may use the folder meanwhile.
//!
//! *Invariants*: the new log is complete, checked to the last line, and durable before it takes the place of the empty
//! one, in one step. A kill at any time leaves one of the two in place. On a system that cannot exchange two folders it may
//! leave neither, which is an empty journal, too. No file of the workspace is touched.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

use editd_proto::ids::JobId;
use editd_proto::limits as wire;
use editd_proto::message::{EntryKind, FileOutcome, JobStatus, Receipt};

use super::assemble::{ImportedItem, LineAssembler, is_loss};
use super::line::{AbsentLine, JournalLine};
use super::reader::{LineError, LineReader};
use crate::os::{Dir, Os};
use crate::record::{EndedWithoutEntry, Entry, LostRecords, Record, SealRecord, SettleRecord};
use crate::store::contents::ContentFiles;
use crate::store::database::shelf::DatabaseFolder;
use crate::store::index::key;
use crate::store::log::recover::LogItem;
use crate::store::log::survey::survey;
use crate::store::new_log::{self, NewLog};
use crate::store::open::{LOG_FOLDER, folder};
use crate::store::{DatabaseBackend, Store, StoreError, StoreOptions, salvage};

/// The folder of the new log until it is complete, and of the empty one after that.
const IMPORTED: &str = "log.imported";

/// The folder of the empty log, on a system that cannot exchange two folders.
const REPLACED: &str = "log.replaced";

/// The most absent parts that a report lists.
const ABSENT_LISTED: usize = 100;

/// The most clipboards of a file: concurrent jobs may exceed the limit of a workspace.
const CLIPBOARDS: u64 = 2 * wire::CLIPBOARDS as u64;

/// The reason why nothing was imported.
#[derive(thiserror::Error, Debug)]
pub enum ImportError {
    /// The file cannot be read, or a line of it is wrong.
    #[error("{0}; nothing was imported")]
    Line(#[from] LineError),
    /// The journal is not empty.
    #[error(
        "the journal is not empty: it has {0}; nothing was imported: save it with `editctl export FILE`, run `editctl stop`, \
         move the folder `log` out of the state folder, and import again"
    )]
    NotEmpty(String),
    /// The journal is damaged.
    #[error("the journal is damaged; nothing was imported: run `editctl salvage` first")]
    Damaged,
    /// The state cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The result of an import.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct ImportReport {
    /// The entry with which the export began, if it was not the oldest: earlier ones are not in the file.
    pub since: Option<u64>,
    /// Imported entries.
    pub entries: u64,
    /// The number of the first one.
    pub first: Option<JobId>,
    /// The number of the last one.
    pub last: Option<JobId>,
    /// Files of entries whose contents had been forgotten.
    pub forgotten: u64,
    /// Imported keys.
    pub keys: u64,
    /// Imported clipboards.
    pub clipboards: u64,
    /// Whole contents.
    pub contents: u64,
    /// The parts that the file does not have, at most 100 of them.
    pub absent: Vec<AbsentLine>,
    /// The time of the oldest entry, in milliseconds since 1970.
    pub oldest: Option<u64>,
}

/// Imports the exported journal that `source` has, into the state folder `dir`.
///
/// # Errors
/// The journal is not empty, a line is wrong, or the system fails. The state is unchanged then.
pub fn import(
    os: &Arc<dyn Os>,
    dir: &Dir,
    source: &mut dyn Read,
    options: &StoreOptions,
    now_ms: u64,
) -> Result<ImportReport, ImportError> {
    salvage::not_interrupted(dir)?;
    require_empty(&folder(dir, LOG_FOLDER)?)?;
    for left in [IMPORTED, REPLACED] {
        new_log::clear(dir, left)?;
    }
    let report = write(os, dir, source, options, now_ms).inspect_err(|_| {
        // The next import clears it otherwise.
        let _ = new_log::clear(dir, IMPORTED);
    })?;
    put_in_place(os, dir, &options.database)?;
    // The journal is imported. If its database cannot be built now, the daemon builds it at its start.
    let opened = Store::open(os.clone(), dir.clone(), options.clone(), now_ms);
    if let Err(error) = opened.and_then(|(store, _)| store.close()) {
        tracing::warn!("the database is not built yet: {error}");
    }
    Ok(report)
}

/// Fails if the log has anything but starts and read receipts.
fn require_empty(log: &Dir) -> Result<(), ImportError> {
    let (mut entries, mut clips) = (BTreeSet::new(), BTreeSet::new());
    let (mut jobs, mut damaged) = (BTreeSet::new(), false);
    survey(log, &[], &mut |item| {
        let LogItem::Record(_, _, record) = item else {
            damaged = true;
            return Ok(());
        };
        match *record {
            Record::Intent(entry) | Record::External(entry) => drop(entries.insert(entry.id)),
            Record::Checkpoint(carried) => drop(entries.insert(carried.entry.id)),
            Record::Void(id) => drop(entries.remove(&id)),
            Record::Clip(clip) => {
                let key = key::clip(&clip.session, &clip.name);
                let _ = if clip.bytes.is_some() { clips.insert(key) } else { clips.remove(&key) };
            }
            Record::Queued(job) => drop(jobs.insert(job.id)),
            Record::Done(done) => drop(jobs.insert(done.id)),
            Record::Start(_)
            | Record::Seal(_)
            | Record::Settle(_)
            | Record::ReadReceipt(_)
            | Record::Lost(_) => {}
        }
        Ok(())
    })?;
    if damaged {
        return Err(ImportError::Damaged);
    }
    let counts =
        [(entries.len(), "entries"), (clips.len(), "clipboards"), (jobs.len(), "detached jobs or keys")];
    let held =
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let held: Vec<String> = held.collect();
    if held.is_empty() { Ok(()) } else { Err(ImportError::NotEmpty(held.join(", "))) }
}

/// Writes the new log beside the present one, and makes it durable.
fn write(
    os: &Arc<dyn Os>,
    dir: &Dir,
    source: &mut dyn Read,
    options: &StoreOptions,
    now_ms: u64,
) -> Result<ImportReport, ImportError> {
    let contents = ContentFiles::new(os.clone(), folder(dir, "contents")?, options.contents);
    let mut writer = JournalWriter {
        log: NewLog::create(os, dir, IMPORTED, options.segment)?,
        contents,
        now_ms,
        report: ImportReport::default(),
    };
    let mut lines = LineReader::new(source);
    let mut items = LineAssembler::default();
    loop {
        let line = lines.next()?;
        if let JournalLine::End(end) = &line {
            items.end().map_err(|what| lines.wrong(what))?;
            lines.check_end(end)?;
            break;
        }
        if let Some(item) = items.take(line).map_err(|what| lines.wrong(what))? {
            writer.add(item)?;
            if writer.report.clipboards > CLIPBOARDS {
                return Err(lines.wrong(format!("there are more than {CLIPBOARDS} clipboards")).into());
            }
        }
    }
    writer.log.finish()?;
    Ok(writer.report)
}

/// The new log, and the report about it.
struct JournalWriter {
    log: NewLog,
    contents: ContentFiles,
    now_ms: u64,
    report: ImportReport,
}

impl JournalWriter {
    fn add(&mut self, item: ImportedItem) -> Result<(), StoreError> {
        let report = &mut self.report;
        match item {
            ImportedItem::Header(line) => {
                report.since = line.since;
                Ok(())
            }
            ImportedItem::Content(hash, bytes) => {
                report.contents += 1;
                self.contents.offer(hash, bytes.into());
                self.contents.write_waiting();
                Ok(())
            }
            ImportedItem::Clipboard(clip) => {
                report.clipboards += 1;
                self.log.add(&Record::Clip(clip))
            }
            ImportedItem::Absent(line) => {
                let loss = is_loss(&line);
                if report.absent.len() < ABSENT_LISTED {
                    report.absent.push(line);
                }
                let Some((first, last)) = loss else { return Ok(()) };
                let at = self.log.after()?.0;
                let (entries, time) = (vec![(first, last)], self.now_ms);
                self.log.add(&Record::Lost(LostRecords {
                    at,
                    records: None,
                    entries,
                    last_id: last,
                    time,
                    doubtful: Vec::new(),
                }))
            }
            ImportedItem::Entry(entry, diverged) => {
                report.entries += 1;
                report.first.get_or_insert(entry.id);
                report.last = Some(entry.id);
                report.oldest = Some(report.oldest.unwrap_or(u64::MAX).min(entry.time));
                report.keys += u64::from(entry.key.is_some());
                report.forgotten += entry.files.iter().filter(|file| file.is_forgotten()).count() as u64;
                self.entry(*entry, diverged)
            }
        }
    }

    /// Adds the records of an entry that is settled.
    fn entry(&mut self, entry: Entry, diverged: bool) -> Result<(), StoreError> {
        if matches!(entry.kind, EntryKind::External | EntryKind::Hook | EntryKind::Mark) {
            return self.log.add(&Record::External(entry));
        }
        // Without a stored receipt, a plain one is made from the entry.
        let seal = Record::Seal(SealRecord { id: entry.id, receipt: Vec::new() });
        let done = ended(&entry);
        let settle = Record::Settle(SettleRecord { id: entry.id, diverged });
        self.log.add(&Record::Intent(entry))?;
        self.log.add(&seal)?;
        done.iter().try_for_each(|done| self.log.add(done))?;
        self.log.add(&settle)
    }
}

/// Returns the record that leads from the number of a detached job to its entry.
fn ended(entry: &Entry) -> Option<Record> {
    let (id, request) = (entry.queued?, entry.request?);
    let files = entry.files.iter().map(|file| FileOutcome {
        before: file.before.as_ref().map(|meta| meta.hash.version()),
        after: file.after.as_ref().map(|meta| meta.hash.version()),
        added: file.added,
        removed: file.removed,
        ..FileOutcome::new(file.path.clone(), JobStatus::Applied)
    });
    let plain = Receipt::new(Some(entry.id), JobStatus::Applied);
    let receipt = Receipt { files: files.collect(), queued: Some(id), ..plain };
    let (session, time, key) = (entry.session.clone(), entry.time, entry.key.clone());
    let receipt = rmp_serde::to_vec_named(&receipt).ok()?;
    Some(Record::Done(EndedWithoutEntry { id, session, time, key, request, receipt }))
}

/// Exchanges the empty log and the new one.
fn put_in_place(os: &Arc<dyn Os>, dir: &Dir, database: &DatabaseBackend) -> Result<(), StoreError> {
    // First: a database beside another log would look as if that log had lost its end.
    DatabaseFolder::new(database.clone()).discard();
    if new_log::names(dir)?.contains(b"sled".as_slice()) {
        let what = "the folder `sled` cannot be removed from the state folder; nothing was imported: remove it, and import again";
        return Err(StoreError::Io(what.into()));
    }
    let replaced = match os.exchange(dir, LOG_FOLDER.as_bytes(), dir, IMPORTED.as_bytes()) {
        Ok(()) => {
            dir.sync().map_err(new_log::failed("flushing the state folder"))?;
            IMPORTED
        }
        // The system cannot exchange folders.
        Err(_) => {
            new_log::rename(os, dir, LOG_FOLDER, REPLACED)?;
            new_log::rename(os, dir, IMPORTED, LOG_FOLDER)?;
            REPLACED
        }
    };
    // The journal is imported. The next import clears what is left of the empty one.
    if let Err(error) = new_log::clear(dir, replaced) {
        tracing::warn!("{error}");
    }
    Ok(())
}
