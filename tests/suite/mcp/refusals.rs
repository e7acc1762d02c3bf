//! The words of refusals: they name only fields that the tools of the client have.

use editd_proto::operation::OPERATIONS;
use editd_tests::mcp_client::{McpClient, ToolResult};
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

use super::GREET;

/// Fields of jobs that are not fields of operations.
const REQUEST_FIELDS: [&str; 8] =
    ["base", "on_stale", "mode", "verified", "jobs", "files", "version", "regions"];

/// Fails if a text names a field or an operation of jobs that the schemas do not have, or an option.
#[track_caller]
fn names_only(schemas: &str, text: &str) {
    let of_jobs = |name: &str| {
        let of = OPERATIONS
            .iter()
            .any(|one| one.name == name || one.fields.iter().any(|field| field.name == name));
        of || REQUEST_FIELDS.contains(&name)
    };
    for quoted in text.split('`').skip(1).step_by(2) {
        let name = quoted
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .next()
            .unwrap_or_default();
        assert!(!of_jobs(name) || schemas.contains(&format!("\"{name}\"")), "{name}: {text}");
    }
    assert!(!text.contains(" --"), "{text}");
}

/// Returns every message in an object.
fn messages(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if ["message", "cause"].contains(&name.as_str()) => {
                        out.push(text.clone())
                    }
                    other => messages(other, out),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|one| messages(one, out)),
        _ => {}
    }
}

#[track_caller]
fn checked(schemas: &str, call: &Value, result: &ToolResult) {
    assert!(result.is_error, "{call}: {}", result.text);
    names_only(schemas, &result.text);
    let mut found = Vec::new();
    messages(&result.structured, &mut found);
    assert!(!found.is_empty(), "{}", result.structured);
    found.iter().for_each(|message| names_only(schemas, message));
}

/// Prepares a workspace, in which the session of the client knows `greet.py` as it was before others changed it.
fn prepare(daemon: &TestDaemon) {
    for path in ["greet.py", "other.py", "unread.py"] {
        daemon.put(path, GREET);
    }
    daemon.put(
        "long.txt",
        (0..5000).map(|number| format!("line {number} of a long file\n")).collect::<String>(),
    );
    daemon.put("unseen.txt", "one\ntwo\n");
    daemon.put("binary", b"\0\x01");
}

/// Makes each call, and checks its refusal.
fn refuse(set: &[&str], read: (&str, Value), calls: &[(&str, Value)]) {
    let daemon = TestDaemon::started();
    prepare(&daemon);
    let mut client = McpClient::begin(&daemon, set);
    let schemas = client.ask("tools/list", json!({}))["tools"].to_string();
    client.call(read.0, read.1).done();
    daemon.put("greet.py", GREET.replace("return", "yield"));
    for (tool, arguments) in calls {
        let result = client.call(tool, arguments.clone());
        checked(&schemas, arguments, &result);
    }
    let undo = client.call("undo", json!({ "job": 99 }));
    checked(&schemas, &json!("undo"), &undo);
}

#[test]
fn refusals_of_the_native_tools_name_their_fields() {
    let edits = |edits: Value| ("edit", json!({ "edits": edits }));
    let one = |mut given: Value, path: &str| {
        given["path"] = json!(path);
        edits(json!([given]))
    };
    let calls = [
        one(json!({ "old": "return \"Bye\"", "new": "pass" }), "greet.py"),
        one(json!({ "lines": "8", "new": "pass" }), "greet.py"),
        one(json!({ "old": "\n\n", "new": "" }), "other.py"),
        one(json!({ "old": "no such text", "new": "" }), "other.py"),
        one(json!({ "old": "Hello", "new": "", "symbol": "leave" }), "other.py"),
        one(json!({ "old": "  return", "new": "", "all": true }), "missing.py"),
        one(json!({ "symbol": "nothing", "new": "" }), "other.py"),
        one(json!({ "symbol": "greet", "part": "body", "new": "def greet(name):\n    pass\n" }), "other.py"),
        one(json!({ "symbol": "greet", "new": "" }), "other.py"),
        one(json!({ "lines": "2-3", "new": "" }), "unread.py"),
        one(json!({ "lines": "90-95", "new": "" }), "other.py"),
        one(json!({ "content": "" }), "long.txt"),
        one(json!({ "delete": true }), "unseen.txt"),
        one(json!({ "rename_to": "other.py" }), "unread.py"),
        one(json!({ "old": "import os", "new": "(" }), "other.py"),
        one(json!({ "old": "x", "new": "y" }), "binary"),
        one(json!({ "content": "x" }), "other.py/x"),
        edits(
            json!([{ "path": "other.py", "content": "x" }, { "path": "other.py", "old": "import", "new": "" }]),
        ),
        edits(
            json!([{ "path": "other.py", "delete": true }, { "path": "other.py", "old": "import", "new": "" }]),
        ),
        edits(json!([
            { "path": "other.py", "old": "import os", "new": "1" },
            { "path": "other.py", "old": "import", "new": "2" }
        ])),
        ("edit", json!({ "token": "none" })),
        ("edit", json!({ "edits": [{ "path": "other.py", "old": "Bye", "new": "" }], "token": "none" })),
        ("read", json!({ "path": "missing.py" })),
        ("read", json!({ "path": "other.py", "lines": "90-95" })),
        ("read", json!({ "path": "other.py", "symbol": "nothing" })),
        ("history", json!({ "job": 99 })),
    ];
    refuse(&[], ("read", json!({ "path": "greet.py" })), &calls);
}

#[test]
fn refusals_of_every_set_name_its_fields() {
    let replace =
        |path: &str, names: [&str; 3], old: &str| json!({ names[0]: path, names[1]: old, names[2]: "x" });
    for (set, read, edit, write, names, content) in [
        ("claude-code", "Read", "Edit", "Write", ["file_path", "old_string", "new_string"], "content"),
        (
            "gemini",
            "read_file",
            "replace",
            "write_file",
            ["file_path", "old_string", "new_string"],
            "content",
        ),
        ("opencode", "read", "edit", "write", ["filePath", "oldString", "newString"], "content"),
    ] {
        let mut calls: Vec<(&str, Value)> = ["return \"Bye\"", "\n\n", "no such text", ""]
            .map(|old| (edit, replace("greet.py", names, old)))
            .to_vec();
        calls.extend(["missing.py", "binary", "../x"].map(|path| (edit, replace(path, names, "x"))));
        calls.push((write, json!({ names[0]: "long.txt", content: "" })));
        calls.push((read, json!({ names[0]: "missing.py" })));
        refuse(&["--as", set], (read, json!({ names[0]: "greet.py" })), &calls);
    }
    let editor = "str_replace_based_edit_tool";
    let calls = [
        json!({ "command": "str_replace", "path": "greet.py", "old_str": "return \"Bye\"", "new_str": "x" }),
        json!({ "command": "str_replace", "path": "greet.py", "old_str": "\n\n", "new_str": "x" }),
        json!({ "command": "str_replace", "path": "missing.py", "old_str": "x", "new_str": "x" }),
        json!({ "command": "insert", "path": "greet.py", "insert_line": 99, "insert_text": "x" }),
        json!({ "command": "insert", "path": "greet.py", "insert_text": "x" }),
        json!({ "command": "create", "path": "long.txt", "file_text": "x" }),
        json!({ "command": "view", "path": "missing.py" }),
    ];
    let calls = calls.map(|arguments| (editor, arguments));
    refuse(&["--as", "text-editor"], (editor, json!({ "command": "view", "path": "greet.py" })), &calls);
    let patch = |path: &str, old: &str| json!({ "input": format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+x\n*** End Patch") });
    let calls =
        [("greet.py", "    return \"Bye\""), ("other.py", "nothing"), ("other.py", ""), ("missing.py", "x")];
    let calls = calls.map(|(path, old)| ("apply_patch", patch(path, old)));
    refuse(&["--as", "codex"], ("read", json!({ "path": "greet.py" })), &calls);
    let symbol = |name: &str| json!({ "relative_path": "other.py", "name_path": name, "body": "" });
    let content = |needle: &str, mode: &str| json!({ "relative_path": "other.py", "needle": needle, "repl": "x", "mode": mode });
    let calls = [
        ("replace_symbol_body", symbol("nothing")),
        ("replace_symbol_body", symbol("greet")),
        ("insert_after_symbol", symbol("nothing")),
        ("replace_content", content("return", "literal")),
        ("replace_content", content("nothing", "literal")),
        ("replace_content", content("(", "regex")),
        ("replace_content", content("x*", "regex")),
        ("create_text_file", json!({ "relative_path": "long.txt", "content": "" })),
        ("read_file", json!({ "relative_path": "missing.py" })),
    ];
    refuse(&["--as", "serena"], ("read_file", json!({ "relative_path": "greet.py" })), &calls);
    let edit = |path: &str, old: &str| {
        ("edit_file", json!({ "path": path, "edits": [{ "oldText": old, "newText": "x" }] }))
    };
    let calls = [
        edit("greet.py", "return \"Bye\""),
        edit("other.py", "\n\n"),
        edit("other.py", "nothing"),
        edit("missing.py", "x"),
        ("write_file", json!({ "path": "long.txt", "content": "" })),
        ("move_file", json!({ "source": "unread.py", "destination": "other.py" })),
        ("read_text_file", json!({ "path": "missing.py" })),
    ];
    refuse(&["--as", "mcp-filesystem"], ("read_text_file", json!({ "path": "greet.py" })), &calls);
}

#[test]
fn the_refusal_of_an_unknown_field_lists_the_fields_of_the_tool() {
    let daemon = TestDaemon::started();
    let sets = ["claude-code", "codex", "gemini", "opencode", "text-editor", "serena", "mcp-filesystem"];
    for set in std::iter::once(vec![]).chain(sets.map(|set| vec!["--as", set])) {
        let mut client = McpClient::begin(&daemon, &set);
        let listed = client.ask("tools/list", json!({}))["tools"].clone();
        for tool in listed.as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            let arguments = match name {
                "edit" if set.is_empty() => json!({ "edits": [{ "path": "a", "zzzzzzzz": 1 }] }),
                "str_replace_based_edit_tool" => json!({ "command": "view", "path": "a", "zzzzzzzz": 1 }),
                _ => {
                    json!({ "path": "a", "file_path": "a", "relative_path": "a", "filePath": "a", "zzzzzzzz": 1 })
                }
            };
            let refused = client.call(name, arguments);
            assert!(refused.is_error, "{set:?} {name}: {}", refused.text);
            let Some((_, fields)) = refused.text.split_once("there are ") else { continue };
            for field in fields.split(", ") {
                assert!(
                    tool.to_string().contains(&format!("\"{field}\"")),
                    "{set:?} {name}: {}",
                    refused.text
                );
            }
        }
    }
}

#[test]
fn the_read_of_a_missing_file_is_refused_in_the_words_of_the_runtime() {
    let daemon = TestDaemon::started();
    for (set, tool, arguments, words) in [
        ("claude-code", "Read", json!({ "file_path": "no.py" }), "File does not exist: no.py"),
        ("gemini", "read_file", json!({ "file_path": "no.py" }), "File not found: no.py"),
        ("opencode", "read", json!({ "filePath": "no.py" }), "File not found: no.py"),
        (
            "mcp-filesystem",
            "read_text_file",
            json!({ "path": "no.py" }),
            "ENOENT: no such file or directory: no.py",
        ),
        (
            "serena",
            "read_file",
            json!({ "relative_path": "no.py" }),
            "File no.py does not exist in the project.",
        ),
        (
            "text-editor",
            "str_replace_based_edit_tool",
            json!({ "command": "view", "path": "no.py" }),
            "The path no.py does not exist. Please provide a valid path.",
        ),
    ] {
        let mut client = McpClient::begin(&daemon, &["--as", set]);
        let refused = client.call(tool, arguments);
        assert!(refused.is_error && refused.text == words, "{set}: {}", refused.text);
    }
}

#[test]
fn the_refusal_of_an_edit_asks_for_no_read_of_a_file_that_is_gone() {
    let daemon = TestDaemon::started();
    for (set, read, edit, names) in [
        ("claude-code", "Read", "Edit", ["file_path", "old_string", "new_string"]),
        ("gemini", "read_file", "replace", ["file_path", "old_string", "new_string"]),
        ("opencode", "read", "edit", ["filePath", "oldString", "newString"]),
    ] {
        // The diff of a short file would be shown in place of a call.
        daemon.put("a.txt", "one\n".repeat(3000));
        let mut client = McpClient::begin(&daemon, &["--as", set]);
        client.call(read, json!({ names[0]: "a.txt" })).done();
        std::fs::remove_file(daemon.workspace().join("a.txt")).unwrap();
        let refused = client.call(edit, json!({ names[0]: "a.txt", names[1]: "one", names[2]: "two" }));
        assert!(refused.is_error && refused.text.contains("no longer exists"), "{set}: {}", refused.text);
        assert!(!refused.text.contains("next:"), "{set}: {}", refused.text);
    }
}

#[test]
fn small_refusals_say_what_the_tools_of_the_set_can_do() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    daemon.put("binary", b"\0\x01");
    let begin = |set: &str| McpClient::begin(&daemon, &["--as", set]);
    let offset = begin("claude-code").call("Read", json!({ "file_path": "a.txt", "offset": -3 }));
    assert_eq!(offset.text, "malformed: offset must be a whole number from 0");
    let undo = json!({ "command": "undo_edit", "path": "a.txt" });
    let undo = begin("text-editor").call("str_replace_based_edit_tool", undo);
    assert!(undo.is_error && undo.text.ends_with("next: undo {\"paths\":[\"a.txt\"]}"), "{}", undo.text);
    let mut client = begin("mcp-filesystem");
    client.call("read_text_file", json!({ "path": "binary" })).done();
    let write = client.call("write_file", json!({ "path": "binary", "content": "x" }));
    assert!(write.is_error && !write.text.contains("delete"), "{}", write.text);
    let edits = json!([{ "path": "binary", "old": "x", "new": "y" }]);
    let edit = McpClient::begin(&daemon, &[]).call("edit", json!({ "edits": edits }));
    assert!(edit.is_error && edit.text.contains("`delete` it in one call"), "{}", edit.text);
}

#[test]
fn an_undo_below_a_later_job_of_the_session_names_the_undo_that_comes_first() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let mut client = McpClient::begin(&daemon, &[]);
    client.call("read", json!({ "path": "a.txt" })).done();
    for edit in [
        json!({ "path": "a.txt", "rename_to": "b.txt" }),
        json!({ "path": "b.txt", "old": "one", "new": "two" }),
    ] {
        client.call("edit", json!({ "edits": [edit] })).done();
    }
    let refused = client.call("undo", json!({ "paths": ["a.txt"] }));
    assert!(refused.is_error && refused.text.ends_with("\n  next: undo {\"job\": 2}"), "{}", refused.text);
    for job in [2, 1] {
        client.call("undo", json!({ "job": job })).done();
    }
    assert_eq!(daemon.get("a.txt"), b"one\n");
    // The session cannot undo what another one has changed.
    client.call("edit", json!({ "edits": [{ "path": "a.txt", "rename_to": "b.txt" }] })).done();
    let mut other = McpClient::begin(&daemon, &[]);
    other.call("edit", json!({ "edits": [{ "path": "b.txt", "old": "one", "new": "three" }] })).done();
    let refused = client.call("undo", json!({ "paths": ["a.txt"] }));
    assert!(refused.is_error && !refused.text.contains("next:"), "{}", refused.text);
}
