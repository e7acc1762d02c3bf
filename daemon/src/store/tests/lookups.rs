//! The effect of each record on look-ups, at once and after a kill.

use editd_proto::ids::JobId;
use editd_proto::message::EntryKind;

use super::kit::*;
use crate::record::{Entry, Record, SettleRecord};
use crate::store::tests::fake::FakeMachine;
use crate::store::{EntryQuery, PathDigest, Store};
use crate::sync::lock;

/// Checks a store now, and as a new process opens it after a kill.
fn both(machine: &FakeMachine, store: &Store, look: impl Fn(&Store)) {
    look(store);
    look(&open(&machine.copy()).0);
}

fn all(store: &Store) -> Vec<u64> {
    let entries = store.history(&EntryQuery { limit: 100, ..EntryQuery::default() }).unwrap();
    entries.iter().map(|e| e.id.0).collect()
}

#[test]
fn an_entry_is_in_history_only_once_it_is_sealed() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let mut one = entry(1, "s", &["a", "b"]);
    one.clips = vec![clip("s", "c", Some(b"cut"), 4)];
    store.append(&[Record::Intent(one.clone())]).unwrap();
    both(&machine, &store, |store| {
        assert!(all(store).is_empty());
        assert_eq!(store.entry(JobId(1)).unwrap(), None);
        assert_eq!(store.clip("s", "c").unwrap(), None);
        assert_eq!(store.last_of(&"a".into()).unwrap(), None);
        assert_eq!(store.open_entries(), vec![(one.clone().into(), false)]);
    });
    store.append(&[seal(1)]).unwrap();
    both(&machine, &store, |store| {
        assert_eq!(all(store), [1]);
        assert_eq!(store.entry(JobId(1)).unwrap().unwrap(), one);
        assert_eq!(store.clip("s", "c").unwrap().unwrap().bytes.unwrap(), b"cut");
        assert_eq!(store.last_of(&"b".into()).unwrap(), Some((JobId(1), Some(hash(2)))));
        assert_eq!(store.receipt(JobId(1)).unwrap(), Some(receipt(1)));
        assert_eq!(store.open_entries(), vec![(one.clone().into(), true)]);
        assert_eq!(store.numbers().entries, 1);
    });
    store.append(&[Record::Settle(SettleRecord { id: JobId(1), diverged: true })]).unwrap();
    both(&machine, &store, |store| {
        assert!(store.open_entries().is_empty());
        assert!(store.summary(JobId(1)).unwrap().unwrap().diverged);
    });
}

#[test]
fn the_newest_job_of_a_path_is_found_below_what_others_did() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    store.append(&[Record::Intent(entry(1, "s", &["a"])), seal(1)]).unwrap();
    // More than are read at once.
    let outside =
        (2..150).map(|id| Record::External(Entry { kind: EntryKind::External, ..entry(id, "", &["a"]) }));
    store.append(&outside.collect::<Vec<_>>()).unwrap();
    both(&machine, &store, |store| {
        let behind = |path: &str, id| store.job_behind(&path.into(), JobId(id)).unwrap();
        assert_eq!((behind("a", 0), behind("a", 1), behind("b", 0)), (Some(JobId(1)), None, None));
    });
    store.append(&[Record::Intent(entry(150, "s", &["a", "b"])), seal(150)]).unwrap();
    both(&machine, &store, |store| {
        let behind = |path: &str, id| store.job_behind(&path.into(), JobId(id)).unwrap();
        assert_eq!(
            (behind("a", 1), behind("a", 150), behind("b", 149)),
            (Some(JobId(150)), None, Some(JobId(150)))
        );
    });
}

#[test]
fn the_paths_of_the_journal_are_listed_page_by_page_with_their_newest_entries() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    for id in 1..200 {
        let own = format!("file {id}");
        store.append(&[Record::Intent(entry(id, "s", &["a", &own])), seal(id)]).unwrap();
    }
    let mut wanted: Vec<(PathDigest, JobId)> =
        (1..200).map(|id| (PathDigest::of(&format!("file {id}").as_str().into()), JobId(id))).collect();
    wanted.push((PathDigest::of(&"a".into()), JobId(199)));
    wanted.sort_unstable();
    wanted.reverse();
    both(&machine, &store, |store| {
        let mut found: Vec<(PathDigest, JobId)> = Vec::new();
        loop {
            let page = store.journaled_paths(found.last().map(|(digest, _)| *digest), 7).unwrap();
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        assert_eq!(found, wanted);
    });
}

#[test]
fn a_voided_intent_leaves_nothing_and_its_number_is_not_given_again() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    store.append(&[Record::Intent(entry(5, "s", &["a"])), Record::Void(JobId(5))]).unwrap();
    store.append(&[seal(5)]).unwrap();
    both(&machine, &store, |store| {
        assert!(all(store).is_empty() && store.open_entries().is_empty());
    });
    assert_eq!(open(&machine.copy()).1.last_id, 5);
}

#[test]
fn a_job_knows_what_commands_made_of_it() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    store.append(&[Record::Intent(entry(1, "s", &["a"])), seal(1)]).unwrap();
    let hook = |id, of| Record::External(undo(id, "s", EntryKind::Hook, &[of]));
    store.append(&[hook(2, 1), hook(3, 1), hook(4, 99)]).unwrap();
    store.append(&[Record::Intent(undo(5, "s", EntryKind::Undo, &[3])), seal(5)]).unwrap();
    both(&machine, &store, |store| {
        assert_eq!(store.hooks_of(JobId(1)).unwrap(), [JobId(2), JobId(3)]);
        assert!(
            store.hooks_of(JobId(2)).unwrap().is_empty() && store.hooks_of(JobId(99)).unwrap().is_empty()
        );
        let undone = |id| store.summary(JobId(id)).unwrap().unwrap().undone;
        assert_eq!([undone(1), undone(2), undone(3), undone(4)], [false, false, true, false]);
        assert_eq!(store.summary(JobId(2)).unwrap().unwrap().of, [JobId(1)]);
    });
}

#[test]
fn undo_and_redo_mark_what_they_take_and_bring_back() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let put = |e| store.append(&[Record::Intent(Clone::clone(&e)), seal(e.id.0)]).unwrap();
    let undone = |store: &Store| -> Vec<u64> {
        let entries = store.history(&EntryQuery { limit: 100, ..EntryQuery::default() }).unwrap();
        entries.iter().filter(|e| e.undone).map(|e| e.id.0).collect()
    };
    put(entry(1, "s", &["a"]));
    put(entry(2, "s", &["a"]));
    put(undo(3, "s", EntryKind::Undo, &[2, 1]));
    both(&machine, &store, |store| assert_eq!(undone(store), [2, 1]));
    // A redo that names an original restores it.
    put(undo(4, "s", EntryKind::Redo, &[1]));
    both(&machine, &store, |store| assert_eq!(undone(store), [2]));
    // A redo that names an undo takes that undo back.
    put(undo(5, "s", EntryKind::Undo, &[1]));
    put(undo(6, "s", EntryKind::Redo, &[5]));
    both(&machine, &store, |store| assert_eq!(undone(store), [5, 2]));
    // An undo of the redo makes the undo valid again.
    put(undo(7, "s", EntryKind::Undo, &[6]));
    both(&machine, &store, |store| assert_eq!(undone(store), [6, 2, 1]));
}

#[test]
fn history_is_narrowed_by_path_session_time_and_number() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    for id in 1..=40 {
        let path = if id % 3 == 0 { "x" } else { "y" };
        let mut e = entry(id, if id % 2 == 0 { "even" } else { "odd" }, &[path]);
        // The clock jumps back in the middle.
        e.time = if id == 20 { 1 } else { 1000 + id };
        store.append(&[Record::Intent(e), seal(id)]).unwrap();
    }
    both(&machine, &store, |store| {
        let ids = |query: &EntryQuery| -> Vec<u64> {
            store.history(query).unwrap().iter().map(|e| e.id.0).collect()
        };
        let any = EntryQuery { limit: 3, ..EntryQuery::default() };
        assert_eq!(ids(&any), [40, 39, 38]);
        assert_eq!(ids(&EntryQuery { before: Some(JobId(10)), ..any.clone() }), [9, 8, 7]);
        let x = EntryQuery { path: Some("x".into()), ..any.clone() };
        assert_eq!(ids(&x), [39, 36, 33]);
        assert_eq!(ids(&EntryQuery { session: Some("even".to_owned()), ..x.clone() }), [36, 30, 24]);
        let odd = EntryQuery { session: Some("odd".to_owned()), before: Some(JobId(4)), ..any.clone() };
        assert_eq!(ids(&odd), [3, 1]);
        let since = EntryQuery { since: Some(1018), limit: 100, ..EntryQuery::default() };
        assert_eq!(ids(&since), (18..=40).rev().filter(|id| *id != 20).collect::<Vec<_>>());
        assert_eq!(ids(&EntryQuery { limit: 0, ..EntryQuery::default() }), [0_u64; 0]);
        assert_eq!(ids(&EntryQuery { path: Some("z".into()), ..any }), [0_u64; 0]);
    });
}

#[test]
fn keys_belong_to_a_session_and_tell_what_became_of_the_job() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    store.append(&[queued(1, "s", Some("k"))]).unwrap();
    both(&machine, &store, |store| {
        let keyed = store.keyed("s", "k").unwrap().unwrap();
        assert_eq!((keyed.id, keyed.request, keyed.receipt), (JobId(1), Some(hash(1)), None));
        assert_eq!(store.keyed("t", "k").unwrap(), None);
    });
    assert_eq!(open(&machine.copy()).1.queued.len(), 1);
    let keyed = |id, session| {
        let mut e = entry(id, session, &["a"]);
        (e.key, e.request) = (Some("k".to_owned()), Some(hash(id)));
        e
    };
    store.append(&[Record::Intent(keyed(1, "s"))]).unwrap();
    both(&machine, &store, |store| {
        assert_eq!(store.keyed("s", "k").unwrap().unwrap().receipt, None);
    });
    store.append(&[seal(1)]).unwrap();
    both(&machine, &store, |store| {
        assert_eq!(store.keyed("s", "k").unwrap().unwrap().receipt, Some(receipt(1)));
    });
    assert!(open(&machine.copy()).1.queued.is_empty());
    // Another session's intent under the same key, which is rolled back.
    store.append(&[Record::Intent(keyed(2, "t"))]).unwrap();
    both(&machine, &store, |store| assert_eq!(store.keyed("t", "k").unwrap().unwrap().receipt, None));
    store.append(&[Record::Void(JobId(2)), done(2, "t", Some("k"))]).unwrap();
    both(&machine, &store, |store| {
        assert_eq!(store.keyed("t", "k").unwrap().unwrap().receipt, Some(receipt(2)));
        assert_eq!(store.receipt(JobId(2)).unwrap(), Some(receipt(2)));
        assert_eq!(store.receipt(JobId(3)).unwrap(), None);
    });
}

#[test]
fn recovery_may_seal_without_a_receipt_and_one_is_made_up() {
    let (store, _) = open(&FakeMachine::new());
    let bare = crate::record::SealRecord { id: JobId(1), receipt: Vec::new() };
    store.append(&[Record::Intent(entry(1, "s", &["a"])), Record::Seal(bare)]).unwrap();
    let made = store.receipt(JobId(1)).unwrap().unwrap();
    assert_eq!(made.files[0].path, "a".into());
    assert_eq!(made.files[0].after, Some(hash(2).version()));
}

#[test]
fn clipboards_are_set_listed_and_removed() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    store.append(&[Record::Clip(clip("s", "b", Some(b"one"), 1))]).unwrap();
    store.append(&[Record::Clip(clip("s", "/shared", Some(b"two"), 2))]).unwrap();
    store.append(&[Record::Clip(clip("t", "b", Some(b"other"), 3))]).unwrap();
    let names = |store: &Store, session| -> Vec<(String, u64)> {
        store.clips(session).unwrap().into_iter().map(|info| (info.name, info.size)).collect()
    };
    both(&machine, &store, |store| {
        assert_eq!(names(store, "s"), [("/shared".to_owned(), 3), ("b".to_owned(), 3)]);
        assert_eq!(names(store, ""), [("/shared".to_owned(), 3)]);
        assert_eq!(store.clip("t", "b").unwrap().unwrap().bytes.unwrap(), b"other");
    });
    store.append(&[Record::Clip(clip("s", "b", None, 4))]).unwrap();
    both(&machine, &store, |store| {
        assert_eq!(names(store, "s"), [("/shared".to_owned(), 3)]);
        assert_eq!(store.clip("s", "b").unwrap(), None);
    });
}

#[test]
fn fields_that_do_not_fit_a_row_are_read_from_the_log() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let paths: Vec<String> = (0..300).map(|n| format!("a/long/folder/name/file-{n}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut big = entry(1, "s", &paths);
    let mut long = clip("s", "long", Some(b"text"), 1);
    long.origin = Some("o".repeat(4090).as_str().into());
    big.clips = vec![long.clone()];
    let mut saw = seen("s", "a", 7);
    saw.ranges = (0..3000).map(|n| (n * 10 + 1, n * 10 + 5)).collect();
    store.append(&[Record::Intent(big.clone()), seal(1), Record::ReadReceipt(saw.clone())]).unwrap();
    both(&machine, &store, |store| {
        assert_eq!(store.summary(JobId(1)).unwrap().unwrap().files.len(), 300);
        assert_eq!(store.history(&EntryQuery { limit: 1, ..EntryQuery::default() }).unwrap()[0].session, "s");
        assert_eq!(store.seen("s", &"a".into()).unwrap().unwrap(), saw);
        assert_eq!(store.clip("s", "long").unwrap().unwrap(), long);
        assert_eq!(store.clips("s").unwrap()[0].origin, long.origin);
        let mut longest = 0;
        store
            .shared
            .rows
            .down(&[], &[255], &mut |_, value| {
                longest = longest.max(value.len());
                Ok(true)
            })
            .unwrap();
        assert!(longest <= crate::limits::ROW, "{longest}");
    });
}

#[test]
fn a_flush_proves_what_it_covers_and_the_store_is_checked() {
    let machine = FakeMachine::new();
    let (store, _) = open(&machine);
    let at = store.append(&[Record::ReadReceipt(seen("s", "a", 1))]).unwrap();
    assert_eq!(store.flush(at).unwrap().position(), at);
    let cut = machine.power_cut(&|| false);
    assert!(open(&cut).0.seen("s", &"a".into()).unwrap().is_some());
    assert!(store.check().iter().all(|finding| finding.severity == "ok"), "{:?}", store.check());
    assert_eq!(store.append(&[]).unwrap(), at);
}

#[test]
fn the_counts_of_status_do_not_wait_for_the_index() {
    let (store, _) = open(&FakeMachine::new());
    store.append(&[Record::Intent(entry(1, "s", &["a"])), seal(1)]).unwrap();
    // As during a rebuild that an append began.
    let _index = lock(&store.shared.index);
    let (sent, received) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| sent.send(store.numbers()).unwrap());
        let counts = received.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
        assert_eq!((counts.entries, counts.open), (1, 1));
    });
}
