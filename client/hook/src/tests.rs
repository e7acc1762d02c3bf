//! Tests of payloads: each runtime's form, and forms that none has.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use editctl::runtime::Runtime;
use editd_proto::{ErrorCode, RequestError};
use serde_json::{Value, json};

use crate::answer;
use crate::call::{HookMoment, ToolCall, ToolEffect};
use crate::patch;
use crate::payload;
use crate::runtime::HookRunner;
use crate::search::{ShownPassage, passages};

fn call(payload: &Value) -> ToolCall {
    ToolCall::of(payload).unwrap().unwrap()
}

fn claude(event: &str, tool: &str, input: &Value, response: &Value) -> Value {
    json!({ "session_id": "s", "cwd": "/w", "hook_event_name": event, "tool_name": tool, "tool_input": input,
            "tool_use_id": "t-1", "tool_response": response })
}

fn shown(path: &str, first: u64, last: u64) -> ShownPassage {
    ShownPassage { path: path.to_owned(), lines: (first, last), else_line: None }
}

#[test]
fn a_call_has_the_same_name_before_and_after_it() {
    let payload = |event: &str| {
        json!({ "session_id": "s", "hook_event_name": event, "tool_name": "replace",
                "tool_input": { "file_path": "/w/a", "old_string": "b" }, "tool_response": null })
    };
    let (before, after) = (call(&payload("BeforeTool")), call(&payload("AfterTool")));
    assert_eq!((before.moment, after.moment), (HookMoment::Before, HookMoment::After));
    assert_eq!(before.name, after.name);
    assert_eq!(before.effect, ToolEffect::Changes(vec!["/w/a".into()]));
}

#[test]
fn edits_name_their_files_in_every_form() {
    let changes =
        |tool: &str, input: &Value| match call(&claude("PreToolUse", tool, input, &Value::Null)).effect {
            ToolEffect::Changes(paths) => paths,
            other => panic!("{tool}: {other:?}"),
        };
    for (tool, input) in [
        ("Edit", json!({ "file_path": "/w/a" })),
        ("NotebookEdit", json!({ "notebook_path": "/w/a" })),
        ("create_file", json!({ "filePath": "/w/a" })),
        (
            "multi_replace_string_in_file",
            json!({ "replacements": [{ "filePath": "/w/a" }, { "filePath": "/w/a" }] }),
        ),
        (
            "apply_patch",
            json!({ "command": "*** Begin Patch\n*** Update File: /w/a\n@@\n-b\n+c\n*** End Patch\n" }),
        ),
        ("Write", json!("{\"file_path\": \"/w/a\"}")),
    ] {
        assert_eq!(changes(tool, &input), ["/w/a"], "{tool}");
    }
    assert_eq!(patch::paths("*** Add File: a b\r\n*** Move to: c\n+*** Delete File: d\n"), ["a b", "c"]);
    let many: String = (0..1001).map(|at| format!("*** Add File: f{at}\n")).collect();
    let large = claude("PreToolUse", "apply_patch", &json!({ "input": many }), &Value::Null);
    assert_eq!((call(&large).effect, call(&large).unchecked), (ToolEffect::ChangesAnything, Some(1001)));
}

/// Returns the lines of `a` that a read counts for.
fn read_lines(input: &Value, response: &Value) -> Option<(u64, u64)> {
    let ToolEffect::Shows(shown) = call(&claude("PostToolUse", "Read", input, response)).effect else {
        panic!("{input}")
    };
    assert!(shown.len() <= 1 && shown.iter().all(|one| one.path == "a"), "{shown:?}");
    shown.first().map(|one| one.lines)
}

#[test]
fn a_read_of_an_empty_file_or_of_one_line_counts() {
    let of = |lines: u64, total: u64| json!({ "file": { "startLine": 1, "numLines": lines, "totalLines": total } });
    let whole = json!({ "file_path": "a" });
    assert_eq!(read_lines(&whole, &of(0, 0)), Some((1, 1)));
    assert_eq!(read_lines(&whole, &of(0, 9)), None);
    assert_eq!(read_lines(&json!({ "filePath": "a", "offset": 1, "limit": 1 }), &Value::Null), Some((1, 1)));
    assert_eq!(read_lines(&json!({ "filePath": "a", "offset": 7, "limit": 1 }), &Value::Null), Some((7, 7)));
    assert_eq!(read_lines(&json!({ "filePath": "a", "offset": 7, "limit": 0 }), &Value::Null), None);
    // If the file ends at line 7, that line was shown by a runtime that counts from 1.
    let last = claude("PostToolUse", "read", &json!({ "filePath": "a", "offset": 7 }), &Value::Null);
    let ToolEffect::Shows(shown) = call(&last).effect else { panic!("{last}") };
    assert_eq!((shown[0].lines.0, shown[0].else_line), (8, Some(7)));
}

#[test]
fn a_read_that_counts_from_the_end_counts_only_for_the_lines_in_its_result() {
    for offset in [json!(-5), json!(-5.0)] {
        let input = json!({ "path": "a", "offset": offset, "limit": 5 });
        assert_eq!(read_lines(&input, &Value::Null), None);
        let told = json!({ "file": { "startLine": 96, "numLines": 5, "totalLines": 100 } });
        assert_eq!(read_lines(&input, &told), Some((96, 100)));
    }
    assert_eq!(read_lines(&json!({ "path": "a", "startLine": -5, "endLine": -1 }), &Value::Null), None);
}

#[test]
fn a_search_counts_for_each_file_before_it_counts_for_the_rest_of_any() {
    let found = json!({ "content": "a:1:x\na:3:x\na:5:x\nb:1:x\nb:3:x\nc:9:x\n" });
    let lines = [("a", 1), ("b", 1), ("c", 9), ("a", 3), ("a", 5), ("b", 3)];
    let expected: Vec<ShownPassage> = lines.iter().map(|(path, line)| shown(path, *line, *line)).collect();
    assert_eq!(passages(&json!({}), &found), expected);
    let many: String = (0..5000).map(|at| format!("f{at}:1:x\n")).collect();
    assert_eq!(passages(&json!({}), &json!(many)).len(), 5000);
}

#[test]
fn a_read_counts_for_the_lines_that_it_has_shown() {
    for (input, response, lines) in [
        (json!({ "file_path": "a" }), Value::Null, (1, 2000)),
        (json!({ "file_path": "a", "offset": 11, "limit": 5 }), Value::Null, (12, 15)),
        (json!({ "file_path": "a" }), json!({ "file": { "startLine": 3, "numLines": 4 } }), (3, 6)),
        (json!({ "filePath": "a", "startLine": 2, "endLine": 9 }), json!("text"), (2, 9)),
        (json!({ "path": "a", "offset": 0, "limit": 2.0 }), Value::Null, (1, 2)),
    ] {
        assert_eq!(read_lines(&input, &response), Some(lines), "{input}");
    }
    let nothing = claude("PostToolUse", "Read", &json!({}), &Value::Null);
    assert_eq!(call(&nothing).effect, ToolEffect::Shows(Vec::new()));
}

#[test]
fn a_search_counts_for_the_lines_in_its_result() {
    let grep = json!({ "content": "src/a.rs:3:fn a\nsrc/a.rs:4:{\nb.rs:9:x\nno match\n--\n" });
    assert_eq!(passages(&json!({}), &grep), [shown("b.rs", 9, 9), shown("src/a.rs", 3, 4)]);
    assert_eq!(passages(&json!({ "path": "c" }), &json!({ "content": "12:x" })), [shown("c", 12, 12)]);
    let gemini = json!({ "llmContent": "Found 1 match\n---\nFile: d.rs\nL7: y:1:z\n---\n" });
    assert_eq!(passages(&json!({}), &gemini), [shown("d.rs", 7, 7)]);
    for (folder, path) in
        [("src", "src/d.rs"), ("./src/", "./src/d.rs"), ("/w/src/d.rs", "/w/src/d.rs"), ("", "d.rs")]
    {
        assert_eq!(passages(&json!({ "dir_path": folder }), &gemini), [shown(path, 7, 7)]);
    }
    assert_eq!(passages(&json!({}), &json!({ "filenames": ["a"] })), []);
}

#[test]
fn a_search_result_with_headings_counts_for_the_lines_below_them() {
    let found = "Found 3 matches (more matches available)\n/w/a:\n  Line 3: if x:\n  Line 4: y\n\n/w/b c:\n  Line 1: L9: z";
    assert_eq!(passages(&json!({}), &json!(found)), [shown("/w/a", 3, 4), shown("/w/b c", 1, 1)]);
    // Without the count, a line with a colon at its end is no heading.
    let found = "/w/a:\n  Line 3: if x:";
    assert_eq!(passages(&json!({}), &json!(found)), []);
}

#[test]
fn each_runtime_is_told_apart_by_its_signs() {
    let of = |payload: &Value, set: &str| HookRunner::of(payload, &|name| name == set);
    let known = |runtime| Some(HookRunner::Known(runtime));
    assert_eq!(of(&json!({ "session_id": "s" }), "CLAUDE_PROJECT_DIR"), None);
    assert_eq!(of(&json!({ "session_id": "s", "cursor_version": "3" }), ""), known(Runtime::Cursor));
    assert_eq!(of(&json!({ "session_id": "s" }), "CURSOR_VERSION"), known(Runtime::Cursor));
    assert_eq!(of(&json!({ "sessionId": "s", "hookEventName": "PreToolUse" }), ""), known(Runtime::Vscode));
    assert_eq!(of(&json!({ "session_id": "s" }), "GEMINI_PROJECT_DIR"), known(Runtime::Gemini));
    assert_eq!(of(&json!({ "session_id": "s" }), "QWEN_PROJECT_DIR"), known(Runtime::Qwen));
    assert_eq!(of(&json!({ "session_id": "s" }), "DEVIN_PROJECT_DIR"), Some(HookRunner::Other("Devin")));
    assert!(matches!(of(&json!({ "sessionId": "s", "toolName": "edit" }), ""), Some(HookRunner::Other(_))));
}

#[test]
fn a_subagent_is_a_session_of_its_own() {
    let mut payload = claude("PreToolUse", "Bash", &json!({ "command": "make\nall" }), &Value::Null);
    assert_eq!((call(&payload).session, call(&payload).label), ("s".into(), "Bash: make".into()));
    payload["agent_id"] = json!("a1");
    payload["tool_input"]["description"] = json!("Build\u{1b}");
    assert_eq!((call(&payload).session, call(&payload).label), ("s/a1".into(), "Bash: Build".into()));
}

#[test]
fn names_stay_within_the_limits_of_the_protocol() {
    let long = "\u{1f600}".repeat(1000);
    let mut payload = claude("PreToolUse", "Bash", &json!({ "command": long }), &Value::Null);
    for field in ["session_id", "agent_id", "tool_use_id"] {
        payload[field] = json!(long);
    }
    let call = call(&payload);
    assert!(call.label.len() <= 256 && call.name.len() <= 256, "{call:?}");
    assert!(call.session.len() <= 256 && !call.session.is_empty(), "{}", call.session);
}

#[test]
fn payloads_of_other_events_and_without_fields_are_no_calls() {
    assert_eq!(ToolCall::of(&json!({ "hook_event_name": "Stop" })), Ok(None));
    for bad in [
        json!({}),
        json!([]),
        json!(null),
        json!({ "hook_event_name": "PreToolUse" }),
        json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit" }),
    ] {
        assert!(ToolCall::of(&bad).is_err(), "{bad}");
    }
    let odd = json!({ "hook_event_name": "PostToolUse", "tool_name": "Read", "session_id": "s", "tool_input": [1],
                      "tool_response": { "file": [] } });
    assert_eq!(call(&odd).effect, ToolEffect::Shows(Vec::new()));
    let failed = json!({ "hook_event_name": "AfterTool", "tool_name": "replace", "session_id": "s",
                         "tool_input": { "file_path": "a" }, "tool_response": { "error": { "message": "no" } } });
    assert_eq!(call(&failed).moment, HookMoment::Failed);
}

#[test]
fn text_that_is_no_unicode_is_replaced() {
    let whole = r#"{"a": "\\ud83d \ud83d\ude00 \\", "b\\": "\u0041\n"}"#;
    assert_eq!(payload::parse(whole.as_bytes()).unwrap(), serde_json::from_str::<Value>(whole).unwrap());
    for (text, expected) in [
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""a\uDE00b""#, "a\u{fffd}b"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
        (r#""\ud83d\n\\ud83d""#, "\u{fffd}\n\\ud83d"),
        (r#""\ud83d\u0041""#, "\u{fffd}A"),
    ] {
        assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
        assert_eq!(payload::parse(text.as_bytes()).unwrap(), json!(expected), "{text}");
    }
    assert_eq!(payload::parse(b"\"a\xffb\"").unwrap(), json!("a\u{fffd}b"));
    assert_eq!(payload::parse(b"\xef\xbb\xbf{}").unwrap(), json!({}));
    for bad in [&b"\"\\"[..], b"\"\\u", b"\"\\ud83", b"\"\\ud83d", b"\\ud83d", b"\xff"] {
        assert!(payload::parse(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn no_odd_value_of_a_field_causes_a_panic() {
    let odd = [
        json!(null),
        json!(-1),
        json!(1e300),
        json!(u64::MAX),
        json!([[], {}]),
        json!({ "file": { "startLine": u64::MAX, "numLines": u64::MAX }, "content": ":::\n:1:\n1:\nL:\nFile: \n" }),
        json!("\u{0}\u{1f600}:18446744073709551616:x"),
        json!("{\"path\": {}}"),
    ];
    let fields = ["session_id", "cwd", "tool_name", "tool_input", "tool_use_id", "tool_response", "agent_id"];
    let inner = ["file_path", "offset", "limit", "startLine", "endLine", "command", "replacements", "path"];
    for tool in ["Read", "Grep", "Edit", "apply_patch", "Bash", "multi_replace_string_in_file"] {
        for value in &odd {
            for field in fields {
                let mut payload = claude("PostToolUse", tool, &json!({ "path": "a" }), &json!({}));
                payload[field] = value.clone();
                let _ = ToolCall::of(&payload);
            }
            for field in inner {
                let mut input = json!({ "file_path": "a", "offset": u64::MAX });
                input[field] = value.clone();
                let _ = ToolCall::of(&claude("PostToolUse", tool, &input, value));
            }
        }
    }
}

#[test]
fn every_runtime_gets_a_denial_in_its_form_and_never_an_approval() {
    let mut error = RequestError::new(ErrorCode::Stale, "a changed");
    error.diff = Some("-b\n+c".to_owned());
    error.omitted_hunks = Some(2);
    let reason = answer::reason(&error);
    assert_eq!(reason, "editd: a changed\n-b\n+c\nand 2 more hunks\n");
    for runtime in Runtime::with_hooks() {
        let denied: Value = serde_json::from_str(&answer::denied(runtime, "PreToolUse", &reason)).unwrap();
        let words = denied.to_string();
        assert!(words.contains("\"deny\"") && words.contains("+c"), "{runtime:?}: {words}");
        let allowed = answer::allowed(runtime);
        assert!(allowed.is_empty() || allowed == "{}\n", "{runtime:?}");
    }
}
