//! Earlier contents of a file: kept, or made from the present content by applying the inverses of its entries in
//! memory. It only reads the journal and kept contents.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::path::FilePath;

use super::change;
use super::why::before;
use crate::disk::observation;
use crate::limits;
use crate::record::{ChangeMethod, ReadReceipt};
use crate::state::{WorkspaceState, readable};
use crate::store::{EntryQuery, StoreError};

/// Entries that are listed at once.
const PAGE: usize = 8;

/// The budget of one request for looking up earlier contents.
#[derive(Debug)]
pub struct PastBudget {
    entries: Cell<usize>,
    bytes: Cell<usize>,
    until: Duration,
    unread: OnceCell<(JobId, StoreError)>,
    is_spent: Cell<bool>,
    reached: Option<ReachedContents>,
}

/// The content of each path that the last look-up made. Older ones are made from it, so that a request that looks up
/// many contents of one file, the newest first, reads each entry once.
#[derive(Debug)]
struct ReachedContents {
    /// The contents wanted next are those before and after this entry, or older.
    below: Cell<JobId>,
    /// The bytes that the contents may still take.
    room: Cell<usize>,
    contents: RefCell<BTreeMap<FilePath, ReachedContent>>,
}

/// A content that a file had before an entry.
#[derive(Debug)]
struct ReachedContent {
    entry: JobId,
    hash: ContentHash,
    bytes: Vec<u8>,
}

impl PastBudget {
    /// The budget of requests that ask for an earlier content.
    pub const fn whole() -> Self {
        Self {
            entries: Cell::new(limits::PAST_ENTRIES),
            bytes: Cell::new(limits::PAST_BYTES),
            until: Duration::MAX,
            unread: OnceCell::new(),
            is_spent: Cell::new(false),
            reached: None,
        }
    }

    /// The budget of an undo or redo, which holds so many bytes of earlier contents from one look-up to the next. The
    /// present content of each path must be the same in all its look-ups.
    pub fn of_undo(room: usize) -> Self {
        let contents = RefCell::default();
        Self {
            entries: Cell::new(limits::UNDO_PAST_ENTRIES),
            bytes: Cell::new(limits::UNDO_PAST_BYTES),
            reached: Some(ReachedContents { below: Cell::new(JobId(0)), room: Cell::new(room), contents }),
            ..Self::whole()
        }
    }

    /// The budget of an edit or a read, from now on: they can do without an earlier content.
    pub fn short(state: &WorkspaceState) -> Self {
        let until = state.clock.monotonic().saturating_add(Duration::from_millis(limits::PAST_MS));
        Self { until, ..Self::whole() }
    }

    /// The budget of an entry for a change by another program: without the earlier content, the change cannot be undone.
    pub fn of_entry(state: &WorkspaceState) -> Self {
        let until = state.clock.monotonic().saturating_add(Duration::from_millis(limits::EARLIER_MS));
        Self { until, ..Self::whole() }
    }

    /// The budget of showing changes that their entries have: without earlier contents, their lines have no numbers.
    pub fn of_shown() -> Self {
        Self { entries: Cell::new(limits::SHOWN_PAST_ENTRIES), ..Self::whole() }
    }

    /// Returns the first entry that could not be read, and the error: the look-up ended there.
    pub fn unread(&self) -> Option<&(JobId, StoreError)> {
        self.unread.get()
    }

    /// Returns true if a look-up ended since the budget was spent.
    pub fn is_spent(&self) -> bool {
        self.is_spent.get()
    }

    /// Announces look-ups of contents that an entry replaced or left.
    pub fn turns_to(&self, id: JobId) {
        if let Some(reached) = &self.reached {
            reached.below.set(id);
        }
    }

    /// Takes the content from which those that are looked up now can be made.
    fn take_reached(&self, path: &FilePath) -> Option<ReachedContent> {
        let reached = self.reached.as_ref()?;
        let content = reached.contents.try_borrow_mut().ok()?.remove(path)?;
        reached.room.set(reached.room.get().saturating_add(content.bytes.len()));
        (content.entry > reached.below.get()).then_some(content)
    }

    /// Keeps a content, if there is room for it.
    fn keep_reached(&self, path: &FilePath, (entry, hash): (JobId, ContentHash), bytes: &[u8]) {
        let Some(reached) = &self.reached else { return };
        let Some(room) = reached.room.get().checked_sub(bytes.len()) else { return };
        if let Ok(mut contents) = reached.contents.try_borrow_mut() {
            contents.insert(path.clone(), ReachedContent { entry, hash, bytes: bytes.to_vec() });
            reached.room.set(room);
        }
    }

    /// Returns what was read of an entry, or keeps the error.
    fn read<T>(&self, id: JobId, read: Result<T, StoreError>) -> Option<T> {
        read.map_err(|error| self.unread.get_or_init(|| (id, error))).ok()
    }

    /// Takes the bytes of an entry's record and of the file after it from the budget; false if they exceed it, and then
    /// no more entries are allowed.
    fn spend(&self, state: &WorkspaceState, bytes: usize) -> bool {
        let in_time = self.until == Duration::MAX || state.clock.monotonic() < self.until;
        let left = self.entries.get().checked_sub(1).zip(self.bytes.get().checked_sub(bytes));
        let (entries, bytes) = left.filter(|_| in_time).unwrap_or((0, self.bytes.get()));
        self.entries.set(entries);
        self.bytes.set(bytes);
        let fits = in_time && left.is_some();
        self.is_spent.set(self.is_spent.get() || !fits);
        fits
    }
}

/// Returns a content that is still kept, if the memory budget has room for it now.
pub fn kept(state: &WorkspaceState, hash: ContentHash) -> Option<Vec<u8>> {
    let size = state.store.content_size(hash)?;
    let _reservation = state.memory.try_acquire(size.saturating_mul(2))?;
    state.store.content(hash)
}

/// Returns the content of a read receipt: kept, or made from the present content `now`. `None` if it is neither, or the
/// memory budget or `patience` has no room for it.
pub fn of_receipt(
    state: &WorkspaceState,
    seen: &ReadReceipt,
    now: (ContentHash, &[u8]),
    patience: &PastBudget,
) -> Option<Vec<u8>> {
    let hash = seen.hash?;
    let made = || content(state, (&seen.path, since(seen)), Some(now), patience, &|other, _| other == hash);
    kept(state, hash).or_else(|| made().map(|(_, bytes)| bytes))
}

/// Returns the time of the oldest entry that may have replaced the content of a read receipt, in milliseconds since
/// 1970.
pub const fn since(seen: &ReadReceipt) -> u64 {
    seen.time.saturating_sub(limits::PAST_SLACK_MS)
}

/// Returns the newest content before one of the file's last entries for which `meant` returns true. `now` is the
/// present content, if there is a file. `None` if no entry made at `since` or later matches, the bytes of that content
/// are no longer stored, or the budget is spent.
pub fn content(
    state: &WorkspaceState,
    (path, since): (&FilePath, u64),
    now: Option<(ContentHash, &[u8])>,
    patience: &PastBudget,
    meant: &dyn Fn(ContentHash, &[u8]) -> bool,
) -> Option<(ContentHash, Vec<u8>)> {
    let now = match now {
        Some((hash, bytes)) => (Some(hash), Cow::Borrowed(bytes)),
        None => (None, Cow::Borrowed(&[][..])),
    };
    let Some(reached) = patience.take_reached(path) else {
        return search(state, (path, since), (None, now), patience, meant);
    };
    if meant(reached.hash, &reached.bytes) {
        patience.keep_reached(path, (reached.entry, reached.hash), &reached.bytes);
        return Some((reached.hash, reached.bytes));
    }
    let from = (Some(reached.entry), (Some(reached.hash), Cow::Owned(reached.bytes)));
    search(state, (path, since), from, patience, meant)
        .or_else(|| search(state, (path, since), (None, now), patience, meant))
}

/// A content with its hash; `None` if there is no file.
type HashedContent<'c> = (Option<ContentHash>, Cow<'c, [u8]>);

/// Searches the entries of a path, or those before `before`, the newest first. `later` is the content before that entry.
fn search(
    state: &WorkspaceState,
    (path, since): (&FilePath, u64),
    (entry, later): (Option<JobId>, HashedContent<'_>),
    patience: &PastBudget,
    meant: &dyn Fn(ContentHash, &[u8]) -> bool,
) -> Option<(ContentHash, Vec<u8>)> {
    let mut later = Some(later);
    let mut query =
        EntryQuery { path: Some(path.clone()), before: entry, limit: PAGE, ..EntryQuery::default() };
    loop {
        let page = state.store.page(&query).ok()?;
        query.before = Some(*page.last()?);
        for id in page {
            let held = later.as_ref().map_or(0, |(_, bytes)| bytes.len());
            // Retention removed the entry a moment ago.
            let Some(size) = patience.read(id, state.store.entry_size(id))? else { continue };
            if !patience.spend(state, size.saturating_add(held)) {
                return None;
            }
            let holds = size.saturating_mul(limits::ENTRY_HOLDS).saturating_add(held.saturating_mul(2));
            let _reservation = state.memory.try_acquire(holds)?;
            let entry = patience.read(id, state.store.entry(id))??;
            if entry.time < since {
                return None;
            }
            let mut records = entry
                .files
                .iter()
                .rev()
                .filter(|file| file.path == *path && file.how != ChangeMethod::Rescued)
                .peekable();
            while let Some(file) = records.next() {
                let made = before(state, file, later.take());
                let hash = file.before.as_ref().map(|meta| meta.hash);
                match (hash, made) {
                    (Some(hash), Some(made)) if meant(hash, &made) => {
                        if records.peek().is_none() {
                            patience.keep_reached(path, (id, hash), &made);
                        }
                        return Some((hash, made));
                    }
                    (_, made) => later = made.map(|made| (hash, Cow::Owned(made))),
                }
            }
        }
    }
}

/// Returns the content that the newest entry of a path left, or the newest one with a lower number than `before`, made
/// from the journal alone: the newest state that an entry has whole, with the changes of later entries applied. `None` if
/// no entry has one, that entry did not leave the content `hash`, or the budget is spent.
pub fn left(
    state: &WorkspaceState,
    (path, before): (&FilePath, Option<JobId>),
    hash: ContentHash,
    patience: &PastBudget,
) -> Option<Vec<u8>> {
    let (mut wanted, mut later, mut held) = (hash, Vec::new(), Vec::new());
    let mut query = EntryQuery { path: Some(path.clone()), before, limit: PAGE, ..EntryQuery::default() };
    loop {
        let page = state.store.page(&query).ok()?;
        query.before = Some(*page.last()?);
        for id in page {
            // Retention removed the entry a moment ago.
            let Some(size) = patience.read(id, state.store.entry_size(id))? else { continue };
            if !patience.spend(state, size) {
                return None;
            }
            held.push(state.memory.try_acquire(size.saturating_mul(limits::ENTRY_HOLDS))?);
            let entry = patience.read(id, state.store.entry(id))??;
            let records = entry.files.into_iter().rev().filter(|file| file.path == *path);
            for file in records.filter(|file| file.how != ChangeMethod::Rescued) {
                let after = file.after.as_ref().filter(|after| after.hash == wanted)?;
                let _reservation = state.memory.try_acquire(readable(after.size).saturating_mul(4))?;
                if let Some((_, whole)) = change::states(state, &file, None) {
                    let made =
                        later.iter().rev().try_fold(whole.bytes().to_vec(), |made, splices: &Vec<_>| {
                            editd_engine::apply(&made, splices)
                        })?;
                    return (observation::hash(&made) == hash).then_some(made);
                }
                wanted = file.before.as_ref()?.hash;
                later.push(file.splices);
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
