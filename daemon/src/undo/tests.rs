//! Undos of many entries of one file, between which another session changed it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_proto::message::{FileEdit, FileEntry, JobRequest, JobStatus, OnStale, UndoRequest};

use crate::caller::Caller;
use crate::metrics::JobTrace;
use crate::workspace::tests::kit::Bench;

const JOBS: usize = 120;

fn is_own(job: usize) -> bool {
    !job.is_multiple_of(4)
}

/// Returns the text in which the jobs that `changed` selects have each replaced a line.
fn text(changed: &dyn Fn(usize) -> bool) -> String {
    let line = |number: usize| match number % 4 {
        0 if changed(number / 4) => format!("new {number}.\n"),
        _ => format!("line {number}.\n"),
    };
    (0..4 * JOBS).map(line).collect()
}

#[test]
fn many_entries_between_those_of_another_session_are_undone_at_once() {
    let bench = Bench::new();
    bench.put("a.txt", &text(&|_| false));
    for job in 0..JOBS {
        let session = if is_own(job) { "s" } else { "other" };
        let (old, new) = (format!("line {}.\n", 4 * job), format!("new {}.\n", 4 * job));
        let edit = FileEdit { op: "replace".into(), old: Some(old), new: Some(new), ..FileEdit::default() };
        // Each session has last seen the file before the other's changes.
        let base = Some("any".to_owned());
        let file = FileEntry { path: "a.txt".into(), base, edits: vec![edit], ..FileEntry::default() };
        let job = JobRequest { files: vec![file], ..JobRequest::default() };
        let receipt = bench.run(session, &bench.workspace.understand(job));
        assert_eq!(receipt.status, JobStatus::Applied, "{receipt:?}");
    }
    let caller = Caller::of_session("s", "test");
    let undo = UndoRequest { session: Some("s".to_owned()), ..UndoRequest::default() };
    let refused = bench.workspace.undo(&caller, &undo, &JobTrace::default()).error.unwrap();
    assert!(refused.message.contains("send the undo with `on_stale: \"rebase\"`"), "{}", refused.message);
    let rebased = UndoRequest { on_stale: OnStale::Rebase, ..undo };
    let undone = bench.workspace.undo(&caller, &rebased, &JobTrace::default());
    assert_eq!(undone.status, JobStatus::Applied, "{undone:?}");
    assert_eq!(bench.get("a.txt"), text(&|job| !is_own(job)));
    let redone = bench.workspace.redo(&caller, &UndoRequest::default(), &JobTrace::default());
    assert_eq!(redone.status, JobStatus::Applied, "{redone:?}");
    assert_eq!(bench.get("a.txt"), text(&|_| true));
}
