//! Waits until a path is quiet, so that a burst of events causes one observation. It knows no clock and no file.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::limits;

const QUIET: Duration = Duration::from_millis(limits::WATCH_QUIET_MS);
const LATEST: Duration = Duration::from_millis(limits::WATCH_LATEST_MS);
/// Paths that are due within this time are taken together, so that a slow series of events does not wake the thread
/// for each.
const SLACK: Duration = Duration::from_millis(limits::WATCH_QUIET_MS / 4);

/// Paths with recent events. Times are of one clock that never goes back.
#[derive(Debug, Default)]
pub struct Debouncer {
    pending: HashMap<PathBuf, PendingPaths>,
    overflow: Option<EventBurst>,
}

#[derive(Clone, Copy, Debug)]
struct PendingPaths {
    spell: EventBurst,
    events: PathEvents,
}

/// The kinds of events of a path since it was last observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PathEvents {
    /// True if the path was removed or moved away at some moment, even if it exists again.
    pub removed: bool,
    /// True if the file itself may have changed: false if its name was only moved there or away.
    pub changed: bool,
}

impl PathEvents {
    fn add(&mut self, more: Self) {
        self.removed |= more.removed;
        self.changed |= more.changed;
    }
}

/// A series of events.
#[derive(Clone, Copy, Debug)]
struct EventBurst {
    first: Duration,
    last: Duration,
}

impl EventBurst {
    fn due(self) -> Duration {
        (self.last + QUIET).min(self.first + LATEST)
    }
}

/// The paths to observe now.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DuePaths {
    /// The paths, in order.
    pub paths: Vec<(PathBuf, PathEvents)>,
    /// True if events were lost: then every known path is due, not only those listed.
    pub overflow: bool,
}

impl Debouncer {
    /// Notes an event of a path. One path more than `limits::WATCH_PENDING` is an overflow.
    pub fn event(&mut self, path: PathBuf, events: PathEvents, now: Duration) {
        if let Some(pending) = self.pending.get_mut(&path) {
            pending.spell.last = now;
            pending.events.add(events);
        } else if self.pending.len() < limits::WATCH_PENDING {
            self.pending.insert(path, PendingPaths { spell: EventBurst { first: now, last: now }, events });
        } else {
            self.overflow(now);
        }
    }

    /// Notes that events were lost.
    pub fn overflow(&mut self, now: Duration) {
        self.overflow.get_or_insert(EventBurst { first: now, last: now }).last = now;
    }

    /// Returns when [`Debouncer::take`] has paths to return, unless more events come; `None` if nothing is pending.
    pub fn next(&self) -> Option<Duration> {
        let spells = self.pending.values().map(|pending| pending.spell);
        spells.chain(self.overflow).map(EventBurst::due).min()
    }

    /// Returns true if nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.overflow.is_none()
    }

    /// Takes the paths that were quiet for `limits::WATCH_QUIET_MS`, or pending for `limits::WATCH_LATEST_MS`.
    pub fn take(&mut self, now: Duration) -> DuePaths {
        let overflow = self.overflow.take_if(|spell| spell.due() <= now).is_some();
        let due = |pending: &PendingPaths| overflow || pending.spell.due() <= now + SLACK;
        let mut paths: Vec<(PathBuf, PathEvents)> = self
            .pending
            .extract_if(|_, pending| due(pending))
            .map(|(path, pending)| (path, pending.events))
            .collect();
        paths.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        if self.pending.is_empty() {
            // Memory for a burst is not kept during the idle time after it.
            self.pending.shrink_to(64);
        }
        DuePaths { paths, overflow }
    }
}
