//! Damaged, truncated and left-over files.

use editd_proto::ids::JobId;

use super::kit::*;
use crate::record::Record;
use crate::store::StoreError;
use crate::store::log::LogLocation;
use crate::store::log::header::SegmentHeader;
use crate::store::log::packed::PACKED_FORMAT;
use crate::store::log::recover;
use crate::store::log::segment::name;
use crate::store::log::window::SegmentWindow;
use crate::store::tests::fake::FakeMachine;

/// Creates a log with flushed and unflushed groups in two epochs and two segments; returns the records of each group.
fn sample() -> (FakeMachine, Vec<Vec<u64>>, u64) {
    let machine = FakeMachine::new();
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
    let (mut passed, mut cut, mut whole) = (0, 0, 0);
    let original = machine.file(&[&first]).lock().unwrap().seen.clone();
    // Of zero bytes, which are mostly padding, a sample is enough.
    for byte in (0..used).filter(|byte| original[*byte as usize] != 0 || byte % 16 == 0) {
        let damaged = machine.copy();
        damaged.file(&[&first]).lock().unwrap().seen[byte as usize] ^= 0x41;
        match open_damaged(&damaged, None) {
            Err(other) => panic!("byte {byte}: {other}"),
            Ok((_, seen, gaps)) if !gaps.is_empty() => {
                let told: u64 = gaps.iter().map(|gap| gap.records.unwrap()).sum();
                let seen = ids(&seen);
                assert!(seen.is_sorted_by(|a, b| a < b), "byte {byte}: {seen:?}");
                // The records of the two openings are not in the list.
                let missing = (all.len() - seen.len()) as u64;
                assert!(missing == told || missing == 0 && told == 1, "byte {byte}: {seen:?} {gaps:?}");
                passed += 1;
            }
            Ok((_, seen, _)) => {
                let seen = ids(&seen);
                assert!(all.starts_with(&seen), "byte {byte}: {seen:?}");
                // The records after 1 to 7 prove that these were flushed.
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
    assert!(passed > 500 && cut > 50 && whole > 300, "{passed} {cut} {whole}");
}

#[test]
fn a_log_that_is_cut_off_anywhere_is_refused_or_ends_there() {
    let (machine, groups, last) = sample();
    let all: Vec<u64> = groups.concat();
    // At every field of a frame, and at odd offsets of payloads.
    for len in (0..last).filter(|len| len % 8 == 0 || len % 13 == 0) {
        let damaged = machine.copy();
        damaged.file(&[&name(1)]).lock().unwrap().seen.truncate(len as usize);
        match open(&damaged, None) {
            Err(StoreError::Rotten { .. }) => {}
            Err(other) => panic!("length {len}: {other}"),
            // Nothing behind the cut shows that there was more.
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

#[test]
fn damage_anywhere_in_a_log_of_many_segments_is_told() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let (mut last, mut all) = (0, Vec::new());
    for n in 0..40 {
        let placed = put(&log, &[large(n, 2000)]);
        log.flush(placed[0].at).unwrap();
        last = placed[0].at.segment();
        all.push(n);
    }
    let mut seed = 99;
    // Nothing proves yet that the last of the full segments was flushed to its end.
    for id in 1..last - 1 {
        for _ in 0..20 {
            let damaged = machine.copy();
            let file = damaged.file(&[&name(id)]);
            // Within the header or the first record, where every byte counts.
            let byte = match next(&mut seed) % 2 {
                0 => next(&mut seed) % 80,
                _ => 4096 + next(&mut seed) % 88,
            };
            file.lock().unwrap().seen[byte as usize] ^= 1;
            let (_, seen, gaps) = open_damaged(&damaged, None).unwrap();
            assert_eq!(gaps.len(), 1, "{id} {byte}: {gaps:?}");
            // One damaged byte of a frame is restored.
            assert_eq!(gaps[0].records, Some(0), "{id} {byte}: {gaps:?}");
            assert_eq!(ids(&seen), all, "{id} {byte}");
        }
        let missing = machine.copy();
        missing.dir().remove_file(name(id).as_bytes()).unwrap();
        // A log without its oldest segment looks like one after retention.
        assert_eq!(matches!(open(&missing, None), Err(StoreError::Rotten { .. })), id > 1, "{id}");
        let destroyed = machine.copy();
        destroyed.file(&[&name(id)]).lock().unwrap().seen[4096..4096 + 88].fill(0);
        let (_, seen, gaps) = open_damaged(&destroyed, None).unwrap();
        let lost: Vec<Option<u64>> = gaps.iter().map(|gap| gap.records).collect();
        assert_eq!(lost, [Some(1)], "{id}");
        // The first record of the first segment is that of the opening.
        assert_eq!(all.len() - ids(&seen).len(), usize::from(id > 1), "{id}");
    }
}

#[test]
fn a_newer_format_is_refused_with_advice() {
    let (machine, ..) = sample();
    let file = machine.file(&[&name(1)]);
    let mut header = SegmentHeader::decode(&file.lock().unwrap().seen, 1).unwrap();
    header.format = PACKED_FORMAT + 1;
    file.lock().unwrap().seen[..4096].copy_from_slice(&header.encode());
    let Err(StoreError::Io(why)) = open(&machine, None) else { panic!("opened") };
    assert!(why.contains("newer editd"));
}

#[test]
fn frames_are_found_wherever_the_read_chunks_end() {
    const LARGE: u64 = 256 * 1024;
    let machine = FakeMachine::new();
    let home = LogLocation { os: machine.os(), dir: machine.dir(), size: LARGE };
    let log = recover::open(home, None, &mut |_| Ok(())).unwrap();
    let mut starts = Vec::new();
    let mut number = 0;
    while log.end().offset() < LARGE * 3 / 4 {
        number += 1;
        let length = 40 + usize::try_from(number % 13).unwrap();
        starts.extend(put(&log, &[large(number, length)]).iter().map(|placed| placed.at.offset()));
    }
    let mut window = SegmentWindow::open(&machine.dir(), 1).unwrap();
    let first = starts[0];
    // Chunks end at each place of a frame.
    for from in (first..first + 300).step_by(8) {
        let mut found = Vec::new();
        window.each_frame(from, &mut |at, _, _| found.push(at)).unwrap();
        let expected: Vec<u64> = starts.iter().copied().filter(|start| *start >= from).collect();
        assert_eq!(found, expected, "from {from}");
    }
}
