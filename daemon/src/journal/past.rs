//! Earlier contents of a file: kept, or made from what is there now by taking its entries back in thought. It only
//! reads the journal and kept contents.

use std::borrow::Cow;
use std::cell::Cell;

use editd_proto::ids::ContentHash;
use editd_proto::path::WirePath;

use super::why::before;
use crate::limits;
use crate::state::WorkspaceState;
use crate::store::EntryQuery;
use crate::store::record::ChangeMethod;

/// Entries that are listed at once.
const PAGE: usize = 8;

/// What one job may still spend on this.
#[derive(Debug)]
pub struct PastBudget {
    entries: Cell<usize>,
    bytes: Cell<usize>,
}

impl PastBudget {
    /// All of it.
    pub const fn whole() -> Self {
        Self { entries: Cell::new(limits::PAST_ENTRIES), bytes: Cell::new(limits::PAST_BYTES) }
    }

    /// Whether an entry may be read whose record, and a file behind it, have so many bytes together.
    fn spend(&self, bytes: usize) -> bool {
        let left = self.entries.get().checked_sub(1).zip(self.bytes.get().checked_sub(bytes));
        let (entries, bytes) = left.unwrap_or((0, self.bytes.get()));
        self.entries.set(entries);
        self.bytes.set(bytes);
        left.is_some()
    }
}

/// A content that is still kept, where there is room for it at once.
pub fn kept(state: &WorkspaceState, hash: ContentHash) -> Option<Vec<u8>> {
    let size = state.store.content_size(hash)?;
    let _reservation = state.memory.try_acquire(size.saturating_mul(2))?;
    state.store.content(hash)
}

/// The newest content for which `meant` holds that a file had before one of its last entries. `now` is what is
/// there, if anything is. `None` where there is none, its bytes are not held any more, or patience ran out.
pub fn content(
    state: &WorkspaceState,
    path: &WirePath,
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
            // Gone where retention took it a moment ago.
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
                let hash = file.before.as_ref().map(|face| face.hash);
                match (hash, made) {
                    (Some(hash), Some(made)) if meant(hash, &made) => return Some((hash, made)),
                    (_, made) => later = made.map(|made| (hash, Cow::Owned(made))),
                }
            }
        }
    }
}
