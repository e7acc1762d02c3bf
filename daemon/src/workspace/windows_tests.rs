//! Jobs on files that another program has open without sharing them: none is half done, and none is recorded if that can
//! be told before. And jobs on files with attributes of Windows.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test fails by panicking"
)]

use std::fs::{File, OpenOptions};
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use editd_proto::error::ErrorCode;
use editd_proto::message::{JobStatus, Receipt};
use editd_proto::plain_path::plain;
use serde_json::{Value, json};
use windows_sys::Win32::Storage::FileSystem::FILE_ATTRIBUTE_HIDDEN;

use super::{Admission, Workspace};
use crate::caller::Caller;
use crate::clock::SystemClock;
use crate::config::Settings;
use crate::metrics::JobTrace;
use crate::os::windows::Windows;
use crate::state::step::{JobStep, Observer, StepDecision};
use crate::store::{DatabaseBackend, StoreOptions};
use crate::sync::lock;

/// The share modes with which another program opens a file so that it cannot be replaced: none, reading, and both.
const UNSHARED: [u32; 3] = [0, 1, 3];

/// A workspace with three files.
struct Bench {
    _temp: tempfile::TempDir,
    root: PathBuf,
    workspace: Workspace,
}

/// Opens a file as soon as a step of a job has ended, and keeps the steps.
struct OtherProgram {
    after: Mutex<Option<JobStep>>,
    path: PathBuf,
    share: u32,
    held: Mutex<Option<File>>,
    steps: Mutex<Vec<JobStep>>,
}

impl Observer for OtherProgram {
    fn after(&self, step: JobStep) -> StepDecision {
        lock(&self.steps).push(step);
        if *lock(&self.after) == Some(step) {
            lock(&self.held).get_or_insert_with(|| hold(&self.path, self.share));
        }
        StepDecision::Continue
    }
}

fn hold(path: &PathBuf, share: u32) -> File {
    OpenOptions::new().read(true).share_mode(share).open(path).unwrap()
}

impl Bench {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let folder = plain(temp.path().canonicalize().unwrap());
        let (root, state) = (folder.join("w"), folder.join("state"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&state).unwrap();
        let options = StoreOptions {
            database: DatabaseBackend::Memory,
            segment: 1 << 20,
            contents: 1 << 20,
            background: false,
            progress: Default::default(),
        };
        let clock = Arc::new(SystemClock::start());
        let opened = Workspace::open(Arc::new(Windows), &root, &state, options, Settings::default(), clock);
        let bench = Self { _temp: temp, root, workspace: opened.unwrap().0 };
        for name in ["a.txt", "b.txt", "c.txt"] {
            std::fs::write(bench.root.join(name), name).unwrap();
        }
        bench
    }

    fn run(&self, files: Value) -> Receipt {
        let request = serde_json::from_value(json!({ "files": files })).unwrap();
        let parsed = self.workspace.understand(request);
        let caller = Caller::of_session("s", "test");
        match self.workspace.admit(&caller, &parsed) {
            Admission::New(id) => self.workspace.edit(&caller, id, &parsed, &|| (), &JobTrace::default()),
            Admission::Ended(receipt) => *receipt,
            _ => unreachable!("jobs without keys are new"),
        }
    }

    /// The files and their contents.
    fn contents(&self) -> Vec<(String, String)> {
        let listed = std::fs::read_dir(&self.root).unwrap().map(|one| one.unwrap().file_name());
        let mut names: Vec<String> = listed.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| name != ".editd");
        names.sort();
        let content = |name: &String| std::fs::read_to_string(self.root.join(name)).unwrap();
        names.iter().map(|name| (name.clone(), content(name))).collect()
    }

    fn observed(&self, after: Option<JobStep>, share: u32) -> Arc<OtherProgram> {
        let observer = OtherProgram {
            after: Mutex::new(after),
            path: self.root.join("c.txt"),
            share,
            held: Mutex::default(),
            steps: Mutex::default(),
        };
        let observer = Arc::new(observer);
        self.workspace.set_observer(observer.clone());
        observer
    }
}

/// Jobs over three files, of which the third is edited, written over, deleted, moved, and moved over.
fn jobs() -> Vec<Value> {
    let write =
        |path: &str| json!({"path": path, "base": "any", "edits": [{"op": "write", "text": "other"}]});
    let third = |edit: Value| json!([write("a.txt"), write("b.txt"), {"path": "c.txt", "base": "any", "edits": [edit]}]);
    let over = json!({"op": "rename", "to": "c.txt", "overwrite": true});
    vec![
        third(json!({"op": "replace", "old": "c.txt", "new": "new"})),
        third(json!({"op": "write", "text": "new"})),
        third(json!({"op": "delete"})),
        third(json!({"op": "rename", "to": "d/e.txt"})),
        json!([write("a.txt"), {"path": "b.txt", "base": "any", "edits": [over]}]),
    ]
}

fn is_busy(receipt: &Receipt) {
    let error = receipt.error.as_ref().unwrap();
    assert_eq!(error.code, ErrorCode::Busy, "{error:?}");
    assert!(error.message.contains("c.txt") && error.message.contains("another program"), "{error:?}");
}

#[test]
fn a_job_on_a_file_that_is_held_is_refused_before_anything_is_recorded() {
    for share in UNSHARED {
        for job in jobs() {
            let bench = Bench::new();
            let before = bench.contents();
            let other = bench.observed(None, share);
            let held = hold(&other.path, share);
            is_busy(&bench.run(job.clone()));
            assert!(!lock(&other.steps).contains(&JobStep::Intend), "{share} {job}");
            drop(held);
            assert_eq!(bench.contents(), before, "{share} {job}");
            assert_eq!(bench.run(job).status, JobStatus::Applied);
        }
    }
}

#[test]
fn a_job_on_a_file_that_is_held_from_its_intent_on_is_rolled_back() {
    // Not 0: the daemon has the file open for reading.
    for share in [1, 3] {
        for job in jobs() {
            let bench = Bench::new();
            let before = bench.contents();
            let other = bench.observed(Some(JobStep::Intend), share);
            is_busy(&bench.run(job.clone()));
            assert!(lock(&other.steps).contains(&JobStep::Intend), "{share} {job}");
            assert!(bench.workspace.state.store.open_entries().is_empty(), "{share} {job}");
            lock(&other.held).take();
            assert_eq!(bench.contents(), before, "{share} {job}");
            *lock(&other.after) = None;
            assert_eq!(bench.run(job).status, JobStatus::Applied);
        }
    }
}

#[test]
fn a_job_whose_staged_file_is_held_by_a_scanner_is_rolled_back() {
    let bench = Bench::new();
    let before = bench.contents();
    let staging = bench.root.join(".editd/staging");
    let scanner = Arc::new(Scanner { staging, is_running: AtomicBool::new(true), held: Mutex::default() });
    bench.workspace.set_observer(scanner.clone());
    for job in jobs().into_iter().take(2) {
        let receipt = bench.run(job.clone());
        let error = receipt.error.unwrap();
        assert!(error.code == ErrorCode::Busy && error.message.contains("another program"), "{error:?}");
        assert!(bench.workspace.state.store.open_entries().is_empty(), "{job}");
        lock(&scanner.held).clear();
        assert_eq!(bench.contents(), before, "{job}");
    }
    scanner.is_running.store(false, Ordering::Relaxed);
    assert_eq!(bench.run(jobs().swap_remove(0)).status, JobStatus::Applied);
}

/// Opens the staged files of the third file after each intent, as programs do that look at new files.
struct Scanner {
    staging: PathBuf,
    is_running: AtomicBool,
    held: Mutex<Vec<File>>,
}

impl Observer for Scanner {
    fn after(&self, step: JobStep) -> StepDecision {
        if step == JobStep::Intend && self.is_running.load(Ordering::Relaxed) {
            let listed = std::fs::read_dir(&self.staging).unwrap().map(|one| one.unwrap().path());
            let staged = listed.filter(|path| std::fs::read(path).is_ok_and(|bytes| bytes == b"new"));
            lock(&self.held).extend(staged.map(|path| hold(&path, 3)));
        }
        StepDecision::Continue
    }
}

#[test]
fn a_hidden_file_stays_hidden_when_it_is_edited_and_moved() {
    let bench = Bench::new();
    let hidden = |name: &str| {
        std::fs::metadata(bench.root.join(name)).unwrap().file_attributes() & FILE_ATTRIBUTE_HIDDEN != 0
    };
    let path = bench.root.join("h.txt");
    let mut options = OpenOptions::new();
    drop(options.write(true).create(true).truncate(true).attributes(FILE_ATTRIBUTE_HIDDEN).open(path));
    if !hidden("h.txt") {
        return eprintln!("skipped: this file system has no hidden files");
    }
    let job = |edit: Value| {
        let receipt = bench.run(json!([{"path": "h.txt", "base": "any", "edits": [edit]}]));
        assert_eq!(receipt.status, JobStatus::Applied, "{receipt:?}");
    };
    job(json!({"op": "write", "text": "new"}));
    assert!(hidden("h.txt"));
    job(json!({"op": "rename", "to": "i.txt"}));
    assert!(hidden("i.txt"));
}

#[test]
fn a_read_of_a_file_that_is_held_is_busy() {
    let bench = Bench::new();
    let held = hold(&bench.root.join("c.txt"), 0);
    let job = json!([{"path": "c.txt", "edits": [{"op": "replace", "old": "c", "new": "d"}]}]);
    is_busy(&bench.run(job.clone()));
    drop(held);
    assert_eq!(bench.run(job).status, JobStatus::Applied);
}
