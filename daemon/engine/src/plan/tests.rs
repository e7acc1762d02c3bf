//! Tests of what a job needs and of its limits. They plan small jobs.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;

use editd_types::{EditPosition, ErrorCode, FileEdit, FileEntry, FilePath, JobInput};

use crate::{FileState, PlanOptions, WorkspaceSnapshot, needs_of_input as needs, plan_input as plan};

fn entry(path: &str, edits: Vec<FileEdit>) -> FileEntry {
    FileEntry { path: FilePath::from(path), edits, ..FileEntry::default() }
}

fn replace(old: &str, new: &str) -> FileEdit {
    FileEdit {
        op: "replace".to_owned(),
        old: Some(old.to_owned()),
        new: Some(new.to_owned()),
        ..FileEdit::default()
    }
}

fn snapshot(path: &str, bytes: &[u8]) -> WorkspaceSnapshot {
    let state = FileState::File { bytes: Arc::from(bytes), mode: 0o644 };
    WorkspaceSnapshot {
        files: [(FilePath::from(path), state)].into_iter().collect(),
        ..WorkspaceSnapshot::default()
    }
}

#[test]
fn needs_name_paths_once_and_clipboards_that_no_earlier_edit_stores() {
    let clip = |name: &str| Some(name.to_owned());
    let copy = FileEdit { op: "copy".to_owned(), to: Some(FilePath::from("b")), ..FileEdit::default() };
    let job = JobInput {
        files: &[
            entry(
                "a",
                vec![
                    FileEdit { from_clipboard: clip("x"), ..replace("1", "") },
                    FileEdit { to_clipboard: clip("y"), ..replace("2", "") },
                ],
            ),
            entry("c", vec![copy]),
            entry(
                "a",
                vec![
                    FileEdit { from_clipboard: clip("y"), ..replace("3", "") },
                    FileEdit { from_clipboard: clip("x"), ..replace("4", "") },
                ],
            ),
            entry(
                "b",
                vec![FileEdit { from_clipboard: clip("z"), to_clipboard: clip("z"), ..replace("5", "") }],
            ),
        ],
        ..JobInput::default()
    };
    let needs = needs(job).unwrap();
    assert_eq!(needs.paths, ["a", "c", "b"].map(FilePath::from));
    assert_eq!(needs.clips, ["x"]);
}

#[test]
fn a_result_over_the_limit_is_too_large() {
    let content = "a\n".repeat(100_000);
    let big = "x".repeat(2000);
    let edit = FileEdit { all: Some(true), ..replace("a", &big) };
    let job = JobInput { files: &[entry("f", vec![edit])], ..JobInput::default() };
    let refusal = plan(job, &snapshot("f", content.as_bytes()), &PlanOptions::default()).unwrap_err();
    assert_eq!((refusal.code, refusal.edit), (ErrorCode::TooLarge, Some(1)));
    assert_eq!(refusal.limit, Some(editd_types::limits::FILE as u64));
}

#[test]
fn edits_that_together_insert_too_much_are_too_large() {
    let insert = || FileEdit {
        op: "insert".to_owned(),
        at: Some(EditPosition::End),
        text: Some("x".repeat(20 << 20)),
        ..FileEdit::default()
    };
    let job = JobInput {
        files: &[entry("f", vec![insert(), insert(), insert(), insert()])],
        ..JobInput::default()
    };
    let refusal = plan(job, &snapshot("f", b"a"), &PlanOptions::default()).unwrap_err();
    assert_eq!((refusal.code, refusal.edit), (ErrorCode::TooLarge, Some(4)));
}

#[test]
fn a_regular_expression_that_reads_the_rest_of_the_file_for_each_match_is_stopped() {
    let content = "a".repeat(300_000);
    let edit = FileEdit {
        op: "substitute".to_owned(),
        pattern: Some(".*[^a]|a".to_owned()),
        replacement: Some(String::new()),
        regex: Some(true),
        ..FileEdit::default()
    };
    let job = JobInput { files: &[entry("f", vec![edit])], ..JobInput::default() };
    let refusal = plan(job, &snapshot("f", content.as_bytes()), &PlanOptions::default()).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::Limit);
}

#[test]
fn a_path_that_was_not_read_is_an_internal_error_and_no_guess() {
    let job = JobInput { files: &[entry("f", vec![replace("a", "b")])], ..JobInput::default() };
    assert_eq!(
        plan(job, &WorkspaceSnapshot::default(), &PlanOptions::default()).unwrap_err().code,
        ErrorCode::Internal
    );
}

#[test]
fn too_many_files_or_edits_are_a_limit() {
    let many = |n: usize| vec![replace("a", "b"); n];
    let files = (0..10_001).map(|i| entry(&format!("f{i}"), many(1))).collect::<Vec<_>>();
    let job = JobInput { files: &files, ..JobInput::default() };
    assert_eq!(needs(job).unwrap_err().code, ErrorCode::Limit);
    let job = JobInput { files: &[entry("f", many(100_001))], ..JobInput::default() };
    assert_eq!(needs(job).unwrap_err().code, ErrorCode::Limit);
}

fn substitute(pattern: &str, replacement: &str) -> FileEdit {
    FileEdit {
        op: "substitute".to_owned(),
        pattern: Some(pattern.to_owned()),
        replacement: Some(replacement.to_owned()),
        regex: Some(true),
        ..FileEdit::default()
    }
}

#[test]
fn look_around_finds_what_is_far_away_and_empty_matches_end() {
    let content = format!("{}value\n", "filler line\n".repeat(20_000));
    for (pattern, count) in
        [("(?<!x)value", 1), ("(?=value)", 1), (r"$(?!x)", 1), (r"(?=filler)|(?=value)", 20_001)]
    {
        let job = JobInput {
            files: &[entry("f", vec![substitute(pattern, "+")])],
            diff: Some(false),
            ..JobInput::default()
        };
        let planned = plan(job, &snapshot("f", content.as_bytes()), &PlanOptions::default());
        let found = planned.map(|plan| plan.files.first().and_then(|file| file.edits.first()?.replacements));
        match count {
            20_001 => assert_eq!(found.unwrap_err().code, ErrorCode::Limit),
            count => assert_eq!(found.unwrap(), Some(count), "{pattern}"),
        }
    }
}

#[test]
fn copies_of_a_large_file_are_bounded() {
    let copies = (0..40).map(|i| FileEdit {
        op: "copy".to_owned(),
        to: Some(FilePath::new(format!("g{i}"))),
        ..FileEdit::default()
    });
    let job = JobInput { files: &[entry("f", copies.collect())], ..JobInput::default() };
    let mut snapshot = snapshot("f", &vec![0; 20 << 20]);
    for path in needs(job).unwrap().paths {
        snapshot.files.entry(path).or_insert(FileState::Absent);
    }
    assert_eq!(plan(job, &snapshot, &PlanOptions::default()).unwrap_err().code, ErrorCode::TooLarge);
}

#[test]
fn by_default_only_results_that_differ_from_the_request_have_a_diff() {
    let replace = |old: &str| FileEdit {
        op: "replace".to_owned(),
        old: Some(old.to_owned()),
        new: Some("y\n".to_owned()),
        ..FileEdit::default()
    };
    let shown = |old: &str, diff: Option<bool>| {
        let job = JobInput { diff, files: &[entry("f", vec![replace(old)])], ..JobInput::default() };
        let snapshot = snapshot("f", b"a  \r\nx  \r\nb\r\n");
        plan(job, &snapshot, &PlanOptions::default()).unwrap().files[0].diff.is_some()
    };
    // Exact, by line breaks alone, and without the white space at the end.
    for (old, loose) in [("x  \r\n", false), ("x  \n", false), ("x\n", true)] {
        assert_eq!(shown(old, None), loose, "{old:?}");
        assert!(shown(old, Some(true)) && !shown(old, Some(false)), "{old:?}");
    }
}

#[test]
fn an_outcome_tells_where_the_new_content_has_the_change() {
    let lines = |start, end, text: &str| FileEdit {
        op: "lines".to_owned(),
        start: Some(start),
        end: Some(end),
        text: Some(text.to_owned()),
        ..FileEdit::default()
    };
    let told = |edits: Vec<FileEdit>| {
        let job = JobInput { files: &[entry("f", edits)], ..JobInput::default() };
        let old: String = (1..=20).map(|line| format!("{line}\n")).collect();
        let plan = plan(job, &snapshot("f", old.as_bytes()), &PlanOptions::default()).unwrap();
        let file = plan.files[0].clone();
        let now: Vec<_> = file.edits.iter().map(|edit| edit.now.unwrap()).collect();
        (file.lines.to_string(), file.places, (file.added, file.removed), now)
    };
    let grown = told(vec![lines(5, 4, "a\nb\n"), lines(10, 12, "c\n"), lines(20, 20, "")]);
    assert_eq!(grown, ("5-6,12,20-19".into(), None, (3, 4), vec![(5, 6), (12, 12), (20, 19)]));
    let many = told((1..=5).map(|at| lines(at * 3, at * 3, "x\n")).collect());
    assert_eq!((many.0.as_str(), many.1, many.2), ("3,6,9", Some(5), (5, 5)));
    assert_eq!(many.3, [(3, 3), (6, 6), (9, 9), (12, 12), (15, 15)]);
    let appended = told(vec![lines(21, 20, "z")]);
    assert_eq!((appended.0.as_str(), &appended.3[..]), ("21", &[(21, 21)][..]));
}

#[test]
fn a_refusal_names_every_edit_that_fails_but_not_what_follows_from_it() {
    let replace = |old: &str, to: Option<&str>, from: Option<&str>| FileEdit {
        op: "replace".to_owned(),
        old: Some(old.to_owned()),
        new: from.is_none().then(|| "y".to_owned()),
        to_clipboard: to.map(str::to_owned),
        from_clipboard: from.map(str::to_owned),
        ..FileEdit::default()
    };
    let edits = vec![
        replace("a", None, None),
        replace("none", Some("clip"), None),
        replace("b", None, None),
        replace("c", None, Some("clip")),
        replace("nowhere", None, None),
    ];
    let second = vec![replace("none", None, None)];
    let later = vec![replace("y", None, None)];
    let files = vec![entry("f", edits), entry("g", second), entry("f", later)];
    let job = JobInput { files: &files, ..JobInput::default() };
    let mut snapshot = snapshot("f", b"a b c b");
    snapshot.files.extend(self::snapshot("g", b"g").files);
    let error = plan(job, &snapshot, &PlanOptions::default()).unwrap_err();
    assert_eq!((error.code, error.edit), (ErrorCode::NotFound, Some(2)));
    let others: Vec<_> =
        error.others.iter().map(|one| (one.code, one.path.clone().unwrap().display(), one.edit)).collect();
    let path = |name: &str| name.to_owned();
    assert_eq!(
        others,
        [
            (ErrorCode::Ambiguous, path("f"), Some(3)),
            (ErrorCode::NotFound, path("f"), Some(5)),
            (ErrorCode::NotFound, path("g"), Some(1)),
        ]
    );
    assert_eq!(error.more, None);
}

#[test]
fn a_refusal_of_very_many_edits_says_that_others_were_not_looked_for() {
    let refused = |edits: usize| {
        let edits = (0..edits).map(|_| replace("nowhere", "x")).collect();
        let job = JobInput { files: &[entry("f", edits)], ..JobInput::default() };
        *plan(job, &snapshot("f", b"a\n"), &PlanOptions::default()).unwrap_err()
    };
    let told = refused(crate::limits::REPLANNED_EDITS);
    let others = told.others.len() as u64 + told.more.unwrap_or(0);
    assert_eq!(others + 1, crate::limits::REPLANNED_EDITS as u64);
    let untold = refused(crate::limits::REPLANNED_EDITS + 1);
    assert!(untold.others.is_empty() && untold.message.ends_with("others that fail were not looked for"));
    assert!(!told.message.contains("not looked for"), "{}", told.message);
}

#[test]
fn the_diffs_of_one_job_are_bounded_together() {
    let files = (0..200).map(|i| {
        let write =
            FileEdit { op: "write".to_owned(), text: Some("x\n".repeat(20_000)), ..FileEdit::default() };
        entry(&format!("f{i}"), vec![write])
    });
    let job = JobInput { diff: Some(true), files: &files.collect::<Vec<_>>(), ..JobInput::default() };
    let mut snapshot = WorkspaceSnapshot::default();
    for path in needs(job).unwrap().paths {
        snapshot.files.insert(path, FileState::Absent);
    }
    let plan = plan(job, &snapshot, &PlanOptions::default()).unwrap();
    let shown: usize = plan.files.iter().filter_map(|file| file.diff.as_ref()).map(String::len).sum();
    assert!(shown <= crate::limits::DIFFS as usize);
    let told = plan.files.iter().filter(|file| file.omitted_hunks == Some(1)).count();
    assert!(told > 0 && plan.files.iter().all(|file| file.diff.is_some() || file.omitted_hunks == Some(1)));
}

#[test]
fn many_regular_expressions_are_a_limit() {
    let job = JobInput { files: &[entry("f", vec![substitute("a", "b"); 501])], ..JobInput::default() };
    assert_eq!(needs(job).unwrap_err().code, ErrorCode::Limit);
}

#[test]
fn the_clipboards_of_a_job_are_bounded_over_all_its_entries() {
    let content = format!("{}\nend\n", "x".repeat(1_000_000));
    let first =
        |op: &str| FileEdit { op: op.to_owned(), start: Some(1), end: Some(1), ..FileEdit::default() };
    let cut =
        FileEdit { to_clipboard: Some("c".to_owned()), text: Some("x".repeat(1_000_000)), ..first("lines") };
    let job = JobInput { files: &vec![entry("f", vec![cut.clone()]); 70], ..JobInput::default() };
    let refusal = plan(job, &snapshot("f", content.as_bytes()), &PlanOptions::default()).unwrap_err();
    assert_eq!((refusal.code, refusal.limit), (ErrorCode::TooLarge, Some(crate::limits::CLIPS as u64)));
}

fn by_regex(pattern: &str, content: &str) -> Result<crate::Plan, crate::Refusal> {
    let edit = FileEdit {
        op: "substitute".to_owned(),
        pattern: Some(pattern.to_owned()),
        replacement: Some("x".to_owned()),
        regex: Some(true),
        ..FileEdit::default()
    };
    let job = JobInput { files: &[entry("f", vec![edit])], ..JobInput::default() };
    plan(job, &snapshot("f", content.as_bytes()), &PlanOptions::default())
}

#[test]
fn the_reads_of_a_backtracking_step_are_counted() {
    let content = format!("{}c", "a".repeat(40_000));
    for pattern in [r"(?=(a+))\1b$", r"(?=a+b)a", r"(?!a+c)a+", r"(a)(?:a|\1)+b(?!c)", r"(?:a(?!b))+b"] {
        let refusal = by_regex(pattern, &content).map(|_| pattern).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::Limit, "{pattern}");
    }
}

#[test]
fn look_around_that_reads_little_works_on_a_large_file() {
    let content = "    let \"value_1\" = compute(value_2); // \"a\\\"b\"\n".repeat(20_000);
    for pattern in [
        r#"(?<=compute\()value_\d+(?=\); // "a\\"b"\n\z)"#,
        r"(?s)(?<=nowhere).*?end|(?<!x)compute(?=\(value_2\); [^\n]*\n\z)",
        r"(?m)^(?!.*compute)let|(value)_1(?=\W+compute\(\1_2\)[^\n]*\n\z)",
    ] {
        let changes = by_regex(pattern, &content).map(|planned| planned.changes.len());
        assert!(matches!(changes, Ok(1)), "{pattern}: {changes:?}");
    }
}

/// A refusal for want of room alone, at the most room that is too little.
fn least_room(job: JobInput<'_>, snapshot: &WorkspaceSnapshot) -> usize {
    let fits = |room| {
        let planned = plan(job, snapshot, &PlanOptions { room: Some(room), ..PlanOptions::default() });
        planned.map_err(|refusal| assert!(crate::lacks_room(&refusal), "{refusal:?}")).is_ok()
    };
    let (mut over, mut under) = (1 << 30, 0);
    assert!(fits(over) && !fits(under));
    while over - under > 1 {
        let middle = usize::midpoint(over, under);
        if fits(middle) { over = middle } else { under = middle }
    }
    over
}

#[test]
fn the_contents_of_a_plan_are_bounded_and_too_much_is_busy_also_with_partial() {
    let content = "line\n".repeat(2000);
    let long = "x".repeat(10_000);
    let pattern = FileEdit {
        op: "substitute".to_owned(),
        pattern: Some("line".to_owned()),
        replacement: Some("y".repeat(50)),
        ..FileEdit::default()
    };
    let of = |op: &str, to: Option<&str>| FileEdit {
        op: op.to_owned(),
        to: to.map(FilePath::from),
        ..FileEdit::default()
    };
    let size = content.len();
    for (edits, least) in [
        (vec![FileEdit { all: Some(true), ..replace("line", "LINE") }], size),
        (vec![pattern], 102_000),
        (vec![replace(&content, &long)], size + 10_000),
        (vec![of("delete", None)], size),
        (vec![of("copy", Some("g"))], size),
        (vec![of("rename", Some("g"))], size * 2),
    ] {
        let mut snapshot = snapshot("f", content.as_bytes());
        snapshot.files.insert(FilePath::from("g"), FileState::Absent);
        let op = edits.first().unwrap().op.clone();
        for partial in [false, true] {
            let job = JobInput { partial, files: &[entry("f", edits.clone())], ..JobInput::default() };
            let room = least_room(job, &snapshot);
            assert!((least..least * 3).contains(&room), "{op}: {room}, where {least} bytes are made");
        }
    }
}
