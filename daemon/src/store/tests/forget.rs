//! Forgotten contents are in no file, everything else remains, and a kill or a failed call between any two steps leaves
//! a valid log.

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{JobStatus, Receipt};
use editd_proto::path::FilePath;
use editd_proto::{ErrorCode, RequestError};

use super::kit::*;
use crate::record::{EndedWithoutEntry, Entry, QueuedJobRecord, Record, SealRecord, SettleRecord};
use crate::store::tests::fake::FakeMachine;
use crate::store::{ForgetReport, LogPosition, RetentionPolicy, Store};

/// Bytes that cannot be compressed, so that the log holds them as they are.
fn secret(seed: u64) -> Vec<u8> {
    let mut seed = 2 * seed + 1;
    std::iter::repeat_with(|| next(&mut seed) as u8).take(700).collect()
}

fn path() -> FilePath {
    "conf/secret".into()
}

/// Returns an entry that leaves a content at a path.
fn wrote(id: u64, path: &str, content: &[u8]) -> Entry {
    let mut wrote = entry(id, "s", &[path]);
    wrote.files[0].splices[0].new = content.to_vec();
    wrote.files[0].before.as_mut().unwrap().hash = content_hash(format!("{path} before {id}").as_bytes());
    wrote.files[0].after.as_mut().unwrap().hash = content_hash(content);
    wrote
}

fn settle(store: &Store, entry: Entry) {
    let id = entry.id;
    store.append(&[Record::Intent(entry), seal(id.0)]).unwrap();
    store.append(&[Record::Settle(SettleRecord { id, diverged: false })]).unwrap();
}

/// Writes the secret in every kind of record, among others that are to remain.
fn fill(store: &Store) {
    let (one, two) = (secret(1), secret(2));
    let mut both = wrote(1, "conf/secret", &one);
    both.files.extend(wrote(1, "other", &secret(3)).files);
    both.clips = vec![clip("s", "cut", Some(&one), 1), clip("s", "else", Some(&secret(4)), 1)];
    both.clips[0].origin = Some(path());
    (both.key, both.request) = (Some("k".to_owned()), Some(hash(1)));
    settle(store, both);
    store.append(&[Record::External(wrote(2, "conf/secret", &two))]).unwrap();
    // Under another name, the content is the same.
    settle(store, wrote(3, "renamed", &two));
    let mut set = clip("s", "/set", Some(&two[..300]), 2);
    set.origin = Some(path());
    store.append(&[Record::Clip(set)]).unwrap();
    let text = |bytes: &[u8]| bytes.iter().map(|byte| char::from(b'a' + byte % 26)).collect::<String>();
    let error = RequestError::new(ErrorCode::Stale, format!("conf/secret: {}", text(&one)));
    let refused = Receipt { error: Some(error), ..Receipt::new(None, JobStatus::Refused) };
    store.append(&[queued(4, "s", None)]).unwrap();
    store.append(&[Record::Queued(QueuedJobRecord { payload: two.clone(), ..job(5) })]).unwrap();
    store
        .append(&[Record::Done(EndedWithoutEntry {
            id: JobId(5),
            session: "s".to_owned(),
            time: 1005,
            key: Some("refused".to_owned()),
            request: hash(5),
            receipt: rmp_serde::to_vec_named(&refused).unwrap(),
        })])
        .unwrap();
    (6..60).for_each(|id| settle(store, wrote(id, "other", &secret(id + 100))));
    let mut last = wrote(60, "conf/secret", &one);
    last.files[0].before.as_mut().unwrap().hash = content_hash(&two);
    last.files[0].splices[0].old = two.clone();
    store.append(&[Record::Intent(last)]).unwrap();
    let quoting = SealRecord { id: JobId(60), receipt: rmp_serde::to_vec_named(&refused).unwrap() };
    store.append(&[Record::Seal(quoting)]).unwrap();
    store.append(&[Record::Settle(SettleRecord { id: JobId(60), diverged: false })]).unwrap();
    store.keep_content(content_hash(&one), one.as_slice());
    store.keep_content(content_hash(&secret(3)), secret(3));
    let _ = store.flush(LogPosition(u64::MAX)).unwrap();
}

fn job(id: u64) -> QueuedJobRecord {
    let Record::Queued(job) = queued(id, "s", None) else { panic!("no job") };
    job
}

/// Returns the files that hold a part of the secret.
fn holders(machine: &FakeMachine) -> Vec<String> {
    let parts: Vec<Vec<u8>> = [secret(1), secret(2)]
        .iter()
        .flat_map(|all| all.chunks(50).map(<[u8]>::to_vec).collect::<Vec<_>>())
        .collect();
    let shown: Vec<u8> = secret(1).iter().map(|byte| b'a' + byte % 26).take(50).collect();
    let has =
        |bytes: &[u8]| parts.iter().chain([&shown]).any(|part| memchr::memmem::find(bytes, part).is_some());
    machine.all_files().into_iter().filter(|(_, bytes)| has(bytes)).map(|(name, _)| name).collect()
}

fn same_elsewhere(store: &Store) {
    let contents =
        |id: u64, file: usize| store.entry(JobId(id)).unwrap().unwrap().files[file].splices[0].new.clone();
    assert_eq!(contents(1, 1), secret(3));
    assert!((6..60).all(|id| contents(id, 0) == secret(id + 100)));
    assert_eq!(store.clip("s", "else").unwrap().unwrap().bytes.unwrap(), secret(4));
    let keyed = store.keyed("s", "k").unwrap().unwrap();
    assert_eq!((keyed.id, keyed.request), (JobId(1), Some(hash(1))));
    assert_eq!(keyed.receipt.unwrap().status, JobStatus::Applied);
    let refused = store.keyed("s", "refused").unwrap().unwrap().receipt.unwrap();
    assert_eq!((refused.status, refused.error.unwrap().code), (JobStatus::Refused, ErrorCode::Stale));
    assert!(store.check().iter().all(|finding| finding.severity == "ok"), "{:?}", store.check());
}

fn all_forgotten(store: &Store) {
    same_elsewhere(store);
    for (id, file) in [(1, 0), (2, 0), (3, 0), (60, 0)] {
        let entry = store.entry(JobId(id)).unwrap().unwrap();
        assert!(entry.files[file].is_forgotten() && entry.files[file].after.is_some(), "{id}");
        assert!(store.summary(JobId(id)).unwrap().unwrap().forgotten, "{id}");
    }
    assert!(!store.entry(JobId(1)).unwrap().unwrap().files[1].is_forgotten());
    assert!(!store.summary(JobId(6)).unwrap().unwrap().forgotten);
    assert_eq!((store.clip("s", "cut").unwrap(), store.clip("s", "/set").unwrap()), (None, None));
    assert_eq!(store.content(content_hash(&secret(1))), None);
}

#[test]
fn no_file_holds_what_was_forgotten_and_all_else_remains() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    fill(&store);
    assert!(holders(&machine).len() >= 3, "{:?}", holders(&machine));
    let ForgetReport { known, entries, clipboards, contents, open: unsettled, hashes, staged_names, .. } =
        store.forget(&path()).unwrap();
    assert_eq!(holders(&machine), [""; 0]);
    assert_eq!(entries, [1, 2, 3, 60].map(JobId).into());
    assert_eq!((known, clipboards, contents, unsettled.len()), (true, 2, 1, 0));
    let two: Vec<ContentHash> = [secret(1), secret(2)].iter().map(|content| content_hash(content)).collect();
    assert!(two.iter().all(|hash| hashes.contains(hash)) && staged_names.contains("slot-61"));
    all_forgotten(&store);
    assert_eq!(store.content(content_hash(&secret(3))), Some(secret(3)));
    // Nothing is left to remove.
    let again = store.forget(&path()).unwrap();
    assert_eq!((again.known, again.entries.len(), again.records, again.contents), (true, 0, 0, 0));
    assert!(!store.forget(&"never seen".into()).unwrap().known);
    // What is written later is stored as before.
    settle(&store, wrote(61, "conf/secret", &secret(61)));
    assert_eq!(store.entry(JobId(61)).unwrap().unwrap().files[0].splices[0].new, secret(61));
    let (rebuilt, opened) = open(&machine.copy());
    assert_eq!(opened.queued.len(), 1);
    all_forgotten(&rebuilt);
    // A second path in an entry whose first one is forgotten.
    store.forget(&"other".into()).unwrap();
    for store in [&store, &open(&machine.copy()).0] {
        assert!(
            store.entry(JobId(1)).unwrap().unwrap().files.iter().all(crate::record::FileRecord::is_forgotten)
        );
    }
    let other = secret(3);
    let left = machine
        .all_files()
        .into_iter()
        .filter(|(_, bytes)| memchr::memmem::find(bytes, &other[..50]).is_some());
    assert_eq!(left.map(|(name, _)| name).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn an_open_entry_keeps_its_contents() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let whole = wrote(1, "conf/secret", &secret(1));
    store.append(&[Record::Intent(whole.clone())]).unwrap();
    let report = store.forget(&path()).unwrap();
    assert_eq!((report.open, report.entries.len()), ([JobId(1)].into(), 0));
    assert_eq!(*store.open_entries()[0].0, whole);
    store.append(&[seal(1), Record::Settle(SettleRecord { id: JobId(1), diverged: false })]).unwrap();
    assert_eq!(store.forget(&path()).unwrap().entries, [JobId(1)].into());
    assert_eq!(holders(&machine), [""; 0]);
}

#[test]
fn contents_of_reused_segments_are_gone_too() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    fill(&store);
    let mut seed = 5;
    for id in 61..200 {
        settle(&store, wrote(id, "other", &secret(id + 100)));
        // A segment that cannot be compressed is not packed, and its file is used again.
        let noise: Vec<u8> = std::iter::repeat_with(|| next(&mut seed) as u8).take(3000).collect();
        store.append(&[Record::Clip(clip("s", "noise", Some(&noise), 1))]).unwrap();
    }
    let keep = RetentionPolicy { entries: 20, ..NEVER };
    assert!(store.upkeep(2000, keep).unwrap().segments > 2);
    // The file of a dropped segment is the prepared one now.
    assert!(!holders(&machine).is_empty());
    settle(&store, wrote(200, "conf/secret", &secret(1)));
    store.forget(&path()).unwrap();
    assert_eq!(holders(&machine), [""; 0]);
    // Segments with replaced payloads are dropped like others.
    (201..400).for_each(|id| settle(&store, wrote(id, "other", &secret(id + 100))));
    store.upkeep(2000, RetentionPolicy { bytes: 2 * SEGMENT, ..keep }).unwrap();
    let names: Vec<String> = machine.all_files().into_iter().map(|(name, _)| name).collect();
    assert!(names.iter().all(|name| !name.ends_with(".forgotten")), "{names:?}");
    assert!(open(&machine.copy()).0.check().iter().all(|finding| finding.severity == "ok"));
}

#[test]
fn forgetting_may_fail_or_be_killed_at_any_call() {
    let base = FakeMachine::new();
    fill(&open(&base).0);
    let (mut failures, mut seed) = (0, 9);
    for call in 1..70 {
        let machine = base.copy();
        let (store, _) = open(&machine);
        machine.fail_in(call);
        failures += u32::from(store.forget(&path()).is_err());
        drop(store);
        let cut = std::cell::Cell::new(seed);
        let choose = || {
            let mut seed = cut.get();
            let old = next(&mut seed).is_multiple_of(2);
            cut.set(seed);
            old
        };
        for left in [machine.copy(), machine.power_cut(&|| false), machine.power_cut(&choose)] {
            let (store, opened) = open(&left);
            same_elsewhere(&store);
            assert_eq!((opened.queued.len(), opened.open.len()), (1, 0), "{call}");
            let mut machine = left;
            store.forget(&path()).unwrap();
            for _ in 0..2 {
                assert_eq!(holders(&machine), [""; 0], "{call}");
                machine = machine.power_cut(&|| false);
                all_forgotten(&open(&machine).0);
            }
        }
        seed = cut.get();
    }
    assert!(failures > 20, "{failures}");
}

#[test]
fn the_database_is_trusted_after_contents_were_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let sled = folder.path().join("sled");
    let machine = FakeMachine::new();
    fill(&open(&machine).0);
    let (store, _) = open_sled(&machine, &sled).unwrap();
    store.forget(&path()).unwrap();
    all_forgotten(&store);
    drop(store);
    let (store, opened) = open_sled(&machine, &sled).unwrap();
    assert_eq!(opened.rebuilt, None);
    all_forgotten(&store);
}
