//! Settling: behind the jobs, what they left is made durable and what they displaced is dropped, in this order:
//! flush the files, flush their folders and those of the slots, look at each displaced file again and drop it,
//! write the record. It changes no content of a target. What cannot be flushed keeps what it replaced.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::path::WirePath;

use super::external;
use super::flushing::{FlushBatch, FlushState, UnflushedFiles};
use super::recover::repair::{RepairAim, repair};
use crate::disk::FileSnapshot;
use crate::disk::drop::{DropConditions, DropOutcome, observe_late};
use crate::job::step::Step;
use crate::limits::{SETTLE_AFTER_MS, SETTLE_LATEST_MS, SETTLE_PAUSE_MS, SETTLE_RETRY_MS, UNSETTLED};
use crate::os::File;
use crate::state::{WorkspaceState, lock};
use crate::store::record::{ChangeMethod, Entry, FileRecord, Record, Settle};

/// Entries that wait to be settled, oldest first.
#[derive(Default)]
pub struct Unsettled {
    waiting: VecDeque<Waiting>,
    pub(super) held: UnflushedFiles,
    /// When the newest was sealed.
    last: Duration,
    /// Somebody takes broken jobs back, right now: two would exchange their files to and fro.
    mending: bool,
}

struct Waiting {
    id: JobId,
    files: Vec<FileRecord>,
    /// When it was sealed or voided.
    since: Duration,
    /// When to look at it next.
    due: Duration,
    /// The pause after the next look that finds a writer, milliseconds.
    pause: u64,
    flushed: bool,
    whose: Whose,
    staged: Vec<StagedFileState>,
}

/// Whose slots they are, and so what the journal has of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whose {
    /// A sealed entry. It tells both sides of its files, and is owed a settle record.
    Sealed,
    /// An entry that was taken back: nobody finds it any more, so nothing of what it displaced is in the journal.
    Voided,
    /// Recovery, which looked at the slot and took into the journal what was not there.
    Recovered,
}

/// How far the slot of one file is.
#[derive(Default)]
struct StagedFileState {
    done: bool,
    /// What stands for it at its path, or wherever that was moved, is on the disk.
    flushed: bool,
    /// Nobody knows whether: its file is kept.
    keep: bool,
    /// The last flush failed.
    failed: bool,
    /// Contents that were found there and are in the journal.
    rescued: Vec<ContentHash>,
    /// Its file, which has no name any more but still had a writer.
    late: Option<File>,
}

impl Unsettled {
    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// An entry was sealed.
    pub fn sealed(&mut self, entry: &Entry, now: Duration) {
        self.push(entry.id, slim(&entry.files), Vec::new(), now, Whose::Sealed);
    }

    fn push(
        &mut self,
        id: JobId,
        files: Vec<FileRecord>,
        seen: Vec<ContentHash>,
        now: Duration,
        whose: Whose,
    ) {
        let staged = files
            .iter()
            .map(|_| StagedFileState { rescued: seen.clone(), ..StagedFileState::default() })
            .collect();
        let due = now + Duration::from_millis(SETTLE_AFTER_MS);
        self.last = now;
        let (since, pause, flushed) = (now, SETTLE_AFTER_MS, whose != Whose::Sealed);
        self.waiting.push_back(Waiting { id, files, since, due, pause, flushed, whose, staged });
    }

    /// The files whose last flush failed, and which wait for the next.
    pub fn failed(&self) -> Vec<WirePath> {
        let files = self.waiting.iter().flat_map(|one| one.files.iter().zip(&one.staged));
        files.filter(|(_, staged)| staged.failed).map(|(file, _)| file.path.clone()).collect()
    }

    /// The slots that are still to be emptied.
    pub fn staged(&self) -> std::collections::BTreeSet<String> {
        self.waiting.iter().flat_map(|one| one.files.iter().map(|file| file.staged_name.clone())).collect()
    }

    /// Whether jobs follow each other so quickly that settling would be in their way: it then waits for a pause,
    /// but not for ever.
    fn in_a_burst(&self, now: Duration) -> bool {
        let rest = now.saturating_sub(self.last);
        let age = self.waiting.front().map_or(Duration::ZERO, |oldest| now.saturating_sub(oldest.since));
        rest < Duration::from_millis(SETTLE_PAUSE_MS)
            && age < Duration::from_millis(SETTLE_LATEST_MS)
            && self.waiting.len() < UNSETTLED / 4
    }

    fn take_due(&mut self, now: Duration, all: bool) -> Vec<Waiting> {
        if !all && self.in_a_burst(now) {
            return Vec::new();
        }
        let (due, later): (VecDeque<_>, _) = self.waiting.drain(..).partition(|one| all || one.due <= now);
        self.waiting = later;
        due.into()
    }

    fn next_due(&self) -> Option<Duration> {
        let pause = self.last + Duration::from_millis(SETTLE_PAUSE_MS);
        self.waiting.iter().map(|one| one.due).min().map(|due| due.max(pause))
    }
}

/// Settles what is due, or `all` that can be. Returns how long until the next look is due.
pub fn settle(state: &WorkspaceState, all: bool) -> Option<Duration> {
    let now = state.clock.monotonic();
    let again = mend_broken(state);
    let mut due = lock(&state.unsettled).take_due(now, all);
    flush_all(state, &mut due);
    // By its slots recovery tells how far a job had come that is not sealed: none is emptied before its seal is durable.
    let owed = due.iter().any(|one| one.whose == Whose::Sealed);
    let sealed = !owed || state.store.flush(state.store.end()).is_ok();
    let mut records = Vec::new();
    let mut later = Vec::new();
    for mut one in due {
        let durable = sealed || one.whose != Whose::Sealed;
        if durable && one.flushed && empty_staging(state, &mut one, now) {
            if one.whose == Whose::Sealed {
                records.push(Record::Settle(Settle { id: one.id, diverged: false }));
            }
        } else {
            one.due = now + Duration::from_millis(one.pause);
            one.pause = one.pause.saturating_mul(2).min(SETTLE_RETRY_MS);
            later.push(one);
        }
    }
    // An entry whose record is not written is settled once more after the next start: that is harmless.
    let wrote = records.is_empty() || state.store.append(&records).is_ok();
    debug_assert!(wrote || state.store.failed().is_some(), "only a failed log refuses a record");
    let mut unsettled = lock(&state.unsettled);
    unsettled.waiting.extend(later);
    let next = unsettled.next_due();
    drop(unsettled);
    if !records.is_empty() {
        state.took(Step::Settle);
    }
    next.map(|due| due.saturating_sub(now)).into_iter().chain(again).min()
}

/// Tries again to take back jobs that broke. Returns when to try once more.
fn mend_broken(state: &WorkspaceState) -> Option<Duration> {
    if lock(&state.broken).is_empty() {
        return None;
    }
    if !std::mem::replace(&mut lock(&state.unsettled).mending, true) {
        let _mending = Mending(state);
        let broken = lock(&state.broken).clone();
        for entry in broken {
            match repair(state, &entry, RepairAim::Refused) {
                Ok(_) => lock(&state.broken).retain(|other| other.id != entry.id),
                Err(error) => {
                    tracing::warn!(job = entry.id.0, %error, "a broken job cannot be taken back yet")
                }
            }
        }
    }
    (!lock(&state.broken).is_empty()).then_some(Duration::from_millis(SETTLE_AFTER_MS))
}

/// Until it is dropped, also by a panic, nobody else takes broken jobs back.
struct Mending<'r>(&'r WorkspaceState);

impl Drop for Mending<'_> {
    fn drop(&mut self) {
        lock(&self.0.unsettled).mending = false;
    }
}

/// Flushes one entry before its reply; its slots are emptied later.
///
/// # Errors
/// What the system says.
pub fn flush_now(state: &WorkspaceState, entry: &Entry) -> io::Result<()> {
    let (mut flushing, mut astray) = (FlushBatch::default(), false);
    for file in &entry.files {
        astray |= flushing.file(state, entry.id, file)? == FlushState::Astray;
    }
    if astray {
        // Settling looks again, and keeps what it replaced.
        return Ok(());
    }
    let mut unsettled = lock(&state.unsettled);
    for one in unsettled.waiting.iter_mut().filter(|one| one.whose == Whose::Sealed && one.id == entry.id) {
        one.flushed = true;
    }
    Ok(())
}

/// The slots of a voided entry hold what was staged for it, and somebody may have opened that in the moment in which
/// it had a name; or, where others had changed the target by then, what had been displaced. They are emptied with the
/// same care.
pub fn leave_staging(state: &WorkspaceState, entry: &Entry) {
    let now = state.clock.monotonic();
    lock(&state.unsettled).push(entry.id, slim(&entry.files), Vec::new(), now, Whose::Voided);
}

/// One slot that recovery has done with, and what it was seen to hold.
pub fn leave_staged(state: &WorkspaceState, id: JobId, file: FileRecord, seen: Option<ContentHash>) {
    let now = state.clock.monotonic();
    lock(&state.unsettled).push(id, slim(&[file]), seen.into_iter().collect(), now, Whose::Recovered);
}

/// Records without their bytes, which settling does not need.
fn slim(files: &[FileRecord]) -> Vec<FileRecord> {
    let slim = |file: &FileRecord| FileRecord {
        path: file.path.clone(),
        before: file.before.clone(),
        after: file.after.clone(),
        splices: Vec::new(),
        how: file.how,
        staged_name: file.staged_name.clone(),
        staging: file.staging.clone(),
        made: file.made.clone(),
        added: file.added,
        removed: file.removed,
        extents: Vec::new(),
    };
    files.iter().map(slim).collect()
}

fn flush_all(state: &WorkspaceState, due: &mut [Waiting]) {
    let mut flushing = FlushBatch::default();
    for one in due.iter_mut().filter(|one| !one.flushed) {
        one.flushed = true;
        for (file, staged) in one.files.iter().zip(&mut one.staged).filter(|(_, staged)| !staged.flushed) {
            match flushing.file(state, one.id, file) {
                Ok(left) => {
                    (staged.flushed, staged.failed) = (true, false);
                    staged.keep = left == FlushState::Astray;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => one.flushed = false,
                Err(error) => {
                    (one.flushed, staged.failed) = (false, true);
                    let path = &file.path;
                    tracing::warn!(%path, %error, "what a job wrote cannot be flushed; what it replaced is kept");
                }
            }
        }
    }
}

/// Empties the slots of an entry; `false` while one has a writer, or could not be emptied.
fn empty_staging(state: &WorkspaceState, one: &mut Waiting, now: Duration) -> bool {
    let ripe = now.saturating_sub(one.since) >= Duration::from_millis(SETTLE_AFTER_MS);
    let mut empty = true;
    let journaled: Vec<ContentHash> = match one.whose {
        Whose::Sealed | Whose::Recovered => {
            let sides = one.files.iter().flat_map(|file| [&file.before, &file.after]).flatten();
            sides.map(|face| face.hash).collect()
        }
        Whose::Voided => Vec::new(),
    };
    for (file, staged) in one.files.iter().zip(&mut one.staged) {
        if staged.done
            || matches!(file.how, ChangeMethod::InPlace | ChangeMethod::Nothing | ChangeMethod::Rescued)
        {
            continue;
        }
        if staged.keep {
            staged.done = keep(state, file);
            empty &= staged.done;
            continue;
        }
        let of = Owner { id: one.id, whose: one.whose, file };
        staged.done = match empty_staged(state, of, &journaled, staged, ripe) {
            Ok(done) => done,
            Err(error) => {
                tracing::warn!(path = %file.path, %error, "cannot drop what was displaced; it is kept");
                false
            }
        };
        empty &= staged.done;
    }
    empty
}

/// Sets aside what a file replaced that was moved or replaced before it could be flushed; `false` where it must stay
/// where it is.
fn keep(state: &WorkspaceState, file: &FileRecord) -> bool {
    let path = &file.path;
    match state.disk.set_aside(&file.staging, &file.staged_name, state.clock.wall_ms()) {
        Ok(()) => {
            tracing::warn!(%path, "it was moved or replaced before it was flushed; what it held before its job is in .editd/lost");
            true
        }
        Err(error) => {
            tracing::warn!(%path, %error, "cannot set aside what it held before its job; it stays in .editd/staging");
            false
        }
    }
}

/// Whose slot it is.
#[derive(Clone, Copy)]
struct Owner<'a> {
    id: JobId,
    whose: Whose,
    file: &'a FileRecord,
}

impl Owner<'_> {
    /// Takes what a slot holds into the journal, which has it not.
    fn rescue(self, state: &WorkspaceState, found: &FileSnapshot) -> io::Result<()> {
        let Self { id, whose, file } = self;
        match whose {
            Whose::Sealed | Whose::Recovered => {
                external::rescue_late(state, file, id, found)?;
                tracing::warn!(path = %file.path, "rescued what was written to a file after it was replaced");
            }
            // The very file that was staged, as it was staged: its job did not happen, and nobody else wrote to it.
            Whose::Voided if file.after.as_ref().is_some_and(|staged| found.is(staged)) => {}
            Whose::Voided => {
                external::rescue_displaced(state, file, id, &found.face, &found.bytes)?;
                tracing::warn!(path = %file.path, "rescued what a job that was taken back had displaced");
            }
        }
        Ok(())
    }
}

fn empty_staged(
    state: &WorkspaceState,
    of: Owner<'_>,
    journaled: &[ContentHash],
    staged: &mut StagedFileState,
    ripe: bool,
) -> io::Result<bool> {
    let hashes: Vec<ContentHash> = journaled.iter().chain(&staged.rescued).copied().collect();
    let known = DropConditions { hashes: &hashes, ripe };
    let mut found = Vec::new();
    let mut rescue = |late: &FileSnapshot| {
        of.rescue(state, late)?;
        found.push(late.face.hash);
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
