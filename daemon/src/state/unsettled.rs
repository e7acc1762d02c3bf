//! The entries that wait to be settled, and the files that they left. `journal::settle` works them off; this module only
//! holds them.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::path::FilePath;

use crate::limits::{HELD, SETTLE_AFTER_MS, SETTLE_LATEST_MS, SETTLE_PAUSE_MS, UNSETTLED};
use crate::os::{File, FileIdentity};
use crate::record::{Entry, FileRecord};
use crate::store::LogPosition;

/// Entries that wait to be settled, oldest first.
#[derive(Default)]
pub struct UnsettledEntries {
    /// The entries.
    pub(crate) waiting: VecDeque<WaitingEntry>,
    /// The files that the newest jobs left, until they are flushed.
    pub(crate) held: UnflushedFiles,
    /// The time at which the newest was added.
    last: Duration,
    /// True while a thread rolls broken jobs back: two threads would exchange their files to and fro.
    pub(crate) rolling_back: bool,
}

/// An entry that waits.
pub(crate) struct WaitingEntry {
    /// Its number.
    pub id: JobId,
    /// Its files, without their bytes.
    pub files: Vec<FileRecord>,
    /// The time at which it was sealed or became void.
    pub since: Duration,
    /// The time of the next attempt.
    pub due: Duration,
    /// The pause after the next attempt that finds a writer, in milliseconds.
    pub pause: u64,
    /// True if its files are on the disk.
    pub flushed: bool,
    /// The owner of its staged files.
    pub whose: OwnerKind,
    /// The progress of each staged file.
    pub staged: Vec<StagedFileState>,
}

/// The owner of staged files; it decides which contents the journal has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwnerKind {
    /// A sealed entry. The journal has both contents of its files, and it needs a settle record.
    Sealed,
    /// A void entry. Look-ups never find it, so the journal has nothing of what it displaced.
    Voided {
        /// The position of its intent.
        intent: LogPosition,
    },
    /// Recovery, which observed the staged file and stored unknown content in the journal.
    Recovered,
}

/// The progress of one staged file.
#[derive(Default)]
pub(crate) struct StagedFileState {
    /// Nothing is left to do.
    pub done: bool,
    /// The job's file, at its path or wherever it was moved, is on the disk.
    pub flushed: bool,
    /// The flush cannot be verified: the displaced file is kept until the journal has its content.
    pub keep: bool,
    /// The last flush failed.
    pub failed: bool,
    /// Contents that were found in it and are in the journal.
    pub rescued: Vec<ContentHash>,
    /// The file, if it has no name any more but still had a writer.
    pub late: Option<File>,
}

impl UnsettledEntries {
    /// Returns the number of entries that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Adds an entry that an earlier run of the daemon sealed. It is due at once.
    pub fn recovered(&mut self, entry: &Entry, now: Duration) {
        self.sealed(entry, now);
        self.waiting.back_mut().into_iter().for_each(|one| one.due = now);
    }

    /// Adds an entry that was sealed.
    pub fn sealed(&mut self, entry: &Entry, now: Duration) {
        self.push(entry.id, &entry.files, Vec::new(), now, OwnerKind::Sealed);
    }

    /// Adds the staged files of an owner; `seen` are contents of them that the journal has.
    pub(crate) fn push(
        &mut self,
        id: JobId,
        files: &[FileRecord],
        seen: Vec<ContentHash>,
        now: Duration,
        whose: OwnerKind,
    ) {
        let files = slim(files);
        let staged = files
            .iter()
            .map(|_| StagedFileState { rescued: seen.clone(), ..StagedFileState::default() })
            .collect();
        let due = now + Duration::from_millis(SETTLE_AFTER_MS);
        self.last = now;
        let (since, pause, flushed) = (now, SETTLE_AFTER_MS, whose != OwnerKind::Sealed);
        self.waiting.push_back(WaitingEntry { id, files, since, due, pause, flushed, whose, staged });
    }

    /// Returns the files whose last flush failed and will be tried again.
    pub fn failed(&self) -> Vec<FilePath> {
        let files = self.waiting.iter().flat_map(|one| one.files.iter().zip(&one.staged));
        files.filter(|(_, staged)| staged.failed).map(|(file, _)| file.path.clone()).collect()
    }

    /// Returns the staged names that are still to be removed.
    pub fn staged(&self) -> std::collections::BTreeSet<String> {
        self.waiting.iter().flat_map(|one| one.files.iter().map(|file| file.staged_name.clone())).collect()
    }

    /// Returns the number of names that a file still has because sealed jobs removed it from their paths.
    pub fn names_of(&self, file: FileIdentity) -> u64 {
        let sealed = self.waiting.iter().filter(|one| one.whose == OwnerKind::Sealed);
        let staged = sealed.flat_map(|one| one.files.iter().zip(&one.staged)).filter(|(record, staged)| {
            let before = record.before.as_ref().map(|meta| meta.identity);
            record.is_staged() && !staged.done && before == Some(file)
        });
        staged.count() as u64
    }

    /// Returns true if jobs follow each other so quickly that settling would delay them: it then waits for a pause,
    /// but not forever.
    fn in_a_burst(&self, now: Duration) -> bool {
        let rest = now.saturating_sub(self.last);
        let age = self.waiting.front().map_or(Duration::ZERO, |oldest| now.saturating_sub(oldest.since));
        rest < Duration::from_millis(SETTLE_PAUSE_MS)
            && age < Duration::from_millis(SETTLE_LATEST_MS)
            && self.waiting.len() < UNSETTLED / 4
    }

    /// Returns the number of entries that are due, or of all. In a burst of jobs none is due.
    pub(crate) fn due(&self, now: Duration, all: bool) -> usize {
        if !all && self.in_a_burst(now) {
            return 0;
        }
        self.waiting.iter().filter(|one| all || one.due <= now).count()
    }

    /// Takes at most so many of the entries that are due, or of all, the oldest first.
    pub(crate) fn take_due(&mut self, now: Duration, all: bool, most: usize) -> Vec<WaitingEntry> {
        let mut due = Vec::new();
        let mut later = VecDeque::new();
        while due.len() < most
            && let Some(one) = self.waiting.pop_front()
        {
            if all || one.due <= now { due.push(one) } else { later.push_back(one) }
        }
        later.append(&mut self.waiting);
        self.waiting = later;
        due
    }

    /// Returns the time of the next attempt.
    pub(crate) fn next_due(&self) -> Option<Duration> {
        let pause = self.last + Duration::from_millis(SETTLE_PAUSE_MS);
        self.waiting.iter().map(|one| one.due).min().map(|due| due.max(pause))
    }
}

/// Returns records without their bytes, which settling does not need.
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
        attributes: None,
    };
    files.iter().map(slim).collect()
}

/// The files that the newest sealed jobs left at their paths, until they are flushed.
#[derive(Default)]
pub(crate) struct UnflushedFiles {
    paths: HashMap<FilePath, NewestFile>,
}

/// The file that the newest job left at a path.
#[derive(Clone)]
pub(crate) enum NewestFile {
    /// No file.
    Absent,
    /// This file, which is kept open.
    File(FileIdentity, File),
}

impl UnflushedFiles {
    /// Returns the file that the newest job left at a path.
    pub(crate) fn newest(&self, path: &FilePath) -> Option<NewestFile> {
        self.paths.get(path).cloned()
    }

    /// Sets the file that the newest job left at a path; `None` if it could not be opened.
    pub(crate) fn put(&mut self, path: &FilePath, left: Option<NewestFile>) {
        self.paths.remove(path);
        if let Some(left) = left
            && self.paths.len() < HELD
        {
            self.paths.insert(path.clone(), left);
        }
    }

    /// Notes that nothing is left to flush for a path: the file left there is on the disk, or in the journal.
    pub(crate) fn done(&mut self, path: &FilePath) {
        if let Some(newest) = self.paths.get_mut(path) {
            *newest = NewestFile::Absent;
        }
    }

    /// Removes the path of a record whose file is flushed, unless a newer job left another file there.
    pub(crate) fn release(&mut self, file: &FileRecord) {
        let done = match (self.paths.get(&file.path), &file.after) {
            (Some(NewestFile::Absent), _) => true,
            (Some(NewestFile::File(held, _)), Some(meta)) => *held == meta.identity,
            _ => false,
        };
        if done {
            self.paths.remove(&file.path);
        }
    }
}
