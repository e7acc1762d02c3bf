//! Tests of the wording of answers that only a whole job produces. They translate and plan nothing.

use editd_types::{
    EditOutcome, EditStatus, ErrorCode, FileEdit, FileOutcome, FilePath, Issue, JobStatus, Receipt,
    RequestError,
};

use super::reply::PatchReply;
use crate::dialect::{PayloadOutcome, ReplyFormat};
use crate::limits;

fn outcome(rung: Option<&str>, error: Option<RequestError>) -> EditOutcome {
    let status = if error.is_some() { EditStatus::Refused } else { EditStatus::Applied };
    EditOutcome {
        rung: rung.map(str::to_owned),
        lines: Some((3, 5)),
        error: error.map(Box::new),
        ..EditOutcome::new(status)
    }
}

fn said(status: JobStatus, edits: Vec<EditOutcome>, error: Option<RequestError>) -> String {
    let stores = |name: &str| FileEdit { to_clipboard: Some(name.to_owned()), ..FileEdit::default() };
    let words = PatchReply::new(&[stores("a\"b"), stores("d"), FileEdit::default()]);
    let file = FileOutcome {
        edits,
        issues: vec![Issue {
            path: FilePath::from("f"),
            validator: "lint".to_owned(),
            line: Some(1),
            column: None,
            message: "is odd".to_owned(),
        }],
        warnings: vec!["f has two names".to_owned()],
        ..FileOutcome::new(FilePath::from("f"), status)
    };
    let receipt = Receipt {
        queued: None,
        job: None,
        status,
        files: vec![file],
        omitted_files: 0,
        hooks: Vec::new(),
        checks: Vec::new(),
        error,
        verified: None,
        rebased: false,
        repeated: false,
        dialect: None,
        text: None,
    };
    words.format(&PayloadOutcome::Receipt(&receipt))
}

#[test]
fn only_what_was_written_is_said_to_be_applied() {
    for status in [JobStatus::Verified, JobStatus::Queued, JobStatus::Refused] {
        let said = said(status, vec![outcome(Some("indent"), None)], None);
        assert!(said.starts_with("<patches_applied>none</patches_applied>"), "{said}");
        assert!(!said.contains("<clipboard>"), "{said}");
    }
}

#[test]
fn issues_and_warnings_are_said() {
    let said = said(JobStatus::Applied, vec![outcome(None, None)], None);
    assert_eq!(
        said,
        "<patches_applied>all</patches_applied>\n<issue>f:1: is odd (lint)</issue>\n<warning>f has two names</warning>"
    );
}

#[test]
fn a_partial_answer_counts_and_says_what_was_left_out() {
    let missed = RequestError::new(ErrorCode::NotFound, "it is not there");
    let edits =
        vec![outcome(Some("indent"), None), outcome(None, Some(missed)), outcome(Some("exact"), None)];
    let said = said(JobStatus::Partial, edits, None);
    assert!(
        said.starts_with("<patches_applied>2 of 3</patches_applied>\npatch 2: it is not there\n"),
        "{said}"
    );
    let clipboard = "<clipboard>\"a\\\"b\" holds what the file had at lines 3 to 5, not oldText as it was quoted: it matched as `indent`</clipboard>";
    assert!(said.contains(clipboard), "{said}");
    assert!(!said.contains("\"d\""), "what was not applied stored nothing: {said}");
}

#[test]
fn of_many_clipboards_some_are_named_and_all_are_counted() {
    let stores = |number: usize| FileEdit { to_clipboard: Some(format!("c{number}")), ..FileEdit::default() };
    let words = PatchReply::new(&(0..1000).map(stores).collect::<Vec<_>>());
    let said = words.clipboards(&vec![outcome(Some("eol"), None); 1000]);
    assert_eq!(said.len(), limits::CLIPBOARDS_LISTED + 1);
    assert_eq!(said.last().map(String::as_str), Some("<clipboard>and 980 more</clipboard>"));
}
