//! Tests the refusals about files that are at another path now.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_proto::error::{ChangeAuthor, ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{FileEdit, JobStatus, ReadRequest};

use crate::caller::Caller;
use crate::workspace::tests::kit::Bench;

fn rename(bench: &Bench, session: &str, from: &str, to: &str) {
    let edit = FileEdit { op: "rename".into(), to: Some(to.into()), ..FileEdit::default() };
    assert_eq!(bench.edit(session, from, edit).status, JobStatus::Applied);
}

fn read(bench: &Bench, path: &str) -> Result<(), Box<RequestError>> {
    let request = ReadRequest { path: path.into(), lines: None, seen: None, symbol: None, body: false };
    bench.workspace.read(&Caller::of_session("a", "test"), &request).map(|_| ())
}

/// Checks that an error names the present path of `a` and the entry.
fn names(error: &RequestError, to: &str, by: u64) {
    assert!(error.message.starts_with("a "), "{error:?}");
    assert!(error.message.contains(&format!("; name {to}")), "{error:?}");
    assert_eq!(error.by, Some(ChangeAuthor::Entry(JobId(by))));
    assert!(error.cause.as_ref().unwrap().contains("moved it to b "), "{error:?}");
}

#[test]
fn a_refusal_names_the_present_path_of_a_file_that_others_moved() {
    let bench = Bench::new();
    bench.put("a", "one\n");
    read(&bench, "a").unwrap();
    rename(&bench, "b", "a", "b");
    let stale = bench.replace("a", "a", "one", "two").error.unwrap();
    assert_eq!(stale.code, ErrorCode::Stale);
    names(&stale, "b", 1);
    names(&read(&bench, "a").unwrap_err(), "b", 1);
    // A session that has not read it gets another code.
    let missing = bench.replace("c", "a", "one", "two").error.unwrap();
    assert_eq!(missing.code, ErrorCode::Missing);
    names(&missing, "b", 1);

    rename(&bench, "b", "b", "folder/c");
    names(&read(&bench, "a").unwrap_err(), "folder/c", 1);
    // Without a file at the end, the last known path is still the best answer.
    bench.remove("folder/c");
    names(&read(&bench, "a").unwrap_err(), "folder/c", 1);
}

#[test]
fn a_refusal_names_no_file_of_another_content() {
    let bench = Bench::new();
    bench.put("a", "one\n");
    read(&bench, "a").unwrap();
    let delete = FileEdit { op: "delete".into(), ..FileEdit::default() };
    assert_eq!(bench.edit("a", "a", delete).status, JobStatus::Applied);
    bench.put("c", "one\n");
    let error = read(&bench, "a").unwrap_err();
    assert_eq!((error.code, error.by), (ErrorCode::Missing, None));
    assert_eq!(read(&bench, "never").unwrap_err().by, None);
}
