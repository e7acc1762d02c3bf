//! The contents that the entries of a journal refer to, rebuilt. It reads the state folder of a daemon that has
//! exited, and writes no files.

use std::collections::HashMap;
use std::fs;

use editd::testing::{
    DatabaseBackend, Entry, EntryQuery, FileMeta, FileRecord, Store, StoreOptions, content_hash,
};
use editd_engine::Splice;
use editd_proto::ids::{ContentHash, JobId};

use crate::scenario::real::os;
use crate::test_daemon::TestDaemon;

/// Entries that are asked for at once.
const PAGE: usize = 1000;

/// One file of an entry.
pub struct EntryFile<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// The file.
    pub file: &'a FileRecord,
    /// The content before, if the journal can rebuild it; `None` also if the file was absent.
    pub before: Option<Vec<u8>>,
    /// The content after, likewise.
    pub after: Option<Vec<u8>>,
}

/// Tells of every file of every entry, oldest first.
///
/// An entry holds the bytes that changed, trimmed to where they differ: only on top of what was there are they what
/// somebody wrote.
///
/// # Panics
/// Where the journal cannot be read.
pub fn each(daemon: &TestDaemon, mut tell: impl FnMut(&EntryFile<'_>)) {
    let store = open(daemon);
    let ids = entries(&store);
    let entry =
        |id: &JobId| store.entry(*id).expect("the journal can be read").expect("it has what it lists");
    let mut last: HashMap<ContentHash, JobId> = HashMap::new();
    for id in &ids {
        let bases = entry(id).files.into_iter().filter_map(|file| file.before);
        last.extend(bases.map(|base| (base.hash, *id)));
    }
    let mut known: HashMap<ContentHash, Vec<u8>> = HashMap::new();
    for id in &ids {
        let entry = entry(id);
        for file in &entry.files {
            let before = before(file, &known);
            let after = after(file, before.as_deref());
            let told = EntryFile { entry: &entry, file, before, after };
            tell(&told);
            let EntryFile { before, after, .. } = told;
            for (face, bytes) in [(&file.before, before), (&file.after, after)] {
                known.extend(face.as_ref().map(|face| face.hash).zip(bytes));
            }
        }
        // Thousands of states of one file would fill the memory.
        known.retain(|hash, _| last.get(hash).is_some_and(|last| last > id));
    }
}

fn open(daemon: &TestDaemon) -> Store {
    let mut states = fs::read_dir(daemon.folder("state").join("editd")).expect("a daemon was there");
    let state = states.next().expect("it had a workspace").expect("a folder can be listed").path();
    let os = os();
    let dir = os.open_dir(&state).expect("the state can be opened");
    let options = StoreOptions {
        database: DatabaseBackend::Memory,
        segment: 8 << 20,
        contents: 1 << 20,
        background: false,
        progress: Default::default(),
    };
    Store::open(os, dir, options, 0).expect("the journal can be opened").0
}

/// Every entry, oldest first.
fn entries(store: &Store) -> Vec<JobId> {
    let mut ids = Vec::new();
    let mut query = EntryQuery { limit: PAGE, ..EntryQuery::default() };
    loop {
        let page = store.history(&query).expect("the journal can be read");
        let Some(last) = page.last() else { break };
        query.before = Some(last.id);
        ids.extend(page.iter().map(|entry| entry.id));
    }
    ids.reverse();
    ids
}

fn before(file: &FileRecord, known: &HashMap<ContentHash, Vec<u8>>) -> Option<Vec<u8>> {
    let Some(face) = &file.before else { return Some(Vec::new()) };
    known.get(&face.hash).cloned().or_else(|| whole(file, face, |splice| &splice.old))
}

fn after(file: &FileRecord, before: Option<&[u8]>) -> Option<Vec<u8>> {
    let Some(face) = &file.after else { return Some(Vec::new()) };
    let made = before.and_then(|before| editd_engine::apply(before, &file.splices));
    made.filter(|made| content_hash(made) == face.hash).or_else(|| whole(file, face, |splice| &splice.new))
}

/// A content that an entry carries whole.
fn whole(file: &FileRecord, face: &FileMeta, side: impl Fn(&Splice) -> &Vec<u8>) -> Option<Vec<u8>> {
    let bytes: &[u8] = match file.splices.as_slice() {
        [] => &[],
        [one] => side(one),
        _ => return None,
    };
    (bytes.len() as u64 == face.size && content_hash(bytes) == face.hash).then(|| bytes.to_vec())
}
