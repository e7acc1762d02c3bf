//! Texts of the dialect `ranges` that are read and that are refused, and texts at random. No file is touched.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use editd_types::{ErrorCode, FileEdit, FileEntry};
use proptest::prelude::*;

use crate::dialect::{PayloadContext, PayloadJob, PayloadRequest, translate};

const SETTING: PayloadContext<'_> = PayloadContext { path: None, roots: &[], limit: 1024 * 1024 };

fn files(text: &str) -> Vec<FileEntry> {
    let translation = translate(Some("ranges"), text, &SETTING);
    let translation = translation.unwrap_or_else(|error| panic!("{text}\n{error:?}"));
    match translation.request {
        PayloadRequest::Job(PayloadJob { files, .. }) => files,
        other => panic!("{text}\nasks for {other:?}"),
    }
}

fn refusal(text: &str) -> (u64, String) {
    let error = translate(Some("ranges"), text, &SETTING).err().unwrap();
    assert_eq!(error.code, ErrorCode::Malformed);
    (error.line.unwrap(), error.message)
}

fn lines(start: u64, end: u64, text: &str) -> FileEdit {
    FileEdit {
        op: "lines".into(),
        start: Some(start),
        end: Some(end),
        text: Some(text.into()),
        ..FileEdit::default()
    }
}

#[test]
fn a_text_is_read_line_by_line() {
    let text = "@@ a.rs 0a1b2c3d4e5f\n@@ 3-4\nx\n\n@@ 9 delete\n@@ before 2\ny\n@@ b new\nz\n@@ c 0a1b2c3d4e5f delete\n";
    let files = files(text);
    let names: Vec<String> = files.iter().map(|file| file.path.to_string()).collect();
    assert_eq!(names, ["a.rs", "b", "c"]);
    let first = files.first().unwrap();
    assert_eq!(first.edits, [lines(3, 4, "x\n\n"), lines(9, 9, ""), lines(2, 1, "y\n")]);
    let bases: Vec<Option<&str>> = files.iter().map(|file| file.base.as_deref()).collect();
    assert_eq!(bases, [Some("0a1b2c3d4e5f"), None, Some("0a1b2c3d4e5f")]);
    let ops: Vec<&str> = files.iter().flat_map(|file| &file.edits).map(|edit| edit.op.as_str()).collect();
    assert_eq!(ops, ["lines", "lines", "lines", "create", "delete"]);
}

#[test]
fn a_longer_marker_takes_content_that_looks_like_headers() {
    let text = "@@@ a 0a1b2c3d4e5f\n@@@ 3\n@@ 4\n@@ b new\n@decorator\n";
    let files = files(text);
    assert_eq!(files.first().unwrap().edits, [lines(3, 3, "@@ 4\n@@ b new\n@decorator\n")]);
}

#[test]
fn every_fault_names_its_line() {
    let head = "@@ a 0a1b2c3d4e5f\n";
    let faults = [
        ("hello\n", 1, "begin with `@@ PATH VERSION`"),
        ("\n\n", 1, "there is no header"),
        ("@@ 3\nx\n", 1, "before the first file"),
        ("@@ a.rs\n@@ 3\nx\n", 1, "has no version"),
        ("@@ a 0a1b2c3d4e5f\n", 1, "no range of a follows"),
        ("@@ a 0a1b2c3d4e5f\nx\n", 2, "before the first range"),
        (&format!("{head}@@ 3\n"), 2, "write `delete` behind the numbers"),
        (&format!("{head}@@ 3\n@@ 4\nx\n"), 2, "no lines follow"),
        (&format!("{head}@@ end\n"), 2, "no lines follow"),
        (&format!("{head}@@ 3 delete\nx\n"), 3, "says `delete`"),
        (&format!("{head}@@ 3,4\nx\n"), 2, "is no header"),
        (&format!("{head}@@ 3\nx\n@@@ y\n"), 4, "write all headers with `@@@`"),
        (&format!("{head}@@ 3\nx\n@@\n"), 4, "is no header"),
        (&format!("{head}@@ 3\nx\n@@4\n"), 4, "is no header"),
        (&format!("{head}@@ 3\nx\n@@ -1,2 +1,2 @@\n"), 4, "is no header"),
        (&format!("{head}@@ 4-3\nx\n"), 2, "ends before it begins"),
        (&format!("{head}@@ 0\nx\n"), 2, "lines count from 1"),
        ("@@ a new\nx\n@@ 3\ny\n", 3, "is new and has no ranges"),
        ("@@ a 0a1b2c3d4e5f delete\nx\n", 2, "is deleted"),
        (&format!("{head}@@ 3\nx\n@@ a 0a1b2c3d4e50\n@@ 4\ny\n"), 4, "named twice"),
        ("```\n@@ a new\nx\n", 1, "fence is not closed"),
    ];
    for (text, line, words) in faults {
        let (found, message) = refusal(text);
        assert!(found == line && message.contains(words), "{text:?}\n{found}: {message}");
        assert!(message.starts_with(&format!("line {line}: ")), "{message}");
    }
}

#[test]
fn a_fence_around_the_text_goes_and_one_inside_stays() {
    let plain = "@@ a 0a1b2c3d4e5f\n@@ 3\n```\nx\n```\n";
    let around = format!("```text\n{plain}```\n");
    assert_eq!(files(&around), files(plain));
    assert_eq!(files(plain).first().unwrap().edits, [lines(3, 3, "```\nx\n```\n")]);
}

#[test]
fn a_text_is_recognised_by_the_header_of_a_file() {
    let dialect = |text: &str| translate(None, text, &SETTING).map(|known| known.dialect).ok();
    assert_eq!(dialect("@@ a new\nx\n"), Some("ranges"));
    assert_eq!(dialect("\n```\n@@@ a new\nx\n```\n"), Some("ranges"));
    for text in ["@@ 3\nx\n", "@@ -1 +1 @@ new\n-x\n+y\n", "@ a new\nx\n", "## What is new\nx\n"] {
        assert_eq!(dialect(text), None, "{text}");
    }
}

/// Lines that could be taken for headers, and others.
const LINES: [&str; 9] = ["@@ 3", "@@ a new", "@@@ 3-4", "@x", "@@", "", "```", "@@ b 0a1b2c3d4e5f", "plain"];

proptest! {
    #[test]
    fn every_content_can_be_said_below_a_marker_that_is_long_enough(
        content in prop::collection::vec(0..LINES.len(), 1..8),
    ) {
        let content: String =
            content.iter().filter_map(|at| LINES.get(*at)).map(|line| format!("{line}\n")).collect();
        let text = format!("@@@@ f 0a1b2c3d4e5f\n@@@@ 3-4\n{content}@@@@ 9 delete\n");
        let files = files(&text);
        prop_assert_eq!(&files.first().unwrap().edits, &[lines(3, 4, &content), lines(9, 9, "")]);
    }

    #[test]
    fn a_line_that_begins_with_the_marker_is_a_header_or_refused(
        content in prop::collection::vec(0..LINES.len(), 1..8),
    ) {
        let content: Vec<&str> = content.iter().filter_map(|at| LINES.get(*at).copied()).collect();
        let text = format!("@@ f 0a1b2c3d4e5f\n@@ 7\n{}\n", content.join("\n"));
        if let Ok(known) = translate(Some("ranges"), &text, &SETTING) {
            let PayloadRequest::Job(PayloadJob { files, .. }) = known.request else { panic!("{text}") };
            let mut edits = files.iter().flat_map(|file| &file.edits);
            prop_assert!(edits.all(|edit| !edit.text.as_deref().unwrap_or_default().contains("@@")), "{}", text);
        }
    }

    #[test]
    fn no_text_panics(text in "(@{0,3}|`{0,3}| |\n|\r|[0-9a-f]{1,12}|-|new|delete|end|before|x){0,30}") {
        let _ = translate(Some("ranges"), &text, &SETTING);
    }
}
