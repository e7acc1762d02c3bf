//! Tests what a session has seen after a recovery that completed its job.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use editd_proto::message::{FileEdit, FileEntry, JobRequest, JobStatus, ReadRequest, Receipt};

use crate::caller::Caller;
use crate::os::unix::Unix;
use crate::state::step::{JobStep, Observer, StepDecision};
use crate::workspace::tests::kit::Bench;

/// Stops the daemon after the files of a job have their new contents, and before the seal.
struct Stop;

impl Observer for Stop {
    fn after(&self, step: JobStep) -> StepDecision {
        if step == JobStep::Swap { StepDecision::Stop } else { StepDecision::Continue }
    }
}

fn read(bench: &Bench, lines: Option<(u64, u64)>) {
    let request = ReadRequest { path: "a".into(), lines, seen: None, symbol: None, body: false };
    bench.workspace.read(&Caller::of_session("s", "test"), &request).unwrap();
}

fn replace_lines(bench: &Bench, (start, end): (u64, u64), text: &str) -> Receipt {
    let (start, end, text) = (Some(start), Some(end), Some(text.to_owned()));
    bench.edit("s", "a", FileEdit { op: "lines".into(), start, end, text, ..FileEdit::default() })
}

#[test]
fn a_session_knows_the_lines_of_a_job_that_recovery_completed() {
    for (seen, knows) in [(None, true), (Some((1, 3)), false)] {
        let bench = Bench::new();
        bench.put("a", "1\n2\n3\n4\n5\n6\n");
        read(&bench, seen);
        bench.workspace.set_observer(Arc::new(Stop));
        assert_ne!(replace_lines(&bench, (2, 2), "two\n").status, JobStatus::Applied);
        let (bench, _) = bench.reopened(Arc::new(Unix));
        assert_eq!(bench.get("a"), "1\ntwo\n3\n4\n5\n6\n");
        let third = replace_lines(&bench, (3, 3), "III\n");
        assert_eq!(third.status, JobStatus::Applied, "{third:?}");
        let fifth = replace_lines(&bench, (5, 5), "V\n").status;
        assert_eq!(fifth == JobStatus::Applied, knows, "{seen:?}");
    }
}

#[test]
fn the_reply_of_a_job_that_recovery_completed_has_its_lines() {
    let bench = Bench::new();
    bench.put("a", "1\n2\n3\n4\n");
    let edit = FileEdit {
        op: "lines".into(),
        start: Some(2),
        end: Some(3),
        text: Some("new\n".into()),
        ..FileEdit::default()
    };
    let entry =
        FileEntry { path: "a".into(), base: Some("any".into()), edits: vec![edit], ..FileEntry::default() };
    let job = JobRequest { key: Some("k".into()), files: vec![entry], ..JobRequest::default() };
    let run = |bench: &Bench| bench.run("s", &bench.workspace.understand(job.clone()));
    bench.workspace.set_observer(Arc::new(Stop));
    assert_ne!(run(&bench).status, JobStatus::Applied);
    let (bench, _) = bench.reopened(Arc::new(Unix));
    let again = run(&bench);
    let file = again.files.first().unwrap();
    assert!(again.repeated, "{again:?}");
    assert_eq!((file.lines.0.as_slice(), file.added, file.removed), (&[(2, 2)][..], 1, 2));
}
