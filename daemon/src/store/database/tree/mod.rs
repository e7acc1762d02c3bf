//! A database that checks all that it reads: its rows are in pages, which form a tree, and every link to a page has the
//! checksum of that page. It keeps the pages in another database, which need not be trusted.
//!
//! *Reason*: sled 0.34.7 loses rows, or shows older ones, without an error. A lost row could let a repeated job run twice,
//! or let an edit pass that is stale. To read every row at each start, as editd once did, took longer the longer the
//! journal was. Here, a row that is read has been compared with the root, through the pages that lead to it. The root
//! is one small row with its own checksum, and its tree holds the position in the log that the rows reach. So a state
//! of the database is either whole, as far as it is read, or it is found out before its answer is used: a lost page, an
//! older page and a page of another state all have another checksum. A missing row is as certain as one that is
//! there. Nothing of this depends on the reason for the end of the last daemon: the effects of a kill and of a power
//! cut are found out in the same way. They are an error of the database, which is then rebuilt from the log.
//!
//! *Size*: a page is packed, and holds many rows. sled takes some hundred bytes of memory for each row that it has, and
//! reads all of its file behind its last snapshot when it is opened.
//!
//! *Layout*: a page is a row with the key `#` and its number (big-endian); [`page`] has its value. Pages of level 0 hold rows.
//! Pages of higher levels hold links to those of the level below. The key of a link is not higher than any key in its page,
//! except in the first page of a level. The row [`ROOT`] leads to the only page of the highest level.
//!
//! *Invariants*: pages are changed in place, and the root is written last, so readers are kept out meanwhile. If a kill
//! ends a change that does not fit one batch, the root does not match its pages.

mod cache;
mod change;
mod page;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use serde::{Deserialize, Serialize};

use self::cache::PageCache;
use self::page::{PageLink, PagePacker, TreePage};
use super::{Database, DatabaseError, DatabaseRow, LiveRows};
use crate::store::index::RowUpdates;
use crate::store::log::frame::{Checksum, digest};
use crate::sync::lock;

/// The key of the root.
const ROOT: &[u8] = b"root";

/// The version of the layout.
const VERSION: u8 = 1;

/// The most levels: each has at least several times as many pages as the one above it.
const LEVELS: u8 = 16;

/// The root of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
struct TreeRoot {
    version: u8,
    /// The level of the highest page.
    level: u8,
    /// The number and the checksum of that page, if there is one.
    top: Option<(u64, Checksum)>,
    /// The next number of a page.
    next: u64,
    /// The rows of the tree, and the bytes of their keys and values.
    live: LiveRows,
}

impl TreeRoot {
    fn encode(self) -> Result<Vec<u8>, DatabaseError> {
        let bytes = rmp_serde::to_vec(&self).map_err(|e| DatabaseError(e.to_string()))?;
        Ok([digest(&bytes).as_slice(), &bytes].concat())
    }

    fn decode(stored: &[u8]) -> Result<Self, DatabaseError> {
        let (sum, bytes) = stored.split_first_chunk::<16>().ok_or_else(damaged)?;
        if *sum != digest(bytes) {
            return Err(damaged());
        }
        let root: Self = rmp_serde::from_slice(bytes).map_err(|_| damaged())?;
        if root.version == VERSION && root.level < LEVELS { Ok(root) } else { Err(other_version()) }
    }

    fn top(&self) -> Option<PageLink> {
        self.top.map(|(number, sum)| PageLink { number, sum, rows: self.live.rows })
    }
}

/// The error of a page or a root that is lost, or is not the one that was written.
fn damaged() -> DatabaseError {
    DatabaseError("a part of it is lost or damaged".to_owned())
}

fn other_version() -> DatabaseError {
    DatabaseError("another version of editd made it".to_owned())
}

/// The key of a page in the database below.
fn page_key(number: u64) -> Vec<u8> {
    [b"#".as_slice(), &number.to_be_bytes()].concat()
}

/// A database in checked pages.
pub struct PageTree {
    /// The database that keeps the pages.
    below: Box<dyn Database>,
    /// The present root; locked while pages are read or changed.
    root: RwLock<TreeRoot>,
    cache: Mutex<PageCache>,
    packer: PagePacker,
    /// Held during a change.
    change: Mutex<()>,
}

impl PageTree {
    /// Opens the tree in a database, or begins one in an empty database.
    ///
    /// # Errors
    /// The root is damaged, or the database holds something else.
    pub fn open(below: Box<dyn Database>) -> Result<Self, DatabaseError> {
        let root = match below.get(ROOT)? {
            Some(stored) => TreeRoot::decode(&stored)?,
            None if below.down(&[], &[u8::MAX], 1)?.is_empty() => {
                TreeRoot { version: VERSION, ..TreeRoot::default() }
            }
            None if below.get(crate::store::index::key::META)?.is_some() => return Err(other_version()),
            None => return Err(damaged()),
        };
        let packer = PagePacker::new()?;
        Ok(Self { below, root: RwLock::new(root), cache: Mutex::default(), packer, change: Mutex::default() })
    }

    fn root(&self) -> RwLockReadGuard<'_, TreeRoot> {
        self.root.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a page and keeps it in memory.
    fn page(&self, level: u8, link: PageLink) -> Result<Arc<TreePage>, DatabaseError> {
        if let Some(page) = lock(&self.cache).get(&link.sum) {
            return Ok(page);
        }
        let page = self.read_page(level, link)?;
        lock(&self.cache).keep(link.sum, &page);
        Ok(page)
    }

    fn read_page(&self, level: u8, link: PageLink) -> Result<Arc<TreePage>, DatabaseError> {
        let stored = self.below.get(&page_key(link.number))?.ok_or_else(damaged)?;
        TreePage::decode(&stored, link, level, &self.packer)
    }

    /// Adds the rows with `lo <= key < hi` of a page and those below it, highest key first, up to `limit`.
    fn down_from(
        &self,
        (level, link): (u8, PageLink),
        (lo, hi): (&[u8], &[u8]),
        limit: usize,
        found: &mut Vec<DatabaseRow>,
    ) -> Result<(), DatabaseError> {
        let page = self.page(level, link)?;
        let Some(below) = level.checked_sub(1) else {
            let end = page.find(hi).unwrap_or_else(|at| at);
            let rows = (0..end).rev().filter_map(|nth| page.item(nth)).take_while(|(key, _)| *key >= lo);
            let room = limit.saturating_sub(found.len());
            found.extend(rows.take(room).map(|(key, value)| (key.to_vec(), value.to_vec())));
            return Ok(());
        };
        for nth in (page.child(lo)..=page.child(hi)).rev() {
            if found.len() >= limit {
                break;
            }
            self.down_from((below, page.link(nth)?), (lo, hi), limit, found)?;
        }
        Ok(())
    }

    /// Adds the rows with `lo <= key < hi` of a page and those below it, lowest key first, up to `limit`.
    fn up_from(
        &self,
        (level, link): (u8, PageLink),
        (lo, hi): (&[u8], &[u8]),
        limit: usize,
        found: &mut Vec<DatabaseRow>,
    ) -> Result<(), DatabaseError> {
        let page = self.page(level, link)?;
        let Some(below) = level.checked_sub(1) else {
            let first = page.find(lo).unwrap_or_else(|at| at);
            let rows = page.items().skip(first).take_while(|(key, _)| *key < hi);
            let room = limit.saturating_sub(found.len());
            found.extend(rows.take(room).map(|(key, value)| (key.to_vec(), value.to_vec())));
            return Ok(());
        };
        for nth in page.child(lo)..=page.child(hi) {
            if found.len() >= limit {
                break;
            }
            self.up_from((below, page.link(nth)?), (lo, hi), limit, found)?;
        }
        Ok(())
    }

    /// Returns the number of rows below a key, of a page and those below it.
    fn count_below(&self, (level, link): (u8, PageLink), key: &[u8]) -> Result<u64, DatabaseError> {
        let page = self.page(level, link)?;
        let Some(below) = level.checked_sub(1) else {
            return Ok(page.find(key).unwrap_or_else(|at| at) as u64);
        };
        let child = page.child(key);
        let mut rows = self.count_below((below, page.link(child)?), key)?;
        for nth in 0..child {
            rows += page.link(nth)?.rows;
        }
        Ok(rows)
    }

    fn each_from(
        &self,
        (level, link): (u8, PageLink),
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<(), DatabaseError> {
        // Not kept in memory: all pages together do not fit.
        let page = self.read_page(level, link)?;
        let Some(below) = level.checked_sub(1) else {
            page.items().for_each(|(key, value)| visit(key, value));
            return Ok(());
        };
        (0..page.len()).try_for_each(|nth| self.each_from((below, page.link(nth)?), visit))
    }
}

impl Database for PageTree {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DatabaseError> {
        let root = self.root();
        let Some(mut link) = root.top() else { return Ok(None) };
        for level in (1..=root.level).rev() {
            let page = self.page(level, link)?;
            link = page.link(page.child(key))?;
        }
        let page = self.page(0, link)?;
        Ok(page.find(key).ok().and_then(|nth| page.item(nth)).map(|(_, value)| value.to_vec()))
    }

    fn down(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        let mut found = Vec::new();
        let root = self.root();
        if let Some(top) = root.top().filter(|_| lo < hi) {
            self.down_from((root.level, top), (lo, hi), limit, &mut found)?;
        }
        Ok(found)
    }

    fn up(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        let mut found = Vec::new();
        let root = self.root();
        if let Some(top) = root.top().filter(|_| lo < hi) {
            self.up_from((root.level, top), (lo, hi), limit, &mut found)?;
        }
        Ok(found)
    }

    fn count(&self, lo: &[u8], hi: &[u8]) -> Result<u64, DatabaseError> {
        let root = self.root();
        let Some(top) = root.top().filter(|_| lo < hi) else { return Ok(0) };
        let below = |key| self.count_below((root.level, top), key);
        Ok(below(hi)?.saturating_sub(below(lo)?))
    }

    fn each(&self, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), DatabaseError> {
        let root = self.root();
        root.top().map_or(Ok(()), |top| self.each_from((root.level, top), visit))
    }

    fn apply(&self, changes: &RowUpdates) -> Result<(), DatabaseError> {
        let _one = lock(&self.change);
        self.change(changes)
    }

    fn flush(&self) -> Result<(), DatabaseError> {
        self.below.flush()
    }

    fn size(&self) -> u64 {
        self.below.size()
    }

    fn live(&self) -> LiveRows {
        self.root().live
    }
}
