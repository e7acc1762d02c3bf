//! Stores and records for the tests. It checks nothing itself.

use std::path::Path;

use editd_engine::Splice;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{EntryKind, JobStatus, Receipt};
use editd_proto::path::FilePath;

use crate::os::{BootId, FileIdentity};
use crate::record::{
    ChangeMethod, ClipboardRecord, EndedWithoutEntry, Entry, FileMeta, FileRecord, QueuedJobRecord,
    ReadReceipt, Record, SealRecord, StagingFolder,
};
use crate::store::tests::fake::FakeMachine;
use crate::store::{DatabaseBackend, OpenReport, RetentionPolicy, Store, StoreError, StoreOptions};

pub(crate) const SEGMENT: u64 = 32 * 1024;

pub(crate) const NEVER: RetentionPolicy =
    RetentionPolicy { age_ms: u64::MAX, entries: u64::MAX, bytes: u64::MAX, sane_ms: 0 };

pub(crate) fn options(database: DatabaseBackend) -> StoreOptions {
    StoreOptions {
        database,
        segment: SEGMENT,
        contents: 64 * 1024,
        background: false,
        progress: Default::default(),
    }
}

pub(crate) fn open(machine: &FakeMachine) -> (Store, OpenReport) {
    Store::open(machine.os(), machine.dir(), options(DatabaseBackend::Memory), 1).unwrap()
}

pub(crate) fn open_sled(machine: &FakeMachine, path: &Path) -> Result<(Store, OpenReport), StoreError> {
    Store::open(machine.os(), machine.dir(), options(DatabaseBackend::Sled(path.to_owned())), 1)
}

pub(crate) fn hash(n: u64) -> ContentHash {
    ContentHash::from_bytes(*blake3::hash(&n.to_le_bytes()).as_bytes())
}

pub(crate) fn content_hash(bytes: &[u8]) -> ContentHash {
    ContentHash::from_bytes(*blake3::hash(bytes).as_bytes())
}

fn meta(n: u64) -> FileMeta {
    let identity = FileIdentity { dev: 1, ino: n, born: 3 };
    FileMeta { hash: hash(n), size: n, mode: 0o644, uid: 1, gid: 1, identity, modified: 5 }
}

pub(crate) fn file(path: &str, before: u64, after: u64) -> FileRecord {
    FileRecord {
        path: path.into(),
        before: (before != 0).then(|| meta(before)),
        after: (after != 0).then(|| meta(after)),
        splices: vec![Splice { at: 0, old: vec![b'o'; 20], new: vec![b'n'; after as usize % 500] }],
        how: ChangeMethod::Swap,
        staged_name: format!("slot-{after}"),
        staging: StagingFolder::Root,
        made: Vec::new(),
        added: 1,
        removed: 2,
        extents: Vec::new(),
        attributes: None,
    }
}

pub(crate) fn entry(id: u64, session: &str, paths: &[&str]) -> Entry {
    Entry {
        id: JobId(id),
        kind: EntryKind::Edit,
        boot: BootId([7; 16]),
        time: 1000 + id,
        session: session.to_owned(),
        client: "test".to_owned(),
        key: None,
        request: None,
        label: Some(format!("label {id}")),
        queued: None,
        of: Vec::new(),
        files: paths.iter().map(|path| file(path, id, id + 1)).collect(),
        clips: Vec::new(),
        parts: Vec::new(),
    }
}

pub(crate) fn undo(id: u64, session: &str, kind: EntryKind, of: &[u64]) -> Entry {
    Entry { kind, of: of.iter().copied().map(JobId).collect(), ..entry(id, session, &["a"]) }
}

pub(crate) fn receipt(id: u64) -> Receipt {
    Receipt::new(Some(JobId(id)), JobStatus::Applied)
}

pub(crate) fn seal(id: u64) -> Record {
    Record::Seal(SealRecord { id: JobId(id), receipt: rmp_serde::to_vec_named(&receipt(id)).unwrap() })
}

pub(crate) fn done(id: u64, session: &str, key: Option<&str>) -> Record {
    Record::Done(EndedWithoutEntry {
        id: JobId(id),
        session: session.to_owned(),
        time: 1000 + id,
        key: key.map(str::to_owned),
        request: hash(id),
        receipt: rmp_serde::to_vec_named(&receipt(id)).unwrap(),
    })
}

pub(crate) fn queued(id: u64, session: &str, key: Option<&str>) -> Record {
    Record::Queued(QueuedJobRecord {
        id: JobId(id),
        session: session.to_owned(),
        client: "test".to_owned(),
        time: 1000 + id,
        key: key.map(str::to_owned),
        request: hash(id),
        payload: vec![9; 40],
    })
}

pub(crate) fn clip(session: &str, name: &str, bytes: Option<&[u8]>, time: u64) -> ClipboardRecord {
    let session = if name.starts_with('/') { "" } else { session }.to_owned();
    let origin = Some(FilePath::from("origin"));
    ClipboardRecord { session, name: name.to_owned(), bytes: bytes.map(<[u8]>::to_vec), origin, time }
}

pub(crate) fn seen(session: &str, path: &str, n: u64) -> ReadReceipt {
    ReadReceipt {
        session: session.to_owned(),
        path: path.into(),
        hash: Some(hash(n)),
        ranges: vec![(1, n)],
        time: n,
        numbered: Vec::new(),
    }
}

pub(crate) fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed >> 11
}
