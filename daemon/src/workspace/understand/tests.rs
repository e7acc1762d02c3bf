//! Tests of payloads that ask for something else than edits, in a dialect of their own: it says what it is told.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use editd_engine::dialect::{PayloadOutcome, ReplyFormat};
use editd_proto::message::{EditPosition, FileEdit, FileEntry, JobStatus};

use super::*;
use crate::caller::{Caller, Lanes};
use crate::clock::Clock;
use crate::metrics::JobTrace;
use crate::workspace::Admission;
use crate::workspace::tests::kit::Bench;

struct Plain;

impl ReplyFormat for Plain {
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String {
        match outcome {
            PayloadOutcome::Read(read) => {
                let text = read.text.unwrap_or_default();
                assert!(!text.starts_with("panic"), "as told");
                format!("{} has {text}", read.path)
            }
            PayloadOutcome::Receipt(receipt) => format!("{:?}", receipt.status),
        }
    }
}

/// A payload with this meaning, whatever its text.
fn asking(sent: JobRequest, payload_request: PayloadRequest) -> ParsedRequest {
    let payload = sent.payload.clone().unwrap_or_default();
    let sent = JobRequest { payload: Some(payload), ..sent };
    let dialect_reply = Some(DialectReply::new("plain", Box::new(Plain), Vec::new()));
    ParsedRequest {
        action: action(&sent, payload_request),
        sent,
        dialect_reply,
        job: Mutex::default(),
        resolved: Mutex::default(),
        hash: OnceLock::new(),
    }
}

fn view(path: &str, lines: Option<(u64, u64)>) -> ParsedRequest {
    asking(JobRequest::default(), PayloadRequest::View { path: path.into(), lines })
}

fn undo(sent: JobRequest, path: &str) -> ParsedRequest {
    asking(sent, PayloadRequest::Undo { path: path.into() })
}

#[test]
fn a_view_shows_and_gives_a_receipt_for_what_it_showed() {
    let bench = Bench::new();
    bench.put("a", "one\ntwo\n");
    assert_eq!(
        bench.workspace.lanes(&Caller::of_session("s", "test"), &view("a", None)).unwrap(),
        Lanes::Some(Vec::new())
    );
    let shown = bench.run("s", &view("a", Some((2, 2))));
    assert_eq!((shown.status, shown.text.as_deref()), (JobStatus::Unchanged, Some("a has two\n")));
    assert_eq!((shown.job, shown.dialect.as_deref()), (None, Some("plain")));
    let [file] = shown.files.as_slice() else { panic!("one file") };
    assert!(file.after.is_some() && file.before == file.after);

    let replace = |line: u64| {
        let (at, text) = (Some(line), Some("x\n".to_owned()));
        bench.edit("s", "a", FileEdit { op: "lines".into(), start: at, end: at, text, ..FileEdit::default() })
    };
    assert_eq!(replace(1).error.unwrap().code, ErrorCode::Unread);
    assert_eq!(replace(2).status, JobStatus::Applied);

    let missing = bench.run("s", &view("b", None));
    assert_eq!((missing.status, missing.text.as_deref()), (JobStatus::Refused, Some("Refused")));
    assert_eq!(missing.error.unwrap().code, ErrorCode::Missing);
}

#[test]
fn a_dialect_that_panics_over_a_view_harms_nobody() {
    let bench = Bench::new();
    bench.put("a", "panic\n");
    let shown = bench.run("s", &view("a", None));
    assert_eq!((shown.status, shown.text.as_deref()), (JobStatus::Unchanged, Some("Unchanged")));
}

#[test]
fn an_undo_takes_back_what_its_session_did_last_to_the_file() {
    let bench = Bench::new();
    bench.put("a", "0\n");
    bench.put("b", "0\n");
    for (path, text) in [("a", "1\n"), ("a", "2\n"), ("b", "1\n")] {
        assert_eq!(bench.append("s", path, text).status, JobStatus::Applied);
    }
    let undone = bench.run("s", &undo(JobRequest::default(), "a"));
    assert_eq!((undone.status, undone.text.as_deref()), (JobStatus::Applied, Some("Applied")));
    assert_eq!((bench.get("a"), bench.get("b")), ("0\n1\n".into(), "0\n1\n".into()));
    assert_eq!(bench.run("s", &undo(JobRequest::default(), "a")).status, JobStatus::Applied);
    assert_eq!(bench.get("a"), "0\n");
    let nothing = bench.run("s", &undo(JobRequest::default(), "a"));
    assert_eq!(nothing.error.unwrap().code, ErrorCode::NotFound);
    assert_eq!(
        bench.run("other", &undo(JobRequest::default(), "b")).error.unwrap().code,
        ErrorCode::NotFound
    );

    // Another session's later change is in the way, and is not taken back instead.
    assert_eq!(bench.append("other", "b", "2\n").status, JobStatus::Applied);
    let stale = bench.run("s", &undo(JobRequest::default(), "b"));
    assert_eq!(stale.error.map(|error| (error.code, error.later.len())), Some((ErrorCode::Stale, 1)));
    assert_eq!(bench.get("b"), "0\n1\n2\n");
}

#[test]
fn an_undo_is_once_under_its_key_and_may_be_detached() {
    let bench = Bench::new();
    bench.put("a", "0\n");
    bench.append("s", "a", "1\n");
    bench.append("s", "a", "2\n");
    let request = JobRequest { key: Some("k".into()), detach: true, ..JobRequest::default() };
    let first = bench.run("s", &undo(request.clone(), "a"));
    assert_eq!((first.status, bench.get("a").as_str()), (JobStatus::Applied, "0\n1\n"));
    let again = bench.run("s", &undo(request, "a"));
    assert_eq!((again.job, again.repeated, again.text.as_deref()), (first.job, true, Some("Applied")));
    assert_eq!(bench.get("a"), "0\n1\n");
}

#[test]
fn a_payload_may_use_either_name_of_the_workspace() {
    let roots = [b"/real/w".to_vec(), b"/link".to_vec()];
    let understood = |path: &str| {
        let text =
            format!(r#"{{"path": "{path}", "patches": [{{"operation": "append_eof", "newText": "x"}}]}}"#);
        let payload = Some(Payload { dialect: Some("patch".into()), text, ..Payload::default() });
        ParsedRequest::new(JobRequest { payload, ..JobRequest::default() }, &roots, 1000)
    };
    for path in ["/real/w/a", "/link/a", "a"] {
        let Ok(Action::Job(job)) = understood(path).action else { panic!("{path}") };
        assert_eq!(job.files.first().map(|file| &file.path), Some(&"a".into()), "{path}");
    }
    let outside = understood("/real/wx/a");
    assert_eq!(outside.action().unwrap_err().code, ErrorCode::Outside);
    let said = outside.refused(outside.action().unwrap_err());
    assert!(said.text.is_some() && said.dialect.as_deref() == Some("patch"));
}

#[test]
fn fields_without_meaning_for_a_payload_are_refused() {
    let with = |sent: JobRequest, payload_request: PayloadRequest| {
        asking(sent, payload_request).action().unwrap_err().code
    };
    let base = JobRequest {
        payload: Some(Payload { base: Some("0123456789ab".into()), ..Payload::default() }),
        ..JobRequest::default()
    };
    let detach = JobRequest { detach: true, ..JobRequest::default() };
    let verify = JobRequest { mode: JobMode::VerifyOnly, ..JobRequest::default() };
    let view = || PayloadRequest::View { path: "a".into(), lines: None };
    let undo = || PayloadRequest::Undo { path: "a".into() };
    // A version is of one file; of two stages of one file it is that of the first.
    let several = || {
        let entry = |path: &str| FileEntry { path: path.into(), ..FileEntry::default() };
        PayloadRequest::Job(PayloadJob { files: vec![entry("a"), entry("b")], ..PayloadJob::default() })
    };
    for (sent, payload_request) in [
        (base.clone(), view()),
        (base.clone(), undo()),
        (base, several()),
        (detach, view()),
        (verify, undo()),
    ] {
        assert_eq!(with(sent, payload_request), ErrorCode::Malformed);
    }
}

#[test]
fn fields_of_a_payload_win_over_those_of_the_request() {
    let sent = JobRequest {
        mode: JobMode::Strict,
        partial: true,
        diff: Some(true),
        threshold: Some(0.9),
        label: Some("why".into()),
        ..JobRequest::default()
    };
    let silent = job(&sent, PayloadJob::default()).unwrap();
    assert_eq!((silent.partial, silent.diff, silent.threshold), (true, Some(true), Some(0.9)));
    let wanted = PayloadJob {
        mode: Some(JobMode::VerifyOnly),
        partial: Some(false),
        diff: Some(false),
        threshold: Some(0.5),
        ..PayloadJob::default()
    };
    let said = job(&sent, wanted).unwrap();
    assert_eq!((said.mode, said.partial, said.diff), (JobMode::VerifyOnly, false, Some(false)));
    assert_eq!((said.threshold, said.label.as_deref()), (Some(0.5), Some("why")));
}

/// A clock that stands.
struct StoppedClock;

impl Clock for StoppedClock {
    fn wall_ms(&self) -> u64 {
        1_000_000
    }

    fn monotonic(&self) -> Duration {
        Duration::from_secs(1)
    }
}

#[test]
fn a_path_that_was_resolved_before_another_job_made_its_folder_is_resolved_again() {
    let bench = Bench::with_clock(Arc::new(StoppedClock));
    let edit = |op: &str, text: &str| {
        let edit = FileEdit { op: op.into(), text: Some(text.into()), ..FileEdit::default() };
        let at = (op == "insert").then_some(EditPosition::End);
        let entry = FileEntry {
            path: "new/x".into(),
            base: Some("any".into()),
            edits: vec![FileEdit { at, ..edit }],
            ..FileEntry::default()
        };
        bench.workspace.understand(JobRequest { files: vec![entry], ..JobRequest::default() })
    };
    let later = edit("insert", "two\n");
    // The queue asks for the lanes of a job before it begins.
    bench.workspace.lanes(&Caller::of_session("b", "test"), &later).unwrap();
    assert_eq!(bench.run("a", &edit("write", "one\n")).status, JobStatus::Applied);
    let caller = Caller::of_session("b", "test");
    let Admission::New(id) = bench.workspace.admit(&caller, &later) else { panic!("not admitted") };
    let receipt = bench.workspace.edit(&caller, id, &later, &|| (), &JobTrace::default());
    assert_eq!(
        (receipt.status, bench.get("new/x").as_str()),
        (JobStatus::Applied, "one\ntwo\n"),
        "{receipt:?}"
    );
    assert_eq!(bench.state().store.numbers().entries, 2, "no change by others is noted");
}

#[test]
fn a_payload_may_name_the_workspace_by_a_link_to_it() {
    let bench = Bench::new();
    bench.put("a", "one\n");
    let link = bench.folder().join("link");
    std::os::unix::fs::symlink(bench.folder().join("w"), &link).unwrap();
    let run = |path: &str| {
        let text =
            format!(r#"{{"command": "str_replace", "path": "{path}", "old_str": "one", "new_str": "two"}}"#);
        let payload = Payload { dialect: Some("text-editor".into()), text, ..Payload::default() };
        let request = JobRequest { payload: Some(payload), ..JobRequest::default() };
        bench.run("s", &bench.workspace.understand(request))
    };
    let outside = run(bench.folder().join("other/a").to_str().unwrap());
    assert_eq!(outside.error.unwrap().code, ErrorCode::Outside);
    assert_eq!(run(link.join("a").to_str().unwrap()).status, JobStatus::Applied);
    assert_eq!(bench.get("a"), "two\n");
}
