//! Retention against a naive model: everything within the limits is kept, also through kills and a rebuild.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use editd_proto::ids::JobId;
use editd_proto::message::EntryKind;

use crate::limits;
use crate::record::{Record, SettleRecord};
use crate::store::tests::fake::FakeMachine;
use crate::store::tests::kit::*;
use crate::store::{EntryQuery, RetentionPolicy, Store, UpkeepReport};

fn settled(store: &Store, id: u64, session: &str, key: Option<&str>) {
    let mut e = entry(id, session, &["a", "b"]);
    if let Some(key) = key {
        (e.key, e.request) = (Some(key.to_owned()), Some(hash(id)));
    }
    // These bytes fill segments quickly, since they cannot be compressed.
    let mut seed = id | 1;
    e.files[0].splices[0].new = std::iter::repeat_with(|| next(&mut seed) as u8).take(1500).collect();
    store.append(&[Record::Intent(e), seal(id)]).unwrap();
    store.append(&[Record::Settle(SettleRecord { id: JobId(id), diverged: false })]).unwrap();
}

fn ids(store: &Store) -> Vec<u64> {
    let all = store.history(&EntryQuery { limit: 10_000, ..EntryQuery::default() }).unwrap();
    all.iter().rev().map(|e| e.id.0).collect()
}

const NOW: u64 = 2000;

#[test]
fn nothing_within_the_limits_goes() {
    let (store, _) = open(&FakeMachine::new());
    (1..=200).for_each(|id| settled(&store, id, "s", None));
    let kept = store.upkeep(NOW, NEVER).unwrap();
    assert_eq!(kept, UpkeepReport { packed: kept.packed, ..UpkeepReport::default() });
    assert_eq!(ids(&store).len(), 200);
}

#[test]
fn the_number_of_entries_and_the_log_are_bounded_and_the_newest_stay() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    (1..=300).for_each(|id| settled(&store, id, "s", None));
    let before = store.numbers();
    let kept = store.upkeep(NOW, RetentionPolicy { entries: 50, ..NEVER }).unwrap();
    assert_eq!(kept.entries, 250);
    assert!(kept.segments > 5, "{kept:?}");
    assert_eq!(ids(&store), (251..=300).collect::<Vec<_>>());
    assert!(store.numbers().log_bytes < before.log_bytes / 3);
    assert_eq!(store.entry(JobId(1)).unwrap(), None);
    assert_eq!(store.receipt(JobId(1)).unwrap(), None);
    assert!(store.entry(JobId(251)).unwrap().is_some());
    // A rebuilt database shows again what its segments still hold, until the next upkeep.
    let (again, opened) = open(&machine.copy());
    assert_eq!(opened.last_id, 300);
    again.upkeep(NOW, RetentionPolicy { entries: 50, ..NEVER }).unwrap();
    assert_eq!(ids(&again), (251..=300).collect::<Vec<_>>());
    assert!(again.check().iter().all(|finding| finding.severity == "ok"));
}

#[test]
fn an_entry_is_no_older_than_one_before_it_whatever_the_clock_said() {
    let (store, _) = open(&FakeMachine::new());
    (1..=9).for_each(|id| settled(&store, id, "s", None));
    // The clock was ahead when 10 was made, and far behind when 20 was.
    for (id, time) in [(10, NOW + 5000), (11, 1011), (20, 3), (21, 1021)] {
        let mut e = entry(id, "s", &["a"]);
        e.time = time;
        store.append(&[Record::Intent(e), seal(id)]).unwrap();
        store.append(&[Record::Settle(SettleRecord { id: JobId(id), diverged: false })]).unwrap();
    }
    store.upkeep(NOW, RetentionPolicy { age_ms: 500, sane_ms: 1002, ..NEVER }).unwrap();
    assert_eq!(ids(&store), (1..=11).chain([20, 21]).collect::<Vec<_>>(), "the first was made at no time");
    store.upkeep(NOW, RetentionPolicy { age_ms: 500, ..NEVER }).unwrap();
    assert_eq!(ids(&store), [10, 11, 20, 21]);
    store.upkeep(NOW + 6000, RetentionPolicy { age_ms: 500, ..NEVER }).unwrap();
    assert_eq!(ids(&store), [0; 0]);
}

#[test]
fn age_and_bytes_are_limits_too() {
    let (store, _) = open(&FakeMachine::new());
    (1..=200).for_each(|id| settled(&store, id, "s", None));
    // Entry n was made at 1000 + n.
    store.upkeep(NOW, RetentionPolicy { age_ms: NOW - 1150, ..NEVER }).unwrap();
    assert_eq!(ids(&store), (150..=200).collect::<Vec<_>>());
    let bytes = 2 * SEGMENT;
    store.upkeep(NOW, RetentionPolicy { bytes, ..NEVER }).unwrap();
    assert!(store.numbers().log_bytes <= bytes);
    let left = ids(&store);
    assert_eq!(left, (left[0]..=200).collect::<Vec<_>>());
    assert!(left[0] > 150 && left.len() > 10);
}

/// Creates a store whose oldest segments hold one of each record that must be kept longer than they are.
fn precious(machine: &FakeMachine) -> Store {
    let (store, _) = open(machine);
    store.append(&[Record::Clip(clip("s", "mine", Some(b"text"), 1))]).unwrap();
    store.append(&[Record::Clip(clip("s", "/ours", Some(b"shared"), 1))]).unwrap();
    let mut cut = entry(1, "s", &["a"]);
    cut.clips = vec![clip("s", "cut", Some(b"cut text"), 1), clip("s", "gone", Some(b"x"), 1)];
    (cut.key, cut.request) = (Some("entry key".to_owned()), Some(hash(1)));
    store.append(&[Record::Intent(cut), seal(1)]).unwrap();
    store.append(&[Record::Settle(SettleRecord { id: JobId(1), diverged: false })]).unwrap();
    store.append(&[Record::Clip(clip("s", "gone", None, 2))]).unwrap();
    store.append(&[Record::ReadReceipt(seen("s", "a", 1900))]).unwrap();
    store.append(&[queued(2, "s", Some("waiting"))]).unwrap();
    store.append(&[done(3, "s", Some("done key"))]).unwrap();
    (4..=200).for_each(|id| settled(&store, id, "s", None));
    store
}

fn look(store: &Store) {
    assert_eq!(store.clip("s", "mine").unwrap().unwrap().bytes.unwrap(), b"text");
    assert_eq!(store.clip("s", "/ours").unwrap().unwrap().bytes.unwrap(), b"shared");
    assert_eq!(store.clip("s", "cut").unwrap().unwrap().bytes.unwrap(), b"cut text");
    assert_eq!(store.clip("s", "gone").unwrap(), None);
    assert_eq!(store.clips("s").unwrap().len(), 3);
    assert_eq!(store.seen("s", &"a".into()).unwrap().unwrap().hash, Some(hash(1900)));
    assert_eq!(store.keyed("s", "waiting").unwrap().unwrap().receipt, None);
    for (key, id) in [("entry key", 1), ("done key", 3)] {
        let keyed = store.keyed("s", key).unwrap().unwrap();
        assert_eq!((keyed.id, keyed.request), (JobId(id), Some(hash(id))));
        assert_eq!(keyed.receipt, Some(receipt(id)), "{key}");
        assert_eq!(store.receipt(JobId(id)).unwrap(), Some(receipt(id)));
    }
}

#[test]
fn clipboards_receipts_keys_and_detached_jobs_outlive_their_segment() {
    let machine = FakeMachine::new();
    let store = precious(&machine);
    look(&store);
    let keep = RetentionPolicy { entries: 30, ..NEVER };
    let kept = store.upkeep(NOW, keep).unwrap();
    assert!(kept.segments > 5 && kept.carried >= 6, "{kept:?}");
    look(&store);
    let machine = machine.copy();
    let (again, opened) = open(&machine);
    assert_eq!(opened.queued.len(), 1);
    look(&again);
    // Once more, a day later: then the keys are removed.
    (201..=400).for_each(|id| settled(&again, id, "s", None));
    again.upkeep(NOW, keep).unwrap();
    look(&again);
    (401..=600).for_each(|id| settled(&again, id, "s", None));
    again.upkeep(NOW + limits::KEY_MS, keep).unwrap();
    assert_eq!(again.keyed("s", "entry key").unwrap(), None);
    assert_eq!(again.keyed("s", "done key").unwrap(), None);
    assert_eq!(again.clip("s", "mine").unwrap().unwrap().bytes.unwrap(), b"text");
    let rebuilt = open(&machine.copy()).0;
    assert_eq!(rebuilt.keyed("s", "done key").unwrap(), None);
    assert_eq!(rebuilt.clips("s").unwrap().len(), 3);
}

#[test]
fn clipboards_are_listed_while_their_records_move() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let (store, _) = open(&FakeMachine::new());
    let origin = editd_proto::path::FilePath::from("f".repeat(limits::ROW).as_str());
    for n in 0..40 {
        let long = crate::record::ClipboardRecord {
            origin: Some(origin.clone()),
            ..clip("s", &n.to_string(), Some(b"text"), 1)
        };
        store.append(&[Record::Clip(long)]).unwrap();
    }
    let ended = AtomicBool::new(false);
    let listed = std::thread::scope(|scope| {
        let lister = scope.spawn(|| {
            let mut listed = 0;
            while !ended.load(Ordering::Relaxed) {
                let clips = store.clips("s");
                if clips.is_err() || clips.is_ok_and(|clips| clips.iter().any(|one| one.origin.is_none())) {
                    return None;
                }
                listed += 1;
            }
            Some(listed)
        });
        let keep = RetentionPolicy { entries: 10, bytes: 16 * SEGMENT, ..NEVER };
        for from in (1..1000).step_by(200) {
            (from..from + 200).for_each(|id| settled(&store, id, "s", None));
            store.upkeep(NOW, keep).unwrap();
        }
        ended.store(true, Ordering::Relaxed);
        lister.join().unwrap()
    });
    assert!(listed.is_some_and(|listed: u32| listed > 0), "{listed:?}");
}

/// Appends entries that are never settled, in the oldest segments: 1 is sealed, has a key and a clipboard, and is
/// undone; 2 is intended only, with a clipboard that would count once it is sealed.
fn held(store: &Store) {
    let mut sealed = entry(1, "s", &["held"]);
    (sealed.key, sealed.request) = (Some("held key".to_owned()), Some(hash(1)));
    sealed.clips = vec![clip("s", "old", Some(b"once"), 1), clip("s", "kept", Some(b"cut text"), 1)];
    let mut intended = entry(2, "s", &["half"]);
    intended.clips = vec![clip("s", "half", Some(b"not yet"), 1)];
    store.append(&[Record::Intent(sealed), Record::Intent(intended), seal(1)]).unwrap();
    store.append(&[Record::Clip(clip("s", "old", Some(b"anew"), 2))]).unwrap();
    store.append(&[Record::External(undo(3, "s", EntryKind::Hook, &[1]))]).unwrap();
    store.append(&[Record::Intent(undo(4, "s", EntryKind::Undo, &[1])), seal(4)]).unwrap();
    store.append(&[Record::Settle(SettleRecord { id: JobId(4), diverged: false })]).unwrap();
}

fn look_held(store: &Store) {
    let open: Vec<_> =
        store.open_entries().iter().map(|(e, sealed)| (e.id.0, e.clips.len(), *sealed)).collect();
    assert_eq!(open, [(1, 2, true), (2, 1, false)]);
    assert!(store.summary(JobId(1)).unwrap().unwrap().undone);
    assert_eq!(store.hooks_of(JobId(1)).unwrap(), [JobId(3)]);
    assert_eq!(store.entry(JobId(1)).unwrap().unwrap().files, entry(1, "s", &["held"]).files);
    assert_eq!(store.last_of(&"held".into()).unwrap(), Some((JobId(1), Some(hash(2)))));
    assert_eq!(store.receipt(JobId(1)).unwrap(), Some(receipt(1)));
    assert_eq!(store.keyed("s", "held key").unwrap().unwrap().receipt, Some(receipt(1)));
    assert_eq!(store.clip("s", "old").unwrap().unwrap().bytes.unwrap(), b"anew");
    assert_eq!(store.clip("s", "kept").unwrap().unwrap().bytes.unwrap(), b"cut text");
    assert_eq!((store.clip("s", "half").unwrap(), store.entry(JobId(2)).unwrap()), (None, None));
}

#[test]
fn an_unsettled_entry_outlives_its_segment() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    held(&store);
    let keep = RetentionPolicy { entries: 10, bytes: 4 * SEGMENT, ..NEVER };
    // Twice: records that were written again are written again once more.
    for from in [5, 205] {
        (from..from + 200).for_each(|id| settled(&store, id, "s", None));
        assert!(store.upkeep(NOW, keep).unwrap().segments > 5);
        assert!(store.numbers().log_bytes <= keep.bytes);
        look_held(&store);
    }
    let last: Vec<u64> = [1].into_iter().chain(395..=404).collect();
    assert_eq!(ids(&store), last);
    let (again, _) = open(&machine.copy());
    look_held(&again);
    assert!(again.check().iter().all(|finding| finding.severity == "ok"));
    for store in [store, again] {
        store.append(&[seal(2), Record::Settle(SettleRecord { id: JobId(1), diverged: true })]).unwrap();
        assert!(store.entry(JobId(2)).unwrap().is_some());
        assert!(store.summary(JobId(1)).unwrap().unwrap().diverged);
        assert_eq!(store.clip("s", "half").unwrap().unwrap().bytes.unwrap(), b"not yet");
        store.append(&[Record::Settle(SettleRecord { id: JobId(2), diverged: false })]).unwrap();
        // Now they are removed as all others, except what is younger than a day.
        (405..=600).for_each(|id| settled(&store, id, "s", None));
        store.upkeep(NOW, keep).unwrap();
        assert_eq!(ids(&store), (591..=600).collect::<Vec<_>>());
        assert!(store.open_entries().is_empty());
        assert_eq!(store.keyed("s", "held key").unwrap().unwrap().receipt, Some(receipt(1)));
        assert_eq!(store.clip("s", "half").unwrap().unwrap().bytes.unwrap(), b"not yet");
    }
}

#[test]
fn an_entry_is_not_carried_between_the_intent_and_the_seal_of_what_takes_it_back() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    store.append(&[Record::Intent(entry(1, "s", &["a"])), seal(1)]).unwrap();
    (2..=200).for_each(|id| settled(&store, id, "s", None));
    store.append(&[Record::Intent(undo(201, "s", EntryKind::Undo, &[1]))]).unwrap();
    let keep = RetentionPolicy { entries: 10, bytes: SEGMENT, ..NEVER };
    assert_eq!(store.upkeep(NOW, keep).unwrap().segments, 0);
    store.append(&[seal(201)]).unwrap();
    assert!(store.upkeep(NOW, keep).unwrap().segments > 5);
    for store in [store, open(&machine.copy()).0] {
        assert!(store.summary(JobId(1)).unwrap().unwrap().undone);
    }
}

/// Lets an upkeep fail, or be killed, at each call. The store must be correct afterwards, with so many detached jobs,
/// and after the next upkeep also `last` must hold.
fn upkeep_may_fail_anywhere(
    (base, queued): (&FakeMachine, usize),
    keep: RetentionPolicy,
    held: impl Fn(&Store),
    last: impl Fn(&Store),
) {
    let mut failures = 0;
    for call in (1..30).chain((30..90).step_by(7)) {
        let machine = base.copy();
        let (store, _) = open(&machine);
        machine.fail_in(call);
        failures += u32::from(store.upkeep(NOW, keep).is_err());
        drop(store);
        for left in [machine.copy(), machine.power_cut(&|| false)] {
            let (store, opened) = open(&left);
            held(&store);
            assert_eq!(opened.queued.len(), queued);
            store.upkeep(NOW, keep).unwrap();
            held(&store);
            last(&store);
        }
    }
    assert!(failures > 10, "{failures}");
}

#[test]
fn upkeep_with_open_entries_may_fail_or_be_killed_at_any_call() {
    let machine = FakeMachine::new();
    {
        let (store, _) = open(&machine);
        held(&store);
        (5..=100).for_each(|id| settled(&store, id, "s", None));
    }
    let keep = RetentionPolicy { bytes: 2 * SEGMENT, entries: 10, ..NEVER };
    upkeep_may_fail_anywhere((&machine, 0), keep, look_held, |_| ());
}

#[test]
fn a_log_over_its_bytes_is_written_again_where_its_oldest_part_lives() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let mut seed = 7;
    let mut text = || std::iter::repeat_with(|| next(&mut seed) as u8).take(1000).collect::<Vec<u8>>();
    for name in 0..100 {
        store.append(&[Record::Clip(clip("s", &format!("{name}"), Some(&text()), 1))]).unwrap();
    }
    (1..=200).for_each(|id| settled(&store, id, "s", None));
    let keep = RetentionPolicy { bytes: 8 * SEGMENT, ..NEVER };
    assert!(store.upkeep(NOW, keep).unwrap().segments > 5);
    assert!(store.numbers().log_bytes <= keep.bytes);
    assert_eq!(store.clips("s").unwrap().len(), 100);
    // If more than half of the log is needed, nothing is gained and nothing is written, also the next time.
    let tight = RetentionPolicy { bytes: SEGMENT, ..NEVER };
    store.upkeep(NOW, tight).unwrap();
    assert!(store.numbers().log_bytes <= 2 * 100 * 1200 + 2 * SEGMENT);
    assert_eq!(store.upkeep(NOW, tight).unwrap(), Default::default());
    assert_eq!(open(&machine.copy()).0.clips("s").unwrap().len(), 100);
}

#[test]
fn a_number_that_is_used_again_after_a_void_keeps_its_entry() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    store.append(&[queued(1, "s", Some("k"))]).unwrap();
    store.append(&[Record::Intent(entry(1, "s", &["a"])), Record::Void(JobId(1))]).unwrap();
    (2..=100).for_each(|id| settled(&store, id, "s", None));
    settled(&store, 1, "s", Some("k"));
    store.upkeep(NOW, RetentionPolicy { bytes: 2 * SEGMENT, ..NEVER }).unwrap();
    for store in [store, open(&machine.copy()).0] {
        assert!(store.entry(JobId(1)).unwrap().is_some());
        assert_eq!(store.keyed("s", "k").unwrap().unwrap().receipt, Some(receipt(1)));
    }
}

#[test]
fn upkeep_may_fail_or_be_killed_at_any_call() {
    let machine = FakeMachine::new();
    drop(precious(&machine));
    upkeep_may_fail_anywhere((&machine, 1), RetentionPolicy { entries: 30, ..NEVER }, look, |store| {
        assert_eq!(ids(store), (171..=200).collect::<Vec<_>>());
    });
}

#[test]
fn upkeep_on_sled_leaves_rows_that_the_next_opening_trusts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sled");
    let machine = FakeMachine::new();
    drop(precious(&machine));
    let (store, opened) = open_sled(&machine, &path).unwrap();
    // There was a log and no database.
    assert!(opened.rebuilt.is_some());
    store.upkeep(NOW, RetentionPolicy { entries: 30, ..NEVER }).unwrap();
    drop(store);
    let (store, opened) = open_sled(&machine, &path).unwrap();
    assert_eq!(opened.rebuilt, None);
    look(&store);
    assert_eq!(ids(&store), (171..=200).collect::<Vec<_>>());
}

#[test]
fn receipts_for_files_are_bounded_and_the_newest_stay() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let most = limits::SEEN_OF_SESSION as u64;
    let all: Vec<Record> =
        (1..=most + 50).map(|n| Record::ReadReceipt(seen("s", &format!("f{n}"), n))).collect();
    for group in all.chunks(500) {
        store.append(group).unwrap();
    }
    store.upkeep(NOW, NEVER).unwrap();
    assert_eq!(store.seen("s", &"f50".into()).unwrap(), None);
    assert!(store.seen("s", &"f51".into()).unwrap().is_some());
}
