//! Kills at every record, one failure of every call, many threads at the same time.

use editd_proto::ids::JobId;

use super::kit::*;
use super::model::{Model, group, write};
use crate::record::Record;
use crate::store::tests::fake::FakeMachine;
use crate::store::{DatabaseBackend, Store, StoreError, StoreOptions};

#[test]
fn a_kill_after_any_append_loses_nothing() {
    let (machine, mut model, mut seed) = (FakeMachine::new(), Model::default(), 3);
    let (store, _) = open(&machine);
    for _ in 0..150 {
        write(&store, &mut model, &mut seed, 1);
        model.check(&open(&machine.copy()).0);
    }
}

#[test]
fn after_any_failed_call_what_was_acknowledged_is_there_and_nothing_is_accepted() {
    let mut failures = 0;
    for call in 1..60 {
        let (machine, mut model, mut seed) = (FakeMachine::new(), Model::default(), 1000 + call);
        let (store, _) = open(&machine);
        machine.fail_in(call);
        let mut failed = false;
        for _ in 0..60 {
            let records = group(&model, &mut seed);
            if records.is_empty() {
                continue;
            }
            match store.append(&records).and_then(|at| store.flush(at)) {
                Ok(_) => {
                    assert!(!failed);
                    records.iter().for_each(|record| model.apply(record));
                }
                Err(StoreError::Failed(why)) => {
                    assert!(store.failed().is_some() && !why.is_empty());
                    failed = true;
                    break;
                }
                Err(StoreError::Io(_)) => assert!(store.failed().is_none()),
                Err(other) => panic!("{other}"),
            }
        }
        if failed {
            failures += 1;
            let at = store.append(&[Record::ReadReceipt(seen("s", "a", 1))]);
            assert!(matches!(at, Err(StoreError::Failed(_))));
            assert!(matches!(store.close(), Err(StoreError::Failed(_))));
        } else {
            model.check(&store);
        }
        let (again, _) = open(&machine.power_cut(&|| false));
        if !failed {
            model.check(&again);
        } else {
            // The group that failed may be there or not; everything before it must be.
            assert!(again.numbers().entries >= model.entries.len() as u64);
        }
    }
    assert!(failures > 20, "{failures}");
}

#[test]
fn on_a_full_disk_each_accepted_intent_can_be_sealed_or_voided() {
    let mut refused = 0;
    for step in 0..64 {
        let machine = FakeMachine::new();
        let (store, _) = open(&machine);
        machine.set_full(true);
        // Two jobs at a time, of a size that ends the segment at another place in each round.
        for id in (1..).step_by(2) {
            let intent = |id| {
                let mut entry = entry(id, "s", &["a", "b"]);
                entry.label = Some("l".repeat(step * 8));
                Record::Intent(entry)
            };
            let first = store.append(&[intent(id)]);
            let second = first.clone().and_then(|_| store.append(&[intent(id + 1)]));
            let _flushed = store.flush(store.end()).unwrap();
            if second.is_err() {
                restart_full(&machine);
            }
            for (id, appended) in [(id, &first), (id + 1, &second)] {
                match appended {
                    Ok(_) if step % 2 == 0 => {
                        let receipts = ["a", "b"].map(|path| Record::ReadReceipt(seen("s", path, id)));
                        store.append(&[&[seal(id)][..], &receipts].concat()).map(drop).unwrap();
                    }
                    Ok(_) => store.append(&[Record::Void(JobId(id))]).map(drop).unwrap(),
                    Err(StoreError::Io(why)) => {
                        assert!(why.contains("the disk is full; make room"), "{why}");
                        refused += 1;
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            if first.is_err() {
                break;
            }
        }
        machine.set_full(false);
        store.append(&[Record::Intent(entry(1000, "s", &["a"]))]).unwrap();
    }
    assert!(refused >= 64, "{refused}");
}

/// Opens the store as after a kill, on a disk that is still full, and ends its open entries.
fn restart_full(machine: &FakeMachine) {
    let killed = machine.copy();
    killed.set_full(true);
    let (store, opened) = open(&killed);
    for (entry, _) in opened.open.iter().filter(|(_, sealed)| !sealed) {
        store.append(&[seal(entry.id.0)]).unwrap();
    }
}

#[test]
fn opening_may_fail_at_any_call_and_be_repeated() {
    let (machine, mut model, mut seed) = (FakeMachine::new(), Model::default(), 13);
    let (store, _) = open(&machine);
    write(&store, &mut model, &mut seed, 120);
    drop(store);
    let mut refused = 0;
    for call in 1..40 {
        let machine = machine.copy();
        machine.fail_in(call);
        match Store::open(machine.os(), machine.dir(), options(DatabaseBackend::Memory), 1) {
            Err(_) => refused += 1,
            Ok((store, _)) => model.check(&store),
        }
        model.check(&open(&machine.copy()).0);
    }
    assert!(refused >= 4, "{refused}");
}

#[test]
fn many_threads_write_and_look_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let machine = FakeMachine::new();
    let options = StoreOptions {
        database: DatabaseBackend::Sled(folder.path().join("sled")),
        segment: 256 * 1024,
        contents: 1024 * 1024,
        background: true,
        progress: Default::default(),
    };
    let (store, _) = Store::open(machine.os(), machine.dir(), options, 1).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let store = &store;
            scope.spawn(move || {
                let session = format!("session {thread}");
                for n in 0..150 {
                    let id = 1 + thread * 1000 + n;
                    let at =
                        store.append(&[Record::Intent(entry(id, &session, &["shared", &session]))]).unwrap();
                    if n % 10 == 0 {
                        let _ = store.flush(at).unwrap();
                    }
                    store.append(&[seal(id), Record::ReadReceipt(seen(&session, "shared", id))]).unwrap();
                    assert_eq!(store.seen(&session, &"shared".into()).unwrap().unwrap().time, id);
                    let last = store.last_of(&session.as_str().into()).unwrap().unwrap();
                    assert_eq!(last.0.0, id);
                    let content = format!("content {id}");
                    let name = content_hash(content.as_bytes());
                    store.keep_content(name, content.as_bytes());
                    if let Some(kept) = store.content(name) {
                        assert_eq!(kept, content.as_bytes());
                    }
                }
            });
        }
    });
    assert_eq!(store.numbers().entries, 1200);
    assert!(store.check().iter().all(|finding| finding.severity == "ok"));
    drop(store);
    assert_eq!(open(&machine.copy()).0.numbers().entries, 1200);
}
