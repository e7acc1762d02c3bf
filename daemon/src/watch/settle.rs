//! Waits until a path is quiet, so that a burst of events is one look. It knows no clock and no file.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::limits;

const QUIET: Duration = Duration::from_millis(limits::WATCH_QUIET_MS);
const LATEST: Duration = Duration::from_millis(limits::WATCH_LATEST_MS);
/// What is due within this time is taken along, so that a trickle of events does not wake for each.
const SLACK: Duration = Duration::from_millis(limits::WATCH_QUIET_MS / 4);

/// Paths with recent events. Times are on one clock that does not go back.
#[derive(Debug, Default)]
pub struct Debouncer {
    pending: HashMap<PathBuf, Pending>,
    overflow: Option<Spell>,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    spell: Spell,
    removed: bool,
}

/// A row of events.
#[derive(Clone, Copy, Debug)]
struct Spell {
    first: Duration,
    last: Duration,
}

impl Spell {
    fn due(self) -> Duration {
        (self.last + QUIET).min(self.first + LATEST)
    }
}

/// What to look at now.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DuePaths {
    /// Paths, in order; `true` where the path was removed or moved away at some moment, even if something
    /// stands there again.
    pub paths: Vec<(PathBuf, bool)>,
    /// Events were lost: every path that was ever seen is due, not only those listed.
    pub overflow: bool,
}

impl Debouncer {
    /// Something happened to a path. One path more than `limits::WATCH_PENDING` is an overflow.
    pub fn event(&mut self, path: PathBuf, removed: bool, now: Duration) {
        if let Some(pending) = self.pending.get_mut(&path) {
            pending.spell.last = now;
            pending.removed |= removed;
        } else if self.pending.len() < limits::WATCH_PENDING {
            self.pending.insert(path, Pending { spell: Spell { first: now, last: now }, removed });
        } else {
            self.overflow(now);
        }
    }

    /// Events were lost.
    pub fn overflow(&mut self, now: Duration) {
        self.overflow.get_or_insert(Spell { first: now, last: now }).last = now;
    }

    /// When [`Debouncer::take`] has something to give, unless more happens; `None` when nothing is pending.
    pub fn next(&self) -> Option<Duration> {
        let spells = self.pending.values().map(|pending| pending.spell);
        spells.chain(self.overflow).map(Spell::due).min()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.overflow.is_none()
    }

    /// What is due: paths that were quiet for `limits::WATCH_QUIET_MS`, or waited `limits::WATCH_LATEST_MS`.
    pub fn take(&mut self, now: Duration) -> DuePaths {
        let overflow = self.overflow.take_if(|spell| spell.due() <= now).is_some();
        let due = |pending: &Pending| overflow || pending.spell.due() <= now + SLACK;
        let mut paths: Vec<(PathBuf, bool)> = self
            .pending
            .extract_if(|_, pending| due(pending))
            .map(|(path, pending)| (path, pending.removed))
            .collect();
        paths.sort_unstable();
        if self.pending.is_empty() {
            // What a burst needed is not kept for the idle time after it.
            self.pending.shrink_to(64);
        }
        DuePaths { paths, overflow }
    }
}
