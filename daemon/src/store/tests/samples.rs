//! A sample of every kind of record in every version that was ever stored. All samples in `samples/` must always
//! load; with `BLESS=1` missing samples are written, and none is ever changed.

use std::path::PathBuf;

use editd_proto::ids::JobId;

use super::kit::*;
use crate::os::{BootId, ExtendedAttribute};
use crate::record::{
    CheckpointEntry, EndedWithoutEntry, Entry, EntryPart, FileAttributes, FilePart, LostRecords,
    NumberedLines, ReadReceipt, Record, SealRecord, SettleRecord, StartRecord,
};
use crate::store::LogPosition;
use crate::store::log::frame::{FRAME, RecordFrame};
use crate::store::log::payload;

fn carried(entry: &Entry, receipt: Option<Vec<u8>>, undone: bool) -> Record {
    let hooks = receipt.iter().map(|_| JobId(16)).collect();
    Record::Checkpoint(CheckpointEntry { entry: entry.clone(), receipt, undone, hooks, parts: Vec::new() })
}

fn mark(id: u64, session: &str, name: &str) -> Entry {
    let entry = entry(id, session, &[]);
    Entry { kind: editd_proto::message::EntryKind::Mark, label: Some(name.to_owned()), ..entry }
}

fn lost() -> LostRecords {
    let entries = vec![(41, 43), (50, 50)];
    let (at, time) = (1 << 36 | 4096, 1_700_000_000_000);
    LostRecords { at, records: Some(7), entries, last_id: 50, time, doubtful: Vec::new() }
}

fn numbered() -> ReadReceipt {
    let lines =
        |first, last, now| NumberedLines { hash: hash(first), first, last, now, time: 1_700_000_000_000 };
    let numbered = vec![lines(1, 4, Some(1)), lines(5, 6, None), lines(7, u64::from(u32::MAX), Some(9))];
    ReadReceipt { numbered, ..seen("session", "src/a.rs", 9) }
}

fn records() -> Vec<(&'static str, Record)> {
    let mut e = entry(12, "session", &["src/a.rs", "b"]);
    (e.key, e.request) = (Some("key".to_owned()), Some(hash(3)));
    e.clips = vec![clip("session", "c", Some(b"text"), 5)];
    e.files[1].path = editd_proto::path::FilePath::new(vec![b'x', 0xff]);
    e.files[1].before = None;
    e.files[1].made = vec!["folder".into()];
    let start =
        StartRecord { boot: BootId([0xAB; 16]), time: 1_700_000_000_000, version: "0.1.0".to_owned() };
    vec![
        ("start", Record::Start(start)),
        ("intent", Record::Intent(e.clone())),
        ("carried", carried(&e, Some(vec![1, 2]), true)),
        ("carried-unsealed", carried(&e, None, false)),
        ("void", Record::Void(JobId(12))),
        ("seal", Record::Seal(SealRecord { id: JobId(12), receipt: stored_receipt(12) })),
        ("settle", Record::Settle(SettleRecord { id: JobId(12), diverged: true })),
        ("external", Record::External(undo(13, "", editd_proto::message::EntryKind::External, &[]))),
        ("hook", Record::External(undo(13, "session", editd_proto::message::EntryKind::Hook, &[12]))),
        ("mark", Record::External(mark(14, "session", "before"))),
        ("clip", Record::Clip(clip("session", "/shared", Some(&[0, 255, 10]), 6))),
        ("seen", Record::ReadReceipt(seen("session", "src/a.rs", 9))),
        ("v2-seen", Record::ReadReceipt(numbered())),
        (
            "queued",
            Record::Queued(match queued(14, "session", Some("key")) {
                Record::Queued(queued) => queued,
                _ => unreachable!(),
            }),
        ),
        ("done", sample_done()),
        ("lost", Record::Lost(lost())),
    ]
}

/// Returns a receipt as it was encoded when the samples were made: with an empty list of files.
fn stored_receipt(id: u8) -> Vec<u8> {
    [b"\x83\xa3job".as_slice(), &[id], b"\xa6status\xa7applied\xa5files\x90"].concat()
}

fn sample_done() -> Record {
    match done(15, "session", Some("other")) {
        Record::Done(done) => Record::Done(EndedWithoutEntry { receipt: stored_receipt(15), ..done }),
        other => other,
    }
}

/// Returns records with the fields that their second version added.
fn second_versions() -> Vec<(&'static str, Record)> {
    let part = FilePart { file: 1, hunks: vec![(1, 2), (4, 4)], total: 7 };
    let mut e = undo(14, "session", editd_proto::message::EntryKind::Undo, &[12]);
    e.parts = vec![EntryPart { entry: JobId(12), files: 2, part: part.clone() }];
    e.files[0].extents = vec![(0, 3, 300), (10, 0, 1)];
    let carried = CheckpointEntry {
        entry: e.clone(),
        receipt: Some(vec![1]),
        undone: false,
        hooks: vec![JobId(16)],
        parts: vec![part],
    };
    vec![
        ("intent", Record::Intent(e.clone())),
        ("external", Record::External(e)),
        ("carried", Record::Checkpoint(carried)),
        ("lost", Record::Lost(LostRecords { doubtful: vec![(JobId(7), false), (JobId(9), true)], ..lost() })),
    ]
}

/// Returns records of entries with the fields that their third version added.
fn third_versions() -> Vec<(&'static str, Record)> {
    let mut e = entry(15, "session", &["src/a.rs"]);
    let attribute = |name: &[u8], value: Option<&[u8]>| ExtendedAttribute {
        name: name.to_vec(),
        value: value.map(<[u8]>::to_vec),
    };
    let extended = vec![attribute(b"user.comment", Some(&[0, 255])), attribute(b"user.large", None)];
    e.files[0].attributes = Some(FileAttributes { extended, links: 2 });
    vec![
        ("intent", Record::Intent(e.clone())),
        ("external", Record::External(e.clone())),
        ("carried", carried(&e, Some(vec![1]), false)),
    ]
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/store/samples")
}

#[test]
fn every_record_that_was_ever_stored_still_loads() {
    let at = LogPosition::at(7, 4096);
    let second = second_versions().into_iter().map(|(name, record)| (format!("v2-{name}"), record));
    let third = third_versions().into_iter().map(|(name, record)| (format!("v3-{name}"), record));
    let first = records().into_iter().map(|(name, record)| (name.to_owned(), record));
    for (name, record) in first.chain(second).chain(third) {
        let file = if name.starts_with("v2-") || name.starts_with("v3-") {
            format!("{name}.bin")
        } else {
            format!("v1-{name}.bin")
        };
        let path = folder().join(file);
        if !path.exists() && std::env::var_os("BLESS").is_some() {
            let payload = payload::encode(&record).unwrap();
            let frame = RecordFrame {
                stored: payload.bytes.len() as u32,
                raw: payload.raw,
                kind: payload.kind,
                version: payload.version,
                packed: payload.packed,
                more: false,
                epoch: 3,
                sequence: 5,
                flushed: LogPosition::at(6, 8192),
                previous: [1; 16],
                digest: payload.digest,
            };
            let mut bytes = Vec::new();
            frame.encode(at, &mut bytes);
            bytes.extend_from_slice(&payload.bytes);
            std::fs::write(&path, bytes).unwrap();
        }
        let bytes =
            std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}; BLESS=1 writes it", path.display()));
        let (frame, _) = RecordFrame::decode(&bytes, at).unwrap();
        assert_eq!(payload::decode(&frame, &bytes[FRAME..]).unwrap(), record, "{name}");
    }
}
