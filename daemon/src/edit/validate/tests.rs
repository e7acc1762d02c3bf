//! Tests of the step `validate` with a built-in check that gets no turn.

use editd_proto::error::ErrorCode;
use editd_proto::message::{EditPosition, FileEdit, FileEntry, JobMode, JobRequest, JobStatus};

use crate::caller::RequestOwner;
use crate::workspace::tests::kit::Bench;

#[test]
fn a_check_that_gets_no_turn_refuses_a_strict_job_and_is_reported_by_an_interactive_one() {
    let bench = Bench::new();
    bench.put("a.py", &"def f(a):\n    return a\n".repeat(4000));
    let _turn = bench.state().parsing.turn(&RequestOwner::of_session("other"), usize::MAX);
    let send = |mode| {
        let text = Some("def g(:\n".to_owned());
        let at = Some(EditPosition::End);
        let edit = FileEdit { op: "insert".into(), at, text, ..FileEdit::default() };
        let entry = FileEntry {
            path: "a.py".into(),
            base: Some("any".into()),
            edits: vec![edit],
            ..FileEntry::default()
        };
        let request = JobRequest { mode, files: vec![entry], ..JobRequest::default() };
        bench.run("s", &bench.workspace.understand(request))
    };
    let strict = send(JobMode::Strict);
    assert_eq!(strict.status, JobStatus::Refused);
    assert_eq!(strict.error.map(|error| error.code), Some(ErrorCode::Busy));
    let interactive = send(JobMode::Interactive);
    assert_eq!(interactive.status, JobStatus::Applied);
    let warnings: Vec<&String> = interactive.files.iter().flat_map(|file| &file.warnings).collect();
    assert!(warnings.iter().any(|warning| warning.contains("not checked")), "{warnings:?}");
}
