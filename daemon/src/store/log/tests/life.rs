//! Writes and reads through kills, power cuts, faults and many threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

use editd_proto::ids::JobId;

use super::kit::*;
use crate::record::Record;
use crate::store::StoreError;
use crate::store::log::recover::{self, LogCheckpoint};
use crate::store::log::{BLOCK, Log, PlacedRecord, payload, read};
use crate::store::tests::fake::FakeMachine;

#[test]
fn appended_records_are_there_after_a_kill_also_over_many_segments() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    for n in 0..40 {
        put(&log, &[large(n, 3000), Record::Void(JobId(n + 1000))]);
    }
    // Larger than a segment.
    put(&log, &[large(40, 50_000)]);
    put(&log, &[Record::Void(JobId(41))]);
    let expected: Vec<u64> = (0..40).flat_map(|n| [n, n + 1000]).chain([40, 41]).collect();
    let killed = machine.copy();
    let (again, seen) = open(&killed, None).unwrap();
    assert_eq!(ids(&seen), expected);
    for (at, record) in &seen {
        assert_eq!(read::record(again.dir(), *at).unwrap().0, *record);
    }
    assert_eq!(again.verify().unwrap().segments, again.segments().len() as u64);
}

#[test]
fn reading_starts_behind_a_checkpoint() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let placed: Vec<PlacedRecord> = (0..30).flat_map(|n| put(&log, &[large(n, 2500)])).collect();
    let from = LogCheckpoint { at: placed[17].at, sum: placed[17].sum };
    recover::find(log.dir(), &from).unwrap();
    let (_, seen) = open(&machine.copy(), Some(from)).unwrap();
    assert_eq!(ids(&seen), (18..30).collect::<Vec<_>>());
    let wrong = LogCheckpoint { at: placed[17].at, sum: placed[18].sum };
    assert!(recover::find(log.dir(), &wrong).is_err());
}

#[test]
fn a_flush_ends_on_a_block_and_a_flushed_place_is_not_flushed_again() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let placed = put(&log, &[Record::Void(JobId(1))]);
    let flushed = log.flush(placed[0].at).unwrap();
    assert_eq!(flushed.offset() % BLOCK, 0);
    let before = machine.flushes();
    assert_eq!(log.flush(placed[0].at).unwrap(), flushed);
    assert_eq!(machine.flushes(), before);
    assert!(put(&log, &[Record::Void(JobId(2))])[0].at >= flushed);
}

/// Runs a daemon once; returns the groups that it appended, and how many of them were acknowledged.
fn live(log: &Log, seed: &mut u64, first: u64) -> (Vec<Vec<u64>>, usize) {
    let (mut groups, mut acknowledged, mut n) = (Vec::new(), 0, first);
    for _ in 0..next(seed) % 12 {
        let mut group = Vec::new();
        for _ in 0..=next(seed) % 3 {
            let len = (next(seed) % 3500) as usize;
            group.push(if next(seed).is_multiple_of(2) { large(n, len) } else { Record::Void(JobId(n)) });
            n += 1;
        }
        let placed = put(log, &group);
        groups
            .push(group.iter().map(|r| if let Record::Void(id) = r { id.0 } else { 0 }).collect::<Vec<_>>());
        let count = groups.len();
        groups[count - 1] = (n - group.len() as u64..n).collect();
        if next(seed).is_multiple_of(3) {
            log.flush(placed[0].at).unwrap();
            acknowledged = count;
        }
    }
    (groups, acknowledged)
}

#[test]
fn no_power_cut_loses_what_was_flushed_or_tears_a_group() {
    let mut seed = 0x1234_5678_9ABC_DEF1;
    let mut lost = 0;
    for round in 0..150 {
        let mut machine = FakeMachine::new();
        let mut kept: Vec<u64> = Vec::new();
        for life in 0..6 {
            let (log, seen) = open(&machine, None).unwrap_or_else(|e| panic!("{round} {life}: {e}"));
            assert_eq!(ids(&seen), kept, "round {round}, life {life}");
            let (groups, acknowledged) = live(&log, &mut seed, life * 1000);
            drop(log);
            let all = [kept.clone(), groups.concat()].concat();
            if next(&mut seed).is_multiple_of(4) {
                machine = machine.copy();
                kept = all;
                continue;
            }
            let dice = AtomicU64::new(next(&mut seed));
            let often = next(&mut seed) % 5;
            machine = machine.power_cut(&|| {
                let mut state = dice.load(Ordering::Relaxed);
                let roll = next(&mut state);
                dice.store(state, Ordering::Relaxed);
                (roll >> 20) % 5 < often
            });
            // The log must have a whole number of groups, among them all that were acknowledged.
            let (log, seen) = open(&machine.copy(), None).unwrap_or_else(|e| panic!("{round} {life}: {e}"));
            drop(log);
            let seen = ids(&seen);
            let ends: Vec<usize> =
                (acknowledged..=groups.len()).map(|n| kept.len() + groups[..n].concat().len()).collect();
            assert!(
                all.starts_with(&seen) && ends.contains(&seen.len()),
                "round {round}, life {life}: {seen:?} of {all:?}"
            );
            lost += all.len() - seen.len();
            kept = seen;
        }
    }
    assert!(lost > 200, "the cuts took {lost} records only");
}

#[test]
fn after_any_failed_call_nothing_is_accepted_and_nothing_acknowledged_is_lost() {
    for call in 1..80 {
        let machine = FakeMachine::new();
        let (log, _) = open(&machine, None).unwrap();
        machine.fail_in(call);
        let (mut acknowledged, mut failed) = (Vec::new(), false);
        for n in 0..30 {
            let group = [payload::encode(&large(n, 900)).unwrap(), small(n + 100)];
            let done = log.append(&group).and_then(|placed| log.flush(placed[1].at));
            match done {
                Ok(_) => {
                    assert!(!failed, "call {call}: accepted after a failure");
                    acknowledged.extend([n, n + 100]);
                }
                Err(StoreError::Failed(_)) => failed = true,
                // Preparing a segment may be repeated: nothing of the group was written.
                Err(StoreError::Io(_)) => assert!(!failed),
                Err(other) => panic!("{other}"),
            }
        }
        let (_, seen) = open(&machine.power_cut(&|| false), None).unwrap();
        assert_eq!(ids(&seen)[..acknowledged.len()], acknowledged, "call {call}");
    }
}

#[test]
fn callers_that_wait_together_share_a_flush_and_late_ones_take_the_next() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let (begun, written) = (Arc::new(Barrier::new(16)), Arc::new(Barrier::new(16)));
    let first = AtomicBool::new(true);
    let (in_flush, wait) = (begun.clone(), written.clone());
    machine.on_flush(move || {
        if first.swap(false, Ordering::SeqCst) {
            in_flush.wait();
            wait.wait();
        }
    });
    let before = machine.flushes();
    std::thread::scope(|scope| {
        scope.spawn(|| log.flush(log.append(&[small(0)]).unwrap()[0].at).unwrap());
        for n in 1..16 {
            let (log, begun, written) = (&log, &begun, &written);
            scope.spawn(move || {
                begun.wait();
                let placed = log.append(&[small(n)]).unwrap();
                written.wait();
                assert!(log.flush(placed[0].at).unwrap() > placed[0].at);
            });
        }
    });
    assert_eq!(machine.flushes() - before, 2);
    let (_, seen) = open(&machine.power_cut(&|| false), None).unwrap();
    let mut seen = ids(&seen);
    seen.sort_unstable();
    assert_eq!(seen, (0..16).collect::<Vec<_>>());
}

/// Makes each flush of a machine take a second. Returns the seconds that passed.
fn slow(machine: &FakeMachine) -> Arc<AtomicU64> {
    let seconds = Arc::new(AtomicU64::new(0));
    let passed = seconds.clone();
    machine.on_flush(move || {
        passed.fetch_add(1, Ordering::SeqCst);
    });
    seconds
}

#[test]
fn a_flush_waits_for_one_that_is_announced() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let (seconds, looks) = (slow(&machine), AtomicU64::new(0));
    let now = || {
        looks.fetch_add(1, Ordering::SeqCst);
        Duration::from_secs(seconds.load(Ordering::SeqCst))
    };
    let mut put = 0;
    let mut append = || {
        put += 1;
        log.append(&[small(put)]).unwrap()[0].at
    };
    log.flush_together(append(), &now).unwrap();
    let shares = (0..100).any(|_| {
        let (first, before) = (append(), machine.flushes());
        let announced = log.announce_flush();
        looks.store(0, Ordering::SeqCst);
        std::thread::scope(|scope| {
            let leads = scope.spawn(|| log.flush_together(first, &now).unwrap());
            while looks.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            // The other one gathers now.
            let second = append();
            drop(announced);
            leads.join().unwrap();
            log.flush_together(second, &now).unwrap();
        });
        machine.flushes() - before == 1
    });
    assert!(shares, "no flush of a hundred was shared");
}

#[test]
fn a_flush_does_not_wait_for_an_announcement_that_does_not_end() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let (seconds, before) = (slow(&machine), machine.flushes());
    let _announced = log.announce_flush();
    for n in 0..3 {
        let at = log.append(&[small(n)]).unwrap()[0].at;
        let now = || Duration::from_secs(seconds.load(Ordering::SeqCst));
        assert!(log.flush_together(at, &now).unwrap() > at);
    }
    assert_eq!(machine.flushes() - before, 3);
}

#[test]
fn many_threads_lose_nothing_that_was_flushed() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let log = &log;
            scope.spawn(move || {
                for n in 0..40 {
                    let placed = log.append(&[small(thread * 40 + n)]).unwrap();
                    assert!(log.flush(placed[0].at).unwrap() > placed[0].at);
                }
            });
        }
    });
    let (_, seen) = open(&machine.power_cut(&|| false), None).unwrap();
    let mut seen = ids(&seen);
    seen.sort_unstable();
    assert_eq!(seen, (0..320).collect::<Vec<_>>());
}

#[test]
fn dropped_segments_are_used_again_and_their_records_are_gone() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    for n in 0..60 {
        let placed = put(&log, &[large(n, 2000)]);
        log.flush(placed[0].at).unwrap();
        if n % 8 == 0 && log.segments().len() > 2 {
            assert!(log.drop_oldest().unwrap());
        }
        if n % 5 == 0 && log.wants_next() {
            log.prepare_next().unwrap();
        }
    }
    let cut = machine.power_cut(&|| false);
    let (_, seen) = open(&cut, None).unwrap();
    let seen = ids(&seen);
    assert_eq!(seen, (seen[0]..60).collect::<Vec<_>>());
    assert!(seen[0] > 5);
}

#[test]
fn appends_go_on_while_the_folder_of_a_dropped_segment_is_flushed() {
    let machine = FakeMachine::new();
    let log = Arc::new(open(&machine, None).unwrap().0);
    while log.segments().len() < 3 {
        let placed = put(&log, &[large(1, 2000)]);
        log.flush(placed[0].at).unwrap();
    }
    let (ended, ends) = mpsc::channel();
    let other = Arc::clone(&log);
    machine.on_folder_flush(move || {
        let (log, (done, is_done)) = (Arc::clone(&other), mpsc::channel());
        let thread = std::thread::spawn(move || {
            log.append(&[small(7)]).unwrap();
            // The flush may have ended, if it made this wait.
            let _ = done.send(());
        });
        ended.send(is_done.recv_timeout(Duration::from_secs(20)).map(|()| thread.join().unwrap())).unwrap();
    });
    assert!(log.drop_oldest().unwrap());
    assert_eq!(ends.try_iter().collect::<Vec<_>>(), [Ok(())]);
}

#[test]
fn a_segment_that_could_not_be_prepared_ahead_is_prepared_only_when_it_is_needed() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    while !log.wants_next() {
        put(&log, &[large(1, 3000)]);
    }
    machine.fail_in(2);
    assert!(log.prepare_next().is_err(), "the disk is full");
    assert!(!log.wants_next(), "every append would try again");
    let before = log.segments().len();
    while log.segments().len() == before {
        put(&log, &[large(2, 3000)]);
    }
    while !log.wants_next() {
        put(&log, &[large(3, 3000)]);
    }
    log.prepare_next().unwrap();
}
