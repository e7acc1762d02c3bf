//! Settling: after the jobs, it makes their files durable and drops the displaced ones, in this order: flush the
//! files, flush their folders and the staging folders, observe each displaced file again and drop it, write the
//! record. It changes no content of a target. The file that an unflushable file replaced is kept.

use std::io;
use std::time::Duration;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::Receipt;
use editd_proto::path::FilePath;

use super::external;
use super::flushing::{FlushBatch, FlushState};
use super::recover::contents::is_whole;
use super::recover::repair::{RepairAim, RepairOutcome, find, repair};
use super::seal::{done_record, encode_receipt};
use crate::disk::drop::{DropConditions, DropOutcome, observe_late};
use crate::disk::{FileSnapshot, Observation};
use crate::limits::{SETTLE_AFTER_MS, SETTLE_BATCH, SETTLE_RETRY_MS, UNSETTLED};
use crate::record::{Entry, FileRecord, Record, SettleRecord};
use crate::state::path_cache::ObservationVersion;
use crate::state::step::JobStep;
use crate::state::unsettled::{OwnerKind, StagedFileState, WaitingEntry};
use crate::state::{WorkspaceState, lock};
use crate::store::LogPosition;

/// Settles the entries that are due, or with `all` every entry that can be. Returns the time until the next attempt
/// is due.
pub fn settle(state: &WorkspaceState, all: bool) -> Option<Duration> {
    let now = state.clock.monotonic();
    let again = roll_back_broken(state);
    settle_while(state, all, || true);
    #[cfg(windows)]
    state.disk.remove_busy_folders();
    let next = lock(&state.unsettled).next_due();
    next.map(|due| due.saturating_sub(now)).into_iter().chain(again).min()
}

/// Settles entries, the oldest first, until fewer than [`UNSETTLED`] wait. Returns false if as many cannot be settled.
pub fn make_room(state: &WorkspaceState) -> bool {
    let is_full = || lock(&state.unsettled).len() >= UNSETTLED;
    if is_full() {
        roll_back_broken(state);
        settle_while(state, true, is_full);
    }
    !is_full()
}

/// Settles the entries that are due, or with `all` every entry, in batches of [`SETTLE_BATCH`]. Each batch ends with its
/// records, so that a kill loses the work of one batch at most.
fn settle_while(state: &WorkspaceState, all: bool, goes_on: impl Fn() -> bool) {
    let now = state.clock.monotonic();
    // An entry that cannot be settled yet goes to the end of the queue, and is not taken again.
    let mut left = lock(&state.unsettled).due(now, all);
    while left > 0 && goes_on() {
        let due = lock(&state.unsettled).take_due(now, all, left.min(SETTLE_BATCH));
        if due.is_empty() {
            return;
        }
        left -= due.len();
        settle_batch(state, due, now);
    }
}

fn settle_batch(state: &WorkspaceState, mut due: Vec<WaitingEntry>, now: Duration) {
    flush_all(state, &mut due);
    rescue_replaced(state, &mut due);
    // Recovery uses the staged files to tell how far an unsealed job got: none is removed before its seal is durable.
    let owed = due.iter().any(|one| one.whose == OwnerKind::Sealed);
    let sealed = !owed || state.store.flush(state.store.end()).is_ok();
    let (mut records, mut void) = (Vec::new(), Vec::new());
    let (mut ended, mut later) = (Vec::new(), Vec::new());
    for mut one in due {
        let durable = sealed || one.whose != OwnerKind::Sealed;
        if durable && one.flushed && empty_staging(state, &mut one, now) {
            match one.whose {
                OwnerKind::Sealed => {
                    records.push(Record::Settle(SettleRecord { id: one.id, diverged: false }));
                    ended.push(one);
                }
                OwnerKind::Voided { intent } => void.push(intent),
                OwnerKind::Recovered => {}
            }
        } else {
            later.push(one);
        }
    }
    if !records.is_empty()
        && let Err(error) = state.store.append(&records)
    {
        // The disk may be full. An entry whose record is never written is settled once more after the next start.
        tracing::warn!(%error, "{} settled entries cannot be recorded yet; it is tried again", ended.len());
        later.append(&mut ended);
    }
    for one in &mut later {
        one.due = now + Duration::from_millis(one.pause);
        one.pause = one.pause.saturating_mul(2).min(SETTLE_RETRY_MS);
    }
    state.store.forget_void(&void);
    lock(&state.unsettled).waiting.extend(later);
    if !records.is_empty() {
        state.took(JobStep::Settle);
    }
}

/// Tries again to roll back broken jobs. Returns the time until the next attempt.
fn roll_back_broken(state: &WorkspaceState) -> Option<Duration> {
    if lock(&state.broken).is_empty() {
        return None;
    }
    if !std::mem::replace(&mut lock(&state.unsettled).rolling_back, true) {
        let _rolling_back = RollBackGuard(state);
        let broken = lock(&state.broken).clone();
        for entry in broken {
            match repair(state, &entry, RepairAim::Refused) {
                Ok(outcome) => {
                    release(state, &entry);
                    lock(&state.broken).retain(|other| other.id != entry.id);
                    end_undecided(state, &entry, outcome);
                }
                Err(error) => {
                    tracing::warn!(job = entry.id.0, %error, "a failed job cannot be rolled back yet; it is tried again")
                }
            }
        }
    }
    (!lock(&state.broken).is_empty()).then_some(Duration::from_millis(SETTLE_AFTER_MS))
}

/// Ends the marks of a repaired entry's paths, which its job left. Changes by other programs since the job were not
/// journaled because of these marks: they are now.
fn release(state: &WorkspaceState, entry: &Entry) {
    for file in &entry.files {
        let seen = match find(state, file) {
            Ok(Some(place)) => state.disk.observe(&place),
            Ok(None) => Ok(Observation::Absent),
            Err(error) => Err(error),
        };
        if let Ok(seen) = &seen {
            external::note(state, &file.path, seen, ObservationVersion::Lane, None, false);
        }
    }
    let paths: Vec<FilePath> = entry.files.iter().map(|file| file.path.clone()).collect();
    lock(&state.path_cache).end(&paths);
}

/// Removes an entry's job from those whose outcome is unknown. If it is detached and was rolled back, its refusal is
/// stored as its receipt; otherwise the next start would run it again.
fn end_undecided(state: &WorkspaceState, entry: &Entry, outcome: RepairOutcome) {
    if outcome == RepairOutcome::Voided
        && let Some(undecided) = lock(&state.undecided).numbered(entry.id).cloned()
    {
        let refused = Receipt { job: entry.queued, ..Receipt::refused(*undecided.rolled_back) };
        let record = done_record(state, entry, encode_receipt(&refused));
        if record.is_some_and(|record| state.store.append(&[record]).is_err()) {
            // The next start runs it again, as its first reply says.
            return;
        }
    }
    lock(&state.undecided).decided(entry.id);
}

/// While this exists no other thread rolls broken jobs back; dropped also by a panic.
struct RollBackGuard<'r>(&'r WorkspaceState);

impl Drop for RollBackGuard<'_> {
    fn drop(&mut self) {
        lock(&self.0.unsettled).rolling_back = false;
    }
}

/// Flushes one entry before its reply; its staged files are removed later.
///
/// # Errors
/// Errors of the system.
pub fn flush_now(state: &WorkspaceState, entry: &Entry) -> io::Result<()> {
    let (mut flushing, mut astray) = (FlushBatch::default(), false);
    for file in &entry.files {
        astray |= flushing.file(state, entry.id, file)? == FlushState::Astray;
    }
    if astray {
        // Settling observes the files again and keeps what they replaced.
        return Ok(());
    }
    let mut unsettled = lock(&state.unsettled);
    for one in unsettled.waiting.iter_mut().filter(|one| one.whose == OwnerKind::Sealed && one.id == entry.id)
    {
        one.flushed = true;
    }
    Ok(())
}

/// Leaves the staged files of a void entry to be removed. They hold what was staged, which another program may have
/// opened while it was at the target; or the displaced file, if another program had changed the target by then. They
/// are removed with the same care as those of sealed entries. `intent` is the position of the entry's intent.
pub fn leave_staging(state: &WorkspaceState, entry: &Entry, intent: LogPosition) {
    let now = state.clock.monotonic();
    lock(&state.unsettled).push(entry.id, &entry.files, Vec::new(), now, OwnerKind::Voided { intent });
}

/// Leaves one staged file that recovery or a rewrite is done with to be removed. `seen` is the content with which it
/// was observed, if the journal has that.
pub fn leave_staged(state: &WorkspaceState, id: JobId, file: FileRecord, seen: Option<ContentHash>) {
    let now = state.clock.monotonic();
    lock(&state.unsettled).push(id, &[file], seen.into_iter().collect(), now, OwnerKind::Recovered);
}

fn flush_all(state: &WorkspaceState, due: &mut [WaitingEntry]) {
    let mut flushing = FlushBatch::default();
    for one in due.iter_mut().filter(|one| !one.flushed) {
        one.flushed = true;
        for (file, staged) in one.files.iter().zip(&mut one.staged).filter(|(_, staged)| !staged.flushed) {
            match flushing.file(state, one.id, file) {
                Ok(left) => {
                    (staged.flushed, staged.failed) = (true, false);
                    // The journal may have the whole content that the file replaced.
                    staged.keep = left == FlushState::Astray && !is_whole(file);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => one.flushed = false,
                Err(error) => {
                    (one.flushed, staged.failed) = (false, true);
                    let path = &file.path;
                    tracing::warn!(%path, %error, "a job's file cannot be flushed; the file that it replaced is kept");
                }
            }
        }
    }
}

/// Stores the content of each displaced file whose replacement could not be flushed in the journal, so that the file can be
/// removed. A file that the journal cannot hold stays to be set aside.
fn rescue_replaced(state: &WorkspaceState, due: &mut [WaitingEntry]) {
    for one in due.iter_mut().filter(|one| one.flushed) {
        for (file, staged) in one.files.iter().zip(&mut one.staged).filter(|(_, staged)| staged.keep) {
            let path = &file.path;
            let found = match state.disk.observe_staged(&file.staging, &file.staged_name) {
                Ok(Observation::File(found)) => found,
                Ok(Observation::Absent) => {
                    // An earlier run removed it, and was killed before it had settled the entry.
                    staged.keep = false;
                    continue;
                }
                _ => continue,
            };
            match external::rescue_replaced(state, file, one.id, &found) {
                Ok(()) => {
                    tracing::warn!(%path, "the file was moved or replaced before it was flushed; its old content is in the journal");
                    staged.keep = false;
                    staged.rescued.push(found.meta.hash);
                }
                Err(error) => {
                    tracing::warn!(%path, %error, "the journal does not take the old content of a file");
                }
            }
        }
    }
}

/// Removes the staged files of an entry; returns false while one has a writer or could not be removed.
fn empty_staging(state: &WorkspaceState, one: &mut WaitingEntry, now: Duration) -> bool {
    let ripe = now.saturating_sub(one.since) >= Duration::from_millis(SETTLE_AFTER_MS);
    let mut empty = true;
    let journaled: Vec<ContentHash> = match one.whose {
        OwnerKind::Sealed | OwnerKind::Recovered => {
            let sides = one.files.iter().flat_map(|file| [&file.before, &file.after]).flatten();
            sides.map(|meta| meta.hash).collect()
        }
        OwnerKind::Voided { .. } => Vec::new(),
    };
    for (file, staged) in one.files.iter().zip(&mut one.staged) {
        if staged.done || !file.is_staged() {
            continue;
        }
        if staged.keep {
            staged.done = keep(state, file);
            empty &= staged.done;
            continue;
        }
        let of = StagedOwner { id: one.id, whose: one.whose, file };
        staged.done = match empty_staged(state, of, &journaled, staged, ripe) {
            Ok(done) => done,
            Err(error) => {
                tracing::warn!(path = %file.path, %error, "cannot delete a displaced file; it is kept");
                false
            }
        };
        empty &= staged.done;
    }
    empty
}

/// Sets aside a displaced file whose replacement was moved or replaced before it could be flushed; returns false if
/// the displaced file must stay where it is for now.
fn keep(state: &WorkspaceState, file: &FileRecord) -> bool {
    let path = &file.path;
    match state.disk.set_aside(&file.staging, &file.staged_name, state.clock.wall_ms()) {
        Ok(()) => {
            tracing::warn!(%path, "the file was moved or replaced before it was flushed; its old content is in .editd/lost");
            true
        }
        Err(error) => {
            tracing::warn!(%path, %error, "cannot move the old content to .editd/lost; it stays in .editd/staging");
            false
        }
    }
}

/// The owner of a staged file.
#[derive(Clone, Copy)]
struct StagedOwner<'a> {
    id: JobId,
    whose: OwnerKind,
    file: &'a FileRecord,
}

impl StagedOwner<'_> {
    /// Stores the content of a staged file in the journal, if the journal does not have it.
    fn rescue(self, state: &WorkspaceState, found: &FileSnapshot) -> io::Result<()> {
        let Self { id, whose, file } = self;
        match whose {
            OwnerKind::Sealed | OwnerKind::Recovered => {
                external::rescue_late(state, file, id, found)?;
                tracing::warn!(path = %file.path, "stored bytes in the journal that were written to a file after it was replaced");
            }
            // This is the very file that was staged, unchanged: its job did not happen, and no program wrote to it.
            OwnerKind::Voided { .. } if file.after.as_ref().is_some_and(|staged| found.is(staged)) => {}
            OwnerKind::Voided { .. } => {
                external::rescue_displaced(state, file, id, &found.meta, &found.bytes)?;
                tracing::warn!(path = %file.path, "stored a file in the journal that a rolled-back job had displaced");
            }
        }
        Ok(())
    }
}

fn empty_staged(
    state: &WorkspaceState,
    of: StagedOwner<'_>,
    journaled: &[ContentHash],
    staged: &mut StagedFileState,
    ripe: bool,
) -> io::Result<bool> {
    let hashes: Vec<ContentHash> = journaled.iter().chain(&staged.rescued).copied().collect();
    let known = DropConditions { hashes: &hashes, ripe };
    let mut found = Vec::new();
    let mut rescue = |late: &FileSnapshot| {
        of.rescue(state, late)?;
        found.push(late.meta.hash);
        Ok(())
    };
    let (staging, name) = (&of.file.staging, &of.file.staged_name);
    let done = match &staged.late {
        Some(late) => observe_late(late, known, &mut rescue),
        None => match state.disk.drop_staged(staging, name, known, &mut rescue) {
            Ok(DropOutcome::Gone) => Ok(true),
            Ok(DropOutcome::Wait) => Ok(false),
            Ok(DropOutcome::Open(late)) => {
                staged.late = Some(late);
                Ok(false)
            }
            Ok(DropOutcome::Keep) => {
                state.disk.set_aside(staging, name, state.clock.wall_ms()).map(|()| true)
            }
            Err(error) => Err(error),
        },
    };
    staged.rescued.extend(found);
    done
}

#[cfg(all(test, unix))]
mod tests;
