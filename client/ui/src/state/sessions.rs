//! The sessions of the loaded entries.

use std::collections::HashMap;

use super::entry_row::EntryRow;

/// A session and its entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SessionRow {
    /// The session as the daemon names it.
    pub(crate) name: String,
    pub(crate) entries: u64,
    pub(crate) added: u64,
    pub(crate) removed: u64,
    /// The time of its newest entry.
    pub(crate) last: String,
}

/// Returns the sessions of entries that are listed newest first, in the order of their last activity.
pub(crate) fn sessions_of(rows: &[EntryRow]) -> Vec<SessionRow> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut out: Vec<SessionRow> = Vec::new();
    for row in rows {
        let at = *places.entry(&row.session).or_insert(out.len());
        if at == out.len() {
            let (name, last) = (row.session.clone(), row.time.clone());
            out.push(SessionRow { name, entries: 0, added: 0, removed: 0, last });
        }
        if let Some(session) = out.get_mut(at) {
            session.entries += 1;
            session.added = session.added.saturating_add(row.added);
            session.removed = session.removed.saturating_add(row.removed);
        }
    }
    out
}

/// The list of sessions on the screen.
#[derive(Debug, Default)]
pub(crate) struct SessionList {
    pub(crate) rows: Vec<SessionRow>,
    /// The name of the selected session.
    pub(crate) selected: Option<String>,
    pub(crate) offset: usize,
}

impl SessionList {
    /// Takes the sessions of the loaded entries. The selection stays on its session.
    pub(crate) fn take(&mut self, entries: &[EntryRow]) {
        self.rows = sessions_of(entries);
        if !self.rows.iter().any(|row| Some(&row.name) == self.selected.as_ref()) {
            self.selected = self.rows.first().map(|row| row.name.clone());
        }
    }

    /// Returns the position of the selection.
    pub(crate) fn position(&self) -> usize {
        self.rows.iter().position(|row| Some(&row.name) == self.selected.as_ref()).unwrap_or_default()
    }

    /// Moves the selection. Returns true if it is on the last session.
    pub(crate) fn select_by(&mut self, steps: isize) -> bool {
        let last = self.rows.len().saturating_sub(1);
        let to = self.position().saturating_add_signed(steps).min(last);
        self.selected = self.rows.get(to).map(|row| row.name.clone());
        to == last
    }

    /// Moves the first session of the screen so that the selected one is among its `height` sessions.
    pub(crate) fn scroll(&mut self, height: usize) {
        let at = self.position();
        self.offset = self.offset.clamp((at + 1).saturating_sub(height.max(1)), at);
    }
}
