//! The pages of a tree that are kept in memory, by their checksums: a page that was changed has another one, so nothing
//! here is ever out of date.

use std::collections::HashMap;
use std::sync::Arc;

use super::page::TreePage;
use crate::limits;
use crate::store::log::frame::Checksum;

/// Two generations of pages. If the younger one is full, the older one is dropped, and the younger takes its place.
#[derive(Default)]
pub(super) struct PageCache {
    young: HashMap<Checksum, Arc<TreePage>>,
    old: HashMap<Checksum, Arc<TreePage>>,
    /// The bytes of the younger pages.
    bytes: usize,
}

impl PageCache {
    /// Returns a page if it is kept.
    pub(super) fn get(&mut self, sum: &Checksum) -> Option<Arc<TreePage>> {
        if let Some(page) = self.young.get(sum) {
            return Some(Arc::clone(page));
        }
        let page = self.old.remove(sum)?;
        self.keep(*sum, &page);
        Some(page)
    }

    /// Keeps a page.
    pub(super) fn keep(&mut self, sum: Checksum, page: &Arc<TreePage>) {
        if self.young.insert(sum, Arc::clone(page)).is_none() {
            self.bytes += page.size();
        }
        if self.bytes > limits::DATABASE_PAGES / 2 {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
    }

    /// Drops a page that was changed.
    pub(super) fn drop_page(&mut self, sum: &Checksum) {
        match self.young.remove(sum) {
            Some(page) => self.bytes = self.bytes.saturating_sub(page.size()),
            None => drop(self.old.remove(sum)),
        }
    }
}
