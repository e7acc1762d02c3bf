//! Background work against a fake workspace. No daemon is started here.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};

use super::background::BackgroundWork;
use super::checks::CheckThreads;
use super::watching::ChangeReporter;
use crate::clock::SystemClock;
use crate::ipc::{ClientListener, SocketName, StopSignal, SubscriptionProvider, claim};
use crate::os::unix::Unix;
use crate::queue::tests::fake::FakeWorkspace;
use crate::queue::{ActivityCounter, FinishedJob, QueueEvents};

struct Bench {
    root: tempfile::TempDir,
    fake: Arc<FakeWorkspace>,
    watching: Arc<ChangeReporter>,
    background: Arc<BackgroundWork>,
    stop: Arc<StopSignal>,
    _runtime: Runtime,
}

fn bench() -> Bench {
    bench_at(None)
}

fn bench_at(socket: Option<Arc<SocketName>>) -> Bench {
    let root = tempfile::tempdir().unwrap();
    let fake = Arc::new(FakeWorkspace::default());
    let clock = Arc::new(SystemClock::start());
    let path = root.path().canonicalize().unwrap();
    let watching = ChangeReporter::start(fake.clone(), &Unix, clock.clone(), &path).unwrap();
    let stop = Arc::new(StopSignal::default());
    let runtime = Builder::new_current_thread().build().unwrap();
    let checks =
        CheckThreads::new(fake.clone(), watching.clone(), ActivityCounter::new(), runtime.handle().clone());
    let background =
        BackgroundWork::start(fake.clone(), clock, watching.clone(), checks, socket, stop.clone()).unwrap();
    Bench { root, fake, watching, background, stop, _runtime: runtime }
}

#[test]
fn entries_of_an_earlier_daemon_are_settled_at_the_start() {
    let bench = bench();
    bench.fake.log_with("settle false");
}

#[test]
fn a_relaxed_job_is_flushed_soon() {
    let bench = bench();
    bench.fake.log_with("settle false");
    bench.background.job_ended(FinishedJob { relaxed: true, entries: Vec::new() });
    bench.fake.log_with("flush");
}

#[test]
fn the_end_flushes_and_settles_all_once() {
    let bench = bench();
    bench.fake.log_with("settle false");
    bench.background.finish();
    bench.background.finish();
    assert_eq!(bench.fake.log(), ["settle false", "flush", "settle true", "close"]);
}

#[test]
fn a_file_that_changes_in_a_touched_folder_is_looked_at() {
    let bench = bench();
    bench.background.receipt_renewed();
    // The folder is watched after a while; an earlier change is not seen, so the file is changed again and again.
    let path = bench.root.path().join("file");
    let seen = || bench.fake.log().iter().any(|line| line == "look file");
    while !seen() {
        std::fs::write(&path, "x").unwrap();
        std::thread::yield_now();
    }
    bench.watching.stop();
    bench.watching.stop();
}

#[test]
fn of_a_folder_that_is_moved_away_every_known_file_is_looked_at() {
    let bench = bench();
    let folder = bench.root.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    bench.background.receipt_renewed();
    while bench.watching.folders() < 2 {
        std::thread::yield_now();
    }
    let away = tempfile::tempdir().unwrap();
    std::fs::rename(&folder, away.path().join("folder")).unwrap();
    bench.fake.log_with("look folder/known");
}

#[test]
fn where_the_folder_is_gone_a_job_to_whom_nobody_listens_ends_the_daemon() {
    let bench = bench();
    bench.fake.log_with("settle false");
    assert!(!bench.stop.is_asked());
    bench.fake.replace();
    bench.background.job_ended(FinishedJob { relaxed: false, entries: Vec::new() });
    while bench.fake.log().iter().filter(|line| *line == "settle false").count() < 2 {
        std::thread::yield_now();
    }
    assert!(bench.stop.is_asked());
}

#[test]
fn a_daemon_whose_socket_is_gone_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sock");
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let claim = runtime.block_on(claim(&path)).unwrap();
    let listener = {
        let _inside = runtime.enter();
        ClientListener::listen(claim).unwrap()
    };
    let bench = bench_at(listener.name());
    bench.fake.log_with("settle false");
    assert!(!bench.stop.is_asked());
    std::fs::remove_file(&path).unwrap();
    bench.background.job_ended(FinishedJob { relaxed: false, entries: Vec::new() });
    while bench.fake.log().iter().filter(|line| *line == "settle false").count() < 2 {
        std::thread::yield_now();
    }
    assert!(bench.stop.is_asked());
}
