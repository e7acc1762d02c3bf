//! The lines of an exported journal and back, on the simulated machine: entries of every form, small pieces, entries that
//! disappear between two pieces, damage, and a failure of every call of an import.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use editd_engine::Splice;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::EntryKind;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::bytes::{PortableBytes, decode, encode};
use super::export::ExportCursor;
use super::import::{ImportError, ImportReport, import};
use super::render::{self, ExportedMarks, KeptContents, LineSink};
use super::{LINE, PART, PIECE};
use crate::os::{ExtendedAttribute, FileIdentity};
use crate::record::{
    ChangeMethod, Entry, EntryPart, FileAttributes, FilePart, FileRecord, Record, SettleRecord,
};
use crate::store::tests::fake::FakeMachine;
use crate::store::tests::kit::*;
use crate::store::{DatabaseBackend, EntryQuery, Store};

struct Nothing;

impl KeptContents for Nothing {
    fn get(&self, _: ContentHash) -> Option<Vec<u8>> {
        None
    }

    fn left_earlier(&self, _: &FileRecord, _: ContentHash) -> bool {
        false
    }
}

/// Returns all pieces of an export, with the last line.
fn exported(store: &Store) -> Vec<u8> {
    let mut piece = store.export_first(None, b"/w", 7).unwrap();
    let mut all = piece.bytes;
    while let Some(next) = piece.next {
        let cursor = ExportCursor::parse(&next.to_string()).unwrap();
        assert_eq!(cursor, next);
        piece = store.export_next(&cursor, &|_| true).unwrap();
        assert!(piece.bytes.len() <= PIECE + LINE);
        all.extend(piece.bytes);
    }
    sealed(all)
}

fn sealed(mut all: Vec<u8>) -> Vec<u8> {
    let lines = all.iter().filter(|byte| **byte == b'\n').count();
    let sum: String = Sha256::digest(&all).iter().map(|byte| format!("{byte:02x}")).collect();
    let end =
        format!("{{\"type\":\"end\",\"lines\":{lines},\"bytes\":{},\"sha256\":\"{sum}\"}}\n", all.len());
    all.extend(end.into_bytes());
    all
}

fn imported(machine: &FakeMachine, file: &[u8]) -> Result<ImportReport, ImportError> {
    import(&machine.os(), &machine.dir(), &mut &*file, &options(DatabaseBackend::Memory), 5)
}

fn add(store: &Store, entry: Entry) {
    let id = entry.id;
    if matches!(entry.kind, EntryKind::External | EntryKind::Hook) {
        store.append(&[Record::External(entry)]).unwrap();
        return;
    }
    store.append(&[Record::Intent(entry)]).unwrap();
    store.append(&[seal(id.0), Record::Settle(SettleRecord { id, diverged: id.0 == 3 })]).unwrap();
}

/// Returns the entry of a job with changes of this length.
fn large(id: u64, old: usize, new: usize) -> Entry {
    let mut entry = entry(id, "s", &["large"]);
    let bytes = |len: usize| (0..len).map(|n| (n * 7 + len) as u8).collect::<Vec<u8>>();
    entry.files[0].splices = vec![
        Splice { at: 3, old: bytes(old), new: "é".repeat(new / 2).into_bytes() },
        Splice { at: old as u64 + 9, old: Vec::new(), new: b"x".to_vec() },
    ];
    entry
}

/// Writes entries with every field.
fn fill(store: &Store) {
    let mut first = entry(1, "s", &["a", "b"]);
    (first.key, first.request, first.label) = (Some("k".to_owned()), Some(hash(1)), None);
    first.files[0].made = vec!["made".into(), "made/too".into()];
    first.files[0].attributes = Some(FileAttributes {
        extended: vec![
            ExtendedAttribute { name: b"user.a".to_vec(), value: Some(vec![0, 255]) },
            ExtendedAttribute { name: b"user.b".to_vec(), value: None },
        ],
        links: 2,
    });
    first.files[1].path = editd_proto::path::FilePath::new(b"odd \xff\n".to_vec());
    first.files[1].extents = (0..25_000).map(|n| (n, 1, 2)).collect();
    add(store, first);
    add(store, large(2, 3 * PART + 5, 2 * PART + 7));
    let mut third = entry(3, "t", &["c"]);
    third.queued = Some(JobId(30));
    third.request = Some(hash(3));
    third.files[0].how = ChangeMethod::InPlace;
    let before = third.files[0].before.as_mut().unwrap();
    (before.mode, before.identity) = (0, FileIdentity { dev: 0, ino: 0, born: 0 });
    add(store, third);
    add(store, Entry { kind: EntryKind::External, ..entry(4, "outside", &["c"]) });
    let mut undo = undo(5, "s", EntryKind::Undo, &[1]);
    let part = FilePart { file: 1, hunks: vec![(1, 2), (4, 4)], total: 9 };
    undo.parts = vec![EntryPart { entry: JobId(1), files: 2, part }];
    add(store, undo);
    let mut forgotten = entry(6, "s", &["secret"]);
    forgotten.files[0].forget_contents();
    add(store, forgotten);
    add(store, entry(7, "s", &[]));
    for clip in [clip("s", "c", Some(b"\xff"), 1), clip("", "/w", Some(&vec![b'a'; 2 * PART]), 2)] {
        store.append(&[Record::Clip(clip)]).unwrap();
    }
}

/// Returns the entries of a store without the fields that an export does not have.
fn entries(store: &Store) -> Vec<Entry> {
    let ids = store.page(&EntryQuery { limit: 100, ..EntryQuery::default() }).unwrap();
    let plain = |mut entry: Entry| {
        entry.boot = crate::os::BootId([0; 16]);
        for file in &mut entry.files {
            file.staged_name.clear();
            let states = [&mut file.before, &mut file.after].into_iter().flatten();
            states.for_each(|meta| {
                meta.identity = FileIdentity { dev: 0, ino: u64::from(meta.mode > 0), born: 0 }
            });
        }
        entry
    };
    ids.into_iter().map(|id| plain(store.entry(id).unwrap().unwrap())).collect()
}

#[test]
fn every_field_comes_back() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    fill(&store);
    let file = exported(&store);
    let other = FakeMachine::new();
    let report = imported(&other, &file).unwrap();
    assert_eq!((report.entries, report.clipboards, report.keys, report.forgotten), (7, 2, 1, 1));
    let (restored, opened) = open(&other);
    assert_eq!((opened.open, opened.damage, opened.last_id), (Vec::new(), Vec::new(), 30));
    assert_eq!(entries(&store), entries(&restored));
    for id in 1..=7 {
        assert_eq!(store.summary(JobId(id)).unwrap(), restored.summary(JobId(id)).unwrap());
        assert_eq!(store.taken_back(JobId(id)).unwrap(), restored.taken_back(JobId(id)).unwrap());
    }
    for name in ["c", "/w"] {
        assert_eq!(store.clip("s", name).unwrap(), restored.clip("s", name).unwrap());
    }
    let keyed = restored.keyed("s", "k").unwrap().unwrap();
    assert_eq!((keyed.id, keyed.request, keyed.receipt.is_some()), (JobId(1), Some(hash(1)), true));
    assert_eq!(restored.receipt(JobId(30)).unwrap().unwrap().job, Some(JobId(3)));
    // The export of the import is the same.
    assert_eq!(exported(&restored), file);
}

#[test]
fn the_lines_of_an_entry_do_not_depend_on_where_pieces_end() {
    let entry = large(2, 40 * PART, 7 * PART);
    let marks = ExportedMarks { undone: false, diverged: false };
    let (mut from, mut lines, mut pieces) = ((0, 0, 0), Vec::new(), 0);
    loop {
        let mut sink = LineSink { from, ..LineSink::default() };
        assert!(render::entry(&mut sink, &entry, marks, &Nothing));
        assert!(sink.bytes.len() <= PIECE + LINE);
        lines.extend(sink.bytes);
        pieces += 1;
        match sink.stopped {
            Some(at) => from = at,
            None => break,
        }
    }
    assert!(pieces > 5, "{pieces}");
    let mut file = b"{\"type\":\"header\",\"format\":\"editd-journal\",\"version\":1,\"editd\":\"0\",\"workspace\":\"\",\"time\":0}\n".to_vec();
    file.extend(lines);
    let machine = FakeMachine::new();
    imported(&machine, &sealed(file)).unwrap();
    let (store, _) = open(&machine);
    assert_eq!(store.entry(JobId(2)).unwrap().unwrap().files[0].splices, entry.files[0].splices);
}

#[test]
fn an_entry_that_disappears_or_changes_between_two_pieces_is_absent() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    add(&store, entry(1, "s", &["a"]));
    add(&store, large(2, 20 * PART, 0));
    add(&store, entry(3, "s", &["a"]));
    let first = store.export_first(None, b"/w", 7).unwrap();
    let second = store.export_next(&first.next.clone().unwrap(), &|_| true).unwrap();
    // The rest of another entry, as after `forget`, and of one that is not there any more.
    let text = second.next.unwrap().to_string();
    let (start, _) = text.rsplit_once('.').unwrap();
    for cursor in [format!("{start}.1"), text.replace(".e.2.", ".e.9.").replace("1.1.3", "1.1.12")] {
        let cursor = ExportCursor::parse(&cursor).unwrap();
        let mut file = [first.bytes.clone(), second.bytes.clone()].concat();
        let mut next = Some(cursor);
        while let Some(cursor) = next {
            let piece = store.export_next(&cursor, &|_| true).unwrap();
            file.extend(piece.bytes);
            next = piece.next;
        }
        let lines = String::from_utf8(file.clone()).unwrap();
        assert!(lines.contains("\"type\":\"absent\""), "{}", &lines[lines.len() - 300..]);
        if lines.contains("forgotten") {
            let other = FakeMachine::new();
            let report = imported(&other, &sealed(file)).unwrap();
            assert_eq!((report.entries, report.absent.len()), (2, 1));
        }
    }
    // Without memory for the entry, the piece ends before it.
    let piece = store.export_next(&first.next.unwrap(), &|bytes| bytes < 10 * PIECE).unwrap();
    assert!(piece.needs.is_some() && !piece.bytes.is_empty());
    let piece = store.export_next(&piece.next.unwrap(), &|bytes| bytes < 10 * PIECE).unwrap();
    assert!(piece.needs.is_some() && piece.bytes.is_empty());
}

#[test]
fn a_failure_of_any_call_leaves_the_empty_journal_or_the_whole_one() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    (1..=7).for_each(|id| add(&store, entry(id, "s", &["a", "b"])));
    let file = exported(&store);
    let empty = FakeMachine::new();
    drop(open(&empty));
    let mut failed = 0;
    for call in 1.. {
        let other = empty.copy();
        let before = other.calls();
        other.fail_in(call);
        let result = imported(&other, &file);
        if other.calls() < before + call {
            break;
        }
        // As after a kill at that moment, and after a power cut.
        for now in [other.copy(), other.power_cut(&|| false)] {
            let found = open(&now).0.numbers().entries;
            assert!(
                found == 7 || (found == 0 && result.is_err()),
                "call {call}: {found} entries, {result:?}"
            );
        }
        if result.is_err() {
            failed += 1;
            if open(&other).0.numbers().entries == 0 {
                imported(&other, &file).unwrap();
            }
            assert_eq!(open(&other).0.numbers().entries, 7);
        }
    }
    assert!(failed > 10, "{failed}");
}

#[test]
fn lost_entries_are_lost_after_an_import_too() {
    let machine = FakeMachine::new();
    let header =
        r#"{"type":"header","format":"editd-journal","version":1,"editd":"0","workspace":"","time":0}"#;
    let absent = r#"{"type":"absent","entries":[4,6],"reason":"damaged"}"#;
    imported(&machine, &sealed(format!("{header}\n{absent}\n").into_bytes())).unwrap();
    let (store, opened) = open(&machine);
    assert!(store.may_be_lost(JobId(5)).unwrap() && !store.may_be_lost(JobId(7)).unwrap());
    assert_eq!(opened.last_id, 6);
    let lines = String::from_utf8(exported(&store)).unwrap();
    assert!(lines.contains(absent), "{lines}");
}

#[test]
fn base64_is_that_of_the_standard() {
    for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
        assert_eq!(encode(bytes.as_bytes()), text);
        assert_eq!(decode(text).unwrap(), bytes.as_bytes());
    }
    for wrong in ["Z", "Zg=", "Zg==Zg==", "Zh==", "Z===", "Zm9v\n", "Zm 9", "Zm9-"] {
        assert_eq!(decode(wrong), None, "{wrong}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(decode(&encode(&bytes)), Some(bytes.clone()));
        let json = serde_json::to_string(&PortableBytes(bytes.clone())).unwrap();
        prop_assert_eq!(serde_json::from_str::<PortableBytes>(&json).unwrap().0, bytes);
    }

    #[test]
    fn changed_files_never_panic(at in 0_usize..4000, byte in any::<u8>(), seal in any::<bool>()) {
        let machine = FakeMachine::new();
        let (store, _) = open(&machine);
        add(&store, entry(1, "s", &["a", "b"]));
        add(&store, undo(2, "s", EntryKind::Undo, &[1]));
        store.append(&[Record::Clip(clip("s", "c", Some(b"x"), 1))]).unwrap();
        let mut file = exported(&store);
        let last = file[..file.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let at = at % last;
        file[at] = byte;
        if seal {
            file.truncate(last);
            file = sealed(file);
        }
        let other = FakeMachine::new();
        let result = imported(&other, &file);
        let entries = open(&other).0.numbers().entries;
        prop_assert_eq!(entries > 0, result.is_ok());
    }
}
