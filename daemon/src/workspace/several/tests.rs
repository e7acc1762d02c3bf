//! Limits of `paths`, and the work that a glob saves.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_proto::error::ErrorCode;
use editd_proto::message::{FileEdit, FileEntry, JobRequest, JobStatus, Receipt};

use super::*;
use crate::caller::RequestOwner;
use crate::workspace::tests::kit::Bench;

fn substitute(pattern: &str, replacement: &str) -> FileEdit {
    let (pattern, replacement) = (Some(pattern.to_owned()), Some(replacement.to_owned()));
    FileEdit { op: "substitute".into(), pattern, replacement, ..FileEdit::default() }
}

fn entry(paths: &[&str], edit: FileEdit) -> FileEntry {
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    FileEntry { paths, edits: vec![edit], ..FileEntry::default() }
}

fn run(bench: &Bench, entry: FileEntry) -> Receipt {
    let request = JobRequest { files: vec![entry], ..JobRequest::default() };
    bench.run("s", &bench.workspace.understand(request))
}

#[test]
fn more_files_than_regular_expressions_are_refused_and_the_literal_pattern_applies() {
    let bench = Bench::new();
    for file in 0..501 {
        bench.put(&format!("f{file}.txt"), "old\n");
    }
    let regex = FileEdit { regex: Some(true), expect: Some(501), ..substitute("ol?d", "new") };
    let error = run(&bench, entry(&["*.txt"], regex)).error.unwrap();
    assert_eq!((error.code, error.limit), (ErrorCode::Limit, Some(500)), "{}", error.message);
    assert!(
        error.message.contains("leads to 501 files") && error.message.contains("narrow"),
        "{}",
        error.message
    );
    assert_eq!(bench.get("f7.txt"), "old\n");
    let literal = FileEdit { expect: Some(501), ..substitute("old", "new") };
    let receipt = run(&bench, entry(&["*.txt"], literal));
    assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
    assert_eq!((bench.get("f0.txt"), bench.get("f500.txt")), ("new\n".into(), "new\n".into()));
}

#[test]
fn copies_of_an_edit_are_bounded() {
    let bench = Bench::new();
    for file in 0..9 {
        bench.put(&format!("f{file}.txt"), "old\n");
    }
    let large = FileEdit { expect: Some(9), ..substitute("old", &"n".repeat(COPIED_EDITS / 8)) };
    let error = run(&bench, entry(&["*.txt"], large.clone())).error.unwrap();
    assert_eq!((error.code, error.limit), (ErrorCode::TooLarge, Some(COPIED_EDITS as u64)));
    assert_eq!(bench.get("f0.txt"), "old\n");
    let fewer = FileEdit { expect: Some(2), ..large };
    assert_eq!(run(&bench, entry(&["f[01].txt"], fewer)).status, JobStatus::Applied);
}

#[test]
fn names_are_counted_and_folders_that_no_glob_leads_to_cost_none() {
    let bench = Bench::new();
    bench.mkdir("src");
    bench.mkdir("other");
    for file in 0..20 {
        bench.put(&format!("other/f{file}.txt"), "old\n");
    }
    bench.put("src/a.txt", "old\n");
    let owner = RequestOwner::of_session("s");
    let found = |glob: &str, names_left: usize| {
        let mut look_up = LookUp { names_left, ..LookUp::new(bench.state(), &owner) };
        look_up.matched(vec![glob.to_owned()], 0)
    };
    let above = bench.list(".").len();
    assert_eq!(found("src/*.txt", above + 1).unwrap(), [FilePath::from("src/a.txt")]);
    let error = found("src/*.txt", above).unwrap_err();
    assert_eq!((error.code, error.limit), (ErrorCode::Limit, Some(NAMES_VISITED as u64)));
    assert!(found("*.txt", above + 1).is_err());
    assert_eq!(found("*.txt", above + 21).unwrap().len(), 21);
    assert_eq!(found("/src/**", above + 1).unwrap().len(), 1);
    assert_eq!(found("{src,none}/*", above + 21).unwrap().len(), 1);
}
