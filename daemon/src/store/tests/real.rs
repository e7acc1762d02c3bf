//! The store on a real folder, through the Unix seam, with its thread running.

use std::sync::Arc;

use super::kit::*;
use crate::os::Os;
use crate::os::unix::Unix;
use crate::record::{ReadReceipt, Record, SettleRecord};
use crate::store::{DatabaseBackend, EntryQuery, OpenReport, RetentionPolicy, Store, StoreOptions};
use editd_proto::ids::JobId;

fn open_real(folder: &std::path::Path) -> (Store, OpenReport) {
    let os: Arc<dyn Os> = Arc::new(Unix);
    let dir = os.open_dir(folder).unwrap();
    let options = StoreOptions {
        database: DatabaseBackend::Sled(folder.join("sled")),
        segment: 256 * 1024,
        contents: 1 << 20,
        background: true,
        progress: Default::default(),
    };
    Store::open(os, dir, options, 1).unwrap()
}

fn work(store: &Store, first: u64, count: u64) {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for n in (0..count).filter(|n| n % 4 == thread) {
                    let id = first + n;
                    let at = store.append(&[Record::Intent(entry(id, "s", &["a", "b"]))]).unwrap();
                    if n % 16 == 0 {
                        let _ = store.flush(at).unwrap();
                    }
                    let seen = ReadReceipt { time: id, ..seen("s", &format!("path {n}"), id) };
                    store.append(&[seal(id), Record::ReadReceipt(seen)]).unwrap();
                    let settle = SettleRecord { id: JobId(id), diverged: false };
                    store.append(&[Record::Settle(settle)]).unwrap();
                    let content = format!("content {id}").repeat(20);
                    store.keep_content(content_hash(content.as_bytes()), content.as_bytes());
                }
            });
        }
    });
}

#[test]
fn it_lives_on_a_real_folder_through_restarts_upkeep_and_a_lost_database() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = 1;
    for life in 0..3 {
        let (store, opened) = open_real(folder.path());
        assert_eq!(opened.rebuilt, None, "life {life}");
        assert_eq!((opened.last_id, opened.open.len()), (first - 1, 0));
        work(&store, first, 400);
        first += 400;
        if life == 1 {
            store.close().unwrap();
        }
    }
    std::fs::remove_dir_all(folder.path().join("sled")).unwrap();
    let (store, opened) = open_real(folder.path());
    assert!(opened.rebuilt.is_some());
    assert_eq!(store.numbers().entries, 1200);
    let segments = store.numbers().log_bytes;
    let kept = store.upkeep(5000, RetentionPolicy { entries: 100, ..NEVER }).unwrap();
    assert!(kept.segments > 0 && store.numbers().log_bytes < segments);
    let all = store.history(&EntryQuery { limit: 1000, ..EntryQuery::default() }).unwrap();
    assert_eq!(all.iter().map(|e| e.id.0).collect::<Vec<_>>(), (1101..=1200).rev().collect::<Vec<_>>());
    assert!(store.check().iter().all(|finding| finding.severity == "ok"));
    drop(store);
    let (store, opened) = open_real(folder.path());
    assert_eq!((opened.rebuilt, store.numbers().entries), (None, 100));
}
