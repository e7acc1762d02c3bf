//! Random records against a naive model: the answers must be the same at once, after a kill, after a power cut that
//! follows a flush, and from a rebuilt database.

use std::collections::BTreeMap;

use editd_proto::ids::JobId;
use editd_proto::message::{ClipInfo, EntryKind};

use super::kit::*;
use crate::record::{ClipboardRecord, Entry, ReadReceipt, Record, SettleRecord};
use crate::store::tests::fake::FakeMachine;
use crate::store::{EntryQuery, Store};

const SESSIONS: [&str; 3] = ["s", "t", "u"];
const PATHS: [&str; 5] = ["a", "b", "c/d", "e", "f"];
const CLIPS: [&str; 4] = ["one", "two", "/three", "/four"];

#[derive(Clone, Default)]
pub(super) struct Model {
    pub(super) entries: BTreeMap<u64, (Entry, bool, bool)>,
    open: BTreeMap<u64, (Entry, bool)>,
    queued: BTreeMap<u64, Record>,
    clips: BTreeMap<(String, String), ClipboardRecord>,
    seen: BTreeMap<(String, String), ReadReceipt>,
    keys: BTreeMap<(String, String), u64>,
    receipts: BTreeMap<u64, ()>,
    last: u64,
}

impl Model {
    fn entry(&mut self, entry: Entry) {
        for of in &entry.of {
            if let Some(found) = self.entries.get_mut(&of.0) {
                found.1 = entry.kind == EntryKind::Undo;
            }
        }
        for clip in &entry.clips {
            self.clip(clip.clone());
        }
        self.entries.insert(entry.id.0, (entry, false, false));
    }

    fn clip(&mut self, clip: ClipboardRecord) {
        let key = (clip.session.clone(), clip.name.clone());
        match clip.bytes {
            Some(_) => self.clips.insert(key, clip),
            None => self.clips.remove(&key),
        };
    }

    pub(super) fn apply(&mut self, record: &Record) {
        match record {
            Record::Start(_) | Record::Lost(_) => {}
            Record::Intent(entry) => {
                self.last = self.last.max(entry.id.0);
                self.open.insert(entry.id.0, (entry.clone(), false));
            }
            Record::Void(id) => drop(self.open.remove(&id.0)),
            Record::Seal(seal) => {
                let Some((entry, sealed)) = self.open.get_mut(&seal.id.0).filter(|open| !open.1) else {
                    return;
                };
                *sealed = true;
                let entry = entry.clone();
                self.receipts.insert(seal.id.0, ());
                self.queued.remove(&seal.id.0);
                if let Some(key) = &entry.key {
                    self.keys.insert((entry.session.clone(), key.clone()), seal.id.0);
                }
                self.entry(entry);
            }
            Record::Settle(settle) => {
                self.open.remove(&settle.id.0);
                if let Some(found) = self.entries.get_mut(&settle.id.0) {
                    found.2 |= settle.diverged;
                }
            }
            Record::External(entry) => {
                self.last = self.last.max(entry.id.0);
                self.entry(entry.clone());
            }
            Record::Clip(clip) => self.clip(clip.clone()),
            Record::ReadReceipt(seen) => {
                self.seen.insert((seen.session.clone(), seen.path.display()), seen.clone());
            }
            // The model has these entries already.
            Record::Checkpoint(_) => {}
            Record::Queued(job) => {
                self.last = self.last.max(job.id.0);
                self.queued.insert(job.id.0, record.clone());
            }
            Record::Done(done) => {
                self.last = self.last.max(done.id.0);
                self.queued.remove(&done.id.0);
                self.receipts.insert(done.id.0, ());
                if let Some(key) = &done.key {
                    self.keys.insert((done.session.clone(), key.clone()), done.id.0);
                }
            }
        }
    }

    pub(super) fn check(&self, store: &Store) {
        let history = store.history(&EntryQuery { limit: 10_000, ..EntryQuery::default() }).unwrap();
        let found: Vec<_> = history.iter().map(|e| (e.id.0, e.undone, e.diverged)).collect();
        let expected: Vec<_> = self.entries.iter().rev().map(|(id, e)| (*id, e.1, e.2)).collect();
        assert_eq!(found, expected);
        assert_eq!(store.numbers().entries, self.entries.len() as u64);
        let open: Vec<_> =
            store.open_entries().into_iter().map(|(entry, sealed)| ((*entry).clone(), sealed)).collect();
        assert_eq!(open, self.open.values().cloned().collect::<Vec<_>>());
        for (id, (entry, ..)) in self.entries.iter().rev().take(5) {
            assert_eq!(store.entry(JobId(*id)).unwrap().as_ref(), Some(entry));
        }
        for path in PATHS {
            let touching = self.entries.iter().rev().find_map(|(id, (entry, ..))| {
                let file = entry.files.iter().find(|file| file.path == path.into())?;
                Some((JobId(*id), file.after.as_ref().map(|meta| meta.hash)))
            });
            assert_eq!(store.last_of(&path.into()).unwrap(), touching);
        }
        for session in SESSIONS {
            for path in PATHS {
                let expected = self.seen.get(&(session.to_owned(), path.to_owned()));
                assert_eq!(store.seen(session, &path.into()).unwrap().as_ref(), expected);
            }
            let mine = self.clips.values().filter(|c| c.session == session || c.session.is_empty());
            let mut mine: Vec<ClipInfo> = mine
                .map(|c| ClipInfo {
                    name: c.name.clone(),
                    size: c.bytes.as_ref().unwrap().len() as u64,
                    time: c.time,
                    origin: c.origin.clone(),
                })
                .collect();
            mine.sort_by(|a, b| a.name.cmp(&b.name));
            assert_eq!(store.clips(session).unwrap(), mine);
        }
        for ((session, name), clip) in &self.clips {
            assert_eq!(store.clip(session, name).unwrap().as_ref(), Some(clip));
        }
        for ((session, key), id) in &self.keys {
            let keyed = store.keyed(session, key).unwrap().unwrap();
            assert_eq!((keyed.id.0, keyed.receipt), (*id, Some(receipt(*id))));
        }
        for id in self.receipts.keys() {
            assert_eq!(store.receipt(JobId(*id)).unwrap(), Some(receipt(*id)));
        }
    }
}

/// Returns the next group that a daemon could write.
pub(super) fn group(model: &Model, seed: &mut u64) -> Vec<Record> {
    let id = model.last + 1;
    let session = SESSIONS[next(seed) as usize % 3];
    let path = PATHS[next(seed) as usize % 5];
    let unsealed: Vec<u64> = model.open.iter().filter(|(_, o)| !o.1).map(|(id, _)| *id).collect();
    let sealed: Vec<u64> = model.open.iter().filter(|(_, o)| o.1).map(|(id, _)| *id).collect();
    let pick = |ids: &[u64], seed: &mut u64| ids.get(next(seed) as usize % ids.len().max(1)).copied();
    match next(seed) % 14 {
        0..=3 => {
            let mut e = entry(id, session, &[path, "also"]);
            if next(seed).is_multiple_of(3) {
                (e.key, e.request) = (Some(format!("key {id}")), Some(hash(id)));
            }
            if next(seed).is_multiple_of(3) {
                let name = CLIPS[next(seed) as usize % 4];
                e.clips = vec![clip(session, name, Some(&vec![b'x'; next(seed) as usize % 900]), id)];
            }
            vec![Record::Intent(e)]
        }
        4..=6 => match pick(&unsealed, seed) {
            Some(id) => vec![seal(id), Record::ReadReceipt(seen(session, path, id + 2))],
            None => vec![],
        },
        7 => pick(&unsealed, seed).map(|id| vec![Record::Void(JobId(id))]).unwrap_or_default(),
        8 | 9 => match pick(&sealed, seed) {
            Some(id) => vec![Record::Settle(SettleRecord { id: JobId(id), diverged: id % 7 == 0 })],
            None => vec![],
        },
        10 => {
            let edits: Vec<u64> = model
                .entries
                .iter()
                .filter(|(_, (e, ..))| matches!(e.kind, EntryKind::Edit | EntryKind::External))
                .map(|(id, _)| *id)
                .collect();
            let kind = if next(seed).is_multiple_of(2) { EntryKind::Undo } else { EntryKind::Redo };
            match pick(&edits, seed) {
                Some(of) => vec![Record::Intent(undo(id, session, kind, &[of])), seal(id)],
                None => vec![],
            }
        }
        11 => vec![Record::External(Entry { kind: EntryKind::External, ..entry(id, "", &[path]) })],
        12 => {
            let name = CLIPS[next(seed) as usize % 4];
            let text = vec![b'y'; next(seed) as usize % 3000];
            let bytes = (!next(seed).is_multiple_of(4)).then_some(text.as_slice());
            vec![Record::Clip(clip(session, name, bytes, id)), Record::ReadReceipt(seen(session, path, id))]
        }
        _ => match pick(&model.queued.keys().copied().collect::<Vec<_>>(), seed) {
            Some(id) if next(seed).is_multiple_of(2) => vec![done(id, session, Some(&format!("done {id}")))],
            _ => vec![queued(id, session, None)],
        },
    }
}

pub(super) fn write(store: &Store, model: &mut Model, seed: &mut u64, groups: usize) {
    for _ in 0..groups {
        let group = group(model, seed);
        store.append(&group).unwrap();
        group.iter().for_each(|record| model.apply(record));
    }
}

#[test]
fn random_records_give_what_the_model_says_through_kills_and_power_cuts() {
    for round in 0..25 {
        let mut seed = 77 + round;
        let mut machine = FakeMachine::new();
        let mut model = Model::default();
        for life in 0..4 {
            let (store, opened) = open(&machine);
            model.check(&store);
            assert_eq!(opened.last_id, model.last);
            assert_eq!(
                opened.queued.iter().map(|q| q.id.0).collect::<Vec<_>>(),
                model.queued.keys().copied().collect::<Vec<_>>()
            );
            write(&store, &mut model, &mut seed, 60);
            if life % 2 == 0 {
                store.apply_pending().unwrap();
            }
            model.check(&store);
            if next(&mut seed).is_multiple_of(2) {
                machine = machine.copy();
            } else {
                let _ = store.flush(crate::store::LogPosition(u64::MAX)).unwrap();
                machine = machine.power_cut(&|| false);
            }
        }
    }
}
