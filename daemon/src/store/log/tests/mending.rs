//! Damage that is passed: only damaged records are lost, and nothing else is taken for a record.

use editd_proto::ids::JobId;

use super::kit::*;
use crate::record::{ClipboardRecord, Record};
use crate::store::LogPosition;
use crate::store::log::frame::{FRAME, RecordFrame};
use crate::store::log::recover::LogItem;
use crate::store::log::segment::name;
use crate::store::log::survey::survey;
use crate::store::tests::fake::FakeMachine;

const FORGED: u64 = 7777;

fn clip(n: u64, bytes: Vec<u8>) -> Record {
    let name = n.to_string();
    Record::Clip(ClipboardRecord { session: String::new(), name, bytes: Some(bytes), origin: None, time: n })
}

fn time(record: &Record) -> u64 {
    match record {
        Record::Clip(clip) => clip.time,
        Record::Void(id) => id.0,
        other => panic!("{other:?}"),
    }
}

/// Writes 30 records of 2000 bytes; the content of the tenth is `content`. Returns its position and sequence.
fn log_with(content: &[u8]) -> (FakeMachine, LogPosition, u64) {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let mut tenth = (LogPosition(0), 0);
    for n in 0..30 {
        let placed = match n {
            10 => put(&log, &[clip(n, content.to_vec())]),
            _ => put(&log, &[large(n, 2000)]),
        };
        log.flush(placed[0].at).unwrap();
        if n == 10 {
            tenth = (placed[0].at, placed[0].sequence);
        }
    }
    (machine, tenth.0, tenth.1)
}

/// Returns 2000 bytes that have, at an offset, a whole record as it would be in the log if they begin at `at`.
fn forged(at: LogPosition, offset: usize, sequence: u64) -> Vec<u8> {
    forged_saying(at, offset, sequence, (1, LogPosition(0)))
}

/// The same with an epoch and a flushed position.
fn forged_saying(
    at: LogPosition,
    offset: usize,
    sequence: u64,
    (epoch, flushed): (u64, LogPosition),
) -> Vec<u8> {
    let payload = small(FORGED);
    let frame = RecordFrame {
        stored: payload.bytes.len() as u32,
        raw: payload.raw,
        kind: payload.kind,
        version: payload.version,
        packed: payload.packed,
        more: false,
        epoch,
        sequence,
        flushed,
        previous: [0; 16],
        digest: payload.digest,
    };
    let mut bytes = vec![b'x'; offset];
    frame.encode(LogPosition(at.0 + offset as u64), &mut bytes);
    bytes.extend_from_slice(&payload.bytes);
    bytes.resize(2000, b'y');
    bytes
}

#[test]
fn bytes_inside_of_a_damaged_record_are_never_taken_for_a_record() {
    let (plain, at, sequence) = log_with(&[b'x'; 2000]);
    // The place of the content in its record.
    let file = plain.file(&[&name(at.segment())]);
    let seen = file.lock().unwrap().seen.clone();
    let start = at.offset() as usize;
    let inside = seen[start..].windows(8).position(|bytes| bytes == b"xxxxxxxx").unwrap();
    let begins = LogPosition(at.0 + inside as u64);
    for offset in 0..64 {
        for sequence in [sequence, sequence + 1, sequence + 2] {
            let (machine, same, _) = log_with(&forged(begins, offset, sequence));
            assert_eq!(same, at);
            let damaged = machine.copy();
            let bytes = damaged.file(&[&name(at.segment())]);
            bytes.lock().unwrap().seen[start..start + FRAME].fill(0);
            let (_, found, gaps) = open_damaged(&damaged, None).unwrap();
            let found: Vec<u64> = found.iter().map(|(_, record)| time(record)).collect();
            assert_eq!(found, (0..30).filter(|n| *n != 10).collect::<Vec<u64>>(), "{offset} {sequence}");
            assert_eq!(gaps.iter().map(|gap| gap.records).collect::<Vec<_>>(), [Some(1)]);
        }
    }
}

/// Opens a damaged log in both ways: for a start and for a salvage. Returns the numbers of the records and the losses.
fn passed(damaged: &FakeMachine) -> (Vec<u64>, Vec<Option<u64>>) {
    let (mut found, mut lost) = (Vec::new(), Vec::new());
    survey(&damaged.dir(), &[], &mut |item| {
        match item {
            LogItem::Record(_, _, record) => found.push(time(&record)),
            LogItem::Gap(gap) => lost.push(gap.records),
        }
        Ok(())
    })
    .unwrap();
    found.retain(|n| *n != u64::MAX);
    let (_, opened, gaps) = open_damaged(damaged, None).unwrap();
    let opened: Vec<u64> = opened.iter().map(|(_, record)| time(record)).collect();
    assert_eq!((&opened, gaps.iter().map(|gap| gap.records).collect()), (&found, lost.clone()));
    (found, lost)
}

#[test]
fn damage_in_the_newest_segment_is_passed_if_a_flush_behind_it_is_proven() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let mut places = Vec::new();
    for n in 0..4 {
        let group = put(&log, &[large(10 * n, 500), large(10 * n + 1, 500)]);
        log.flush(group[1].at).unwrap();
        places.extend([(10 * n, group[0].at), (10 * n + 1, group[1].at)]);
    }
    assert_eq!(places.last().unwrap().1.segment(), 1, "all are in the newest segment");
    let all: Vec<u64> = places.iter().map(|(n, _)| *n).collect();
    for (index, (n, at)) in places.iter().enumerate() {
        for harm in ["zeroed", "flipped", "destroyed"] {
            let damaged = machine.copy();
            let file = damaged.file(&[&name(1)]);
            {
                let bytes = &mut file.lock().unwrap().seen[at.offset() as usize..];
                match harm {
                    "zeroed" => bytes[..64].fill(0),
                    "flipped" => bytes[FRAME + 9] ^= 1,
                    _ => bytes[..FRAME].fill(0x5a),
                }
            }
            let (found, lost) = passed(&damaged);
            let rest: Vec<u64> = all.iter().copied().filter(|one| one != n).collect();
            match index {
                // No record shows that the last group was flushed.
                6.. => assert_eq!((found, lost), (all[..6].to_vec(), vec![])),
                _ => assert_eq!((found, lost), (rest, vec![Some(1)]), "{n}"),
            }
        }
    }
}

#[test]
fn records_of_an_earlier_life_are_never_taken_for_records_behind_damage() {
    // A flushed record, and three that a power cut leaves without the first of them.
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    log.flush(put(&log, &[large(1, 500)])[0].at).unwrap();
    let torn = put(&log, &[large(70, 500)])[0].at;
    put(&log, &[large(71, 500)]);
    let left = put(&log, &[large(72, 500)])[0].at;
    drop(log);
    machine.file(&[&name(1)]).lock().unwrap().seen[torn.offset() as usize..][..FRAME].fill(0);
    let (log, seen) = open(&machine, None).unwrap();
    assert_eq!(ids(&seen), [1]);
    let mut places = Vec::new();
    for n in 2..4 {
        places.push(put(&log, &[Record::Void(JobId(n))])[0].at);
        log.flush(places[places.len() - 1]).unwrap();
    }
    assert!(log.end() < LogPosition::at(2, 0), "all are in the newest segment");
    drop(log);
    // The record 72 is intact behind whatever is damaged before it, unless it was written over.
    let kept = machine.file(&[&name(1)]).lock().unwrap().seen[left.offset() as usize..].starts_with(b"rec1");
    let file = machine.file(&[&name(1)]);
    let seen = file.lock().unwrap().seen.clone();
    let starts: Vec<usize> =
        (4096..seen.len()).step_by(8).filter(|at| seen[*at..].starts_with(b"rec1")).collect();
    assert!(kept && starts.len() > 5, "{starts:?}");
    for first in 0..starts.len() {
        for last in first..starts.len() {
            let damaged = machine.copy();
            for at in &starts[first..=last] {
                damaged.file(&[&name(1)]).lock().unwrap().seen[*at..at + FRAME].fill(0);
            }
            let (found, _) = passed(&damaged);
            assert!(found.iter().all(|n| *n < 4), "{first} {last}: {found:?}");
        }
    }
}

#[test]
fn a_record_inside_of_a_damaged_one_in_the_newest_segment_proves_nothing() {
    let made = |content: Vec<u8>| {
        let machine = FakeMachine::new();
        let (log, _) = open(&machine, None).unwrap();
        let mut places = Vec::new();
        for record in [large(1, 500), clip(2, content), large(3, 500), large(4, 500)] {
            places.push(put(&log, &[record])[0]);
            log.flush(places[places.len() - 1].at).unwrap();
        }
        (machine, places[1])
    };
    let (plain, at) = made(vec![b'x'; 2000]);
    let seen = plain.file(&[&name(1)]).lock().unwrap().seen.clone();
    let start = at.at.offset() as usize;
    let inside = seen[start..].windows(8).position(|bytes| bytes == b"xxxxxxxx").unwrap();
    let begins = LogPosition(at.at.0 + inside as u64);
    for offset in 0..16 {
        let own = LogPosition(begins.0 + offset as u64);
        for flushed in [own, LogPosition(own.0 + 1), LogPosition(u64::MAX)] {
            let (machine, _) = made(forged_saying(begins, offset, at.sequence, (u64::MAX, flushed)));
            let damaged = machine.copy();
            damaged.file(&[&name(1)]).lock().unwrap().seen[start..start + FRAME].fill(0);
            // What a frame says about flushes is believed, so one that says more than is there can stop a start.
            let opened = open_damaged(&damaged, None).map(|(_, found, _)| found);
            let found: Vec<u64> = opened.iter().flatten().map(|(_, record)| time(record)).collect();
            assert!(opened.is_err() && flushed.0 > own.0 || found == [1, 3, 4], "{offset}: {found:?}");
        }
    }
}

#[test]
fn random_damage_loses_what_it_hits_and_nothing_else_is_made_up() {
    let (machine, ..) = log_with(&[b'x'; 2000]);
    let segments: Vec<u64> = (1..100).filter(|id| machine.dir().stat(name(*id).as_bytes()).is_ok()).collect();
    let mut seed = 4711;
    for round in 0..400 {
        let damaged = machine.copy();
        let hits = 1 + next(&mut seed) % 3;
        for _ in 0..hits {
            let id = segments[next(&mut seed) as usize % segments.len()];
            let file = damaged.file(&[&name(id)]);
            let mut file = file.lock().unwrap();
            let len = file.seen.len();
            let at = next(&mut seed) as usize % len;
            match next(&mut seed) % 3 {
                0 => file.seen[at] ^= 1 << (next(&mut seed) % 8),
                1 => file.seen[at..(at + 512).min(len)].fill(0),
                _ => file.seen[at & !4095..(at & !4095) + 4096].fill(0x5a),
            }
        }
        let (mut found, mut lost) = (Vec::new(), Vec::new());
        survey(&damaged.dir(), &[], &mut |item| {
            match item {
                LogItem::Record(_, _, record) => found.push(*record),
                LogItem::Gap(gap) => lost.push(gap.records),
            }
            Ok(())
        })
        .unwrap();
        found.retain(|record| *record != Record::Void(JobId(u64::MAX)));
        let times: Vec<u64> = found.iter().map(time).collect();
        assert!(times.is_sorted_by(|a, b| a < b), "round {round}: {times:?}");
        for record in &found {
            let whole = match time(record) {
                10 => clip(10, vec![b'x'; 2000]),
                n => large(n, 2000),
            };
            assert_eq!(*record, whole, "round {round}");
        }
        if times.len() < 30 {
            // The tail may be cut without a trace: only a later record shows that the last ones were flushed.
            let cut = times.last().is_none_or(|last| *last < 29) && times.len() as u64 + 2 >= 30;
            assert!(
                cut || lost.iter().any(|records| *records != Some(0)),
                "round {round}: {times:?} {lost:?}"
            );
        }
        if lost.iter().all(Option::is_some) && times.last() == Some(&29) {
            let told: u64 = lost.iter().flatten().sum();
            // The record of the opening may be among them.
            assert!(told >= 30 - times.len() as u64, "round {round}: {times:?} {lost:?}");
        }
    }
}

#[test]
fn a_check_of_the_open_log_finds_the_damage() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let mut places = Vec::new();
    for n in 0..30 {
        places.push(put(&log, &[large(n, 2000)])[0].at);
        log.flush(places[n as usize]).unwrap();
    }
    let clean = log.verify().unwrap();
    assert_eq!((clean.records, clean.gaps.len()), (31, 0));
    // Also in the newest segment, up to its very last record.
    for (n, at) in places.iter().enumerate() {
        let file = machine.file(&[&name(at.segment())]);
        let byte = at.offset() as usize + FRAME + 500;
        file.lock().unwrap().seen[byte] ^= 4;
        let found = log.verify().unwrap();
        assert_eq!((found.records, found.gaps.len()), (30, 1), "{n}");
        assert_eq!(found.gaps[0].from, *at);
        assert_eq!(log.verify_segment(at.segment()).unwrap().gaps, found.gaps);
        file.lock().unwrap().seen[byte] ^= 4;
    }
}
