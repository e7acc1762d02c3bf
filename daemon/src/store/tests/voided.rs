//! Void entries with staged files, through kills, rebuilds and retention.

use editd_proto::ids::JobId;

use super::fake::FakeMachine;
use super::kit::*;
use crate::record::{ChangeMethod, Record, SettleRecord, StagingFolder};
use crate::store::{RetentionPolicy, Store};

fn void(store: &Store, id: u64) {
    store.append(&[Record::Intent(entry(id, "s", &["a"])), Record::Void(JobId(id))]).unwrap();
}

/// Returns the numbers of the void entries if these staged files are left.
fn left(store: &Store, names: &[&str]) -> Vec<u64> {
    let found = store.void_entries(&|name| names.contains(&name)).unwrap();
    found.iter().map(|(_, entry)| entry.id.0).collect()
}

#[test]
fn a_void_entry_is_found_until_its_staged_files_are_gone() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    // A detached job that is rolled back runs again under its number.
    void(&store, 5);
    void(&store, 5);
    void(&store, 6);
    let mut nothing_staged = entry(7, "s", &["a"]);
    nothing_staged.files[0].how = ChangeMethod::InPlace;
    store.append(&[Record::Intent(nothing_staged), Record::Void(JobId(7))]).unwrap();
    let mut elsewhere = entry(8, "s", &["a"]);
    elsewhere.files[0].staging = StagingFolder::Folder("mnt".into());
    store.append(&[Record::Intent(elsewhere), Record::Void(JobId(8))]).unwrap();
    for store in [&store, &open(&machine.copy()).0] {
        assert_eq!(left(store, &["slot-6", "slot-7"]), [5, 5, 6, 8]);
        assert_eq!(left(store, &["slot-7"]), [6, 8], "a name says nothing about another folder");
        assert_eq!(left(store, &["slot-6", "slot-7"]), [6, 8]);
        let found = store.void_entries(&|_| true).unwrap();
        store.forget_void(&found.iter().map(|(intent, _)| *intent).collect::<Vec<_>>());
        assert_eq!(left(store, &["slot-7"]), [0; 0]);
    }
}

#[test]
fn retention_drops_void_entries_with_their_segments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sled");
    let machine = FakeMachine::new();
    let (store, _) = open_sled(&machine, &path).unwrap();
    void(&store, 1);
    for id in 2..=300 {
        let settle = Record::Settle(SettleRecord { id: JobId(id), diverged: false });
        store.append(&[Record::Intent(entry(id, "s", &["a"])), seal(id), settle]).unwrap();
    }
    void(&store, 301);
    store.upkeep(2000, RetentionPolicy { entries: 20, bytes: 2 * SEGMENT, ..NEVER }).unwrap();
    assert_eq!(left(&store, &["slot-2", "slot-302"]), [301]);
    drop(store);
    let (store, opened) = open_sled(&machine, &path).unwrap();
    assert_eq!((opened.rebuilt, left(&store, &["slot-2", "slot-302"])), (None, vec![301]));
}
