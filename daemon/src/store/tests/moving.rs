//! A move of the database while the store is in use: nothing waits for it, and both databases get every change.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, mpsc};

use editd_proto::ids::JobId;

use super::kit::*;
use super::model::{Model, write};
use super::rebuild::dump;
use crate::limits;
use crate::record::{Record, SettleRecord};
use crate::store::database::memory::MemoryDatabase;
use crate::store::database::{Database, DatabaseError, DatabaseRow, LiveRows};
use crate::store::index::row::DatabaseMeta;
use crate::store::index::{RowUpdates, RowView};
use crate::store::moving::MoveActions;
use crate::store::overlay::{AppliedUpTo, OverlaidRows};
use crate::store::tests::fake::FakeMachine;
use crate::store::{DatabaseBackend, LogPosition, Store, StoreOptions};

fn settled(store: &Store, id: u64) {
    store.append(&[Record::Intent(entry(id, "s", &["a", &format!("file {id}")])), seal(id)]).unwrap();
    store.append(&[Record::Settle(SettleRecord { id: JobId(id), diverged: false })]).unwrap();
}

/// Moves the database, and calls `between` between two steps.
fn moved(store: &Store, between: &dyn Fn()) {
    let shared = &store.shared;
    let actions =
        MoveActions { open: &|| shared.shelf.beside(), between, publish: &|| shared.shelf.publish() };
    drop(shared.rows.move_into(&actions).unwrap());
    shared.shelf.discard_beside();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn appends_and_look_ups_go_on_while_a_move_is_held_at_any_step() {
    let machine = FakeMachine::new();
    let options = StoreOptions { background: true, segment: 1 << 20, ..options(DatabaseBackend::Memory) };
    let (store, _) = Store::open(machine.os(), machine.dir(), options, 1).unwrap();
    (1..=200).for_each(|id| settled(&store, id));
    store.apply_pending().unwrap();
    let (held, is_held) = mpsc::channel();
    let (go_on, goes_on) = mpsc::channel();
    std::thread::scope(|scope| {
        let shared = &store.shared;
        let mover = scope.spawn(move || {
            let steps = Cell::new(0);
            let hold = || {
                steps.set(steps.get() + 1);
                if steps.get() <= 4 {
                    held.send(()).unwrap();
                    goes_on.recv().unwrap();
                }
            };
            let open = || {
                hold();
                shared.shelf.beside()
            };
            shared.rows.move_into(&MoveActions { open: &open, between: &hold, publish: &|| Ok(()) }).map(drop)
        });
        // More rows than appends leave to the thread.
        let jobs = (limits::OVERLAY_STUCK * limits::OVERLAY_ROWS / 8) as u64;
        for hold in 0..4 {
            is_held.recv().unwrap();
            let first = 201 + hold * jobs;
            (first..first + jobs).for_each(|id| settled(&store, id));
            store.apply_pending().unwrap();
            assert_eq!(store.last_of(&"a".into()).unwrap().unwrap().0.0, first + jobs - 1);
            go_on.send(()).unwrap();
        }
        mover.join().unwrap().unwrap();
    });
    store.apply_pending().unwrap();
    let rebuilt = Store::open(
        machine.copy().os(),
        machine.copy().dir(),
        super::kit::options(DatabaseBackend::Memory),
        1,
    );
    assert!(dump(&store) == dump(&rebuilt.unwrap().0));
}

#[test]
fn the_database_moves_while_it_changes_and_holds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sled");
    let machine = FakeMachine::new();
    let model = RefCell::new((Model::default(), 21));
    let work = |store: &Store, count| {
        let (model, seed) = &mut *model.borrow_mut();
        write(store, model, seed, count);
        store.apply_pending().unwrap();
        write(store, model, seed, 5);
        model.check(store);
    };
    for moves in 0..4 {
        let (store, opened) = open_sled(&machine, &path).unwrap();
        assert_eq!(opened.rebuilt, None, "{moves}");
        work(&store, 150);
        for _ in 0..moves {
            moved(&store, &|| work(&store, 8));
            work(&store, 20);
        }
        let before = dump(&store);
        if moves > 1 {
            store.close().unwrap();
        }
        drop(store);
        let (store, opened) = open_sled(&machine, &path).unwrap();
        assert_eq!(opened.rebuilt, None, "after {moves}");
        assert_eq!(names(folder.path()), ["sled"]);
        assert!(dump(&store) == before);
        model.borrow().0.check(&store);
    }
}

#[test]
fn a_kill_at_any_step_of_a_move_leaves_a_database_that_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sled");
    let (fresh, mark) = (folder.path().join("sled.fresh"), folder.path().join("sled.moved"));
    let (machine, mut model, mut seed) = (FakeMachine::new(), Model::default(), 33);
    let mut again = |damage: &dyn Fn()| {
        let (store, opened) = open_sled(&machine, &path).unwrap();
        assert_eq!(opened.rebuilt, None);
        write(&store, &mut model, &mut seed, 200);
        store.close().unwrap();
        drop(store);
        damage();
        let (store, opened) = open_sled(&machine, &path).unwrap();
        assert_eq!(opened.rebuilt, None);
        model.check(&store);
        assert_eq!(names(folder.path()), ["sled"]);
    };
    // The copy is not complete.
    again(&|| {
        fs::create_dir(&fresh).unwrap();
        fs::write(fresh.join("db"), b"part").unwrap();
    });
    // It is, and the old database is not removed, or in part.
    again(&|| {
        fs::rename(&path, &fresh).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("db"), b"old").unwrap();
        fs::write(&mark, b"").unwrap();
    });
    // The old one is removed.
    again(&|| {
        fs::rename(&path, &fresh).unwrap();
        fs::write(&mark, b"").unwrap();
    });
    // The next start has renamed the copy.
    again(&|| fs::write(&mark, b"").unwrap());
}

/// A database that calls something once while it is read.
#[derive(Default)]
struct Interrupted {
    inner: MemoryDatabase,
    #[expect(clippy::type_complexity, reason = "used once")]
    during: Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>,
}

impl Interrupted {
    fn interrupt(&self) {
        let during = self.during.lock().unwrap().take();
        during.into_iter().for_each(|call| call());
    }
}

impl Database for Interrupted {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DatabaseError> {
        let found = self.inner.get(key);
        self.interrupt();
        found
    }

    fn down(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        let found = self.inner.down(lo, hi, limit);
        self.interrupt();
        found
    }

    fn up(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        self.inner.up(lo, hi, limit)
    }

    fn count(&self, lo: &[u8], hi: &[u8]) -> Result<u64, DatabaseError> {
        self.inner.count(lo, hi)
    }

    fn each(&self, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), DatabaseError> {
        self.inner.each(visit)
    }

    fn apply(&self, changes: &RowUpdates) -> Result<(), DatabaseError> {
        self.inner.apply(changes)
    }

    fn flush(&self) -> Result<(), DatabaseError> {
        self.inner.flush()
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    fn live(&self) -> LiveRows {
        self.inner.live()
    }
}

#[test]
fn rows_are_added_and_applied_while_the_database_is_read() {
    let database = Interrupted::default();
    let during = Arc::clone(&database.during);
    let rows = Arc::new(OnceLock::new());
    rows.set(OverlaidRows::new(Box::new(database), DatabaseMeta::default())).ok().unwrap();
    let get = |rows: &OnceLock<OverlaidRows>| -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let keep = &mut |key: &[u8], _: &[u8]| {
            found.push(key.to_vec());
            Ok(true)
        };
        rows.get().unwrap().down(b"k", b"l", keep).unwrap();
        found.sort();
        found
    };
    let add = |rows: &OnceLock<OverlaidRows>, at: u64, present: &str, gone: Option<&str>| {
        let mut changes = RowUpdates::from([(present.as_bytes().to_vec(), Some(vec![0; 9]))]);
        changes.extend(gone.map(|gone| (gone.as_bytes().to_vec(), None)));
        let reach = AppliedUpTo { at: LogPosition(at), ..AppliedUpTo::default() };
        rows.get().unwrap().add(changes, reach);
    };
    add(&rows, 1, "k1", None);
    // Both are in the overlay when the page is read, and in the database when the overlay is.
    let shared = Arc::clone(&rows);
    *during.lock().unwrap() = Some(Box::new(move || {
        add(&shared, 2, "k2", None);
        shared.get().unwrap().apply(&|_| Ok(())).unwrap();
    }));
    assert_eq!(get(&rows), [b"k1".to_vec(), b"k2".to_vec()]);
    let shared = Arc::clone(&rows);
    *during.lock().unwrap() = Some(Box::new(move || add(&shared, 3, "k3", Some("k1"))));
    assert_eq!(get(&rows), [b"k2".to_vec(), b"k3".to_vec()]);
    let shared = Arc::clone(&rows);
    *during.lock().unwrap() = Some(Box::new(move || add(&shared, 4, "k1", None)));
    assert_eq!(rows.get().unwrap().get(b"k2").unwrap(), Some(vec![0; 9]));
    assert_eq!(get(&rows).len(), 3);
}
