//! Writes a new log from all valid records of a damaged one, for `editctl salvage`. The damaged log and the database are
//! kept under other names; nothing is deleted. No daemon may use the state folder meanwhile.
//!
//! *Invariants*: the new log is complete and durable before it takes the place of the damaged one, in one step. A kill
//! at any time leaves one of the two in place, or on a system that cannot exchange two folders neither; then the next
//! start says so, and a further salvage goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use editd_proto::ids::JobId;

use super::database::shelf::DatabaseFolder;
use super::index::key;
use super::index::row::{self, ClipRow, DatabaseMeta, EntryRow, KeyRow};
use super::log::mend::LogGap;
use super::log::recover::LogItem;
use super::log::survey::survey;
use super::losses::LogLosses;
use super::new_log::{NewLog, clear, names, rename};
use super::open::{LOG_FOLDER, folder};
use super::{DatabaseBackend, LogPosition, Store, StoreError, StoreOptions};
use crate::os::{Dir, Os};
use crate::record::Record;

/// The folder of the new log until it is complete.
const SALVAGED: &str = "log.salvaged";

/// The result of a salvage.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct SalvageReport {
    /// The damage, one sentence each.
    pub damage: Vec<String>,
    /// Valid records, all of which are in the new log.
    pub records: u64,
    /// Entries that are gone.
    pub entries: Vec<GoneEntry>,
    /// The first and last number of each run of entries that may be gone, if no database has their names.
    pub possible_entries: Vec<(u64, u64)>,
    /// Clipboards whose last change is gone: an older content may be back.
    pub clipboards: Vec<String>,
    /// Keys that are gone: a job that is sent again under one of them runs again.
    pub keys: Vec<GoneKey>,
    /// Detached jobs that are gone: they waited.
    pub queued: Vec<JobId>,
    /// The number of files of which sessions have read something, if the note of it is gone.
    pub reads: u64,
    /// False if the database could not be read, or was made without some of the lost records, so that the names of what is
    /// gone are unknown.
    pub named: bool,
    /// Jobs whose end is unknown.
    pub unknown: Vec<String>,
    /// The names, in the state folder, under which the damaged state is kept.
    pub kept: Vec<String>,
}

impl SalvageReport {
    /// Returns true if anything with a name or a number is, or may be, gone.
    pub fn has_gone(&self) -> bool {
        let numbers = self.entries.len() + self.possible_entries.len() + self.queued.len();
        numbers + self.clipboards.len() + self.keys.len() > 0 || self.reads > 0
    }
}

/// An entry that is gone.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct GoneEntry {
    /// Its number.
    pub id: JobId,
    /// Its session; empty if it is unknown.
    pub session: String,
    /// Its label.
    pub label: Option<String>,
    /// Its time, in milliseconds since 1970.
    pub time: u64,
    /// The paths of its files.
    pub paths: Vec<String>,
}

/// A key that is gone.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct GoneKey {
    /// The number of its job.
    pub job: JobId,
    /// The key; `None` if it is unknown.
    pub key: Option<String>,
}

/// The rows of the old database that name records.
#[derive(Default)]
struct NamedRecords {
    entries: Vec<(LogPosition, GoneEntry)>,
    clips: Vec<(LogPosition, String)>,
    keys: Vec<(LogPosition, JobId)>,
    key_names: BTreeMap<JobId, String>,
    queued: Vec<(LogPosition, JobId)>,
    reads: Vec<LogPosition>,
    meta: Option<DatabaseMeta>,
}

/// Fails if a salvage was interrupted when no log was in place.
pub(super) fn not_interrupted(dir: &Dir) -> Result<(), StoreError> {
    let names = names(dir)?;
    if names.contains(SALVAGED.as_bytes()) && !names.contains(LOG_FOLDER.as_bytes()) {
        return Err(StoreError::Io("a salvage was interrupted; run `editctl salvage` to complete it".into()));
    }
    Ok(())
}

/// Writes a new log from the valid records of the log in the state folder `dir`, and puts it in its place. Returns `None`
/// if nothing is damaged; nothing was changed then.
///
/// # Errors
/// Errors of the system, a full disk among them, and a record that a newer editd wrote. The state is unchanged then.
pub fn salvage(
    os: &Arc<dyn Os>,
    dir: &Dir,
    options: StoreOptions,
    now_ms: u64,
) -> Result<Option<SalvageReport>, StoreError> {
    if not_interrupted(dir).is_err() {
        rename(os, dir, SALVAGED, LOG_FOLDER)?;
        return Ok(Some(SalvageReport { named: true, ..SalvageReport::default() }));
    }
    let old = folder(dir, LOG_FOLDER)?;
    let known = read_database(&options.database);
    let sums = known.as_ref().and_then(|known| known.meta.as_ref()).map(|meta| meta.sum);
    let sums: Vec<_> = sums.into_iter().collect();
    let (mut gaps, mut valid) = (Vec::new(), BTreeSet::new());
    let (mut last, mut noted) = (LogPosition(0), BTreeMap::new());
    survey(&old, &sums, &mut |item| {
        match item {
            LogItem::Record(at, _, record) => {
                valid.insert(at);
                last = at;
                if let Record::Lost(lost) = *record {
                    noted.insert(LogPosition(lost.at), lost.entries);
                }
            }
            LogItem::Gap(gap) => gaps.push(gap),
        }
        Ok(())
    })?;
    let meta = known.as_ref().and_then(|known| known.meta.as_ref());
    let beyond = meta.filter(|meta| meta.at > last.0).map(|meta| (LogPosition(meta.at), meta.last_id));
    if let Some((reach, _)) = beyond {
        gaps.push(LogGap::lost_end(last, reach));
    }
    if gaps.is_empty() {
        return Ok(None);
    }
    clear(dir, SALVAGED)?;
    let mut losses = write(os, dir, &old, &sums, options.segment)?;
    if let Some((reach, last_id)) = beyond {
        losses.gap(LogGap { from: LogPosition(u64::MAX), to: reach, records: None, what: "" });
        losses.end(last_id);
    }
    losses.sealed = known.iter().flat_map(|known| &known.entries).map(|(_, entry)| entry.id).collect();
    let possible_entries = losses.ranges();
    let memory = StoreOptions { database: DatabaseBackend::Memory, background: false, ..options };
    let (store, opened) = Store::open_log(os.clone(), dir.clone(), SALVAGED, memory, (now_ms, Some(losses)))?;
    let damage = gaps.iter().map(LogGap::shown).collect();
    let unknown = opened.damage.into_iter().filter(|told| told.contains("outcome")).collect();
    let mut report = SalvageReport {
        damage,
        records: valid.len() as u64,
        possible_entries,
        unknown,
        ..SalvageReport::default()
    };
    if let Some(known) = known {
        name(&mut report, known, &valid, &store)?;
    }
    add_passed(&mut report, gaps.iter().flat_map(|gap| noted.range(gap.from..=gap.to)).map(|(_, lost)| lost));
    store.close()?;
    // Windows does not rename a folder that is open.
    drop((store, old));
    report.kept = put_in_place(os, dir, now_ms)?;
    Ok(Some(report))
}

/// Writes the valid records of a log into a new one, and makes it durable. Returns the losses, with positions in the new
/// log.
fn write(
    os: &Arc<dyn Os>,
    dir: &Dir,
    old: &Dir,
    sums: &[super::log::frame::Checksum],
    segment: u64,
) -> Result<LogLosses, StoreError> {
    let mut log = NewLog::create(os, dir, SALVAGED, segment)?;
    let mut losses = LogLosses::default();
    survey(old, sums, &mut |item| match item {
        LogItem::Record(_, _, record) => {
            losses.record(&record);
            log.add(&record)
        }
        LogItem::Gap(gap) => {
            let after = log.after()?;
            let to = LogPosition(after.0.saturating_add(gap.to.0.saturating_sub(gap.from.0)));
            losses.gap(LogGap { from: after, to, ..gap });
            Ok(())
        }
    })?;
    losses.end(0);
    log.finish()?;
    Ok(losses)
}

/// Reads the names of records from the database; `None` if it cannot be read.
fn read_database(database: &DatabaseBackend) -> Option<NamedRecords> {
    if *database == DatabaseBackend::Memory {
        return None;
    }
    let opened = DatabaseFolder::new(database.clone()).open().ok()?;
    let mut known = NamedRecords::default();
    let meta = opened.get(key::META).ok()??;
    known.meta = row::rest(&meta).ok();
    let read = opened.each(&mut |key, value| {
        let Ok(at) = row::place(value) else { return };
        match key.first() {
            Some(&key::ENTRY) => {
                let (Some(id), Ok(entry)) = (key::id_of(key), row::rest::<EntryRow>(value)) else { return };
                let mut gone = GoneEntry {
                    id,
                    session: String::new(),
                    label: None,
                    time: entry.time,
                    paths: Vec::new(),
                };
                if let Some(brief) = entry.brief {
                    known.key_names.extend(brief.key.map(|key| (id, key)));
                    gone.paths = brief.files.iter().map(|file| file.path.to_string()).collect();
                    (gone.session, gone.label) = (brief.session, brief.label);
                }
                known.entries.push((at, gone));
            }
            Some(&key::CLIP) => {
                known.clips.extend(row::rest::<ClipRow>(value).ok().map(|clip| (at, clip.name)));
            }
            Some(&key::CLIENT_KEY) => {
                known.keys.extend(row::rest::<KeyRow>(value).ok().map(|row| (at, row.id)));
            }
            Some(&key::QUEUED) => known.queued.extend(key::id_of(key).map(|id| (at, id))),
            Some(&key::SEEN) => known.reads.push(at),
            _ => {}
        }
    });
    read.ok().map(|()| known)
}

/// Adds the names of what is gone to the report.
fn name(
    report: &mut SalvageReport,
    mut known: NamedRecords,
    valid: &BTreeSet<LogPosition>,
    store: &Store,
) -> Result<(), StoreError> {
    report.named = true;
    for (at, entry) in known.entries {
        if !valid.contains(&at) && store.summary(entry.id)?.is_none() {
            report.entries.push(entry);
        }
    }
    let gone = |at: &LogPosition| !valid.contains(at);
    report.clipboards = known.clips.into_iter().filter(|(at, _)| gone(at)).map(|(_, name)| name).collect();
    report.queued = known.queued.into_iter().filter(|(at, _)| gone(at)).map(|(_, id)| id).collect();
    report.reads = known.reads.iter().filter(|at| gone(at)).count() as u64;
    // The position of a key is that of the end of its job. Without the entry, that end is no use.
    let entries: BTreeSet<JobId> = report.entries.iter().map(|entry| entry.id).collect();
    known.keys.sort_unstable_by_key(|(_, job)| *job);
    for (_, job) in known.keys.into_iter().filter(|(at, job)| gone(at) || entries.contains(job)) {
        let key = known.key_names.get(&job).cloned();
        let kept = match &key {
            Some(_) => store.receipt(job)?.is_some(),
            None => false,
        };
        if !kept {
            report.keys.push(GoneKey { job, key });
        }
    }
    // The database has the names of everything but what was written after it.
    let last = known.meta.map_or(0, |meta| meta.last_id);
    report.possible_entries.retain_mut(|(first, end)| {
        *first = (*first).max(last + 1);
        first <= end
    });
    Ok(())
}

/// Adds the entries that an earlier start noted as lost: the database lacks what that start has passed.
fn add_passed<'l>(report: &mut SalvageReport, noted: impl Iterator<Item = &'l Vec<(u64, u64)>>) {
    for entries in noted {
        report.named = false;
        report.possible_entries.extend(entries);
    }
    report.possible_entries.sort_unstable();
    report.possible_entries.dedup();
}

/// Exchanges the damaged log and the new one, and sets the database aside. Returns the new names of both.
fn put_in_place(os: &Arc<dyn Os>, dir: &Dir, now_ms: u64) -> Result<Vec<String>, StoreError> {
    let taken = names(dir)?;
    let free = |what: &str| {
        let mut candidates = (0u64..).map(|n| format!("{what}.damaged-{}", now_ms + n));
        candidates.find(|name| !taken.contains(name.as_bytes())).unwrap_or_default()
    };
    let (aside, log, salvaged) = (free(LOG_FOLDER), LOG_FOLDER.as_bytes(), SALVAGED.as_bytes());
    let mut kept = Vec::new();
    // First: a database beside another log that is shorter would look as if that log had lost its end.
    if taken.contains(b"sled".as_slice()) {
        let aside = free("sled");
        rename(os, dir, "sled", &aside)?;
        kept.push(aside);
    }
    match os.exchange(dir, log, dir, salvaged) {
        Ok(()) => rename(os, dir, SALVAGED, &aside)?,
        // The system cannot exchange folders.
        Err(_) => {
            rename(os, dir, LOG_FOLDER, &aside)?;
            rename(os, dir, SALVAGED, LOG_FOLDER)?;
        }
    }
    kept.insert(0, aside);
    Ok(kept)
}
