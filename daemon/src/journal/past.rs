//! Earlier contents of a file: kept, or made from the present content by applying the inverses of its entries in
//! memory. It only reads the journal and kept contents.

use std::borrow::Cow;
use std::cell::Cell;

use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use super::why::before;
use crate::limits;
use crate::record::ChangeMethod;
use crate::state::WorkspaceState;
use crate::store::EntryQuery;

/// Entries that are listed at once.
const PAGE: usize = 8;

/// The budget of one job for looking up earlier contents.
#[derive(Debug)]
pub struct PastBudget {
    entries: Cell<usize>,
    bytes: Cell<usize>,
}

impl PastBudget {
    /// A full budget.
    pub const fn whole() -> Self {
        Self { entries: Cell::new(limits::PAST_ENTRIES), bytes: Cell::new(limits::PAST_BYTES) }
    }

    /// Takes the bytes of an entry's record and of the file after it from the budget; false if they exceed it, and then
    /// no more entries are allowed.
    fn spend(&self, bytes: usize) -> bool {
        let left = self.entries.get().checked_sub(1).zip(self.bytes.get().checked_sub(bytes));
        let (entries, bytes) = left.unwrap_or((0, self.bytes.get()));
        self.entries.set(entries);
        self.bytes.set(bytes);
        left.is_some()
    }
}

/// Returns a content that is still kept, if the memory budget has room for it now.
pub fn kept(state: &WorkspaceState, hash: ContentHash) -> Option<Vec<u8>> {
    let size = state.store.content_size(hash)?;
    let _reservation = state.memory.try_acquire(size.saturating_mul(2))?;
    state.store.content(hash)
}

/// Returns the earlier content of a path with a hash: kept, or made from the present content `now`. `None` if it is
/// neither, or the memory budget or `patience` has no room for it.
pub fn with_hash(
    state: &WorkspaceState,
    (path, hash): (&FilePath, ContentHash),
    now: (ContentHash, &[u8]),
    patience: &PastBudget,
) -> Option<Vec<u8>> {
    let made = || content(state, path, Some(now), patience, &|other, _| other == hash);
    kept(state, hash).or_else(|| made().map(|(_, bytes)| bytes))
}

/// Returns the newest content before one of the file's last entries for which `meant` returns true. `now` is the
/// present content, if there is a file. `None` if no content matches, its bytes are no longer stored, or the budget
/// is spent.
pub fn content(
    state: &WorkspaceState,
    path: &FilePath,
    now: Option<(ContentHash, &[u8])>,
    patience: &PastBudget,
    meant: &dyn Fn(ContentHash, &[u8]) -> bool,
) -> Option<(ContentHash, Vec<u8>)> {
    let mut later = Some(match now {
        Some((hash, bytes)) => (Some(hash), Cow::Borrowed(bytes)),
        None => (None, Cow::Borrowed(&[][..])),
    });
    let mut query = EntryQuery { path: Some(path.clone()), limit: PAGE, ..EntryQuery::default() };
    loop {
        let page = state.store.page(&query).ok()?;
        query.before = Some(*page.last()?);
        for id in page {
            let held = later.as_ref().map_or(0, |(_, bytes)| bytes.len());
            // Retention removed the entry a moment ago.
            let Some(size) = state.store.entry_size(id).ok()? else { continue };
            if !patience.spend(size.saturating_add(held)) {
                return None;
            }
            let holds = size.saturating_mul(limits::ENTRY_HOLDS).saturating_add(held.saturating_mul(2));
            let _reservation = state.memory.try_acquire(holds)?;
            let entry = state.store.entry(id).ok()??;
            let records = entry.files.iter().rev().filter(|file| file.path == *path);
            for file in records.filter(|file| file.how != ChangeMethod::Rescued) {
                let made = before(state, file, later.take());
                let hash = file.before.as_ref().map(|meta| meta.hash);
                match (hash, made) {
                    (Some(hash), Some(made)) if meant(hash, &made) => return Some((hash, made)),
                    (_, made) => later = made.map(|made| (hash, Cow::Owned(made))),
                }
            }
        }
    }
}
