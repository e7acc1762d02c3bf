//! Kept contents: found again, bounded, and never wrong.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::ContentFiles;
use crate::limits::CONTENTS_BLOCK;
use crate::os::{BootId, Dir, Os};
use crate::store::tests::fake::FakeMachine;
use crate::store::tests::kit::{content_hash, next};

fn contents(machine: &FakeMachine, bound: u64) -> ContentFiles {
    ContentFiles::new(machine.os(), machine.dir(), bound)
}

fn noise(n: u64) -> Vec<u8> {
    let mut seed = n + 1;
    std::iter::repeat_with(|| next(&mut seed) as u8).take(1000).collect()
}

fn keep(contents: &ContentFiles, content: &[u8]) {
    assert!(contents.offer(content_hash(content), content.into()));
    contents.write_waiting();
}

#[test]
fn a_content_is_found_while_it_waits_and_after_a_restart() {
    let machine = FakeMachine::new();
    let store = contents(&machine, 1 << 20);
    let content = b"fn main() {}\n".repeat(100);
    store.offer(content_hash(&content), content.as_slice().into());
    assert_eq!(store.get(content_hash(&content)).unwrap(), content);
    store.write_waiting();
    assert_eq!(store.get(content_hash(&content)).unwrap(), content);
    assert_eq!(store.bytes(), CONTENTS_BLOCK, "a small file takes a block of the disk");
    assert_eq!(contents(&machine.copy(), 1 << 20).get(content_hash(&content)).unwrap(), content);
    assert_eq!(store.get(content_hash(b"other")), None);
    keep(&store, b"");
    assert_eq!(store.get(content_hash(b"")).unwrap(), b"");
}

#[test]
fn the_oldest_go_when_there_are_too_many_also_after_a_restart() {
    let machine = FakeMachine::new();
    // Ten files of one block each, and not an eleventh.
    let bound = 10 * CONTENTS_BLOCK + 100;
    let store = contents(&machine, bound);
    (0..20).for_each(|n| keep(&store, &noise(n)));
    let kept = |store: &ContentFiles| -> Vec<u64> {
        (0..30).filter(|n| store.get(content_hash(&noise(*n))).is_some()).collect()
    };
    assert_eq!(kept(&store), (10..20).collect::<Vec<_>>());
    assert!(store.bytes() <= bound);
    let again = contents(&machine, bound);
    (20..25).for_each(|n| keep(&again, &noise(n)));
    assert_eq!(kept(&again), (15..25).collect::<Vec<_>>());
    // Larger than the whole bound: it is not kept, and nothing else is removed for it.
    let huge: Vec<u8> = (0..50).flat_map(noise).collect();
    keep(&again, &huge);
    assert_eq!(kept(&again).len(), 10);
}

#[test]
fn a_damaged_file_is_never_handed_out_and_goes() {
    let machine = FakeMachine::new();
    let content = b"some text, some text, some text";
    let name = content_hash(content).hex();
    let folder = name.get(..2).unwrap().to_owned();
    let len = {
        keep(&contents(&machine, 1 << 20), content);
        machine.file(&[&folder, &name]).lock().unwrap().seen.len()
    };
    for byte in 0..len {
        let damaged = machine.copy();
        if let Some(byte) = damaged.file(&[&folder, &name]).lock().unwrap().seen.get_mut(byte) {
            *byte ^= 0x10;
        }
        let store = contents(&damaged, 1 << 20);
        // A flipped bit that leaves the content unchanged is no damage.
        match store.get(content_hash(content)) {
            Some(found) => assert_eq!(found, content),
            None => {
                let folder = damaged.dir().open_dir(folder.as_bytes()).unwrap();
                assert!(folder.list().unwrap().is_empty(), "byte {byte}");
                keep(&store, content);
                assert_eq!(store.get(content_hash(content)).unwrap(), content);
            }
        }
    }
}

#[test]
fn of_what_jobs_made_one_after_the_other_the_last_is_written_and_all_that_was_shown() {
    let machine = FakeMachine::new();
    let store = contents(&machine, 1 << 20);
    let hash = |n| content_hash(&noise(n));
    let made =
        |before: u64, n: u64| assert!(store.offer_instead(Some(hash(before)), hash(n), noise(n).into()));
    assert!(store.offer(hash(0), noise(0).into()));
    (1..6).for_each(|n| made(n - 1, n));
    // A session reads the fifth before the next job replaces it.
    assert!(store.offer(hash(5), noise(5).into()));
    (6..9).for_each(|n| made(n - 1, n));
    made(8, 8);
    store.write_waiting();
    let kept: Vec<u64> = (0..9).filter(|n| store.get(hash(*n)).is_some()).collect();
    assert_eq!(kept, [0, 5, 8]);
    assert!(store.offer_instead(Some(hash(8)), hash(9), noise(9).into()));
    store.write_waiting();
    assert!(store.get(hash(8)).is_some(), "what is written stays");
}

/// A machine that calls a function before each rename.
struct Renaming<F>(Arc<dyn Os>, F);

impl<F: Fn() + Send + Sync> Os for Renaming<F> {
    fn open_dir(&self, path: &Path) -> io::Result<Dir> {
        self.0.open_dir(path)
    }
    fn boot_id(&self) -> io::Result<BootId> {
        self.0.boot_id()
    }
    fn began(&self) -> io::Result<i64> {
        self.0.began()
    }
    fn exchange(&self, a: &Dir, a_name: &[u8], b: &Dir, b_name: &[u8]) -> io::Result<()> {
        self.0.exchange(a, a_name, b, b_name)
    }
    fn rename_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        self.0.rename_noreplace(from, name, to, to_name)
    }
    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        self.1();
        self.0.rename(from, name, to, to_name)
    }
    fn link(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        self.0.link(from, name, to, to_name)
    }
}

#[test]
fn a_content_that_a_job_makes_meanwhile_waits_for_the_next_call() {
    let machine = FakeMachine::new();
    let store: Arc<OnceLock<ContentFiles>> = Arc::default();
    let (own, made) = (Arc::downgrade(&store), AtomicU64::new(1));
    let edit = move || {
        let n = made.fetch_add(1, Ordering::Relaxed);
        let (before, after) = (content_hash(&noise(n - 1)), content_hash(&noise(n)));
        let store = own.upgrade().unwrap();
        assert!(n < 10 && store.get().unwrap().offer_instead(Some(before), after, noise(n).into()));
    };
    let os = Arc::new(Renaming(machine.os(), edit));
    let contents = store.get_or_init(|| ContentFiles::new(os, machine.dir(), 1 << 20));
    assert!(contents.offer(content_hash(&noise(0)), noise(0).into()));
    for written in 1..4 {
        contents.write_waiting();
        assert_eq!(machine.all_files().len(), written);
    }
}

#[test]
fn too_many_that_wait_are_not_kept_and_a_failing_disk_harms_nobody() {
    let machine = FakeMachine::new();
    let store = contents(&machine, 1 << 20);
    let taken = (0..1000).filter(|n| store.offer(content_hash(&noise(*n)), noise(*n).into())).count();
    assert_eq!(taken, crate::limits::CONTENTS_WAITING);
    machine.fail_in(40);
    store.write_waiting();
    let found = (0..256).filter(|n| store.get(content_hash(&noise(*n))).is_some()).count();
    assert_eq!(found, 255);
    assert!(store.offer(content_hash(b"again"), b"again"[..].into()));
}
