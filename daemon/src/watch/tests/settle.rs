//! Bursts of events cause one observation each, in time, within bounds.

use std::path::PathBuf;
use std::time::Duration;

use crate::limits;
use crate::watch::settle::{Debouncer, DuePaths, PathEvents};

const CHANGED: PathEvents = PathEvents { removed: false, changed: true };
const REMOVED: PathEvents = PathEvents { removed: true, changed: true };
const MOVED: PathEvents = PathEvents { removed: false, changed: false };

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn paths(due: &DuePaths) -> Vec<&str> {
    due.paths.iter().map(|(path, _)| path.to_str().unwrap()).collect()
}

#[test]
fn a_burst_is_one_look_when_it_is_quiet() {
    let mut settle = Debouncer::default();
    assert_eq!(settle.next(), None);
    for at in [0, 5, 10, 15] {
        settle.event("a".into(), CHANGED, ms(at));
    }
    assert_eq!(settle.next(), Some(ms(15 + limits::WATCH_QUIET_MS)));
    assert_eq!(settle.take(ms(20)), DuePaths::default());
    assert_eq!(paths(&settle.take(ms(35))), ["a"]);
    assert!(settle.is_empty());
    assert_eq!(settle.next(), None);
}

#[test]
fn a_path_that_is_never_quiet_is_looked_at_all_the_same() {
    let mut settle = Debouncer::default();
    let mut looks = 0;
    for at in 0..1000 {
        settle.event("a".into(), CHANGED, ms(at));
        looks += settle.take(ms(at)).paths.len();
    }
    assert!((4..=6).contains(&looks), "{looks}");
}

#[test]
fn one_loud_path_does_not_hold_up_another() {
    let mut settle = Debouncer::default();
    settle.event("quiet".into(), CHANGED, ms(0));
    settle.event("loud".into(), CHANGED, ms(0));
    settle.event("loud".into(), CHANGED, ms(19));
    assert_eq!(paths(&settle.take(ms(20))), ["quiet"]);
}

#[test]
fn a_path_has_changed_if_one_of_its_events_says_so() {
    let mut settle = Debouncer::default();
    settle.event("a".into(), MOVED, ms(0));
    settle.event("b".into(), MOVED, ms(0));
    settle.event("b".into(), CHANGED, ms(1));
    settle.event("b".into(), MOVED, ms(2));
    assert_eq!(settle.take(ms(100)).paths, [("a".into(), MOVED), ("b".into(), CHANGED)]);
}

#[test]
fn a_removal_is_remembered_though_something_came_back() {
    let mut settle = Debouncer::default();
    settle.event("a".into(), REMOVED, ms(0));
    settle.event("a".into(), CHANGED, ms(1));
    settle.event("b".into(), CHANGED, ms(1));
    let due = settle.take(ms(100));
    let both = PathEvents { removed: true, changed: true };
    assert_eq!(due.paths, [("a".into(), both), ("b".into(), CHANGED)]);
}

#[test]
fn after_lost_events_everything_is_due() {
    let mut settle = Debouncer::default();
    settle.event("a".into(), CHANGED, ms(0));
    settle.overflow(ms(0));
    settle.event("b".into(), CHANGED, ms(19));
    let due = settle.take(ms(20));
    assert!(due.overflow);
    assert_eq!(paths(&due), ["a", "b"]);
    assert!(settle.is_empty());
}

#[test]
fn lost_events_that_go_on_are_told_now_and_then() {
    let mut settle = Debouncer::default();
    let told = (0..1000).filter(|&at| {
        settle.overflow(ms(at));
        settle.take(ms(at)).overflow
    });
    assert!((4..=6).contains(&told.count()));
}

#[test]
fn too_many_paths_are_an_overflow_and_no_growth() {
    let mut settle = Debouncer::default();
    for n in 0..limits::WATCH_PENDING + 1000 {
        settle.event(PathBuf::from(n.to_string()), CHANGED, ms(0));
    }
    let due = settle.take(ms(20));
    assert!(due.overflow);
    assert_eq!(due.paths.len(), limits::WATCH_PENDING);
}
