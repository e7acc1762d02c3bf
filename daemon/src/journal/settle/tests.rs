//! Tests of the time at which entries are due, and of the number of them that a job settles.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use editd_proto::ids::JobId;
use editd_proto::message::JobStatus;

use crate::limits::{SETTLE_BATCH, SETTLE_PAUSE_MS, UNSETTLED};
use crate::os::unix::Unix;
use crate::state::lock;
use crate::state::unsettled::OwnerKind;
use crate::workspace::tests::kit::Bench;

#[test]
fn a_job_at_the_limit_of_unsettled_entries_settles_one_batch() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    let state = bench.state();
    let now = state.clock.monotonic();
    for id in 0..UNSETTLED {
        lock(&state.unsettled).push(JobId(id as u64), &[], Vec::new(), now, OwnerKind::Recovered);
    }
    let receipt = bench.append("s", "a.txt", "two\n");
    assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
    assert_eq!(lock(&state.unsettled).len(), UNSETTLED - SETTLE_BATCH + 1);
    bench.workspace.settle(true);
    assert_eq!(lock(&state.unsettled).len(), 0);
}

#[test]
fn jobs_of_an_earlier_run_are_due_at_once() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    for _ in 0..3 {
        bench.append("s", "a.txt", "two\n");
    }
    let pause = Duration::from_millis(SETTLE_PAUSE_MS);
    let due = |bench: &Bench| {
        let state = bench.state();
        lock(&state.unsettled).due(state.clock.monotonic() + pause, false)
    };
    assert_eq!(due(&bench), 0);
    let (bench, notes) = bench.reopened(Arc::new(Unix));
    assert_eq!(due(&bench), 3, "{notes:?}");
}

#[test]
fn entries_that_a_full_log_does_not_take_as_settled_are_settled_once_there_is_room() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    let state = bench.state();
    // No segment can be made: folders have the names of the next ones.
    let obstacles: Vec<_> = (1..8).map(|next| bench.log_folder().join(format!("{next:016x}.log"))).collect();
    for obstacle in obstacles.iter().filter(|path| !path.exists()) {
        std::fs::create_dir(obstacle).unwrap();
    }
    let mut applied = 0;
    let refused = loop {
        let receipt = bench.append("s", "a.txt", "two\n");
        if receipt.status != JobStatus::Applied {
            break receipt;
        }
        applied += 1;
    };
    assert!(refused.error.unwrap().message.contains("could not be made"));
    assert!(applied > 100, "{applied}");
    let unsettled = || lock(&state.unsettled).len();
    for _ in 0..3 {
        bench.workspace.settle(true);
        assert_eq!(unsettled(), applied, "no entry is forgotten");
    }

    obstacles.iter().filter(|path| path.is_dir()).for_each(|path| std::fs::remove_dir(path).unwrap());
    bench.workspace.settle(true);
    assert_eq!(unsettled(), 0);
    assert_eq!(bench.append("s", "a.txt", "three\n").status, JobStatus::Applied);
    let (bench, notes) = bench.reopened(Arc::new(Unix));
    assert_eq!(lock(&bench.state().unsettled).len(), 1, "only the last one is settled again: {notes:?}");
}
