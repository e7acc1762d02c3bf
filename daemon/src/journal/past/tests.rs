//! The entries that a look-up of an earlier content examines, and the time that it takes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::clock::Clock;
use crate::disk::observation;
use crate::workspace::tests::kit::Bench;

/// A clock that the test sets. Each question for the monotonic time takes some milliseconds.
#[derive(Debug, Default)]
struct SetClock {
    ms: AtomicU64,
    step: AtomicU64,
}

impl Clock for SetClock {
    fn wall_ms(&self) -> u64 {
        self.ms.load(Ordering::Relaxed)
    }

    fn monotonic(&self) -> Duration {
        let step = self.step.load(Ordering::Relaxed);
        Duration::from_millis(self.ms.fetch_add(step, Ordering::Relaxed) + step)
    }
}

const EDITS: u64 = 30;

/// The time of the first edit, in milliseconds since 1970.
const FIRST: u64 = 1_000_000;

/// The time from one edit to the next, in milliseconds.
const APART: u64 = 10 * limits::PAST_SLACK_MS;

fn text(edits: u64) -> String {
    (0..edits).map(|number| format!("line {number}\n")).collect()
}

fn hash(edits: u64) -> ContentHash {
    observation::hash(text(edits).as_bytes())
}

/// A file that was edited some times, with none of its earlier contents kept.
fn edited() -> (Bench, Arc<SetClock>) {
    let clock = Arc::new(SetClock::default());
    let bench = Bench::with_clock(clock.clone());
    bench.put("a.txt", "");
    for number in 0..EDITS {
        clock.ms.store(FIRST + number * APART, Ordering::Relaxed);
        let receipt = bench.append("s", "a.txt", &format!("line {number}\n"));
        assert!(receipt.error.is_none(), "{:?}", receipt.error);
    }
    (bench, clock)
}

fn receipt(hash: ContentHash, time: u64) -> ReadReceipt {
    ReadReceipt {
        session: "s".to_owned(),
        path: "a.txt".into(),
        hash: Some(hash),
        ranges: Vec::new(),
        time,
        numbered: Vec::new(),
    }
}

fn spent(budget: &PastBudget) -> usize {
    limits::PAST_ENTRIES - budget.entries.get()
}

#[test]
fn a_look_up_ends_at_the_entries_that_are_older_than_the_read() {
    let (bench, _) = edited();
    let now = text(EDITS);
    let now = (hash(EDITS), now.as_bytes());
    let unknown = observation::hash(b"a content that no entry replaced");
    for edits in 1..EDITS {
        let read = FIRST + edits * APART - 1;
        let budget = PastBudget::whole();
        let found = of_receipt(bench.state(), &receipt(hash(edits), read), now, &budget);
        assert_eq!(found.as_deref(), Some(text(edits).as_bytes()), "after {edits} edits");
        let budget = PastBudget::whole();
        assert_eq!(of_receipt(bench.state(), &receipt(unknown, read), now, &budget), None);
        assert_eq!(spent(&budget) as u64, EDITS - edits + 1, "after {edits} edits");
    }
}

#[test]
fn an_edit_stops_a_look_up_that_takes_too_long() {
    let (bench, clock) = edited();
    let now = text(EDITS);
    let now = Some((hash(EDITS), now.as_bytes()));
    let look = |edits: u64, budget: &PastBudget| {
        let meant = |found: ContentHash, _: &[u8]| found == hash(edits);
        content(bench.state(), (&"a.txt".into(), 0), now, budget, &meant).is_some()
    };
    clock.step.store(limits::PAST_MS / 5, Ordering::Relaxed);
    assert!(look(EDITS - 2, &PastBudget::short(bench.state())));
    let short = PastBudget::short(bench.state());
    assert!(!look(5, &short));
    assert!(!look(EDITS - 1, &short), "a spent budget allows no more entries");
    assert!(look(5, &PastBudget::whole()));
}

#[test]
fn an_undo_reads_each_entry_once_for_all_contents_that_are_looked_up_newest_first() {
    let (bench, _) = edited();
    let now = text(EDITS);
    let found = |edits: u64, budget: &PastBudget| {
        let meant = |other: ContentHash, _: &[u8]| other == hash(edits);
        let now = (hash(EDITS), now.as_bytes());
        let (_, bytes) = content(bench.state(), (&"a.txt".into(), 0), Some(now), budget, &meant).unwrap();
        assert_eq!(bytes, text(edits).as_bytes(), "after {edits} edits");
    };
    let spent = |budget: &PastBudget| (limits::UNDO_PAST_ENTRIES - budget.entries.get()) as u64;
    let budget = PastBudget::of_undo(now.len());
    for edits in (1..EDITS).rev() {
        // An undo needs the content after an entry, and often that before it.
        found(edits, &budget);
        found(edits, &budget);
    }
    assert_eq!(spent(&budget), EDITS - 1);
    let newest = bench.state().store.last_of(&"a.txt".into()).unwrap().unwrap().0;
    budget.turns_to(newest);
    found(EDITS - 1, &budget);
    assert_eq!(spent(&budget), EDITS, "a newer content is not sought among older ones");
    let without_room = PastBudget::of_undo(3);
    for edits in (1..EDITS).rev() {
        found(edits, &without_room);
    }
    assert_eq!(spent(&without_room), EDITS * (EDITS - 1) / 2);
    assert!(!without_room.is_spent());
}
