//! The remaining work of a job, counted in bytes and steps. No time is measured.

use std::cell::Cell;

use crate::limits;

/// The remaining work of a job.
#[derive(Debug)]
pub(crate) struct Budget {
    search: Cell<u64>,
    compared: Cell<u64>,
    regex: Cell<u64>,
    backtracked: Cell<u64>,
    nearest: Cell<u64>,
    likeness: Cell<u64>,
    stages: Cell<u64>,
    diffs: Cell<u64>,
    changed: Cell<u64>,
    clips: Cell<u64>,
    parsed: Cell<u64>,
    room: Cell<usize>,
    overrun: Cell<bool>,
}

impl Budget {
    /// Creates a full budget.
    pub(crate) fn new() -> Self {
        Self::with_room(None)
    }

    /// Creates a full budget with room for this many bytes of new text.
    pub(crate) fn with_room(room: Option<usize>) -> Self {
        Self {
            search: Cell::new(limits::SEARCH_WORK),
            compared: Cell::new(limits::COMPARE_WORK),
            regex: Cell::new(limits::REGEX_WORK),
            backtracked: Cell::new(limits::BACKTRACK_STEPS),
            nearest: Cell::new(limits::NEAREST_WORK),
            likeness: Cell::new(limits::LIKENESS_WORK),
            stages: Cell::new(limits::STAGE_WORK),
            diffs: Cell::new(limits::DIFFS),
            changed: Cell::new(limits::CHANGE as u64),
            clips: Cell::new(limits::CLIPS as u64),
            parsed: Cell::new(limits::PARSE_WORK),
            room: Cell::new(room.unwrap_or(usize::MAX)),
            overrun: Cell::new(false),
        }
    }

    /// Takes a literal search of this many bytes from the budget. Returns false if too little is left; so do the
    /// methods below.
    pub(crate) fn search(&self, bytes: usize) -> bool {
        take(&self.search, bytes)
    }

    /// Takes this many lines that are compared one by one.
    pub(crate) fn compare(&self, lines: usize) -> bool {
        take(&self.compared, lines)
    }

    /// Takes a search by regular expression.
    pub(crate) fn regex(&self, bytes: usize) -> bool {
        take(&self.regex, bytes)
    }

    /// Takes this many steps of the backtracking engine.
    pub(crate) fn backtrack(&self, steps: usize) -> bool {
        take(&self.backtracked, steps)
    }

    /// Takes a stage of a content of this many bytes.
    pub(crate) fn stage(&self, bytes: usize) -> bool {
        take(&self.stages, bytes)
    }

    /// Takes splices of this many bytes, old and new.
    pub(crate) fn change(&self, bytes: usize) -> bool {
        take(&self.changed, bytes)
    }

    /// Takes a clipboard of this many bytes.
    pub(crate) fn clip(&self, bytes: usize) -> bool {
        take(&self.clips, bytes)
    }

    /// Takes a text of this many bytes that is parsed for its symbols.
    pub(crate) fn parse(&self, bytes: usize) -> bool {
        take(&self.parsed, bytes)
    }

    /// Takes a diff of this many bytes.
    pub(crate) fn diff(&self, bytes: usize) -> bool {
        take(&self.diffs, bytes)
    }

    /// Takes this many steps of a fuzzy search.
    pub(crate) fn likeness(&self, steps: usize) -> bool {
        take(&self.likeness, steps)
    }

    /// Returns true if there is room for this many bytes of new text.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        let fits = bytes <= self.room.get();
        self.overrun.set(self.overrun.get() || !fits);
        fits
    }

    /// Takes room for this many bytes of new text. Returns false if there was too little.
    pub(crate) fn make(&self, bytes: usize) -> bool {
        let fits = self.has_room(bytes);
        self.room.set(self.room.get().saturating_sub(bytes));
        fits
    }

    /// Returns true if something was refused only because there was no room for new text.
    pub(crate) fn is_overrun(&self) -> bool {
        self.overrun.get()
    }

    /// Takes work from the budget of searches for near misses. Returns false if it is used up.
    pub(crate) fn look(&self, bytes: usize) -> bool {
        take(&self.nearest, bytes)
    }
}

fn take(left: &Cell<u64>, bytes: usize) -> bool {
    let rest = left.get().checked_sub(bytes as u64);
    left.set(rest.unwrap_or(0));
    rest.is_some()
}
