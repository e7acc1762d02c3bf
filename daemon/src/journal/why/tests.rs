//! Tests the explanation of missing texts against every state that a file went through, and at the bounds. Whole
//! scenarios are in `tests/cases`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use editd_proto::error::{ChangeAuthor, ErrorCode};
use editd_proto::message::{JobStatus, Receipt};
use proptest::prelude::*;

use super::*;
use crate::clock::Clock;
use crate::workspace::tests::kit::Bench;

/// Returns the entry that a refusal names.
fn by(receipt: &Receipt) -> Option<u64> {
    let error = receipt.error.as_ref().unwrap();
    assert_eq!(error.code, ErrorCode::NotFound, "{error:?}");
    assert_eq!(error.by.is_some(), error.cause.is_some());
    match error.by {
        Some(ChangeAuthor::Entry(id)) => Some(id.0),
        _ => None,
    }
}

fn text(words: &[u8]) -> String {
    words.iter().map(|word| format!("w{word}\n")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The named entry must be the newest one before which the file had the text, by all states of the file.
    #[test]
    fn the_entry_is_the_one_that_took_it(
        states in prop::collection::vec(prop::collection::vec(0_u8..5, 0..7), 2..7),
        quoted in prop::collection::vec(0_u8..5, 1..4),
    ) {
        let bench = Bench::new();
        let mut states: Vec<String> = states.iter().map(|words| text(words)).collect();
        states.dedup();
        let (first, later) = states.split_first().unwrap();
        bench.put("a", first);
        for state in later {
            let text = Some(state.clone());
            let write = editd_proto::message::FileEdit { op: "write".into(), text, ..Default::default() };
            let entry = editd_proto::message::FileEntry {
                path: "a".into(), base: Some("any".into()), edits: vec![write], ..editd_proto::message::FileEntry::default() };
            let request = editd_proto::message::JobRequest { files: vec![entry], ..Default::default() };
            let done = bench.run("s", &bench.workspace.understand(request));
            prop_assert_eq!(done.status, JobStatus::Applied);
        }
        let quoted = text(&quoted);
        let bare = quoted.trim_end();
        prop_assume!(!states.last().unwrap().contains(bare));
        // The state before entry n is the one with the index n - 1.
        let expected = states.iter().rposition(|state| state.contains(bare)).map(|at| at as u64 + 1);
        let refused = bench.replace("s", "a", &quoted, "nothing like it");
        prop_assert_eq!(by(&refused), expected, "{:?} in {:?}", quoted, states);
    }
}

#[test]
fn an_entry_that_lies_too_far_back_is_not_asked() {
    // The clock stands still, so that only the number of entries limits the search.
    let bench = Bench::with_clock(Arc::new(Slow(AtomicU64::new(0), 0)));
    bench.put("a", "gone\n");
    assert_eq!(bench.replace("s", "a", "gone", "here").status, JobStatus::Applied);
    for nth in 1..limits::WHY_ENTRIES {
        assert_eq!(bench.append("s", "a", &format!("{nth}\n")).status, JobStatus::Applied);
    }
    assert_eq!(by(&bench.replace("s", "a", "gone", "x")), Some(1));
    bench.append("s", "a", "one more\n");
    assert_eq!(by(&bench.replace("s", "a", "gone", "x")), None);
}

/// A clock that advances by so many milliseconds with each reading.
struct Slow(AtomicU64, u64);

impl Clock for Slow {
    fn wall_ms(&self) -> u64 {
        1_700_000_000_000
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(self.1, Ordering::Relaxed))
    }
}

#[test]
fn a_journal_that_is_too_slow_is_not_waited_for() {
    for (step, expected) in
        [(limits::WHY_MS, None), (limits::WHY_MS / 2, Some(1)), (limits::WHY_MS / 5, Some(1))]
    {
        let bench = Bench::with_clock(Arc::new(Slow(AtomicU64::new(0), step)));
        bench.put("a", "gone\n");
        assert_eq!(bench.replace("s", "a", "gone", "here").status, JobStatus::Applied);
        assert_eq!(by(&bench.replace("s", "a", "gone", "x")), expected, "{step}");
    }
}

#[test]
fn times_are_said_as_people_say_them() {
    for (ms, said) in [
        (0, "0 seconds ago"),
        (1999, "1 second ago"),
        (60_000, "1 minute ago"),
        (7_200_000, "2 hours ago"),
        (u64::MAX, "213503982334 days ago"),
    ] {
        assert_eq!(ago(ms), said);
    }
}

#[test]
fn a_change_is_this_very_one_only_where_it_put_the_new_text_there() {
    let splice = |at, old: &str, new: &str| Splice { at, old: old.into(), new: new.into() };
    let before = b"one two three";
    let change = [splice(4, "two", "2")];
    assert!(put(before, &change, 4, 3, b"2"));
    assert!(put(before, &change, 0, 7, b"one 2"), "with what stands around it");
    assert!(put(before, &change, 8, 5, b"three"), "behind it");
    assert!(!put(before, &change, 4, 3, b"zwei"));
    assert!(!put(before, &change, 4, 3, b""), "nothing is not what was put there");
    assert!(put(before, &[splice(4, "two ", "")], 4, 4, b""));
    let whole = [splice(0, "one two three", "one 2 three")];
    assert!(put(before, &whole, 4, 3, b"2"), "carried whole");
    assert!(!put(before, &[splice(9, "x", "y")], 4, 3, b"2"), "splices that do not fit");
}
