//! Changes the rows of a tree: it makes the pages that differ, from the rows up to the root, and writes them together.

use std::sync::{Arc, PoisonError};

use super::page::{self, PageLink, TreePage};
use super::{LEVELS, PageTree, ROOT, TreeRoot, damaged, page_key};
use crate::limits;
use crate::store::database::{Database, DatabaseError, LiveRows};
use crate::store::index::RowUpdates;
use crate::store::log::frame::{Checksum, digest};
use crate::sync::lock;

/// A key with its new value; `None` removes it.
type ChangedRow<'a> = (&'a [u8], Option<&'a [u8]>);

/// A page, and a key that is not higher than any in it.
type KeyedPage = (Vec<u8>, PageLink);

/// The pages that a change makes.
struct TreeChange<'a> {
    tree: &'a PageTree,
    /// The next number of a page.
    next: u64,
    live: LiveRows,
    /// The changed pages by their keys in the database below; `None` removes one.
    written: RowUpdates,
    /// The checksums of pages that were changed.
    former: Vec<Checksum>,
    /// The pages in their place.
    made: Vec<(Checksum, Arc<TreePage>)>,
}

/// The pages into which one page is made.
struct MadePages {
    level: u8,
    /// The key and the number of the page that these replace, if there is one.
    of: Option<(Vec<u8>, u64)>,
    /// True if the new items follow all others.
    follow: bool,
}

impl PageTree {
    /// Applies changes, with readers kept out while they are written.
    pub(super) fn change(&self, changes: &RowUpdates) -> Result<(), DatabaseError> {
        let before = *self.root();
        let rows: Vec<ChangedRow<'_>> =
            changes.iter().map(|(key, value)| (key.as_slice(), value.as_deref())).collect();
        let mut change = TreeChange {
            tree: self,
            next: before.next,
            live: before.live,
            written: RowUpdates::new(),
            former: Vec::new(),
            made: Vec::new(),
        };
        let mut level = before.level;
        let mut tops = match before.top() {
            Some(top) => change.update(level, (Vec::new(), top), &rows)?,
            None => {
                level = 0;
                change.rows(None, &rows)?
            }
        };
        while tops.len() > 1 {
            level += 1;
            if level >= LEVELS {
                return Err(DatabaseError("it has too many rows".to_owned()));
            }
            tops = change.links(MadePages { level, of: None, follow: false }, &tops)?;
        }
        let top = tops.first().map(|(_, link)| (link.number, link.sum));
        let root = TreeRoot { level, top, next: change.next, live: change.live, ..before };
        if root == before {
            return Ok(());
        }
        let TreeChange { written, former, made, .. } = change;
        let mut present = self.root.write().unwrap_or_else(PoisonError::into_inner);
        write(&*self.below, written, &root)?;
        *present = root;
        let mut cache = lock(&self.cache);
        former.iter().for_each(|sum| cache.drop_page(sum));
        made.iter().for_each(|(sum, page)| cache.keep(*sum, page));
        Ok(())
    }
}

/// Writes pages in batches, the last one with the root.
fn write(below: &dyn Database, written: RowUpdates, root: &TreeRoot) -> Result<(), DatabaseError> {
    let mut written = written.into_iter();
    loop {
        let mut batch: RowUpdates = written.by_ref().take(limits::DATABASE_BATCH).collect();
        let ends = written.len() == 0;
        if ends {
            batch.insert(ROOT.to_vec(), Some(root.encode()?));
        }
        below.apply(&batch)?;
        if ends {
            return Ok(());
        }
    }
}

impl TreeChange<'_> {
    /// Applies changes to a page and those below it. Returns the pages in its place.
    fn update(
        &mut self,
        level: u8,
        (key, link): KeyedPage,
        rows: &[ChangedRow<'_>],
    ) -> Result<Vec<KeyedPage>, DatabaseError> {
        if rows.is_empty() {
            return Ok(vec![(key, link)]);
        }
        let page = self.tree.page(level, link)?;
        let Some(below) = level.checked_sub(1) else { return self.rows(Some((key, link, &page)), rows) };
        let mut children = Vec::with_capacity(page.len() + 1);
        let mut rest = rows;
        for nth in 0..page.len() {
            let child = (page.item(nth).ok_or_else(damaged)?.0.to_vec(), page.link(nth)?);
            let end = match page.item(nth + 1) {
                Some((next, _)) => rest.partition_point(|(key, _)| *key < next),
                None => rest.len(),
            };
            let (own, behind) = rest.split_at_checked(end).ok_or_else(damaged)?;
            rest = behind;
            children.extend(self.update(below, child, own)?);
        }
        let same = children.len() == page.len()
            && children
                .iter()
                .zip(page.items())
                .all(|((key, link), item)| (key.as_slice(), link.encode().as_slice()) == item);
        if same {
            return Ok(vec![(key, link)]);
        }
        self.former.push(link.sum);
        let last = page.item(page.len().saturating_sub(1)).map(|(key, _)| key);
        let follow = children.len() > page.len() && rows.first().map(|(key, _)| *key) > last;
        self.links(MadePages { level, of: Some((key, link.number)), follow }, &children)
    }

    /// Makes the pages of the rows of one page with changes.
    fn rows(
        &mut self,
        old: Option<(Vec<u8>, PageLink, &TreePage)>,
        changed: &[ChangedRow<'_>],
    ) -> Result<Vec<KeyedPage>, DatabaseError> {
        let page = old.as_ref().map(|(_, _, page)| *page);
        let last = page.and_then(|page| page.item(page.len().saturating_sub(1))).map(|(key, _)| key);
        let follow = changed.first().map(|(key, _)| *key) > last;
        let mut rows: Vec<(&[u8], &[u8])> = Vec::with_capacity(page.map_or(0, TreePage::len) + changed.len());
        let mut present = page.iter().flat_map(|page| page.items()).peekable();
        let mut differs = false;
        for &(key, value) in changed {
            while let Some(item) = present.next_if(|(found, _)| *found < key) {
                rows.push(item);
            }
            let before = present.next_if(|(found, _)| *found == key).map(|(_, value)| value);
            differs |= before != value;
            if let Some(before) = before {
                self.live.remove(key, before);
            }
            if let Some(value) = value {
                self.live.add(key, value);
                rows.push((key, value));
            }
        }
        rows.extend(present);
        let of = match old {
            Some((key, link, _)) if !differs => return Ok(vec![(key, link)]),
            Some((key, link, _)) => {
                self.former.push(link.sum);
                Some((key, link.number))
            }
            None => None,
        };
        self.make(MadePages { level: 0, of, follow }, &rows, &mut |own| own as u64)
    }

    /// Makes the pages of links.
    fn links(&mut self, made: MadePages, children: &[KeyedPage]) -> Result<Vec<KeyedPage>, DatabaseError> {
        let links: Vec<Vec<u8>> = children.iter().map(|(_, link)| link.encode()).collect();
        let items: Vec<(&[u8], &[u8])> =
            children.iter().zip(&links).map(|((key, _), link)| (key.as_slice(), link.as_slice())).collect();
        let mut children = children.iter();
        self.make(made, &items, &mut |own| children.by_ref().take(own).map(|(_, link)| link.rows).sum())
    }

    /// Makes the pages of items. The first has the number of the page that they replace, which is removed if there are none.
    /// `rows` returns the rows of so many items, which follow those of the call before.
    fn make(
        &mut self,
        made: MadePages,
        items: &[(&[u8], &[u8])],
        rows: &mut dyn FnMut(usize) -> u64,
    ) -> Result<Vec<KeyedPage>, DatabaseError> {
        let MadePages { level, mut of, follow } = made;
        let sizes: Vec<usize> = items.iter().map(|(key, value)| page::item_size(key, value)).collect();
        let mut pages = Vec::new();
        let mut rest = items;
        for run in page::shared_out(&sizes, follow) {
            let (own, behind) = rest.split_at_checked(run).ok_or_else(damaged)?;
            rest = behind;
            let first = own.first().map_or(&[][..], |(key, _)| key);
            let (key, number) = match of.take() {
                Some((key, number)) => (if first < key.as_slice() { first.to_vec() } else { key }, number),
                None => {
                    self.next += 1;
                    (first.to_vec(), self.next - 1)
                }
            };
            let (page, stored) = page::encode(level, own, &self.tree.packer)?;
            let sum = digest(&stored);
            self.made.push((sum, page));
            pages.push((key, PageLink { number, sum, rows: rows(run) }));
            self.written.insert(page_key(number), Some(stored));
        }
        if let Some((_, number)) = of {
            self.written.insert(page_key(number), None);
        }
        Ok(pages)
    }
}
