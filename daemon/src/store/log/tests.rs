//! The log under kills, power cuts, faults and damage, in a machine in memory. It touches no real file.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier};

use editd_proto::ids::JobId;

use super::payload::{self, Payload};
use super::recover::{self, Checkpoint};
use super::segment::name;
use super::{BLOCK, Home, Log, Placed};
use crate::store::fake::Machine;
use crate::store::record::{Clip, Record};
use crate::store::{Position, StoreError};

const SIZE: u64 = 24 * 1024;

fn small(n: u64) -> Payload {
    payload::encode(&Record::Void(JobId(n))).unwrap()
}

/// Bytes that do not pack.
fn large(n: u64, len: usize) -> Record {
    let mut seed = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let bytes = std::iter::repeat_with(|| next(&mut seed) as u8).take(len).collect();
    let name = n.to_string();
    Record::Clip(Clip { session: String::new(), name, bytes: Some(bytes), origin: None, time: n })
}

fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

fn open(machine: &Machine, from: Option<Checkpoint>) -> Result<(Log, Vec<(Position, Record)>), StoreError> {
    let mut seen = Vec::new();
    let home = Home { os: machine.os(), dir: machine.dir(), size: SIZE };
    let log = recover::open(home, from, &mut |at, _, record| {
        seen.push((at, record));
        Ok(())
    })?;
    // The epoch's first record, as the store writes it.
    let start = log.append(&[small(u64::MAX)])?;
    log.flush(start[0].at)?;
    seen.retain(|(_, record)| *record != Record::Void(JobId(u64::MAX)));
    Ok((log, seen))
}

fn ids(seen: &[(Position, Record)]) -> Vec<u64> {
    seen.iter()
        .map(|(_, record)| match record {
            Record::Void(id) => id.0,
            Record::Clip(clip) => {
                assert_eq!(*record, large(clip.time, clip.bytes.as_ref().unwrap().len()));
                clip.time
            }
            other => panic!("{other:?}"),
        })
        .collect()
}

fn put(log: &Log, records: &[Record]) -> Vec<Placed> {
    let group: Vec<Payload> = records.iter().map(|r| payload::encode(r).unwrap()).collect();
    log.append(&group).unwrap()
}

#[test]
fn what_was_appended_is_there_after_a_kill_also_over_many_segments() {
    let machine = Machine::new();
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
        assert_eq!(super::read::record(again.dir(), *at).unwrap().0, *record);
    }
    assert_eq!(again.verify().unwrap().segments, again.segments().len() as u64);
}

#[test]
fn reading_starts_behind_a_checkpoint() {
    let machine = Machine::new();
    let (log, _) = open(&machine, None).unwrap();
    let placed: Vec<Placed> = (0..30).flat_map(|n| put(&log, &[large(n, 2500)])).collect();
    let from = Checkpoint { at: placed[17].at, sum: placed[17].sum };
    recover::find(log.dir(), &from).unwrap();
    let (_, seen) = open(&machine.copy(), Some(from)).unwrap();
    assert_eq!(ids(&seen), (18..30).collect::<Vec<_>>());
    let wrong = Checkpoint { at: placed[17].at, sum: placed[18].sum };
    assert!(recover::find(log.dir(), &wrong).is_err());
}

#[test]
fn a_flush_ends_on_a_block_and_a_flushed_place_is_not_flushed_again() {
    let machine = Machine::new();
    let (log, _) = open(&machine, None).unwrap();
    let placed = put(&log, &[Record::Void(JobId(1))]);
    let flushed = log.flush(placed[0].at).unwrap();
    assert_eq!(flushed.offset() % BLOCK, 0);
    let before = machine.flushes();
    assert_eq!(log.flush(placed[0].at).unwrap(), flushed);
    assert_eq!(machine.flushes(), before);
    assert!(put(&log, &[Record::Void(JobId(2))])[0].at >= flushed);
}

/// A log with flushed and unflushed groups in two epochs and two segments; what each group is.
fn sample() -> (Machine, Vec<Vec<u64>>, u64) {
    let machine = Machine::new();
    let (log, _) = open(&machine, None).unwrap();
    put(&log, &[Record::Void(JobId(1))]);
    let two = put(&log, &[Record::Void(JobId(2)), large(3, 300)]);
    log.flush(two[0].at).unwrap();
    put(&log, &[Record::Void(JobId(4))]);
    put(&log, &[large(5, 700), Record::Void(JobId(6)), Record::Void(JobId(7))]);
    drop(log);
    let (log, _) = open(&machine, None).unwrap();
    put(&log, &[Record::Void(JobId(8))]);
    put(&log, &[Record::Void(JobId(9)), Record::Void(JobId(10))]);
    let groups = vec![vec![1], vec![2, 3], vec![4], vec![5, 6, 7], vec![8], vec![9, 10]];
    (machine, groups, log.end().offset())
}

#[test]
fn any_damaged_byte_is_told_or_cuts_the_tail_and_never_skips_a_record() {
    let (machine, groups, used) = sample();
    let all: Vec<u64> = groups.concat();
    let first = name(1);
    let (mut rotten, mut cut, mut whole) = (0, 0, 0);
    let original = machine.file(&[&first]).lock().unwrap().seen.clone();
    // Of what is zero, padding mostly, a part is enough.
    for byte in (0..used).filter(|byte| original[*byte as usize] != 0 || byte % 16 == 0) {
        let damaged = machine.copy();
        damaged.file(&[&first]).lock().unwrap().seen[byte as usize] ^= 0x41;
        match open(&damaged, None) {
            Err(StoreError::Rotten { .. }) => rotten += 1,
            Err(other) => panic!("byte {byte}: {other}"),
            Ok((_, seen)) => {
                let seen = ids(&seen);
                assert!(all.starts_with(&seen), "byte {byte}: {seen:?}");
                // 1 to 7 are proven to be flushed by what follows them.
                assert!(seen.len() >= 7, "byte {byte}: {seen:?}");
                assert!(
                    groups
                        .iter()
                        .scan(0, |n, g| {
                            *n += g.len();
                            Some(*n)
                        })
                        .any(|n| n == seen.len())
                );
                if seen.len() == all.len() { whole += 1 } else { cut += 1 }
            }
        }
    }
    assert!(rotten > 500 && cut > 50 && whole > 300, "{rotten} {cut} {whole}");
}

#[test]
fn a_log_that_is_cut_off_anywhere_is_refused_or_ends_there() {
    let (machine, groups, last) = sample();
    let all: Vec<u64> = groups.concat();
    // At every field of a frame, and at odd places of payloads.
    for len in (0..last).filter(|len| len % 8 == 0 || len % 13 == 0) {
        let damaged = machine.copy();
        damaged.file(&[&name(1)]).lock().unwrap().seen.truncate(len as usize);
        match open(&damaged, None) {
            Err(StoreError::Rotten { .. }) => {}
            Err(other) => panic!("length {len}: {other}"),
            // Nothing behind the place tells that there was more.
            Ok((log, seen)) => {
                assert!(all.starts_with(&ids(&seen)), "length {len}");
                put(&log, &[Record::Void(JobId(77))]);
                let (_, again) = open(&damaged.copy(), None).unwrap();
                assert_eq!(ids(&again), [ids(&seen), vec![77]].concat());
            }
        }
    }
}

#[test]
fn zeros_garbage_and_old_records_behind_the_tail_are_no_records() {
    let (machine, groups, end) = sample();
    let all: Vec<u64> = groups.concat();
    let end = end as usize;
    let file = machine.file(&[&name(1)]);
    let old: Vec<u8> = file.lock().unwrap().seen[4096..end].to_vec();
    let mut seed = 5;
    let garbage: Vec<u8> = std::iter::repeat_with(|| next(&mut seed) as u8).take(3000).collect();
    for tail in [old, garbage] {
        for shift in [0, 8, 88, 4096 - end % 4096] {
            let dirty = machine.copy();
            let content = dirty.file(&[&name(1)]);
            let room = content.lock().unwrap().seen.len() - end - shift;
            let n = tail.len().min(room);
            content.lock().unwrap().seen[end + shift..end + shift + n].copy_from_slice(&tail[..n]);
            assert_eq!(ids(&open(&dirty, None).unwrap().1), all);
        }
    }
}

/// One life of a daemon: what it appended group by group, and how many groups were acknowledged.
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
        let mut machine = Machine::new();
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
            // What is found must be a whole number of groups, and all that was acknowledged.
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
        let machine = Machine::new();
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
                // Preparing a segment may be tried again: nothing of the group was written.
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
    let machine = Machine::new();
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

#[test]
fn many_threads_lose_nothing_that_was_flushed() {
    let machine = Machine::new();
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
    let machine = Machine::new();
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
fn damage_anywhere_in_a_log_of_many_segments_is_told() {
    let machine = Machine::new();
    let (log, _) = open(&machine, None).unwrap();
    let mut last = 0;
    for n in 0..40 {
        let placed = put(&log, &[large(n, 2000)]);
        log.flush(placed[0].at).unwrap();
        last = placed[0].at.segment();
    }
    let mut seed = 99;
    for id in 1..last {
        for _ in 0..20 {
            let damaged = machine.copy();
            let file = damaged.file(&[&name(id)]);
            // Within the header or the first record, which surely mean something.
            let byte = match next(&mut seed) % 2 {
                0 => next(&mut seed) % 80,
                _ => 4096 + next(&mut seed) % 88,
            };
            file.lock().unwrap().seen[byte as usize] ^= 1;
            assert!(matches!(open(&damaged, None), Err(StoreError::Rotten { .. })), "{id} {byte}");
        }
        let missing = machine.copy();
        missing.dir().remove_file(name(id).as_bytes()).unwrap();
        // Without its oldest segment a log looks like one after retention.
        assert_eq!(matches!(open(&missing, None), Err(StoreError::Rotten { .. })), id > 1, "{id}");
    }
}

#[test]
fn a_newer_format_is_refused_with_advice() {
    let (machine, ..) = sample();
    let file = machine.file(&[&name(1)]);
    let mut header = super::header::Header::decode(&file.lock().unwrap().seen, 1).unwrap();
    header.format = 2;
    file.lock().unwrap().seen[..4096].copy_from_slice(&header.encode());
    let Err(StoreError::Io(why)) = open(&machine, None) else { panic!("opened") };
    assert!(why.contains("newer editd"));
}
