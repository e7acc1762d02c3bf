//! Both databases give the same answers; opening has a time limit and survives a panic.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use super::memory::MemoryDatabase;
use super::shelf::{DatabaseFolder, timely};
use super::sled::SledDatabase;
use super::{Database, DatabaseError};
use crate::store::DatabaseBackend;
use crate::store::index::RowUpdates;
use crate::store::tests::kit::next;

#[test]
fn sled_and_memory_agree() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, sled) =
        (MemoryDatabase::default(), SledDatabase::open(&folder.path().join("sled")).unwrap());
    let mut seed = 5;
    let key = |seed: &mut u64| vec![b'k', (next(seed) % 40) as u8, (next(seed) % 4) as u8];
    for _ in 0..200 {
        let mut changes = RowUpdates::new();
        for _ in 0..next(&mut seed) % 20 {
            let value = (!next(&mut seed).is_multiple_of(3)).then(|| next(&mut seed).to_le_bytes().to_vec());
            changes.insert(key(&mut seed), value);
        }
        memory.apply(&changes).unwrap();
        sled.apply(&changes).unwrap();
        let (lo, hi, one) = (key(&mut seed), key(&mut seed), key(&mut seed));
        assert_eq!(memory.get(&one).unwrap(), sled.get(&one).unwrap());
        assert_eq!(memory.down(&lo, &hi, 7).unwrap(), sled.down(&lo, &hi, 7).unwrap());
        assert_eq!(memory.down(&[], &[255], 1000).unwrap(), sled.down(&[], &[255], 1000).unwrap());
        assert_eq!(memory.up(&lo, &hi, 7).unwrap(), sled.up(&lo, &hi, 7).unwrap());
        assert_eq!(memory.count(&lo, &hi).unwrap(), sled.count(&lo, &hi).unwrap());
    }
    let all = |database: &dyn Database| {
        let mut rows = Vec::new();
        database.each(&mut |key, value| rows.push((key.to_vec(), value.to_vec()))).unwrap();
        rows
    };
    assert_eq!(all(&memory), all(&sled));
    assert!(sled.size() > 0 && memory.size() > 0);
}

#[test]
fn opening_that_hangs_or_panics_is_an_error() {
    let (_hold, wait) = std::sync::mpsc::channel::<()>();
    let hang = move |_: &std::path::Path| -> Result<(), DatabaseError> {
        let _ = wait.recv();
        Ok(())
    };
    let why = timely("x".into(), Duration::from_millis(20), hang).unwrap_err();
    assert!(why.0.contains("longer"), "{why}");
    let panics = |_: &std::path::Path| -> Result<(), DatabaseError> { panic!("as sled does") };
    let why = timely("x".into(), Duration::from_secs(60), panics).unwrap_err();
    assert!(why.0.contains("panicked"), "{why}");
}

#[test]
fn a_doubtful_folder_is_set_aside_under_a_free_name_and_two_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = DatabaseFolder::new(DatabaseBackend::Sled(folder.path().join("sled")));
    for _ in 0..4 {
        drop(shelf.open().unwrap());
        drop(shelf.renew(&DatabaseError("x".to_owned()), 1000).unwrap());
    }
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["sled", "sled.corrupt-1002", "sled.corrupt-1003"]);
}
