//! The database on sled: brought up to date, or rebuilt from the log if it is in doubt.

use std::fs;
use std::path::Path;

use editd_proto::ids::JobId;

use super::kit::*;
use super::model::{Model, write};
use crate::os::{LOCK_WAIT, while_locked};
use crate::record::Record;
use crate::store::tests::fake::FakeMachine;
use crate::store::{DatabaseBackend, Store};

/// Returns every row, whatever the backend.
pub(super) fn dump(store: &Store) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    let keep = &mut |key: &[u8], value: &[u8]| {
        if key != crate::store::index::key::META {
            rows.push((key.to_vec(), value.to_vec()));
        }
        Ok(true)
    };
    store.shared.rows.down(&[], &[255], keep).unwrap();
    rows
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn a_database_that_followed_equals_one_that_was_rebuilt() {
    for round in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sled");
        let (machine, mut model, mut seed) = (FakeMachine::new(), Model::default(), 500 + round);
        for life in 0..3 {
            let (store, opened) = open_sled(&machine, &path).unwrap();
            assert_eq!(opened.rebuilt, None, "round {round}, life {life}");
            model.check(&store);
            write(&store, &mut model, &mut seed, 80);
            if life == 1 {
                store.close().unwrap();
            }
            let rebuilt =
                Store::open(machine.copy().os(), machine.copy().dir(), options(DatabaseBackend::Memory), 1);
            let followed = dump(&store);
            assert_eq!(followed, dump(&rebuilt.unwrap().0));
            store.apply_pending().unwrap();
            assert_eq!(dump(&store), followed);
        }
    }
}

#[test]
fn an_older_database_is_brought_up_and_a_foreign_one_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let (path, older) = (folder.path().join("sled"), folder.path().join("older"));
    let (machine, mut model, mut seed) = (FakeMachine::new(), Model::default(), 9);
    let (store, _) = open_sled(&machine, &path).unwrap();
    write(&store, &mut model, &mut seed, 100);
    store.close().unwrap();
    drop(store);
    copy(&path, &older);
    let (store, _) = open_sled(&machine, &path).unwrap();
    write(&store, &mut model, &mut seed, 100);
    store.close().unwrap();
    drop(store);
    fs::remove_dir_all(&path).unwrap();
    copy(&older, &path);
    let (store, opened) = open_sled(&machine, &path).unwrap();
    assert_eq!(opened.rebuilt, None);
    model.check(&store);
    drop(store);
    // The database of another log.
    let other = FakeMachine::new();
    let (store, opened) = open_sled(&other, &path).unwrap();
    assert!(opened.rebuilt.is_some());
    Model::default().check(&store);
}

#[test]
fn a_damaged_or_lost_database_is_rebuilt_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sled");
    let (machine, mut model, mut seed) = (FakeMachine::new(), Model::default(), 11);
    let (store, _) = open_sled(&machine, &path).unwrap();
    write(&store, &mut model, &mut seed, 200);
    store.close().unwrap();
    drop(store);
    let config = sled::Config::new().path(&path).flush_every_ms(None);
    let in_sled = || while_locked(LOCK_WAIT, || config.open(), Result::is_err).unwrap();
    let damages: [&dyn Fn(); 6] = [
        &|| fs::remove_dir_all(&path).unwrap(),
        &|| fs::write(path.join("db"), b"").unwrap(),
        &|| fs::write(path.join("conf"), b"rubbish rubbish rubbish").unwrap(),
        &|| {
            let mut bytes = fs::read(path.join("db")).unwrap();
            bytes.iter_mut().skip(100).step_by(97).for_each(|byte| *byte ^= 0x55);
            fs::write(path.join("db"), bytes).unwrap();
        },
        &|| {
            // The root that was lost without an error.
            let db = in_sled();
            db.remove(b"root").unwrap();
            db.flush().unwrap();
        },
        &|| {
            // All other pages but the first and the last, which a start reads.
            let db = in_sled();
            let pages: Vec<_> = db.scan_prefix(b"#").keys().map(Result::unwrap).collect();
            assert!(pages.len() > 3, "{}", pages.len());
            pages.iter().skip(1).take(2).for_each(|page| drop(db.remove(page).unwrap()));
            db.flush().unwrap();
        },
    ];
    for (number, damage) in damages.iter().enumerate() {
        damage();
        let (store, opened) = open_sled(&machine, &path).unwrap();
        model.check(&store);
        // A start reads only what it needs. The rest is found out before it is used.
        let rebuilt = u64::from(opened.rebuilt.is_some()) + store.shared.rows.rebuilds();
        assert_eq!(rebuilt, 1, "damage {number}");
        store.close().unwrap();
        drop(store);
        let (store, opened) = open_sled(&machine, &path).unwrap();
        assert_eq!(opened.rebuilt, None, "after damage {number}");
        model.check(&store);
    }
    let aside = fs::read_dir(folder.path()).unwrap();
    let aside =
        aside.filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().contains("corrupt")).count();
    assert_eq!(aside, 2);
}

#[test]
fn rows_that_lead_to_segments_that_are_gone_are_not_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sled");
    let (machine, mut model, mut seed) = (FakeMachine::new(), Model::default(), 12);
    let (store, _) = open_sled(&machine, &path).unwrap();
    write(&store, &mut model, &mut seed, 400);
    store.close().unwrap();
    let segments = store.segments();
    assert!(segments.len() > 3, "{segments:?}");
    drop(store);
    let name = format!("{:016x}.log", segments[0]);
    machine.dir().open_dir(b"log").unwrap().remove_file(name.as_bytes()).unwrap();
    let (_, opened) = open_sled(&machine, &path).unwrap();
    let why = opened.rebuilt.unwrap();
    assert!(why.contains("the log begins with segment 2, and rows lead to segments from 1 on"), "{why}");
}

#[test]
fn the_rest_of_a_snapshot_after_a_kill_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sled");
    let machine = FakeMachine::new();
    drop(open_sled(&machine, &path).unwrap());
    fs::write(path.join("snap.0000000000000001.generating"), b"half").unwrap();
    let (_, opened) = open_sled(&machine, &path).unwrap();
    assert_eq!(opened.rebuilt, None);
}

#[test]
fn a_job_over_very_many_files_takes_several_batches_and_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sled");
    let machine = FakeMachine::new();
    let paths: Vec<String> = (0..3000).map(|n| format!("file {n}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let (store, _) = open_sled(&machine, &path).unwrap();
    store.append(&[Record::Intent(entry(1, "s", &paths)), seal(1)]).unwrap();
    store.close().unwrap();
    drop(store);
    let (store, opened) = open_sled(&machine, &path).unwrap();
    assert_eq!(opened.rebuilt, None);
    assert_eq!(store.last_of(&"file 2999".into()).unwrap().unwrap().0, JobId(1));
    assert_eq!(store.summary(JobId(1)).unwrap().unwrap().files.len(), 3000);
}
