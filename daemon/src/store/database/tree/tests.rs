//! A tree holds the same as a map, and finds every lost, older or foreign page before it answers.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::memory::MemoryDatabase;
use super::super::{Database, DatabaseError, DatabaseRow, LiveRows};
use super::{PageTree, ROOT};
use crate::limits;
use crate::store::index::RowUpdates;
use crate::store::tests::kit::next;

/// A database in memory that a test changes behind the tree's back.
#[derive(Clone, Default)]
struct Below(Arc<MemoryDatabase>);

impl Database for Below {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DatabaseError> {
        self.0.get(key)
    }

    fn down(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        self.0.down(lo, hi, limit)
    }

    fn up(&self, lo: &[u8], hi: &[u8], limit: usize) -> Result<Vec<DatabaseRow>, DatabaseError> {
        self.0.up(lo, hi, limit)
    }

    fn count(&self, lo: &[u8], hi: &[u8]) -> Result<u64, DatabaseError> {
        self.0.count(lo, hi)
    }

    fn each(&self, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), DatabaseError> {
        self.0.each(visit)
    }

    fn apply(&self, changes: &RowUpdates) -> Result<(), DatabaseError> {
        self.0.apply(changes)
    }

    fn flush(&self) -> Result<(), DatabaseError> {
        self.0.flush()
    }

    fn size(&self) -> u64 {
        self.0.size()
    }

    fn live(&self) -> LiveRows {
        self.0.live()
    }
}

impl Below {
    fn rows(&self) -> BTreeMap<Vec<u8>, Vec<u8>> {
        all(self)
    }

    fn set(&self, key: &[u8], value: Option<Vec<u8>>) {
        self.0.apply(&RowUpdates::from([(key.to_vec(), value)])).unwrap();
    }
}

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

fn all(database: &dyn Database) -> Rows {
    let mut rows = Rows::new();
    database.each(&mut |key, value| drop(rows.insert(key.to_vec(), value.to_vec()))).unwrap();
    rows
}

fn bytes(seed: &mut u64, len: usize) -> Vec<u8> {
    (0..len).map(|_| next(seed) as u8).collect()
}

/// Changes the rows of the tree and of the map. One kind of key increases, others come in any order.
fn change(tree: &PageTree, rows: &mut Rows, seed: &mut u64, count: u64) {
    let mut changes = RowUpdates::new();
    for nth in 0..count {
        let key = match next(seed) % 4 {
            0 => [b"e".as_slice(), &(rows.len() as u64 * 1000 + nth).to_be_bytes()].concat(),
            1 => vec![b'a', next(seed) as u8, next(seed) as u8 % 4],
            2 => [b"p".as_slice(), &[next(seed) as u8 % 3; 16], &next(seed).to_be_bytes()].concat(),
            _ => rows.keys().nth(next(seed) as usize % rows.len().max(1)).cloned().unwrap_or_default(),
        };
        let len = match next(seed) % 60 {
            0 => limits::ROW + 200,
            n => n as usize * 3,
        };
        let value = (!next(seed).is_multiple_of(5)).then(|| bytes(seed, len));
        changes.insert(key, value);
    }
    tree.apply(&changes).unwrap();
    for (key, value) in changes {
        match value {
            Some(value) => drop(rows.insert(key, value)),
            None => drop(rows.remove(&key)),
        }
    }
}

#[test]
fn a_tree_holds_the_same_as_a_map_through_changes_and_openings() {
    for round in 1..12 {
        let (below, mut seed, mut rows) = (Below::default(), round * 77, Rows::new());
        let mut tree = PageTree::open(Box::new(below.clone())).unwrap();
        for step in 0..30 {
            change(&tree, &mut rows, &mut seed, [3, 40, 1500][(step % 3) as usize]);
            if step % 7 == 0 {
                tree = PageTree::open(Box::new(below.clone())).unwrap();
            }
            if step == 20 {
                // Everything but a few rows goes.
                let gone = rows.keys().skip(5).map(|key| (key.clone(), None)).collect();
                tree.apply(&gone).unwrap();
                rows = rows.into_iter().take(5).collect();
            }
            let live: u64 = rows.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum();
            assert_eq!(tree.live(), LiveRows { rows: rows.len() as u64, bytes: live });
            let (mut lo, mut hi) = (bytes(&mut seed, 2), bytes(&mut seed, 2));
            lo[0] %= 128;
            hi[0] %= 128;
            let down = tree.down(&lo, &hi, 50).unwrap();
            let range = rows.range(lo.clone()..hi.clone().max(lo.clone())).rev().take(50);
            assert_eq!(down, range.map(|(key, value)| (key.clone(), value.clone())).collect::<Vec<_>>());
            let up = tree.up(&lo, &hi, 50).unwrap();
            let range = rows.range(lo.clone()..hi.clone().max(lo.clone()));
            assert_eq!(tree.count(&lo, &hi).unwrap(), range.clone().count() as u64);
            assert_eq!(
                up,
                range.take(50).map(|(key, value)| (key.clone(), value.clone())).collect::<Vec<_>>()
            );
            for key in rows.keys().step_by(37).chain([&hi]) {
                assert_eq!(tree.get(key).unwrap().as_ref(), rows.get(key));
            }
        }
        assert!(all(&tree) == rows);
        let gone = rows.keys().map(|key| (key.clone(), None)).collect();
        tree.apply(&gone).unwrap();
        assert_eq!(below.rows().len(), 1, "only the root is left");
        assert!(all(&tree).is_empty() && tree.get(b"e").unwrap().is_none());
    }
}

#[test]
fn a_lost_an_older_or_a_changed_page_is_never_believed() {
    let (below, mut seed, mut rows) = (Below::default(), 5, Rows::new());
    let tree = PageTree::open(Box::new(below.clone())).unwrap();
    change(&tree, &mut rows, &mut seed, 900);
    let older = below.rows();
    let (older_rows, mut rows) = (rows.clone(), rows);
    change(&tree, &mut rows, &mut seed, 300);
    let newer = below.rows();
    drop(tree);
    let (mut found_out, mut answers) = (0, 0);
    let mut look = |what: &str, allowed: &[&Rows]| {
        let tree = match PageTree::open(Box::new(below.clone())) {
            Ok(tree) => tree,
            Err(_) => return found_out += 1,
        };
        let keys = rows.keys().chain(older_rows.keys()).cloned().chain([b"none".to_vec()]);
        let before = found_out;
        for key in keys {
            match tree.get(&key) {
                Ok(value) => {
                    answers += 1;
                    assert!(allowed.iter().any(|rows| value.as_ref() == rows.get(&key)), "{what}");
                }
                Err(_) => found_out += 1,
            }
        }
        assert!(found_out > before || allowed.len() > 1, "{what}");
    };
    for (key, value) in &newer {
        if key != ROOT {
            below.set(key, None);
            look("lost", &[&rows]);
        }
        if let Some(old) = older.get(key).filter(|old| *old != value) {
            below.set(key, Some(old.clone()));
            look("older", &[&rows]);
        }
        let mut changed = value.clone();
        let at = next(&mut seed) as usize % changed.len();
        changed[at] ^= 1;
        below.set(key, Some(changed));
        look("changed", &[&rows]);
        let other = newer.values().nth(next(&mut seed) as usize % newer.len()).unwrap();
        if other != value {
            below.set(key, Some(other.clone()));
            look("exchanged", &[&rows]);
        }
        below.set(key, Some(value.clone()));
    }
    // The whole older state is a state of the database: the log shows that it is not the last one.
    below.0.apply(&newer.keys().map(|key| (key.clone(), None)).collect()).unwrap();
    older.iter().for_each(|(key, value)| below.set(key, Some(value.clone())));
    look("older as a whole", &[&older_rows, &older_rows]);
    assert!(found_out > 1000 && answers > 1000, "{found_out} {answers}");
}

#[test]
fn a_database_of_another_version_or_without_a_root_is_not_opened() {
    let below = Below::default();
    below.set(b"!", Some(vec![1]));
    let why = PageTree::open(Box::new(below.clone())).err().unwrap();
    assert!(why.0.contains("another version"), "{why}");
    below.set(b"!", None);
    below.set(b"#", Some(vec![1]));
    let why = PageTree::open(Box::new(below)).err().unwrap();
    assert!(why.0.contains("lost or damaged"), "{why}");
}

#[test]
fn rows_that_follow_fill_their_pages_and_a_change_writes_few() {
    let below = Below::default();
    let tree = PageTree::open(Box::new(below.clone())).unwrap();
    let mut seed = 3;
    for batch in 0..100u64 {
        let rows =
            (0..40).map(|nth| ((batch * 40 + nth).to_be_bytes().to_vec(), Some(bytes(&mut seed, 100))));
        tree.apply(&rows.collect()).unwrap();
    }
    let stored = below.rows();
    let live = tree.live();
    let pages = live.bytes as usize / limits::DATABASE_PAGE;
    assert!(stored.len() < pages * 5 / 4 + 3, "{} rows for {pages} pages", stored.len());
    let change = RowUpdates::from([(7u64.to_be_bytes().to_vec(), Some(vec![1]))]);
    tree.apply(&change).unwrap();
    let differs = below.rows().iter().filter(|(key, value)| stored.get(*key) != Some(value)).count();
    assert_eq!(differs, 3, "its page, the page above it and the root");
    tree.apply(&change).unwrap();
    tree.apply(&RowUpdates::from([(b"none".to_vec(), None)])).unwrap();
}
