//! The tool sets of agent runtimes (`editctl mcp --as`): their schemas, and a session of each with a real daemon.

mod reads;
mod refused_edits;
mod sessions;

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

use super::GREET;
use editd_tests::mcp_client::{McpClient, ToolResult};

/// A set: its name, its tools without `undo` and `history`, the tools that change nothing, and the most tokens of its
/// schemas.
const SETS: [(&str, &[&str], &[&str], usize); 7] = [
    ("claude-code", &["Read", "Edit", "Write"], &["Read"], 500),
    ("codex", &["apply_patch", "read"], &["read"], 430),
    ("gemini", &["read_file", "replace", "write_file"], &["read_file"], 520),
    ("opencode", &["read", "edit", "write"], &["read"], 500),
    ("text-editor", &["str_replace_based_edit_tool"], &[], 420),
    (
        "serena",
        &[
            "read_file",
            "create_text_file",
            "replace_content",
            "get_symbols_overview",
            "find_symbol",
            "replace_symbol_body",
            "insert_after_symbol",
            "insert_before_symbol",
        ],
        &["read_file", "get_symbols_overview", "find_symbol"],
        1100,
    ),
    (
        "mcp-filesystem",
        &["read_text_file", "read_multiple_files", "write_file", "edit_file", "move_file"],
        &["read_text_file", "read_multiple_files"],
        700,
    ),
];

/// Fails unless a call was refused with all of these words.
#[track_caller]
fn refused(result: &ToolResult, words: &[&str]) {
    assert!(result.is_error, "{}", result.text);
    for word in words {
        assert!(result.text.contains(word), "{word:?} is missing: {}", result.text);
    }
    assert!(!result.text.contains("editctl ") && !result.text.contains("interactive"), "{}", result.text);
}

/// Fails unless a call succeeded with all of these words.
#[track_caller]
fn done(result: &ToolResult, words: &[&str]) {
    for word in words {
        assert!(result.done().contains(word), "{word:?} is missing: {}", result.text);
    }
}

/// Starts a server for a set in a workspace with a file `greet.py`.
fn begin(set: &str) -> (TestDaemon, McpClient) {
    let daemon = TestDaemon::started();
    daemon.put("greet.py", GREET);
    let client = McpClient::begin(&daemon, &["--as", set]);
    (daemon, client)
}

/// The content of `greet.py` after others changed its first line, and one text was replaced.
fn merged(old: &str, new: &str) -> String {
    GREET.replace("import os", "import os, sys").replace(old, new)
}

#[test]
fn every_set_has_the_names_and_fields_of_its_runtime() {
    let daemon = TestDaemon::started();
    for (set, names, looks, most) in SETS {
        let mut client = McpClient::begin(&daemon, &["--as", set]);
        let listed = client.ask("tools/list", json!({}))["tools"].clone();
        let tools = listed.as_array().unwrap();
        let listed_names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!(listed_names, [names, &["undo", "history"]].concat(), "{set}");
        for tool in tools {
            let name = tool["name"].as_str().unwrap();
            assert!(name.len() <= 34, "{name}");
            let hints = tool["annotations"].as_object().unwrap();
            assert_eq!(hints["readOnlyHint"], looks.contains(&name) || name == "history", "{set}: {name}");
            for hint in ["destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(hints[hint].is_boolean(), "{set}: {name}");
            }
        }
        let tokens = tiktoken_rs::o200k_base().unwrap().encode_ordinary(&listed.to_string()).len();
        println!("{set}: {tokens} tokens");
        assert!(tokens <= most, "{set}: {tokens} tokens");
    }
}

#[test]
fn required_fields_are_those_that_models_send() {
    let daemon = TestDaemon::started();
    for (set, tool, required) in [
        ("claude-code", "Edit", json!(["file_path", "old_string", "new_string"])),
        ("claude-code", "Write", json!(["file_path", "content"])),
        ("codex", "apply_patch", json!(["input"])),
        ("gemini", "replace", json!(["file_path", "old_string", "new_string"])),
        ("opencode", "edit", json!(["filePath", "oldString", "newString"])),
        ("text-editor", "str_replace_based_edit_tool", json!(["command", "path"])),
        ("serena", "replace_content", json!(["relative_path", "needle", "repl", "mode"])),
        ("serena", "replace_symbol_body", json!(["name_path", "relative_path", "body"])),
        ("mcp-filesystem", "edit_file", json!(["path", "edits"])),
        ("mcp-filesystem", "move_file", json!(["source", "destination"])),
    ] {
        let mut client = McpClient::begin(&daemon, &["--as", set]);
        let listed = client.ask("tools/list", json!({}))["tools"].clone();
        let found = listed.as_array().unwrap().iter().find(|one| one["name"] == tool).unwrap();
        assert_eq!(found["inputSchema"]["required"], required, "{set}: {tool}");
    }
}

#[test]
fn the_option_tools_takes_the_names_of_the_set() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &["--as", "claude-code", "--tools", "Read,history"]);
    let listed = client.ask("tools/list", json!({}));
    assert_eq!(listed["tools"].as_array().unwrap().len(), 2, "{listed}");
    let call = client.request("tools/call", json!({ "name": "Edit", "arguments": {} }));
    assert!(call["error"]["code"].is_number(), "{call}");
    for words in [["--as", "claude-code", "--tools", "read"], ["--as", "vi", "--tools", "read"]] {
        let failed = daemon.editctl().arg("mcp").args(words).output().unwrap();
        let said = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(!failed.status.success(), "{said}");
        assert!(said.contains("Read, Edit, Write") || said.contains("claude-code, codex"), "{said}");
    }
}

#[test]
fn a_refusal_after_a_long_unread_file_names_the_tool_of_the_set() {
    for (set, tool, arguments, next) in [
        (
            "claude-code",
            "Write",
            json!({ "file_path": "l.txt", "content": "" }),
            "next: Read {\"file_path\": ",
        ),
        (
            "gemini",
            "write_file",
            json!({ "file_path": "l.txt", "content": "" }),
            "next: read_file {\"file_path\": ",
        ),
        ("opencode", "write", json!({ "filePath": "l.txt", "content": "" }), "next: read {\"filePath\": "),
        (
            "serena",
            "create_text_file",
            json!({ "relative_path": "l.txt", "content": "" }),
            "next: read_file {\"relative_path\": ",
        ),
        (
            "mcp-filesystem",
            "write_file",
            json!({ "path": "l.txt", "content": "" }),
            "next: read_text_file {\"path\": ",
        ),
    ] {
        let (daemon, mut client) = begin(set);
        let long: String = (0..5000).map(|line| format!("line {line} of a long file\n")).collect();
        daemon.put("l.txt", &long);
        refused(&client.call(tool, arguments), &[next, "l.txt"]);
        assert_eq!(daemon.get("l.txt"), long.as_bytes());
    }
}

#[test]
fn a_refusal_that_shows_all_changes_asks_for_no_read() {
    let (daemon, mut client) = begin("claude-code");
    daemon.put("s.txt", "one\ntwo\n");
    client.call("Read", json!({ "file_path": "s.txt" })).done();
    daemon.put("s.txt", "one\nTWO\n");
    let write = json!({ "file_path": "s.txt", "content": "three\n" });
    let reply = client.call("Write", write.clone());
    refused(&reply, &["-two", "+TWO", "s.txt"]);
    assert!(!reply.text.contains("next:"), "{}", reply.text);
    client.call("Write", write).done();
    assert_eq!(daemon.get("s.txt"), b"three\n");
}

#[test]
fn a_path_of_a_tool_set_belongs_to_the_root_that_contains_it() {
    let (daemon, other) = (TestDaemon::started(), TestDaemon::started());
    other.put("a.txt", "one\n");
    let mut client = McpClient::start(&daemon, &["--as", "claude-code"]);
    client.initialize_with_roots(&[daemon.workspace(), other.workspace()]);
    let place = other.workspace().join("a.txt");
    assert_eq!(client.call("Read", json!({ "file_path": place })).done(), "     1\tone");
    client.call("Edit", json!({ "file_path": place, "old_string": "one", "new_string": "two" })).done();
    assert_eq!(other.get("a.txt"), b"two\n");
    let mut client = McpClient::start(&daemon, &["--as", "mcp-filesystem"]);
    client.initialize_with_roots(&[daemon.workspace(), other.workspace()]);
    let across = json!({ "source": place, "destination": daemon.workspace().join("a.txt") });
    refused(&client.call("move_file", across), &["a job is applied to one workspace"]);
}

#[test]
fn a_relative_path_begins_at_the_current_folder_or_is_that_of_a_reply() {
    let daemon = TestDaemon::started();
    for path in ["a.txt", "b.txt", "sub/a.txt", ".git/HEAD"] {
        daemon.put(path, path);
    }
    let mut command = daemon.command(binaries::editctl_mcp());
    command.args(["--as", "claude-code"]).current_dir(daemon.workspace().join("sub"));
    let mut client = McpClient::run(command);
    client.initialize();
    for (given, changed) in [("a.txt", "sub/a.txt"), ("b.txt", "b.txt")] {
        let edit = json!({ "file_path": given, "old_string": changed, "new_string": "new" });
        client.call("Edit", edit).done();
        assert_eq!(daemon.get(changed), b"new", "{given}");
    }
    // What is edited and what is written under a name is one file.
    for (given, written) in [("b.txt", "b.txt"), ("c.txt", "sub/c.txt")] {
        client.call("Write", json!({ "file_path": given, "content": "own" })).done();
        assert_eq!(daemon.get(written), b"own", "{given}");
    }
    assert_eq!(daemon.get("a.txt"), b"a.txt");
}

#[test]
fn a_quotation_with_the_line_numbers_of_a_read_is_recognised() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "a = 1\n  b = 2\nc = 3\n");
    let mut client = McpClient::begin(&daemon, &["--as", "opencode"]);
    done(&client.call("read", json!({ "filePath": "a.txt" })), &["\n2:   b = 2\n"]);
    let edit = |old: &str, new: &str| json!({ "filePath": "a.txt", "oldString": old, "newString": new });
    client.call("edit", edit("2:   b = 2\n3: c = 3", "2:   b = 4\n3: c = 5")).done();
    client.call("edit", edit("1: a = 1", "a = 0")).done();
    assert_eq!(daemon.get("a.txt"), b"a = 0\n  b = 4\nc = 5\n");
    assert!(client.call("edit", edit("1: c = 5", "c = 6")).is_error);
}
