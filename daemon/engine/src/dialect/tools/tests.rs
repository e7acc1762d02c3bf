//! Tests of the choice of the dialect and the tool of a payload. They touch no file.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use editd_types::{FileEdit, JobMode};
use serde_json::{Value, json};

use crate::dialect::{PayloadContext, PayloadJob, PayloadRequest, translate};

const SETTING: PayloadContext<'_> = PayloadContext { path: None, roots: &[], limit: 1024 * 1024 };

fn payload_job(payload: &Value) -> (&'static str, PayloadJob) {
    let translation = translate(None, &payload.to_string(), &SETTING).ok().unwrap();
    match translation.request {
        PayloadRequest::Job(payload_job) => (translation.dialect, payload_job),
        other => panic!("{payload} asks for {other:?}"),
    }
}

fn refusal(payload: &Value) -> String {
    translate(None, &payload.to_string(), &SETTING).err().unwrap().message
}

#[test]
fn each_tool_is_told_by_its_fields() {
    let payloads = [
        ("claude-code", json!({"file_path": "f", "old_string": "a", "new_string": "b"})),
        ("claude-code", json!({"file_path": "f", "old_string": "a", "new_string": "b", "replace_all": true})),
        ("claude-code", json!({"file_path": "f", "edits": [{"old_string": "a", "new_string": "b"}]})),
        ("claude-code", json!({"file_path": "f", "content": "a"})),
        ("gemini", json!({"file_path": "f", "old_string": "a", "new_string": "b", "instruction": "x"})),
        ("gemini", json!({"file_path": "f", "old_string": "a", "new_string": "b", "allow_multiple": true})),
        (
            "gemini",
            json!({"file_path": "f", "old_string": "a", "new_string": "b", "expected_replacements": 2}),
        ),
        ("opencode", json!({"filePath": "f", "oldString": "a", "newString": "b"})),
        ("opencode", json!({"path": "f", "oldString": "a", "newString": "b", "replaceAll": false})),
        ("opencode", json!({"filePath": "f", "content": "a"})),
        ("mcp-filesystem", json!({"path": "f", "edits": [{"oldText": "a", "newText": "b"}], "dryRun": true})),
        ("mcp-filesystem", json!({"source": "f", "destination": "g"})),
        ("serena", json!({"relative_path": "f", "needle": "a", "repl": "b", "mode": "literal"})),
        ("serena", json!({"relative_path": "f", "regex": "a", "repl": "b"})),
        ("serena", json!({"relative_path": "f", "content": "a"})),
        ("serena", json!({"relative_path": "f", "start_line": 0, "end_line": 1})),
        ("serena", json!({"relative_path": "f", "line": 0, "content": "a"})),
        ("safe-edit", json!({"path": "f", "content": "a"})),
    ];
    for (dialect, payload) in payloads {
        assert_eq!(payload_job(&payload).0, dialect, "{payload}");
    }
}

#[test]
fn the_name_of_a_call_decides_before_its_fields() {
    let write = json!({"path": "f", "content": "a"});
    let edit = json!({"file_path": "f", "old_string": "a", "new_string": "b"});
    let symbol = json!({"relative_path": "f.py", "name_path": "C/m", "body": "pass"});
    let calls = [
        ("mcp-filesystem", json!({"name": "write_file", "arguments": write})),
        ("mcp-filesystem", json!({"tool": "mcp__filesystem__write_file", "parameters": write})),
        ("opencode", json!({"name": "write", "arguments": write})),
        ("gemini", json!({"name": "replace", "arguments": edit})),
        ("claude-code", json!({"type": "tool_use", "id": "t", "name": "Edit", "input": edit})),
        ("claude-code", json!({"name": "some_other_tool", "arguments": edit})),
        ("serena", json!({"name": "insert_after_symbol", "arguments": symbol})),
        (
            "apply-patch",
            json!({"name": "apply_patch", "input": "*** Begin Patch\n*** Delete File: f\n*** End Patch"}),
        ),
        (
            "patch",
            json!({"name": "x", "arguments": {"path": "f", "patches": [{"operation": "overwrite", "newText": "a"}]}}),
        ),
    ];
    for (dialect, call) in calls {
        assert_eq!(payload_job(&call).0, dialect, "{call}");
    }
    for (name, action) in [("replace_symbol_body", "replace"), ("insert_before_symbol", "insert_before")] {
        let (_, job) = payload_job(&json!({"name": name, "arguments": symbol}));
        let edits: Vec<&FileEdit> = job.files.iter().flat_map(|file| &file.edits).collect();
        assert_eq!(edits.first().unwrap().action.as_deref(), Some(action));
    }
}

#[test]
fn tools_that_cannot_be_told_apart_are_refused_with_their_names() {
    let symbol = json!({"relative_path": "f.py", "name_path": "C/m", "body": "pass"});
    let why = translate(Some("serena"), &symbol.to_string(), &SETTING).err().unwrap().message;
    assert!(why.contains("replace_symbol_body, insert_after_symbol, insert_before_symbol"), "{why}");
    let why =
        refusal(&json!({"name": "Edit", "arguments": {"file_path": "f", "old": "a", "new_string": "b"}}));
    assert_eq!(
        why,
        "`old` is no field of Edit; its fields are file_path, old_string, new_string, replace_all"
    );
    let why = refusal(&json!({"name": "Edit", "arguments": {"file_path": "f", "old_string": "a"}}));
    assert_eq!(why, "Edit needs `new_string`");
}

#[test]
fn the_edits_of_a_list_are_stages_and_a_dry_run_writes_nothing() {
    let edits = json!([{"oldText": "a", "newText": "b"}, {"oldText": "b", "newText": "c"}]);
    let (_, job) = payload_job(&json!({"path": "f", "edits": edits, "dryRun": true}));
    assert_eq!((job.files.len(), job.mode, job.diff), (2, Some(JobMode::VerifyOnly), Some(true)));
    assert!(job.files.iter().all(|file| file.edits.len() == 1 && file.base.is_none()));
}
