//! The limit of the log's size: requests wait for retention or are refused, and what has begun always ends.

use std::sync::atomic::{AtomicU64, Ordering};

use editd_proto::ids::JobId;

use super::fake::FakeMachine;
use super::kit::*;
use crate::limits;
use crate::record::{Record, SettleRecord};
use crate::store::{RetentionPolicy, RetentionTask, Store, StoreError};

const LIMIT: u64 = 4 * SEGMENT;
const KEEP: RetentionPolicy = RetentionPolicy { bytes: LIMIT, ..NEVER };
const NOW: u64 = 2000;

/// Returns an intent that fills a segment quickly.
fn intent(id: u64, bytes: usize) -> Record {
    let mut made = entry(id, "s", &["a"]);
    let mut seed = id | 1;
    made.files[0].splices[0].new = std::iter::repeat_with(|| next(&mut seed) as u8).take(bytes).collect();
    Record::Intent(made)
}

fn settled(id: u64) -> [Record; 2] {
    [seal(id), Record::Settle(SettleRecord { id: JobId(id), diverged: false })]
}

/// Appends settled entries from this one on until one is refused; returns its number.
fn fill(store: &Store, first: u64) -> u64 {
    for id in first..first + 1000 {
        match store.append(&[intent(id, 3000)]) {
            Ok(_) => store.append(&settled(id)).map(drop).unwrap(),
            Err(StoreError::Full(_)) => return id,
            Err(other) => panic!("{other}"),
        }
    }
    panic!("nothing was refused: {:?}", store.numbers());
}

#[test]
fn an_upkeep_that_removes_nothing_does_not_read_a_segment_again() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    for id in 1..=200 {
        store.append(&[Record::Intent(entry(id, "s", &["a", "b"])), seal(id)]).unwrap();
        store.append(&[Record::Settle(SettleRecord { id: JobId(id), diverged: false })]).unwrap();
    }
    assert!(store.segments().len() > 3, "{:?}", store.segments());
    // The first one flushes the log, and the second one packs it.
    store.upkeep(2000, NEVER).unwrap();
    store.upkeep(2000, NEVER).unwrap();
    let before = machine.reads();
    store.upkeep(2000, NEVER).unwrap();
    assert_eq!(machine.reads() - before, 0);
}

#[test]
fn a_log_at_its_limit_begins_nothing_until_retention_has_run() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    store.limit_log(LIMIT);
    let mut next = 1;
    for round in 0..20 {
        next = fill(&store, next);
        assert!(store.numbers().log_bytes <= LIMIT + SEGMENT, "round {round}: {:?}", store.numbers());
        for begins in [
            Record::Clip(clip("s", "c", Some(&[7; 3000]), 1)),
            Record::ReadReceipt(seen("s", &"p".repeat(3000), 1)),
        ] {
            // The room that an intent leaves for its end may hold one or two of them.
            let append = || store.append(std::slice::from_ref(&begins));
            assert!((0..3).any(|_| matches!(append(), Err(StoreError::Full(_)))));
        }
        // What other programs wrote, and what ends something, is always recorded.
        store.append(&[Record::External(entry(100_000 + round, "s", &["b"]))]).unwrap();
        store.append(&[Record::Clip(clip("s", "c", None, 1)), seal(next - 1)]).unwrap();
        store.trim(NOW, KEEP).unwrap();
        assert!(store.numbers().log_bytes <= LIMIT, "round {round}: {:?}", store.numbers());
    }
    let (again, _) = open(&machine.copy());
    assert!(again.check().iter().all(|finding| finding.severity == "ok"));
}

#[test]
fn a_record_that_needs_more_than_the_whole_limit_is_refused_and_says_so() {
    let (store, _) = open(&FakeMachine::new());
    store.limit_log(LIMIT);
    let error = store.append(&[intent(1, LIMIT as usize + 1)]).unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { limit: LIMIT, .. }));
    let told = error.to_string();
    assert!(told.contains("its limit of 0.1 MiB") && told.contains("raise `keep_bytes`"), "{told}");
    store.append(&[intent(2, LIMIT as usize / 2)]).unwrap();
}

#[test]
fn entries_that_wait_to_be_settled_do_not_raise_the_limit() {
    let (store, _) = open(&FakeMachine::new());
    store.limit_log(LIMIT);
    let mut sizes = Vec::new();
    for id in 1..1000 {
        if store.append(&[intent(id, 3000)]).is_ok() {
            store.append(&[seal(id)]).unwrap();
        } else {
            store.trim(NOW, KEEP).unwrap();
            sizes.push(store.numbers().log_bytes);
        }
    }
    assert!(sizes.len() > 500, "they are refused until they are settled: {}", sizes.len());
    assert!(sizes.iter().all(|size| *size <= LIMIT + SEGMENT), "{:?}", sizes.iter().max());
}

#[test]
fn many_writers_wait_for_retention_and_the_log_stays_within_its_limit() {
    let (store, _) = open(&FakeMachine::new());
    store.limit_log(LIMIT);
    let (peak, numbers) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while store.await_retention().is_some() {
                store.trim(NOW, KEEP).unwrap();
            }
        });
        let write = || {
            for _ in 0..150 {
                let id = numbers.fetch_add(1, Ordering::Relaxed) + 1;
                while let Err(error) = store.append(&[intent(id, 3000)]) {
                    assert!(matches!(error, StoreError::Full(_)), "{error}");
                }
                store.append(&settled(id)).unwrap();
                peak.fetch_max(store.numbers().log_bytes, Ordering::Relaxed);
            }
        };
        let writers: Vec<_> = (0..4).map(|_| scope.spawn(write)).collect();
        let failed = writers.into_iter().any(|writer| writer.join().is_err());
        store.end_retention();
        assert!(!failed);
    });
    // What ends a job may begin one more segment.
    let peak = peak.into_inner();
    assert!(peak <= LIMIT + 2 * SEGMENT, "{peak}");
}

#[test]
fn keys_are_kept_for_less_time_if_the_log_would_exceed_its_limit() {
    let (store, _) = open(&FakeMachine::new());
    // Keys that do not compress.
    let key = |id: u64| [hash(id).hex(), hash(id + 5000).hex()].concat();
    for id in 1..=2000 {
        let Record::Intent(mut keyed) = intent(id, 100) else { unreachable!() };
        // One job in a second.
        (keyed.key, keyed.request, keyed.time) = (Some(key(id)), Some(hash(id)), id * 1000);
        store.append(&[Record::Intent(keyed)]).unwrap();
        store.append(&settled(id)).unwrap();
    }
    let now = 2_000_000;
    let keyed = |id: u64| store.keyed("s", &key(id)).unwrap().and_then(|keyed| keyed.receipt);
    store.upkeep(now, RetentionPolicy { entries: 10, ..NEVER }).unwrap();
    assert_eq!(keyed(1), Some(receipt(1)), "the log has no limit");
    store.upkeep(now, RetentionPolicy { entries: 10, bytes: SEGMENT, ..NEVER }).unwrap();
    assert!(store.numbers().log_bytes <= 4 * SEGMENT, "{:?}", store.numbers());
    assert_eq!(keyed(1), None);
    for id in 2000 - limits::KEYS_MS[3] / 1000 + 1..=2000 {
        assert_eq!(keyed(id), Some(receipt(id)), "younger than a minute");
    }
}

#[test]
fn a_segment_for_what_ends_jobs_gives_no_room_to_others() {
    let (store, _) = open(&FakeMachine::new());
    store.limit_log(LIMIT);
    let mut next = fill(&store, 1);
    let begun = store.numbers().log_bytes;
    while store.numbers().log_bytes == begun {
        store.append(&settled(next - 1)).unwrap();
    }
    // The new segment is nearly empty.
    let error = store.append(&[intent(next, 10)]).unwrap_err();
    assert!(matches!(error, StoreError::Full(_)), "{error}");
    store.trim(NOW, KEEP).unwrap();
    next = fill(&store, next);
    assert!(store.numbers().log_bytes <= LIMIT + SEGMENT, "{next}: {:?}", store.numbers());
}

#[test]
fn keys_are_written_again_only_while_they_take_little_of_the_log() {
    let (store, _) = open(&FakeMachine::new());
    let limit = 16 * SEGMENT;
    store.limit_log(limit);
    let key = |id: u64| [hash(id).hex(), hash(id + 50_000).hex()].concat();
    let (jobs, mut carried) = (5000, 0);
    for id in 1..=jobs {
        let Record::Intent(mut keyed) = intent(id, 2000) else { unreachable!() };
        // One job in a second.
        (keyed.key, keyed.request, keyed.time) = (Some(key(id)), Some(hash(id)), id * 1000);
        while let Err(error) = store.append(&[Record::Intent(keyed.clone())]) {
            assert!(matches!(error, StoreError::Full(_)), "{error}");
            carried += store.trim(id * 1000, RetentionPolicy { bytes: limit, ..NEVER }).unwrap().carried;
        }
        store.append(&settled(id)).unwrap();
        assert!(store.numbers().log_bytes <= limit + 2 * SEGMENT, "{:?}", store.numbers());
    }
    assert!(carried > jobs / 2 && carried < 2 * jobs, "{carried} records of {jobs} jobs");
    for id in jobs - 60..=jobs {
        let keyed = store.keyed("s", &key(id)).unwrap();
        assert_eq!(keyed.and_then(|keyed| keyed.receipt), Some(receipt(id)), "younger than a minute");
    }
}

#[test]
fn a_new_segment_wakes_retention_and_a_request_for_more_wins() {
    let (store, _) = open(&FakeMachine::new());
    store.append(&[intent(1, 3000)]).unwrap();
    // The first segment counts as new.
    assert_eq!(store.await_retention(), Some(RetentionTask::Trim));
    for id in 2..20 {
        store.append(&[intent(id, 3000)]).unwrap();
    }
    store.ask_retention(RetentionTask::Upkeep);
    for id in 20..40 {
        store.append(&[intent(id, 3000)]).unwrap();
    }
    assert_eq!(store.await_retention(), Some(RetentionTask::Upkeep));
    store.end_retention();
    assert_eq!(store.await_retention(), None);
}
