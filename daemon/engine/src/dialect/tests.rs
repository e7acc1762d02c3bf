//! Tests of what all dialects share. They translate no real payload.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_types::{ErrorCode, FileOutcome, FilePath, JobId, JobStatus, LineRanges, Receipt, RequestError};

use super::explain::NATIVE;
use super::*;

#[test]
fn an_absolute_path_inside_is_made_relative() {
    let roots = [b"/w".to_vec()];
    let setting = PayloadContext { path: None, roots: &roots, limit: 100 };
    assert_eq!(setting.inside("/w/a b.txt").unwrap(), FilePath::from("a b.txt"));
    for spelt in ["a/b", "./a/b", "a//b", "a/./b", "././/a/b", "/w//a/./b"] {
        assert_eq!(setting.inside(spelt).unwrap(), FilePath::from("a/b"), "{spelt}");
    }
    for kept in ["a/b/", "../a", "a/../b", ".a", "a/.b"] {
        assert_eq!(setting.inside(kept).unwrap(), FilePath::from(kept), "{kept}");
    }
    assert_eq!(setting.inside("a/b/.").unwrap(), FilePath::from("a/b/"));
    assert_eq!(setting.inside("./").unwrap_err().code, ErrorCode::Malformed);
    for folder in ["/w", "/w/"] {
        assert!(setting.inside(folder).unwrap_err().message.contains("the workspace's folder"), "{folder}");
    }
    for outside in ["/wx/a", "/wx", "/etc/passwd"] {
        assert_eq!(setting.inside(outside).unwrap_err().code, ErrorCode::Outside, "{outside}");
    }
    assert_eq!(setting.inside(" ").unwrap_err().code, ErrorCode::Malformed);
}

#[test]
fn an_absolute_path_of_windows_inside_is_made_relative() {
    let roots = [br"C:\Users\me\w".to_vec(), br"\\server\share\w".to_vec()];
    let setting = PayloadContext { path: None, roots: &roots, limit: 100 };
    let inside = [
        r"C:\Users\me\w\a\b",
        "c:/users/me/w/a/b",
        r"C:\Users\me\w\.\a\\b",
        r"\\server\share\w\a\b",
        "//SERVER/share/w/a/b",
        r"a\b",
        r".\a/b",
    ];
    for spelt in inside {
        assert_eq!(setting.inside(spelt).unwrap(), FilePath::from("a/b"), "{spelt}");
    }
    assert_eq!(setting.inside(r"..\a").unwrap(), FilePath::from("../a"));
    for outside in [r"C:\Users\me\wx\a", r"C:\Users\me", "D:/a", "c:a", r"\a", "/a", r"\\server\other\a"] {
        assert_eq!(setting.inside(outside).unwrap_err().code, ErrorCode::Outside, "{outside}");
    }
    for folder in [r"C:\Users\me\w", "c:/users/me/w/", "//server/share/w"] {
        assert!(setting.is_root(folder), "{folder}");
    }
    assert!(!setting.is_root(r"C:\Users\me") && !setting.is_root(r"C:\Users\me\w\a"));
    assert!(setting.inside(r"C:\Users\me\w\").unwrap_err().message.contains("the workspace's folder"));
    // On other systems, these are names in the workspace.
    let setting = PayloadContext { path: None, roots: &[b"/w".to_vec()], limit: 100 };
    for kept in [r"C:\a", r"a\b", r"\\a"] {
        assert_eq!(setting.inside(kept).unwrap(), FilePath::from(kept), "{kept}");
    }
}

#[test]
fn every_dialect_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<&str> = list().map(|(name, _)| name).collect();
    assert_eq!(names.len(), list().count());
    let setting = PayloadContext { path: None, roots: &[], limit: 100 };
    for payload in ["", "{}", "{\"files\": []}", "hello", "[1]"] {
        assert_eq!(translate(None, payload, &setting).err().unwrap().code, ErrorCode::Malformed, "{payload}");
    }
    assert_eq!(translate(Some("none"), "x", &setting).err().unwrap().code, ErrorCode::Malformed);
    assert_eq!(translate(None, &"x".repeat(101), &setting).err().unwrap().code, ErrorCode::TooLarge);
}

/// A payload of each dialect that changes `f`.
const PAYLOADS: &[(&str, &str)] = &[
    ("patch", r#"{"path": "f", "patches": [{"operation": "replace", "oldText": "a", "newText": "b"}]}"#),
    ("safe-edit", r#"{"path": "f", "line_edits": [{"start_line": 1, "end_line": 1, "new_content": "b"}]}"#),
    ("chunks", r#"{"relative_path": "f", "chunks": [{"old_lines": ["a"], "new_lines": ["b"]}]}"#),
    ("search-replace", "f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"),
    ("apply-patch", "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch"),
    ("unified-diff", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"),
    ("text-editor", r#"{"command": "str_replace", "path": "f", "old_str": "a", "new_str": "b"}"#),
    ("ranges", "@@ f 0a1b2c3d4e5f\n@@ 1\nb\n"),
    ("claude-code", r#"{"file_path": "f", "old_string": "a", "new_string": "b"}"#),
    ("opencode", r#"{"filePath": "f", "oldString": "a", "newString": "b"}"#),
    ("gemini", r#"{"file_path": "f", "old_string": "a", "new_string": "b"}"#),
    ("mcp-filesystem", r#"{"path": "f", "edits": [{"oldText": "a", "newText": "b"}]}"#),
    ("serena", r#"{"relative_path": "f", "needle": "a", "repl": "b", "mode": "literal"}"#),
];

fn reply(dialect: &str, payload: &str, receipt: &Receipt) -> String {
    let setting = PayloadContext { path: None, roots: &[], limit: 1000 };
    let translation = translate(Some(dialect), payload, &setting).ok().unwrap();
    translation.reply.format(&PayloadOutcome::Receipt(receipt))
}

#[test]
fn a_refusal_has_the_keywords_of_its_users_and_no_field_of_a_native_job() {
    let keywords: [(ErrorCode, &[&str]); 9] = [
        (
            ErrorCode::NotFound,
            &[
                "not found",
                "ould not find",
                "ailed to find",
                "No sufficiently similar",
                "did not appear",
                "No matches",
            ],
        ),
        (
            ErrorCode::Ambiguous,
            &["not unique", "ultiple occurrences", "Found 2 matches", "matches 2 occurrences", "found 2"],
        ),
        (ErrorCode::Overlap, &["overlapping"]),
        (ErrorCode::Stale, &["changed since", "modified since"]),
        (ErrorCode::Unread, &["read"]),
        (ErrorCode::Missing, &["not exist", "not found", "no such file", "no file has this name"]),
        (ErrorCode::Exists, &["exists"]),
        (ErrorCode::Conflict, &["others changed"]),
        (ErrorCode::CountMismatch, &["2"]),
    ];
    let names: Vec<&str> = PAYLOADS.iter().map(|(name, _)| *name).collect();
    let known: Vec<&str> = list().map(|(name, _)| name).collect();
    assert_eq!(names, known, "PAYLOADS must have a payload of each dialect, in the order of `list`");
    for ((dialect, payload), (code, payload_job)) in
        PAYLOADS.iter().flat_map(|payload| keywords.map(|keyword| (payload, keyword)))
    {
        let message = match code {
            ErrorCode::NotFound => "the quoted text is not in the file".to_owned(),
            ErrorCode::Stale => format!("f changed since it was read; `base` {}", NATIVE.join(" ")),
            ErrorCode::Unread => format!("this session has not read f; {}", NATIVE.join(" ")),
            _ => format!("f exists; {}", NATIVE.join(" ")),
        };
        let error = RequestError {
            edit: Some(1),
            other_edit: Some(2),
            found: Some(2),
            expected: Some(1),
            searched: Some((1, 2)),
            tried: vec!["exact".to_owned()],
            ..RequestError::new(code, message).at(&FilePath::from("f"))
        };
        let text = reply(dialect, payload, &Receipt::refused(error));
        assert!(payload_job.iter().any(|word| text.contains(word)), "{dialect}, {code:?}: {text}");
        assert!(!NATIVE.iter().any(|name| text.contains(name)), "{dialect}, {code:?}: {text}");
    }
}

#[test]
fn a_refusal_about_a_moved_file_names_its_present_path() {
    let cause = "entry 3, an edit of session s through c, moved it to second 1 second ago";
    for &(dialect, payload) in PAYLOADS {
        let missing =
            RequestError::new(ErrorCode::Missing, format!("f does not exist: {cause}; name second"));
        let missing = missing.at(&FilePath::from("f"));
        let text = reply(
            dialect,
            payload,
            &Receipt::refused(RequestError { cause: Some(cause.to_owned()), ..missing }),
        );
        assert!(text.contains(cause), "{dialect}: {text}");
    }
}

#[test]
fn every_failing_edit_is_named() {
    for &(dialect, payload) in PAYLOADS {
        let missing = |path: &str| RequestError::new(ErrorCode::Missing, "x").at(&FilePath::from(path));
        let error = RequestError { others: vec![missing("second")], ..missing("f") };
        let text = reply(dialect, payload, &Receipt::refused(error));
        // Some have one file, which they do not name.
        let one_file = ["patch", "safe-edit", "text-editor"].contains(&dialect);
        assert!(text.contains("second") || one_file, "{dialect}: {text}");
    }
}

#[test]
fn a_success_tells_the_job_and_the_lines_in_every_dialect() {
    let file = FileOutcome {
        lines: LineRanges(vec![(10, 12)]),
        added: 3,
        removed: 1,
        ..FileOutcome::new(FilePath::from("f"), JobStatus::Applied)
    };
    let receipt = Receipt { files: vec![file], ..Receipt::new(Some(JobId(17)), JobStatus::Applied) };
    for &(dialect, payload) in PAYLOADS {
        let text = reply(dialect, payload, &receipt);
        assert!(text.contains("job 17") && text.contains("+3 -1, lines 10-12"), "{dialect}: {text}");
        // Some 60 tokens.
        assert!(text.len() < 240, "{dialect}: {text}");
    }
}
