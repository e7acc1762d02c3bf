//! Many hunks in large files: none takes more than linear time. No file is touched.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_types::{ErrorCode, FileEdit, FileEntry, FilePath, JobInput};

use crate::{FileState, PlanOptions, Refusal, WorkspaceSnapshot, plan_input as plan};

fn hunk(header: &str, text: String, near: Option<u64>) -> FileEdit {
    let before = Some(header.to_owned()).filter(|header| !header.is_empty());
    FileEdit { op: "hunk".to_owned(), text: Some(text), before, near, ..FileEdit::default() }
}

/// The content of a file after hunks.
fn planned(content: &str, edits: Vec<FileEdit>) -> Result<String, Refusal> {
    let path = FilePath::from("f");
    let files = vec![FileEntry { path: path.clone(), edits, ..FileEntry::default() }];
    let mut snapshot = WorkspaceSnapshot::default();
    snapshot.files.insert(path, FileState::File { bytes: content.as_bytes().into(), mode: 0o644 });
    let plan = plan(JobInput { files: &files, ..JobInput::default() }, &snapshot, &PlanOptions::default())?;
    let Some(FileState::File { bytes, .. }) = plan.changes.into_iter().next().map(|change| change.after)
    else {
        return Ok(content.to_owned());
    };
    Ok(String::from_utf8(bytes.to_vec()).unwrap())
}

#[test]
fn all_headers_of_an_entry_are_found_in_one_pass() {
    const HUNKS: usize = 5_000;
    let body = "    pass\n".repeat(20);
    let content: String = (0..HUNKS).map(|i| format!("def f{i}():\n    a{i}\n{body}")).collect();
    let hunks = (0..HUNKS).map(|i| hunk(&format!("def f{i}():"), format!("-    a{i}\n+    b{i}\n"), None));
    let after = planned(&content, hunks.collect()).unwrap();
    assert_eq!(after, content.replace("    a", "    b"));
}

#[test]
fn a_header_that_stands_everywhere_is_looked_up_once() {
    const HUNKS: usize = 5_000;
    let tail: String = (0..HUNKS).map(|i| format!("a{i}\n")).collect();
    let content = format!("{}{tail}", "}\n".repeat(50_000));
    let hunks = (0..HUNKS).map(|i| hunk("}", format!("-a{i}\n+b{i}\n"), None));
    assert_eq!(planned(&content, hunks.collect()).unwrap(), content.replace('a', "b"));
}

#[test]
fn headers_below_headers_that_stand_everywhere_are_limited() {
    let content = format!("{}a\n", "}\n".repeat(50_000));
    let edit = |headers: usize| vec![hunk(&"}\n".repeat(headers), "-a\n+b\n".to_owned(), None)];
    assert_eq!(planned(&content, edit(3)).unwrap(), content.replace('a', "b"));
    assert_eq!(planned(&content, edit(1_000)).unwrap_err().code, ErrorCode::Limit);
}

#[test]
fn hunks_of_equal_lines_look_at_their_own_line_first() {
    const HUNKS: usize = 4_000;
    for line in ["x", ""] {
        let content = format!("{line}\n").repeat(4 * HUNKS);
        let text = || format!(" {line}\n-{line}\n+y\n {line}\n");
        let hunks = (0..HUNKS).map(|i| hunk("", text(), Some(4 * i as u64 + 1)));
        let after = planned(&content, hunks.collect()).unwrap();
        assert_eq!(after, format!("{line}\ny\n{line}\n{line}\n").repeat(HUNKS));
    }
}
