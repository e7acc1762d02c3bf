//! The loaded part of the journal: its newest entries without a gap, the selection, and the filters. It grows by pages.

use std::collections::BTreeSet;

use super::entry_row::EntryRow;

/// Entries of a page.
pub(crate) const PAGE: u64 = 100;

/// Entries of the page that closes a gap below new entries.
pub(crate) const LARGE_PAGE: u64 = 1000;

/// The number of entries that a text filter searches without an answer before it waits for the user.
const SEARCHED: usize = 2000;

/// Maximum number of older entries that are looked at again after an undo or redo of them.
const AGAIN: usize = 16;

/// The entries that are listed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct EntryFilter {
    pub(crate) session: Option<String>,
    pub(crate) path: Option<String>,
    /// A part of a label or a path. Entries are searched here, not by the daemon.
    pub(crate) text: String,
}

/// The reason for which entries are requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListPurpose {
    /// The newest entries.
    Newest,
    /// Entries before the oldest loaded one.
    Older,
    /// One entry that may have changed.
    Again,
}

/// A request for entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ListRequest {
    pub(crate) purpose: ListPurpose,
    pub(crate) session: Option<String>,
    pub(crate) path: Option<String>,
    /// Only entries with a lower number.
    pub(crate) before: Option<u64>,
    pub(crate) limit: u64,
    /// Distinguishes lists: the reply to a request of an earlier filter is dropped.
    pub(crate) list: u64,
}

/// The loaded entries, newest first.
#[derive(Debug, Default)]
pub(crate) struct LoadedJournal {
    pub(crate) rows: Vec<EntryRow>,
    /// The indexes of the rows that the text filter leaves.
    pub(crate) visible: Vec<usize>,
    pub(crate) filter: EntryFilter,
    /// The number of the selected entry.
    pub(crate) selected: Option<u64>,
    /// The first visible entry on the screen.
    pub(crate) offset: usize,
    /// Set once a page has arrived.
    pub(crate) loaded: bool,
    /// Set if there are older entries.
    pub(crate) more: bool,
    pub(crate) loading_older: bool,
    loading_newest: bool,
    /// Set if something changed while the newest entries were being loaded.
    stale: bool,
    list: u64,
    /// The number of loaded entries up to which the text filter searches.
    search_up_to: usize,
}

impl LoadedJournal {
    /// Begins a new list with this filter.
    pub(crate) fn begin(&mut self, filter: EntryFilter) -> ListRequest {
        let (list, selected) = (self.list + 1, self.selected);
        *self = Self { filter, list, selected, search_up_to: SEARCHED, ..Self::default() };
        self.loading_newest = true;
        self.request(ListPurpose::Newest, None, PAGE)
    }

    /// Sets the text filter, for which nothing needs to be loaded again.
    pub(crate) fn search(&mut self, text: String) {
        self.filter.text = text;
        self.search_up_to = self.rows.len() + SEARCHED;
        self.offset = 0;
        self.arrange();
    }

    fn request(&self, purpose: ListPurpose, before: Option<u64>, limit: u64) -> ListRequest {
        let (session, path) = (self.filter.session.clone(), self.filter.path.clone());
        ListRequest { purpose, session, path, before, limit, list: self.list }
    }

    /// Returns the request for the newest entries, unless one is on its way.
    pub(crate) fn refresh(&mut self) -> Option<ListRequest> {
        self.refresh_page(PAGE)
    }

    /// Returns the request for as many of the newest entries as the daemon sends at once, unless one is on its way.
    pub(crate) fn refresh_all(&mut self) -> Option<ListRequest> {
        self.refresh_page(LARGE_PAGE)
    }

    fn refresh_page(&mut self, limit: u64) -> Option<ListRequest> {
        if self.loading_newest {
            self.stale = true;
            return None;
        }
        self.loading_newest = true;
        Some(self.request(ListPurpose::Newest, None, limit))
    }

    /// Forgets the requests that a lost daemon will not answer.
    pub(crate) fn lost(&mut self) {
        (self.loading_newest, self.loading_older, self.stale) = (false, false, false);
    }

    /// Returns the request for older entries if the screen of `height` entries needs them.
    pub(crate) fn need_older(&mut self, height: usize) -> Option<ListRequest> {
        let searching = !self.filter.text.is_empty() && self.rows.len() >= self.search_up_to;
        let reached = self.offset + height.max(1) + height / 2 >= self.visible.len();
        if !self.loaded || !self.more || self.loading_older || searching || !reached {
            return None;
        }
        self.loading_older = true;
        Some(self.request(ListPurpose::Older, self.rows.last().map(|row| row.id), PAGE))
    }

    /// Lets a search go on to older entries.
    pub(crate) fn search_on(&mut self) {
        self.search_up_to = self.search_up_to.max(self.rows.len() + SEARCHED);
    }

    /// Returns true if a search waits for the user.
    pub(crate) fn search_waits(&self) -> bool {
        self.more && !self.filter.text.is_empty() && self.rows.len() >= self.search_up_to
    }

    /// Takes a reply: its entries, and true if there are older ones. Returns the next requests.
    pub(crate) fn take(
        &mut self,
        request: &ListRequest,
        reply: Option<(Vec<EntryRow>, bool)>,
    ) -> Vec<ListRequest> {
        if request.list != self.list {
            return Vec::new();
        }
        match request.purpose {
            ListPurpose::Newest => self.loading_newest = false,
            ListPurpose::Older => self.loading_older = false,
            ListPurpose::Again => {}
        }
        let mut next = Vec::new();
        if let Some((rows, more)) = reply {
            match request.purpose {
                ListPurpose::Newest => next = self.take_newest(request, rows, more),
                ListPurpose::Older => {
                    self.more = more && !rows.is_empty();
                    self.merge(rows);
                }
                // The neighbour of an entry that is gone is not in its place.
                ListPurpose::Again => self.merge(
                    rows.into_iter().filter(|row| self.rows.iter().any(|one| one.id == row.id)).collect(),
                ),
            }
            self.loaded = true;
            self.arrange();
        }
        if std::mem::take(&mut self.stale) {
            next.extend(self.refresh());
        }
        next
    }

    fn take_newest(&mut self, request: &ListRequest, rows: Vec<EntryRow>, more: bool) -> Vec<ListRequest> {
        let newest = self.rows.first().map(|row| row.id);
        let oldest = rows.last().map(|row| row.id);
        let apart = matches!((newest, oldest), (Some(newest), Some(oldest)) if newest < oldest);
        if apart && more && request.limit < LARGE_PAGE {
            self.loading_newest = true;
            return vec![self.request(ListPurpose::Newest, None, LARGE_PAGE)];
        }
        if apart && more {
            // Too much happened: the list begins anew.
            self.rows.clear();
        }
        if self.rows.is_empty() || !more {
            self.more = more;
        }
        let fresh: Vec<u64> = rows.iter().map(|row| row.id).collect();
        let unknown = rows.iter().filter(|row| newest.is_some_and(|newest| row.id > newest));
        let of: Vec<u64> = unknown.flat_map(|row| row.of.iter().copied()).collect();
        let added = newest.map_or(0, |newest| rows.iter().filter(|row| row.id > newest).count());
        self.merge(rows);
        if self.offset > 0 && self.filter.text.is_empty() {
            self.offset += added;
        }
        let again = self.acted_on(of).into_iter().filter(|id| !fresh.contains(id)).take(AGAIN);
        again.map(|id| self.again(id)).collect()
    }

    /// Returns the request for an entry that may have changed.
    pub(crate) fn again(&self, id: u64) -> ListRequest {
        self.request(ListPurpose::Again, Some(id.saturating_add(1)), 1)
    }

    /// Returns these loaded entries, and those that they undid or redid.
    fn acted_on(&self, mut ids: Vec<u64>) -> BTreeSet<u64> {
        let mut all = BTreeSet::new();
        while let Some(id) = ids.pop() {
            let Some(row) = self.row(id).filter(|_| all.len() < LARGE_PAGE as usize && !all.contains(&id))
            else {
                continue;
            };
            all.insert(id);
            ids.extend(&row.of);
        }
        all
    }

    /// Puts entries into their places. A known one replaces what was known of it.
    fn merge(&mut self, rows: Vec<EntryRow>) {
        for row in rows {
            match self.rows.binary_search_by(|one| row.id.cmp(&one.id)) {
                Ok(at) => {
                    if let Some(known) = self.rows.get_mut(at) {
                        *known = row;
                    }
                }
                Err(at) => self.rows.insert(at, row),
            }
        }
    }

    /// Applies the text filter, and selects an entry that is visible.
    pub(crate) fn arrange(&mut self) {
        let lower = self.filter.text.to_lowercase();
        let visible =
            self.rows.iter().enumerate().filter(|(_, row)| lower.is_empty() || row.contains(&lower));
        self.visible = visible.map(|(at, _)| at).collect();
        if self.position().is_none() {
            // The nearest older entry, else the last one.
            let wanted = self.selected.unwrap_or(u64::MAX);
            let mut ids = self.visible.iter().filter_map(|at| self.rows.get(*at)).map(|row| row.id);
            let near = ids.clone().find(|id| *id <= wanted).or_else(|| ids.next_back());
            // Before the first page the selection is only a wish.
            self.selected = near.or(self.selected.filter(|_| !self.loaded));
        }
    }

    /// Returns the row of an entry.
    pub(crate) fn row(&self, id: u64) -> Option<&EntryRow> {
        let at = self.rows.binary_search_by(|one| id.cmp(&one.id)).ok()?;
        self.rows.get(at)
    }

    /// Returns the selected row.
    pub(crate) fn selected_row(&self) -> Option<&EntryRow> {
        self.position().and_then(|at| self.at(at))
    }

    /// Returns the visible row at a position.
    pub(crate) fn at(&self, position: usize) -> Option<&EntryRow> {
        self.visible.get(position).and_then(|at| self.rows.get(*at))
    }

    /// Returns the position of the selected entry among the visible ones.
    pub(crate) fn position(&self) -> Option<usize> {
        let id = self.selected?;
        let found = |at: &usize| self.rows.get(*at).map_or(std::cmp::Ordering::Equal, |row| id.cmp(&row.id));
        self.visible.binary_search_by(found).ok()
    }

    /// Selects the visible entry that is `steps` below the selected one; negative steps go up.
    pub(crate) fn select_by(&mut self, steps: isize) {
        let last = self.visible.len().saturating_sub(1);
        let to = self.position().unwrap_or_default().saturating_add_signed(steps).min(last);
        self.selected = self.at(to).map(|row| row.id);
        if steps > 0 && to == last {
            self.search_on();
        }
    }

    /// Moves the first entry of the screen so that the selected one is among its `height` entries.
    pub(crate) fn scroll(&mut self, height: usize) {
        let at = self.position().unwrap_or_default();
        self.offset = self.offset.clamp((at + 1).saturating_sub(height.max(1)), at);
    }
}
