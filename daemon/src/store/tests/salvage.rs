//! Damage of the log: passed and noted when the store is opened, found by checks, and salvaged.

use std::collections::BTreeSet;

use editd_proto::error::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::JobStatus;

use super::kit::*;
use crate::record::{Record, SettleRecord};
use crate::store::log::frame::FRAME;
use crate::store::salvage::{SalvageReport, salvage};
use crate::store::tests::fake::FakeMachine;
use crate::store::{DatabaseBackend, LogPosition, Store};

fn settle(id: u64) -> Record {
    Record::Settle(SettleRecord { id: JobId(id), diverged: false })
}

/// Writes one entry after the other, each with a key, and returns the positions of their intents.
fn entries(store: &Store, ids: std::ops::RangeInclusive<u64>) -> Vec<LogPosition> {
    ids.map(|id| {
        let mut one = entry(id, "s", &["a", "b"]);
        (one.key, one.request) = (Some(format!("key {id}")), Some(hash(id)));
        let at = store.append(&[Record::Intent(one)]).unwrap();
        let sealed = store.append(&[seal(id)]).unwrap();
        let _ = store.flush(sealed).unwrap();
        store.append(&[settle(id)]).unwrap();
        at
    })
    .collect()
}

fn flip(machine: &FakeMachine, at: LogPosition, byte: usize) {
    let file = machine.file(&["log", &format!("{:016x}.log", at.segment())]);
    file.lock().unwrap().seen[at.offset() as usize + byte] ^= 1;
}

fn erase(machine: &FakeMachine, at: LogPosition) {
    let file = machine.file(&["log", &format!("{:016x}.log", at.segment())]);
    file.lock().unwrap().seen[at.offset() as usize..at.offset() as usize + FRAME].fill(0);
}

fn salvaged(machine: &FakeMachine, database: DatabaseBackend) -> Option<SalvageReport> {
    salvage(&machine.os(), &machine.dir(), options(database), 5).unwrap()
}

#[test]
fn a_damaged_record_costs_its_entry_and_nothing_else() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let at = entries(&store, 1..=60);
    drop(store);
    flip(&machine, at[9], FRAME + 30);
    let (store, opened) = open(&machine);
    assert!(opened.damage[0].contains("1 record is lost"), "{:?}", opened.damage);
    assert!(opened.damage[1].contains("may be lost with it: 10"), "{:?}", opened.damage);
    assert_eq!((store.numbers().entries, store.entry(JobId(10)).unwrap()), (59, None));
    assert!(store.may_be_lost(JobId(10)).unwrap() && !store.may_be_lost(JobId(11)).unwrap());
    assert!(store.damage().unwrap().contains("editctl salvage"));
    assert_eq!(opened.open, []);
    drop(store);
    // A later start finds the same damage, and does not note it again.
    let (store, opened) = open(&machine);
    assert_eq!(opened.damage.len(), 1, "{:?}", opened.damage);
    assert!(store.may_be_lost(JobId(10)).unwrap());
    drop(store);
    let report = salvaged(&machine, DatabaseBackend::Memory).unwrap();
    assert_eq!(report.damage.len(), 1);
    let (store, opened) = open(&machine);
    assert_eq!((opened.damage.len(), store.damage(), store.numbers().entries), (0, None, 59));
    let findings = store.check();
    let unusual: Vec<&str> =
        findings.iter().filter(|found| found.severity != "ok").map(|found| found.message.as_str()).collect();
    assert_eq!(unusual, ["these entries may have been lost through damage of the log: 10"]);
    assert!(store.may_be_lost(JobId(10)).unwrap(), "the note is salvaged, too");
    drop(store);
    assert_eq!(salvaged(&machine, DatabaseBackend::Memory), None);
}

#[test]
fn numbers_of_lost_entries_are_not_given_again() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let at = entries(&store, 1..=60);
    drop(store);
    // The next segment has begun, and nothing in it was flushed.
    erase(&machine, at[59]);
    let (store, opened) = open(&machine.copy());
    assert_eq!(store.numbers().entries, 59);
    assert!(opened.last_id >= 60 && opened.damage[0].contains("1 record is lost"), "{:?}", opened.damage);
    drop(store);
    salvaged(&machine, DatabaseBackend::Memory).unwrap();
    let (_, opened) = open(&machine);
    assert!(opened.last_id >= 60, "{}", opened.last_id);
}

#[test]
fn an_entry_whose_seal_is_lost_is_whole_if_it_was_settled() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let at = entries(&store, 1..=60);
    drop(store);
    // The seal follows its intent in a block of its own.
    let file = machine.file(&["log", &format!("{:016x}.log", at[9].segment())]);
    let begin = at[9].offset() as usize + 4;
    let next = file.lock().unwrap().seen[begin..].windows(4).position(|magic| magic == b"rec1").unwrap();
    erase(&machine, LogPosition(at[9].0 + 4 + next as u64));
    let (store, opened) = open(&machine);
    assert!(opened.damage[0].contains("1 record is lost"), "{:?}", opened.damage);
    assert_eq!(store.numbers().entries, 60);
    let keyed = store.keyed("s", "key 10").unwrap().unwrap();
    assert_eq!((keyed.id, keyed.receipt.unwrap().status), (JobId(10), JobStatus::Applied));
}

#[test]
fn entries_that_damage_leaves_open_are_left_to_recovery() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let mut open_one = entry(1, "s", &["a"]);
    (open_one.key, open_one.request) = (Some("key".to_owned()), Some(hash(1)));
    store.append(&[Record::Intent(open_one)]).unwrap();
    store.append(&[Record::Intent(entry(2, "s", &["b"])), seal(2)]).unwrap();
    store.append(&[queued(3, "s", Some("queued"))]).unwrap();
    let at = entries(&store, 4..=60);
    drop(store);
    let (_, opened) = open(&machine.copy());
    assert_eq!((opened.open.len(), opened.queued.len()), (2, 1));
    erase(&machine, at[0]);
    let check = |machine: &FakeMachine| {
        let (store, opened) = open(machine);
        let open: Vec<(u64, bool)> = opened.open.iter().map(|(one, sealed)| (one.id.0, *sealed)).collect();
        assert_eq!((open, opened.queued.len()), (vec![(1, false), (2, true)], 0));
        assert_eq!(opened.doubtful, BTreeSet::from([JobId(1), JobId(2)]));
        assert_eq!(store.keyed("s", "key").unwrap().unwrap().receipt, None);
        let keyed = store.keyed("s", "queued").unwrap().unwrap();
        let receipt = keyed.receipt.unwrap();
        assert_eq!((keyed.id, receipt.status), (JobId(3), JobStatus::Refused));
        assert_eq!(receipt.error.unwrap().code, ErrorCode::Io);
        opened.damage
    };
    let told = check(&machine);
    assert!(told.iter().any(|one| one.contains("the end of job 1 may be lost")), "{told:?}");
    // Until they are ended, and in a salvaged log, too.
    check(&machine);
    let report = salvaged(&machine, DatabaseBackend::Memory).unwrap();
    assert_eq!(report.damage.len(), 1);
    check(&machine);
    let (store, _) = open(&machine);
    store.append(&[Record::Void(JobId(1)), settle(2)]).unwrap();
    drop(store);
    assert!(open(&machine).1.doubtful.is_empty());
}

#[test]
fn a_check_reports_new_damage_once_with_the_entries_that_it_hits() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let at = entries(&store, 1..=60);
    let id = at[9].segment();
    assert_eq!(store.check_segment(id).unwrap(), None);
    flip(&machine, at[9], FRAME + 30);
    let told = store.check_segment(id).unwrap().unwrap();
    assert!(told.contains("cannot be shown or undone: 10;") || told.contains("undone: 10."), "{told}");
    assert_eq!(store.check_segment(id).unwrap(), None);
    assert_eq!(store.damage().unwrap(), told);
    let log = store.check().into_iter().find(|finding| finding.subject == "log").unwrap();
    assert_eq!((log.severity.as_str(), log.message), ("bad", told));
    flip(&machine, at[9], FRAME + 30);
    assert_eq!((store.check_segment(id).unwrap(), store.damage()), (None, None));
}

#[test]
fn a_salvage_names_what_the_database_knows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sled");
    let machine = FakeMachine::new();
    let (store, _) = open_sled(&machine, &path).unwrap();
    let at = entries(&store, 1..=60);
    let clipped = store.append(&[Record::Clip(clip("s", "c", Some(b"text"), 1))]).unwrap();
    entries(&store, 61..=90);
    store.close().unwrap();
    drop(store);
    erase(&machine, at[9]);
    erase(&machine, clipped);
    let report = salvaged(&machine, DatabaseBackend::Sled(path.clone())).unwrap();
    let gone: Vec<u64> = report.entries.iter().map(|entry| entry.id.0).collect();
    assert_eq!((gone, report.clipboards), (vec![10], vec!["c".to_owned()]));
    // The record of its end is intact.
    let keys: Vec<(u64, Option<&str>)> =
        report.keys.iter().map(|gone| (gone.job.0, gone.key.as_deref())).collect();
    assert_eq!(keys, [(10, Some("key 10"))]);
    assert_eq!((report.entries[0].session.as_str(), report.entries[0].paths.len()), ("s", 2));
    assert!(report.named && report.possible_entries.is_empty(), "{:?}", report.possible_entries);
    // It is elsewhere than in the state folder, so it was not set aside.
    std::fs::remove_dir_all(&path).unwrap();
    let (store, opened) = open_sled(&machine, &path).unwrap();
    assert!(opened.rebuilt.is_some() && opened.damage.is_empty(), "{:?}", opened.damage);
    assert_eq!((store.numbers().entries, store.clip("s", "c").unwrap()), (89, None));
}

#[test]
fn a_log_that_ends_before_its_database_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sled");
    let machine = FakeMachine::new();
    let (store, _) = open_sled(&machine, &path).unwrap();
    entries(&store, 1..=30);
    let older = machine.copy();
    entries(&store, 31..=60);
    store.close().unwrap();
    drop(store);
    let (store, opened) = open_sled(&older, &path).unwrap();
    assert!(opened.damage[0].contains("the end of the log is lost: its last record"), "{:?}", opened.damage);
    // Nothing is left to salvage, and no command is advised that says so.
    let told = store.damage().unwrap();
    assert!(told.contains("31-60") && told.contains("cannot be salvaged"), "{told}");
    assert!(!told.contains("`editctl salvage`") && !told.contains("unknown number"), "{told}");
    assert!(opened.damage[1].contains("31-60"), "{:?}", opened.damage);
    assert_eq!((opened.last_id, store.numbers().entries), (60, 30));
    drop(store);
    assert_eq!(salvaged(&older, DatabaseBackend::Sled(path)), None);
}

#[test]
fn a_salvage_may_be_killed_at_any_call() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let at = entries(&store, 1..=60);
    drop(store);
    erase(&machine, at[9]);
    let mut failed = 0;
    for call in 1..60 {
        let machine = machine.copy();
        machine.fail_in(call);
        if salvage(&machine.os(), &machine.dir(), options(DatabaseBackend::Memory), 5).is_ok() {
            break;
        }
        failed += 1;
        let after = machine.copy();
        match Store::open(after.os(), after.dir(), options(DatabaseBackend::Memory), 1) {
            Ok((store, _)) => assert_eq!(store.numbers().entries, 59, "call {call}"),
            Err(e) => assert!(e.to_string().contains("a salvage was interrupted"), "call {call}: {e}"),
        }
        let again = machine.copy();
        salvaged(&again, DatabaseBackend::Memory);
        assert_eq!(open(&again).0.numbers().entries, 59, "call {call}");
    }
    assert!(failed > 8, "{failed}");
}

/// Makes the block of the disk that has the begin of a record unreadable.
fn spoil(machine: &FakeMachine, at: LogPosition) {
    let file = machine.file(&["log", &format!("{:016x}.log", at.segment())]);
    let begin = at.offset() / 4096 * 4096;
    file.lock().unwrap().unreadable = begin..begin + 4096;
}

#[test]
fn a_start_on_a_disk_that_cannot_read_the_log_is_refused_with_the_remedy() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let at = entries(&store, 1..=60);
    drop(store);
    for spoiled in [at[9], at[59], LogPosition::at(at[9].segment(), 0)] {
        let machine = machine.copy();
        spoil(&machine, spoiled);
        let refused = Store::open(machine.os(), machine.dir(), options(DatabaseBackend::Memory), 1).err();
        let why = refused.unwrap().to_string();
        for part in ["could not be", "check the disk", "editctl salvage"] {
            assert!(why.contains(part), "{why}");
        }
        let report = salvaged(&machine, DatabaseBackend::Memory).unwrap();
        assert!(report.damage[0].contains("blocks that the disk cannot read"), "{:?}", report.damage);
        let (store, _) = open(&machine);
        let lost = if spoiled.offset() == 0 { 0 } else { 1 };
        assert_eq!(store.numbers().entries, 60 - lost, "{:?}", report.damage);
        assert_eq!(salvaged(&machine, DatabaseBackend::Memory), None);
    }
}

#[test]
fn a_check_reports_what_the_disk_cannot_read_and_edits_continue() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let at = entries(&store, 1..=60);
    let id = at[9].segment();
    spoil(&machine, at[9]);
    let told = store.check_segment(id).unwrap().unwrap();
    assert!(told.contains("blocks that the disk cannot read"), "{told}");
    assert!(told.contains("cannot be shown or undone: 10"), "{told}");
    assert_eq!(store.damage().unwrap(), told);
    let log = store.check().into_iter().find(|finding| finding.subject == "log").unwrap();
    assert_eq!((log.severity.as_str(), log.message), ("bad", told));
    entries(&store, 61..=62);
    assert!(store.check_segment(at[59].segment()).unwrap().is_none());
}
