//! A packed segment as this version writes it, in `samples/`: later versions must read it. With `BLESS=1` it is written if it is
//! missing, and never changed.

use std::path::PathBuf;

use super::kit::*;
use crate::record::{ClipboardRecord, Record};
use crate::store::LogPosition;
use crate::store::log::recover;
use crate::store::log::{LogLocation, packed, segment};
use crate::store::tests::fake::FakeMachine;

/// Bytes of the segment before it was packed: three blocks.
const SEGMENT: u64 = 160 * 1024;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/store/samples").join(name)
}

fn record(n: u64) -> Record {
    let mut seed = n + 1;
    let lines = (0..12).map(|line| format!("line {line} {}\n", next(&mut seed) % 4));
    let bytes = Some(lines.collect::<String>().into_bytes());
    Record::Clip(ClipboardRecord {
        session: "s".to_owned(),
        name: n.to_string(),
        bytes,
        origin: None,
        time: n,
    })
}

/// Fills a segment and packs it. Returns the bytes of its file, and those of the next one, which begins with the last two records.
fn written() -> [Vec<u8>; 2] {
    let machine = FakeMachine::new();
    let home = LogLocation { os: machine.os(), dir: machine.dir(), size: SEGMENT };
    let log = recover::open(home, None, &mut |_| Ok(())).unwrap();
    let count = (0..).find(|n| put(&log, &[record(*n)])[0].at.segment() == 2).unwrap();
    log.flush(LogPosition(u64::MAX)).unwrap();
    // This record proves the flush of those before it.
    put(&log, &[record(count + 1)]);
    log.flush(LogPosition(u64::MAX)).unwrap();
    assert!(log.pack(1).unwrap());
    let bytes = |id| machine.file(&[&segment::name(id)]).lock().unwrap().seen.clone();
    let mut next = bytes(2);
    // The rest of a segment is zeros.
    next.truncate(next.iter().rposition(|byte| *byte != 0).unwrap() + 1);
    [bytes(1), next]
}

/// Returns a machine with the sample, in which one byte is flipped.
fn machine([packed, next]: &[Vec<u8>; 2], flipped: Option<usize>) -> FakeMachine {
    let machine = FakeMachine::new();
    let (mut packed, mut next) = (packed.clone(), next.clone());
    next.resize(SEGMENT as usize, 0);
    if let Some(byte) = flipped {
        packed[byte] ^= 0x10;
    }
    for (id, bytes) in [(1, packed), (2, next)] {
        let file = machine.dir().create_file(segment::name(id).as_bytes(), 0o600).unwrap();
        file.write_all_at(&bytes, 0).unwrap();
    }
    machine
}

#[test]
fn a_packed_segment_of_this_version_is_read_by_later_ones_and_its_damage_is_reported() {
    let paths = ["packed-segment-2.bin", "packed-segment-2-next.bin"].map(path);
    if !paths[0].exists() && std::env::var_os("BLESS").is_some() {
        paths.iter().zip(written()).for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
    }
    let read = |path: &PathBuf| std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let sample = [read(&paths[0]), read(&paths[1])];
    let (log, seen) = open(&machine(&sample, None), None).unwrap();
    let records: Vec<Record> = (0..seen.len() as u64).map(record).collect();
    assert!(seen.iter().map(|(_, record)| record).eq(&records), "all records, in their order");
    assert_eq!(seen.last().unwrap().0.segment(), 2);
    assert_eq!(log.verify().unwrap().gaps, []);

    let blocks = packed::HEAD as usize + packed::table_len(3);
    let end = sample[0].len() - packed::TRAILER as usize - packed::table_len(3);
    let mut lost_most = 0;
    for byte in (blocks..end).step_by((end - blocks) / 16) {
        let (log, seen, gaps) = open_damaged(&machine(&sample, Some(byte)), None).unwrap();
        let lost = records.len() - seen.len();
        assert!(seen.iter().all(|(_, found)| records.contains(found)), "byte {byte}");
        assert_eq!(lost > 0, gaps.iter().any(|gap| gap.loses()), "byte {byte}: {gaps:?}");
        let gaps = log.verify().unwrap().gaps;
        assert_eq!(lost > 0, gaps.iter().any(|gap| gap.loses()), "byte {byte}: {gaps:?}");
        lost_most = lost_most.max(lost);
    }
    assert!(lost_most > 0 && lost_most < records.len() / 2, "one block: {lost_most}");
}
