//! The database fails while the store is in use: it is rebuilt from the log, on the disk or in memory, and no call fails.

use super::kit::*;
use super::model::{Model, write};
use crate::limits;
use crate::record::{Record, SettleRecord};
use crate::store::tests::fake::FakeMachine;
use crate::store::{
    DatabaseBackend, DatabaseFaults, EntryQuery, LogPosition, RetentionPolicy, Store, StoreOptions,
};

fn open_faulty(machine: &FakeMachine, faults: &DatabaseFaults) -> Store {
    let options = options(DatabaseBackend::Faulty(faults.clone()));
    Store::open(machine.os(), machine.dir(), options, 1).unwrap().0
}

fn count(store: &Store) -> u64 {
    let all = EntryQuery { limit: 10_000, ..EntryQuery::default() };
    store.history(&all).unwrap().len() as u64
}

#[test]
fn a_database_that_fails_at_any_call_is_rebuilt_and_no_caller_notices() {
    let mut failures = 0;
    for round in 0..24 {
        let full = round % 2 == 0;
        let (machine, faults) = (FakeMachine::new(), DatabaseFaults::default());
        let (mut model, mut seed) = (Model::default(), 900 + round);
        let store = open_faulty(&machine, &faults);
        write(&store, &mut model, &mut seed, 150);
        store.apply_pending().unwrap();
        faults.fail_after(round * 7, full);
        for _ in 0..6 {
            write(&store, &mut model, &mut seed, 30);
            model.check(&store);
            store.apply_pending().unwrap();
        }
        model.check(&store);
        assert_eq!(store.failed(), None);
        let fault = store.database_fault();
        if faults.failed() > 0 {
            failures += 1;
            assert_eq!(fault.is_some(), full, "{fault:?}");
        }
        if let Some(told) = fault {
            assert!(told.contains("the disk is full") && told.contains("make room"), "{told}");
            assert!(store.check().iter().any(|one| one.subject == "database" && one.severity == "bad"));
            // Once there is room, it goes back.
            faults.repair();
            store.upkeep(1, NEVER).unwrap();
            assert!(store.database_fault().is_some(), "not at once");
            store.upkeep(limits::DATABASE_RETRY_MS + 1, NEVER).unwrap();
            assert_eq!(store.database_fault(), None);
            write(&store, &mut model, &mut seed, 20);
        }
        model.check(&store);
        store.apply_pending().unwrap();
        assert!(store.check().iter().all(|one| one.severity == "ok"), "{:?}", store.check());
        let _ = store.flush(LogPosition(u64::MAX)).unwrap();
        model.check(&open(&machine.power_cut(&|| false)).0);
    }
    assert!(failures > 20, "{failures}");
}

#[test]
fn entries_that_retention_removed_are_counted_when_they_show_again() {
    let (machine, faults) = (FakeMachine::new(), DatabaseFaults::default());
    let store = open_faulty(&machine, &faults);
    let settled = |id: u64| {
        store.append(&[Record::Intent(entry(id, "s", &["a"])), seal(id)]).unwrap();
        store
            .append(&[Record::Settle(SettleRecord { id: editd_proto::ids::JobId(id), diverged: false })])
            .unwrap();
    };
    let keep = |entries| RetentionPolicy { entries, ..NEVER };
    for round in 0..6u64 {
        (1..=40).for_each(|nth| settled(round * 40 + nth));
        store.upkeep(2000, keep(15)).unwrap();
        assert_eq!((count(&store), store.numbers().entries), (15, 15));
        if round % 2 == 0 {
            store.apply_pending().unwrap();
        }
        faults.fail_after(round, round == 5);
        assert_eq!(count(&store), store.numbers().entries, "{round}");
        settled(1000 + round);
        store.apply_pending().unwrap();
        assert_eq!(store.numbers().entries, count(&store), "{round}");
        store.upkeep(2000, keep(15)).unwrap();
        assert_eq!((count(&store), store.numbers().entries), (15, 15), "{round}");
    }
    assert!(faults.failed() >= 3);
}

/// Counts a thread that ends, also by a panic.
struct Ends<'a>(&'a std::sync::atomic::AtomicUsize);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::AcqRel);
    }
}

#[test]
fn many_threads_go_on_while_databases_fail_one_after_the_other() {
    let (machine, faults) = (FakeMachine::new(), DatabaseFaults::default());
    let options = StoreOptions {
        segment: 256 * 1024,
        background: true,
        ..options(DatabaseBackend::Faulty(faults.clone()))
    };
    let (store, _) = Store::open(machine.os(), machine.dir(), options, 1).unwrap();
    let ended = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let (store, ended) = (&store, &ended);
            scope.spawn(move || {
                let _ends = Ends(ended);
                let session = format!("session {thread}");
                for n in 0..200 {
                    let id = 1 + thread * 1000 + n;
                    store.append(&[Record::Intent(entry(id, &session, &["shared", &session]))]).unwrap();
                    store.append(&[seal(id), Record::ReadReceipt(seen(&session, "shared", id))]).unwrap();
                    assert_eq!(store.seen(&session, &"shared".into()).unwrap().unwrap().time, id);
                    assert_eq!(store.last_of(&session.as_str().into()).unwrap().unwrap().0.0, id);
                }
            });
        }
        scope.spawn(|| {
            let mut nth = 0;
            while ended.load(std::sync::atomic::Ordering::Acquire) < 4 {
                nth += 1;
                let before = faults.failed();
                faults.fail_after(nth * 3 % 50, false);
                while faults.failed() == before && ended.load(std::sync::atomic::Ordering::Acquire) < 4 {
                    store.upkeep(1, NEVER).unwrap();
                }
            }
        });
    });
    // After the last of them, it is in memory.
    assert!((1..=limits::DATABASE_REBUILDS + 1).contains(&faults.failed()), "{}", faults.failed());
    assert_eq!((store.numbers().entries, count(&store)), (800, 800));
    drop(store);
    assert_eq!(open(&machine.copy()).0.numbers().entries, 800);
}

#[test]
fn a_database_in_memory_goes_back_to_the_disk_beside_a_damaged_log() {
    let (machine, faults) = (FakeMachine::new(), DatabaseFaults::default());
    let store = open_faulty(&machine, &faults);
    let (mut model, mut seed) = (Model::default(), 43);
    write(&store, &mut model, &mut seed, 400);
    store.apply_pending().unwrap();
    faults.fail_after(0, true);
    assert!(count(&store) > 0 && store.database_fault().is_some());
    faults.repair();
    let file = machine.file(&["log", &format!("{:016x}.log", store.segments()[0])]);
    file.lock().unwrap().seen[5000..9000].fill(0);
    // Retention does not pass the damage.
    assert!(store.upkeep(1, NEVER).is_err());
    assert!(store.upkeep(limits::DATABASE_RETRY_MS + 1, NEVER).is_err());
    assert_eq!(store.database_fault(), None);
}

#[test]
fn damage_of_the_log_that_a_rebuild_passes_is_noted_by_the_next_start() {
    let (machine, faults) = (FakeMachine::new(), DatabaseFaults::default());
    let store = open_faulty(&machine, &faults);
    let (mut model, mut seed) = (Model::default(), 41);
    write(&store, &mut model, &mut seed, 400);
    store.apply_pending().unwrap();
    let first = store.segments()[0];
    assert!(store.segments().len() > 2);
    let file = machine.file(&["log", &format!("{first:016x}.log")]);
    file.lock().unwrap().seen[5000..9000].fill(0);
    faults.fail_after(0, false);
    assert!(count(&store) > 0);
    let told = store.database_fault().unwrap();
    assert!(told.contains("the log is damaged") && told.contains("`editctl stop`"), "{told}");
    assert!(told.contains("may be lost") && !told.contains("nothing is lost"), "{told}");
    assert!(store.check().iter().any(|one| one.subject == "log" && one.severity == "bad"));
    // The rest is served and recorded, and the upkeep leaves it in memory.
    write(&store, &mut model, &mut seed, 50);
    // Retention does not pass damage.
    assert!(store.upkeep(u64::MAX / 2, NEVER).is_err());
    assert!(store.database_fault().is_some());
    drop(store);
    let again = Store::open(machine.os(), machine.dir(), options(DatabaseBackend::Memory), 1).unwrap();
    assert!(!again.1.damage.is_empty());
}
