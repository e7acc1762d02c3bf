//! Packed segments hold the same records at the same positions, through kills, power cuts, faults and damage.

use editd_proto::ids::JobId;

use super::kit::*;
use crate::record::{ClipboardRecord, Record};
use crate::store::LogPosition;
use crate::store::log::recover::{self, LogCheckpoint};
use crate::store::log::{BLOCK, Log, packed, read, segment};
use crate::store::tests::fake::FakeMachine;

/// Returns a record as of a small edit: some bytes that repeat, and some that do not.
fn edit(n: u64) -> Record {
    let mut text = format!("session path client label {n} ").repeat(6).into_bytes();
    let Record::Clip(random) = large(n, 64) else { unreachable!() };
    text.extend(random.bytes.unwrap());
    let name = n.to_string();
    Record::Clip(ClipboardRecord { session: String::new(), name, bytes: Some(text), origin: None, time: n })
}

/// Appends small edits, each flushed, until there are so many segments; returns them with their positions.
fn filled(log: &Log, segments: usize) -> Vec<(LogPosition, Record)> {
    let mut written = Vec::new();
    for n in 0.. {
        let placed = put(log, &[edit(n)]);
        log.flush(placed[0].at).unwrap();
        written.push((placed[0].at, edit(n)));
        if log.segments().len() == segments {
            return written;
        }
    }
    unreachable!()
}

fn pack_all(log: &Log) -> u64 {
    let mut packed = 0;
    while let Some(id) = log.packable() {
        packed += u64::from(log.pack(id).unwrap());
    }
    packed
}

fn name(id: u64) -> String {
    segment::name(id)
}

#[test]
fn packed_segments_have_the_same_records_at_the_same_positions() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let written = filled(&log, 5);
    let before = log.bytes();
    assert_eq!(pack_all(&log), 4, "all but the one that is written to");
    assert_eq!(pack_all(&log), 0);
    assert!(log.bytes() - SIZE < (before - SIZE) / 4, "{before} {}", log.bytes());
    let on_disk: usize = machine.all_files().iter().map(|(_, bytes)| bytes.len()).sum();
    assert_eq!(on_disk as u64, log.bytes());
    for (at, record) in &written {
        assert_eq!(read::record(log.dir(), *at).unwrap().0, *record);
    }
    let check = log.verify().unwrap();
    assert_eq!((check.records, check.gaps.len()), (written.len() as u64 + 1, 0));
    for machine in [machine.copy(), machine.power_cut(&|| false)] {
        let (again, seen) = open(&machine, None).unwrap();
        assert_eq!(seen, written);
        assert_eq!(again.bytes(), log.bytes());
        put(&again, &[edit(1000)]);
    }
    let nth = written.len() / 2;
    let (_, _, sum) = read::record(log.dir(), written[nth].0).unwrap();
    let from = LogCheckpoint { at: written[nth].0, sum };
    recover::find(log.dir(), &from).unwrap();
    assert_eq!(open(&machine.copy(), Some(from)).unwrap().1, written[nth + 1..]);
}

#[test]
fn packing_may_fail_or_be_killed_at_any_call() {
    let machine = FakeMachine::new();
    let written = filled(&open(&machine, None).unwrap().0, 3);
    let mut failures = 0;
    for call in 1.. {
        let machine = machine.copy();
        let (log, _) = open(&machine, None).unwrap();
        machine.fail_in(call);
        let failed = log.pack(2).is_err();
        failures += u32::from(failed);
        for cut in [machine.copy(), machine.power_cut(&|| false), machine.power_cut(&|| true)] {
            let (again, seen) = open(&cut, None).unwrap();
            assert_eq!(seen, written, "call {call}");
            assert_eq!(again.verify().unwrap().gaps, [], "call {call}");
            pack_all(&again);
            assert!(again.bytes() < 2 * SIZE, "call {call}");
            let seen = open(&cut.copy(), None).unwrap().1;
            assert_eq!(seen[..written.len()], written, "call {call}");
        }
        // The same log goes on.
        machine.fail_in(u64::from(u32::MAX));
        put(&log, &[edit(1000)]);
        assert_eq!(log.verify().unwrap().gaps, []);
        if !failed {
            break;
        }
    }
    assert!(failures > 5, "{failures}");
}

#[test]
fn a_damaged_byte_costs_the_records_of_one_block_at_most_and_is_reported() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let written = filled(&log, 4);
    pack_all(&log);
    drop(log);
    let len = machine.file(&[&name(2)]).lock().unwrap().seen.len();
    let of_second = written.iter().filter(|(at, _)| at.segment() == 2).count();
    let (mut lost_most, mut harmless) = (0, 0);
    for byte in (0..len).step_by(7) {
        let machine = machine.copy();
        machine.file(&[&name(2)]).lock().unwrap().seen[byte] ^= 0x10;
        let (log, seen, gaps) = open_damaged(&machine, None).unwrap_or_else(|e| panic!("{byte}: {e}"));
        let lost = written.len() - seen.len();
        assert!(seen.iter().all(|one| written.contains(one)), "byte {byte}");
        assert_eq!(lost > 0, gaps.iter().any(|gap| gap.loses()), "byte {byte}: {gaps:?}");
        lost_most = lost_most.max(lost);
        let check = log.verify().unwrap();
        // A few bytes tell the decoder nothing that it needs.
        harmless += usize::from(check.gaps.is_empty());
        assert_eq!(check.gaps.iter().any(|gap| gap.loses()), lost > 0, "byte {byte}");
    }
    // A segment of the tests has one block.
    assert!(lost_most <= of_second, "{lost_most} of {of_second}");
    assert!(harmless < len / 7 / 20, "{harmless} of {}", len / 7);
}

#[test]
fn one_damaged_table_or_header_costs_nothing() {
    let machine = FakeMachine::new();
    let written = {
        let (log, _) = open(&machine, None).unwrap();
        let written = filled(&log, 3);
        pack_all(&log);
        written
    };
    let len = machine.file(&[&name(2)]).lock().unwrap().seen.len();
    let table = packed::table_len(1);
    for (from, to) in [
        (0, packed::HEAD as usize),
        (packed::HEAD as usize, packed::HEAD as usize + table),
        (0, packed::HEAD as usize + table),
        (len - packed::TRAILER as usize - table, len),
    ] {
        let machine = machine.copy();
        machine.file(&[&name(2)]).lock().unwrap().seen[from..to].fill(0xA5);
        let (log, seen) = open(&machine, None).unwrap();
        assert_eq!(seen, written, "{from}..{to}");
        let gaps = log.verify().unwrap().gaps;
        assert_eq!(gaps.len(), 1, "{from}..{to}: {gaps:?}");
        assert!(!gaps[0].loses());
    }
    // Without both, the segment is lost, and that is reported.
    let machine = machine.copy();
    machine.file(&[&name(2)]).lock().unwrap().seen.fill(0xA5);
    assert!(open_damaged(&machine, None).is_err());
}

#[test]
fn a_damaged_segment_is_not_packed() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let written = filled(&log, 4);
    let (at, _) = written.iter().find(|(at, _)| at.segment() == 2).unwrap();
    machine.file(&[&name(2)]).lock().unwrap().seen[at.offset() as usize + 100] ^= 1;
    assert_eq!(pack_all(&log), 2);
    assert_eq!(machine.file(&[&name(2)]).lock().unwrap().seen.len() as u64, SIZE);
}

#[test]
fn contents_that_cannot_be_compressed_stay_as_they_are() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    for n in 0.. {
        if log.segments().len() == 5 {
            break;
        }
        let placed = put(&log, &[large(n, 3900)]);
        log.flush(placed[0].at).unwrap();
    }
    // The first one has a block with only the record of the opening.
    assert_eq!(pack_all(&log), 1);
    assert!(machine.all_files().iter().all(|(name, _)| name.ends_with(".log")), "no copy is left");
}

#[test]
fn the_log_goes_on_in_a_packed_segment_whose_followers_are_gone() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let written = filled(&log, 4);
    pack_all(&log);
    let dir = log.dir().clone();
    drop(log);
    (3..=4).for_each(|id| segment::remove(&dir, id).unwrap());
    let kept: Vec<_> = written.iter().filter(|(at, _)| at.segment() <= 2).cloned().collect();
    let (log, seen) = open(&machine, None).unwrap();
    assert_eq!(seen, kept);
    for n in 0..30 {
        let placed = put(&log, &[edit(n)]);
        assert_eq!(log.flush(placed[0].at).unwrap().offset() % BLOCK, 0);
    }
    assert_eq!(open(&machine.copy(), None).unwrap().1.len(), kept.len() + 30);
}

#[test]
fn erased_records_are_gone_from_a_packed_segment() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    let written = filled(&log, 4);
    pack_all(&log);
    let gone = written[written.iter().position(|(at, _)| at.segment() == 2).unwrap()].0;
    let erased = log.erase(2, &mut |at, _| {
        Ok((at == gone).then(|| {
            let empty = ClipboardRecord {
                bytes: None,
                session: String::new(),
                name: "x".into(),
                origin: None,
                time: 0,
            };
            Record::Clip(empty)
        }))
    });
    assert_eq!(erased.unwrap(), 1);
    assert_eq!(pack_all(&log), 1, "it is packed again");
    assert!(log.bytes() < 2 * SIZE);
    let (_, seen) = open(&machine.copy(), None).unwrap();
    for ((at, record), (_, was)) in seen.iter().zip(&written) {
        assert_eq!(record == was, *at != gone);
    }
}

#[test]
fn a_packed_segment_is_not_used_again_as_the_next_one() {
    let machine = FakeMachine::new();
    let (log, _) = open(&machine, None).unwrap();
    filled(&log, 4);
    pack_all(&log);
    while log.segments().len() > 1 {
        assert!(log.drop_oldest().unwrap());
    }
    for n in 0..30 {
        put(&log, &[Record::Void(JobId(n)), large(n, 3000)]);
    }
    assert_eq!(log.verify().unwrap().gaps, []);
    open(&machine.copy(), None).unwrap();
}
