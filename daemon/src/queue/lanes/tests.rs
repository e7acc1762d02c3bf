//! Compares the table with a naive model that checks every pair of jobs.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use editd_proto::path::FilePath;
use proptest::prelude::*;

use super::{LaneRemoval, LaneTable, LaneTicket};
use crate::caller::{LaneKey, Lanes};
use crate::os::FileIdentity;

fn key(number: u8) -> LaneKey {
    if number.is_multiple_of(2) {
        LaneKey::Path(FilePath::new(vec![number]))
    } else {
        LaneKey::File(FileIdentity { dev: 1, ino: u64::from(number), born: 0 })
    }
}

fn some(numbers: &[u8]) -> Lanes {
    Lanes::Some(numbers.iter().copied().map(key).collect())
}

/// All jobs that have not left, in order of arrival: a job may run if it conflicts with none before it.
#[derive(Default)]
struct Model {
    jobs: Vec<(LaneTicket, Lanes)>,
}

impl Model {
    fn conflict(a: &Lanes, b: &Lanes) -> bool {
        match (a, b) {
            (Lanes::Some(a), Lanes::Some(b)) => a.iter().any(|key| b.contains(key)),
            _ => true,
        }
    }

    fn runnable(&self) -> Vec<LaneTicket> {
        let free = |(at, (ticket, lanes)): (usize, &(LaneTicket, Lanes))| {
            let before = self.jobs.iter().take(at);
            (!before.into_iter().any(|(_, other)| Self::conflict(lanes, other))).then_some(*ticket)
        };
        self.jobs.iter().enumerate().filter_map(free).collect()
    }
}

#[derive(Clone, Debug)]
enum Event {
    Arrive(Option<Vec<u8>>),
    Leave(prop::sample::Index),
    Remove(prop::sample::Index),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => prop::collection::vec(0..6u8, 0..4).prop_map(|keys| Event::Arrive(Some(keys))),
        1 => Just(Event::Arrive(None)),
        5 => any::<prop::sample::Index>().prop_map(Event::Leave),
        1 => any::<prop::sample::Index>().prop_map(Event::Remove),
    ]
}

/// The table, the model, and the jobs that the table has let run.
#[derive(Default)]
struct Both {
    table: LaneTable,
    model: Model,
    running: BTreeMap<LaneTicket, ()>,
}

impl Both {
    fn let_run(&mut self, tickets: Vec<LaneTicket>) {
        for ticket in tickets {
            assert!(self.running.insert(ticket, ()).is_none(), "let run twice");
        }
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Arrive(keys) => {
                let lanes = keys.map_or(Lanes::All, |keys| some(&keys));
                let (ticket, at_once) = self.table.arrive(lanes.clone());
                self.model.jobs.push((ticket, lanes));
                if at_once {
                    self.let_run(vec![ticket]);
                }
            }
            Event::Leave(index) => {
                let running: Vec<LaneTicket> = self.running.keys().copied().collect();
                if running.is_empty() {
                    return;
                }
                self.leave(*index.get(&running));
            }
            Event::Remove(index) => {
                if self.model.jobs.is_empty() {
                    return;
                }
                let ticket = index.get(&self.model.jobs).0;
                match self.table.remove(ticket) {
                    LaneRemoval::Running => assert!(self.running.contains_key(&ticket)),
                    LaneRemoval::Waiting(next) => {
                        assert!(!self.running.contains_key(&ticket));
                        self.model.jobs.retain(|(other, _)| *other != ticket);
                        self.let_run(next);
                    }
                    LaneRemoval::Unknown => panic!("{ticket:?} is in the table"),
                }
            }
        }
    }

    fn leave(&mut self, ticket: LaneTicket) {
        self.running.remove(&ticket);
        self.model.jobs.retain(|(other, _)| *other != ticket);
        let next = self.table.leave(ticket);
        assert!(next.is_sorted());
        self.let_run(next);
    }

    fn agree(&self) {
        assert_eq!(self.running.keys().copied().collect::<Vec<_>>(), self.model.runnable());
        assert_eq!(self.table.len(), self.model.jobs.len());
    }
}

proptest! {
    #[test]
    fn the_table_lets_run_what_the_model_does(events in prop::collection::vec(event(), 0..60)) {
        let mut both = Both::default();
        for event in events {
            both.apply(event);
            both.agree();
        }
        // As long as jobs end, every job gets its turn.
        while let Some(first) = both.running.keys().next().copied() {
            both.leave(first);
            both.agree();
        }
        prop_assert_eq!(both.table.len(), 0);
        prop_assert!(both.table.lines_are_gone());
    }
}

impl LaneTable {
    fn lines_are_gone(&self) -> bool {
        format!("{self:?}").contains("lines: {}")
    }
}

#[test]
fn jobs_on_one_file_run_in_order_and_others_at_once() {
    let mut table = LaneTable::default();
    let (first, at_once) = table.arrive(some(&[1]));
    assert!(at_once);
    let (second, at_once) = table.arrive(some(&[1, 2]));
    assert!(!at_once);
    let (_, at_once) = table.arrive(some(&[3]));
    assert!(at_once);
    // After the second, although its own lane looks free.
    let (fourth, at_once) = table.arrive(some(&[2]));
    assert!(!at_once);
    assert_eq!(table.leave(first), vec![second]);
    assert_eq!(table.leave(second), vec![fourth]);
}

#[test]
fn a_job_that_needs_all_lanes_runs_alone() {
    let mut table = LaneTable::default();
    let (first, _) = table.arrive(some(&[1]));
    let (all, at_once) = table.arrive(Lanes::All);
    assert!(!at_once);
    let (later, at_once) = table.arrive(some(&[9]));
    assert!(!at_once, "it would starve the one before it");
    assert_eq!(table.leave(first), vec![all]);
    assert_eq!(table.leave(all), vec![later]);
}

#[test]
fn a_key_named_twice_counts_once() {
    let mut table = LaneTable::default();
    let (first, at_once) = table.arrive(some(&[1, 1, 1]));
    assert!(at_once);
    let (second, _) = table.arrive(some(&[1]));
    assert_eq!(table.leave(first), vec![second]);
}

#[test]
fn missing_tickets_are_unknown() {
    let mut table = LaneTable::default();
    assert_eq!(table.remove(LaneTicket(7)), LaneRemoval::Unknown);
    assert!(table.leave(LaneTicket(7)).is_empty());
}
