//! Tests of jobs in JSON and of the flags that are applied to them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use editd_proto::FilePath;
use editd_proto::message::{
    Durability, EditPosition, FileEdit, FileEntry, JobMode, JobRequest, OnStale, Payload, Reindent,
};

use super::{PayloadContext, fields, lay_over, read};
use crate::args::JobFlags;
use editctl::failure::{ExitStatus, Failure};

fn plain(payload: &str) -> Result<JobRequest, Failure> {
    read(payload.as_bytes(), PayloadContext::default())
}

fn beside(payload: &str) -> Result<JobRequest, Failure> {
    read(payload.as_bytes(), PayloadContext { path: Some("p".into()), dialect: None })
}

#[test]
fn the_job_of_the_documentation_is_read() {
    let job = plain(
        r#"{"key": "k", "label": "why", "mode": "strict", "on_stale": "reject", "partial": false,
            "diff": true, "files": [{"path": "src/a.rs", "base": "0123456789ab", "edits": [
              {"op": "replace", "old": "a", "new": "b", "match": "exact", "near": 3},
              {"op": "insert", "text": "x", "at": {"line": 3}},
              {"op": "insert", "text": "x", "at": "end"},
              {"op": "lines", "start": 1, "end": 0, "text": "", "reindent": {"strip": "\t", "add": null}},
              {"op": "chmod", "mode": "755"}]}]}"#,
    )
    .unwrap();
    assert_eq!(job.key.as_deref(), Some("k"));
    let edits = &job.files[0].edits;
    assert_eq!(edits[0].loosest.as_deref(), Some("exact"));
    assert_eq!(edits[1].at, Some(EditPosition::Line(3)));
    assert_eq!(edits[2].at, Some(EditPosition::End));
    assert_eq!(edits[3].reindent, Some(Reindent { strip: Some("\t".into()), add: None }));
}

#[test]
fn edits_may_come_with_a_path_beside_them() {
    let edit = FileEdit { op: "delete".into(), ..FileEdit::default() };
    let entry = |base: Option<&str>| FileEntry {
        path: "p".into(),
        base: base.map(Into::into),
        edits: vec![edit.clone()],
        ..FileEntry::default()
    };
    let files = |payload: &str| beside(payload).unwrap().files;
    assert_eq!(files(r#"[{"op": "delete"}]"#), [entry(None)]);
    assert_eq!(files(r#"{"edits": [{"op": "delete"}]}"#), [entry(None)]);
    assert_eq!(files(r#"{"base": "any", "edits": [{"op": "delete"}]}"#), [entry(Some("any"))]);
    let own = plain(r#"{"path": "p", "edits": [{"op": "delete"}]}"#).unwrap().files;
    assert_eq!(own, [entry(None)]);
}

#[test]
fn several_files_may_be_named_with_or_without_the_lists_around() {
    let entry = r#"{"paths": ["src/**/*.rs", "a"], "edits": {"op": "substitute", "pattern": "x", "replacement": "y"}}"#;
    for job in [entry.to_owned(), format!(r#"{{"files": {entry}}}"#), format!(r#"{{"files": [{entry}]}}"#)] {
        let files = plain(&job).unwrap().files;
        assert_eq!(files.len(), 1, "{job}");
        assert_eq!(
            (files[0].paths.as_slice(), files[0].edits.len()),
            (&["src/**/*.rs", "a"].map(str::to_owned)[..], 1)
        );
    }
    assert!(beside(entry).is_err());
}

#[test]
fn one_edit_or_file_needs_no_list() {
    let listed = beside(r#"[{"op": "write", "text": "x"}]"#).unwrap();
    let edit = r#"{"op": "write", "text": "x"}"#;
    for payload in [edit.to_owned(), format!(r#"{{"edits": {edit}}}"#)] {
        assert_eq!(beside(&payload).unwrap(), listed, "{payload}");
    }
    for payload in [
        r#"{"path": "p", "op": "write", "text": "x"}"#.to_owned(),
        format!(r#"{{"path": "p", "edits": {edit}}}"#),
        format!(r#"{{"files": {{"path": "p", "edits": {edit}}}}}"#),
        format!(r#"{{"files": [{{"path": "p", "edits": {edit}}}]}}"#),
    ] {
        assert_eq!(plain(&payload).unwrap(), listed, "{payload}");
    }
    let refused = |result: Result<JobRequest, Failure>| match result {
        Err(Failure::Usage(message)) => message,
        other => format!("{other:?}"),
    };
    assert!(refused(plain(edit)).contains("--path"));
    assert!(refused(beside(r#"{"path": "q", "op": "delete"}"#)).contains("leave out --path"));
    assert!(refused(beside(r#"{"op": "delete", "exepct": 3}"#)).contains("exepct"));
    // An edit is not a list of edits.
    assert!(refused(beside(r#"{"edits": 7}"#)).contains("list of edits"));
}

#[test]
fn a_path_that_is_not_text_is_kept_beside_the_edits() {
    let path = FilePath::new(b"\xff".to_vec());
    let beside = PayloadContext { path: Some(path.clone()), dialect: None };
    let job = read(br#"[{"op": "delete"}]"#, beside).unwrap();
    assert_eq!(job.files[0].path, path);
    let own = plain(r#"{"path": {"bytes": [255]}, "edits": []}"#).unwrap();
    assert_eq!(own.files[0].path, path);
}

#[test]
fn a_misspelt_field_is_refused_by_its_name() {
    for (payload, name) in [
        (r#"{"files": [], "lable": "x"}"#, "job: there is no field \"lable\""),
        (r#"{"files": [{"path": "a", "edits": [], "bse": "any"}]}"#, "files[0]: there is no field \"bse\""),
        (
            r#"{"files": [{"path": "a", "edits": [{"op": "delete"}, {"op": "replace", "exepct": 3}]}]}"#,
            "files[0].edits[1]: `replace` has no field `exepct` (use `expect`); it has old, new, ",
        ),
        (
            r#"{"files": [{"path": "a", "edits": [{"op": "insert", "reindent": {"stirp": ""}, "at": {"lne": 3}}]}]}"#,
            "files[0].edits[0]: `insert` has no fields `at.lne` (use `at.line`), `reindent.stirp` (use `reindent.strip`); `at`",
        ),
        (
            r#"{"lable": "x", "files": [{"path": "a", "bse": "any", "edits": [{"op": "write", "txt": ""}]}]}"#,
            "job: there is no field \"lable\" (use `label`); there are key, ",
        ),
        (
            r#"{"files": [{"path": "a", "edits": [{"op": "symbol", "within": {"position": {"line": 1, "colum": 2}}}]}]}"#,
            "files[0].edits[0]: `symbol` has no field `within.position.colum` (use `within.position.column`)",
        ),
        (
            r#"{"files": [{"path": "a", "edits": [{"op": "insert", "at": {"lines": 3}}]}]}"#,
            "files[0].edits[0]: `insert` has no field `at.lines` (use `at.line`)",
        ),
        (
            r#"{"files": [{"path": "a", "edits": [{"op": "insert", "at": {"line": 3, "before": "x"}}]}]}"#,
            "files[0].edits[0].at: use",
        ),
    ] {
        match plain(payload) {
            Err(Failure::Usage(message)) => assert!(message.starts_with(name), "{message}"),
            other => assert!(other.is_err_and(|_| false), "{payload} was taken"),
        }
    }
}

#[test]
fn the_fields_are_those_of_the_types() {
    assert_eq!(fields::of::<FileEntry>(), ["path", "paths", "base", "edits"]);
    assert_eq!(fields::of::<Reindent>(), ["strip", "add"]);
    assert!(fields::of::<FileEdit>().contains(&"match"));
    assert!(fields::of::<JobRequest>().contains(&"verified"));
}

#[test]
fn requests_that_are_no_job_are_told_apart_from_payloads() {
    for (payload, path, exit) in [
        ("", false, ExitStatus::Usage),
        ("{", false, ExitStatus::Usage),
        ("3", false, ExitStatus::Usage),
        ("null", true, ExitStatus::Usage),
        ("[]", false, ExitStatus::Usage),
        (r#"{"edits": []}"#, false, ExitStatus::Usage),
        (r#"{"files": []}"#, true, ExitStatus::Usage),
        (r#"{"path": "a", "edits": []}"#, true, ExitStatus::Usage),
        (r#"{"files": 3}"#, false, ExitStatus::Usage),
        (r#"{"files": [{"path": "a"}]}"#, false, ExitStatus::Usage),
        (r#"{"files": [{"path": "a", "edits": [{}]}]}"#, false, ExitStatus::Usage),
        (r#"{"files": [{"path": "a", "edits": [{"op": 3}]}]}"#, false, ExitStatus::Usage),
        (r#"{"files": []} trailing"#, false, ExitStatus::Usage),
        (r#"{"payload": {"text": "x"}}"#, true, ExitStatus::Usage),
        (r#"{"payload": {"txet": "x"}}"#, false, ExitStatus::Usage),
        ("[{\"op\": \"delete\"}, {}]", false, ExitStatus::Usage),
        (" \n", true, ExitStatus::Usage),
    ] {
        let read = if path { beside(payload) } else { plain(payload) };
        assert_eq!(read.unwrap_err().exit(), exit, "{payload}");
    }
    assert_eq!(
        read(b"{\"files\": [\xff]}", PayloadContext::default()).unwrap_err().exit(),
        ExitStatus::Usage
    );
    for payload in [
        "{}",
        r#"{"path": "a", "patches": []}"#,
        r#"[{"path": "a", "diff": []}]"#,
        "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
        "*** Begin Patch\n",
        "--- a/x\n+++ b/x\n",
        r#"{"path": "a", "edits": [{"oldText": "x", "newText": "y"}]}"#,
        r#"{"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]}"#,
        r#"{"name": "Write", "arguments": {"file_path": "a", "content": "x"}}"#,
        "@@ a 0a1b2c3d4e5f\n@@ 3\nx\n",
    ] {
        let sent = |path: Option<&str>, dialect: Option<&str>| {
            let path = path.map(FilePath::from);
            let beside = PayloadContext { path: path.clone(), dialect: dialect.map(Into::into) };
            let job = read(payload.as_bytes(), beside).unwrap();
            let expected =
                Payload { dialect: dialect.map(Into::into), text: payload.into(), path, base: None };
            assert_eq!(job, JobRequest { payload: Some(expected), ..JobRequest::default() });
        };
        sent(None, None);
        sent(Some("p"), None);
        sent(Some("p"), Some("patch"));
    }
    let named = PayloadContext { path: None, dialect: Some("patch".into()) };
    let job = read(br#"{"files": []}"#, named).unwrap();
    assert_eq!(job.payload.unwrap().text, r#"{"files": []}"#, "who names a dialect means it");
    let deep = "[".repeat(100_000);
    assert_eq!(plain(&deep).unwrap_err().exit(), ExitStatus::Usage);
}

#[test]
fn a_mark_at_the_start_of_the_payload_is_no_content() {
    assert!(plain("\u{feff}{\"files\": []}").is_ok());
}

#[test]
fn flags_win_over_the_job_and_the_base_fills_what_is_open() {
    let mut job = plain(
        r#"{"key": "k", "mode": "strict", "files": [{"path": "a", "edits": []},
            {"path": "b", "base": "absent", "edits": []}]}"#,
    )
    .unwrap();
    let before = job.clone();
    lay_over(&JobFlags::default(), &mut job);
    assert_eq!(job, before);
    let flags = JobFlags {
        verified: Some("token".into()),
        mode: Some(JobMode::VerifyOnly),
        on_stale: Some(OnStale::Rebase),
        base: Some("any".into()),
        partial: true,
        threshold: Some(0.9),
        key: Some("other".into()),
        label: Some("why".into()),
        durability: Some(Durability::Full),
        detach: true,
        diff: false,
        no_diff: true,
        budget: Some(900),
    };
    lay_over(&flags, &mut job);
    let expected = JobRequest {
        budget: Some(900),
        key: Some("other".into()),
        label: Some("why".into()),
        mode: JobMode::VerifyOnly,
        on_stale: Some(OnStale::Rebase),
        partial: true,
        diff: Some(false),
        durability: Some(Durability::Full),
        threshold: Some(0.9),
        detach: true,
        verified: Some("token".into()),
        files: vec![
            FileEntry { path: "a".into(), base: Some("any".into()), edits: vec![], ..FileEntry::default() },
            FileEntry {
                path: "b".into(),
                base: Some("absent".into()),
                edits: vec![],
                ..FileEntry::default()
            },
        ],
        payload: None,
    };
    assert_eq!(job, expected);
}

#[test]
fn a_field_that_stands_twice_is_refused_by_name() {
    for text in [
        r#"{"files": [{"path": "p", "edits": [{"op": "replace", "old": "a", "new": "X", "old": "b"}]}]}"#,
        r#"{"files": [{"path": "p", "path": "old", "edits": []}], "old": {"old": 1, "old": 2}}"#,
        r#"[{"op": "delete", "old": "a", "old": "a"}]"#,
    ] {
        let refused = plain(text).unwrap_err().wire().message;
        assert!(refused.contains("occurs twice") && !refused.contains("unexpected"), "{refused}");
    }
    let nested = r#"{"files": [{"path": "p", "edits": [{"op": "insert", "at": {"line": 1}, "text": "\"a\": 1, \"a\": 2"}]}]}"#;
    assert!(plain(nested).is_ok());
}

#[test]
fn a_field_of_a_wrong_type_is_named_with_its_place_and_what_it_takes() {
    let said = |text: &str| plain(text).unwrap_err().wire().message;
    let edit = |edit: &str| {
        said(&format!(r#"{{"files": [{{"path": "a", "edits": [{{"op": "delete"}}, {edit}]}}]}}"#))
    };
    let near = edit(r#"{"op": "replace", "old": "a", "new": "b", "near": "3"}"#);
    assert!(near.contains("files[0].edits[1].near: ") && near.contains("a whole number"), "{near}");
    let old = edit(r#"{"op": "replace", "old": ["a"], "new": "b"}"#);
    assert!(old.contains("files[0].edits[1].old: ") && old.contains("list"), "{old}");
    assert!(edit(r#"{"old": "a"}"#).contains("files[0].edits[1].op is missing"));
    assert!(edit("5").contains("files[0].edits[1]: use an object"));
    let mode = edit(r#"{"op": "chmod", "mode": {"a": 1}}"#);
    assert!(mode.contains("files[0].edits[1].mode: use octal digits"), "{mode}");
    assert!(said(r#"{"files": [{"path": "a", "edits": 3}]}"#).contains("files[0].edits: use a list"));
    assert!(said(r#"{"files": {"path": "a", "edits": {}}}"#).contains("edits.op is missing"));
    assert!(said(r#"{"files": [{"path": 5, "edits": []}]}"#).contains("files[0].path: "));
    assert!(said(r#"{"files": [{"edits": []}]}"#).contains("files[0].path is missing"));
    assert!(said(r#"{"mode": "lazy", "files": []}"#).contains("malformed: mode: unknown variant `lazy`"));
    assert!(said(r#"{"files": {}}"#).contains("files.path is missing"));
    assert!(said(r#"{"files": 3}"#).contains("files: use a list"));
}

#[test]
fn one_edit_and_one_file_may_come_without_a_list() {
    let edit = FileEdit { op: "delete".into(), ..FileEdit::default() };
    let wanted = [FileEntry { path: "p".into(), edits: vec![edit], ..FileEntry::default() }];
    for payload in [r#"{"op": "delete"}"#, r#"{"edits": {"op": "delete"}}"#] {
        assert_eq!(beside(payload).unwrap().files, wanted, "{payload}");
    }
    for payload in [
        r#"{"path": "p", "edits": {"op": "delete"}}"#,
        r#"{"files": {"path": "p", "edits": {"op": "delete"}}}"#,
        r#"{"files": [{"path": "p", "edits": {"op": "delete"}}]}"#,
    ] {
        assert_eq!(plain(payload).unwrap().files, wanted, "{payload}");
    }
    assert_eq!(plain(r#"{"op": "delete"}"#).unwrap_err().exit(), ExitStatus::Usage);
    let several = plain(r#"{"paths": ["a*"], "base": "any", "op": "delete"}"#).unwrap().files;
    assert_eq!((&several[0].paths, &several[0].edits), (&vec!["a*".to_owned()], &wanted[0].edits));
    assert_eq!(several[0].base.as_deref(), Some("any"));
}

#[test]
fn fields_that_edits_do_not_have_are_told_all_at_once() {
    let payload =
        r#"[{"op": "replace", "old_string": "a", "newText": "b"}, {"op": "lines", "strat": 1, "old": "x"}]"#;
    let said = beside(payload).unwrap_err().wire().message;
    for told in
        ["`old_string` (use `old`)", "`newText` (use `new`)", "`strat` (use `start`)", "`old` (leave it out"]
    {
        assert!(said.contains(told), "{told} in {said}");
    }
}
