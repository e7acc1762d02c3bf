//! A session of each tool set: reads, edits, refusals, changes by others that are merged, new files, and an undo.

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

use super::super::GREET;
use super::{begin, done, merged, refused};
use editd_tests::mcp_client::McpClient;

#[test]
fn claude_code_reads_with_numbers_edits_and_writes() {
    let (daemon, mut client) = begin("claude-code");
    let path = daemon.workspace().join("greet.py");
    let read = client.call("Read", json!({ "file_path": path }));
    assert!(read.done().starts_with("     1\timport os\n     2\t\n     3\tdef greet"), "{}", read.text);
    let part = client.call("Read", json!({ "file_path": "greet.py", "offset": 3, "limit": 1 }));
    assert_eq!(part.done(), "     3\tdef greet(name):\n(lines 3-3 of 8; next: {\"offset\": 4})");
    let edit = |old: &str, new: &str| json!({ "file_path": path, "old_string": old, "new_string": new });
    refused(&client.call("Edit", edit("return", "yield")), &["Found 2 matches", "replace_all", "line 4"]);
    refused(&client.call("Edit", edit("return \"H", "return (\"H")), &["syntax"]);
    refused(&client.call("Edit", json!({ "file_path": path, "old_str": "x" })), &["`old_str`", "old_string"]);
    refused(&client.call("Edit", json!({ "old_string": "x", "new_string": "y" })), &["file_path is missing"]);
    daemon.put("greet.py", merged("", ""));
    let merge = client.call("Edit", edit("\"Bye\"", "\"Ciao\""));
    done(&merge, &["The file greet.py has been updated.", "merged", "+import os, sys"]);
    assert_eq!(daemon.get("greet.py"), merged("Bye", "Ciao").as_bytes());
    refused(&client.call("Edit", edit("\"Bye\"", "x")), &["not found", "next: history {\"job\": "]);
    daemon.put("greet.py", merged("Bye", "Adieu"));
    refused(&client.call("Edit", edit("\"Ciao\"", "\"Tschau\"")), &["Adieu", "adapt the edit"]);
    done(
        &client.call("Write", json!({ "file_path": "sub/new.py", "content": "x = 1\n" })),
        &["File created successfully at: sub/new.py"],
    );
    client.call("undo", json!({})).done();
    assert!(!daemon.workspace().join("sub/new.py").exists());
    daemon.put("unread.py", GREET);
    let write = json!({ "file_path": "unread.py", "content": "x = 1\n" });
    refused(&client.call("Write", write.clone()), &["has not been read yet", "def leave"]);
    assert_eq!(daemon.get("unread.py"), GREET.as_bytes());
    done(&client.call("Write", write), &["has been updated"]);
}

#[test]
fn an_edit_keeps_line_breaks_and_the_mark_of_a_file() {
    let (daemon, mut client) = begin("claude-code");
    daemon.put("crlf.txt", "\u{feff}one\r\ntwo\r\nthree");
    let read = client.call("Read", json!({ "file_path": "crlf.txt" }));
    assert!(!read.done().contains('\r'), "{}", read.text);
    assert_eq!(read.structured["line_ending"], "crlf");
    let edit = json!({ "file_path": "crlf.txt", "old_string": "one\ntwo", "new_string": "1\n2" });
    client.call("Edit", edit).done();
    assert_eq!(daemon.get("crlf.txt"), "\u{feff}1\r\n2\r\nthree".as_bytes());
}

#[test]
fn codex_patches_files_from_a_folder_below_the_root() {
    let daemon = TestDaemon::started();
    for (path, text) in [("greet.py", GREET), ("sub/a.txt", "one\n"), (".git/HEAD", "")] {
        daemon.put(path, text);
    }
    let mut command = daemon.command(binaries::editctl_mcp());
    command.args(["--as", "codex"]).current_dir(daemon.workspace().join("sub"));
    let mut client = McpClient::run(command);
    client.initialize();
    client.call("read", json!({ "path": "greet.py" })).done();
    daemon.put("greet.py", merged("", ""));
    let patch = |body: String| json!({ "input": format!("*** Begin Patch\n{body}\n*** End Patch") });
    let absolute = daemon.workspace().join("greet.py");
    let body = format!(
        "*** Update File: {}\n@@ def leave():\n-    return \"Bye\"\n+    return \"Ciao\"\n*** Update File: \
         a.txt\n*** Move to: b.txt\n@@\n-one\n+two\n*** Add File: new.txt\n+new",
        absolute.display()
    );
    let applied = client.call("apply_patch", patch(body));
    done(&applied, &["Success. Updated the following files:", "M greet.py", "A sub/new.txt", "merged"]);
    assert_eq!(daemon.get("greet.py"), merged("Bye", "Ciao").as_bytes());
    assert_eq!((daemon.get("sub/b.txt"), daemon.get("sub/new.txt")), (b"two\n".to_vec(), b"new\n".to_vec()));
    let missing = patch("*** Update File: b.txt\n@@\n-nope\n+x".to_owned());
    refused(&client.call("apply_patch", missing), &["Failed to find expected lines in sub/b.txt"]);
    refused(&client.call("apply_patch", json!({ "patch": "x" })), &["input"]);
    refused(&client.call("apply_patch", json!({})), &["input is missing"]);
    client.call("undo", json!({})).done();
    assert_eq!((daemon.get("greet.py"), daemon.get("sub/a.txt")), (merged("", "").into(), b"one\n".to_vec()));
}

#[test]
fn gemini_reads_replaces_and_writes() {
    let (daemon, mut client) = begin("gemini");
    assert_eq!(client.call("read_file", json!({ "file_path": "greet.py" })).done(), GREET);
    for part in [json!({ "start_line": 7, "end_line": 7 }), json!({ "offset": 6, "limit": 1 })] {
        let mut arguments = part.clone();
        arguments["file_path"] = json!("greet.py");
        let read = client.call("read_file", arguments);
        assert_eq!(read.done(), "def leave():\n(lines 7-7 of 8; next: {\"start_line\": 8})", "{part}");
    }
    let replace = |old: &str, new: &str, all: Value| {
        json!({ "file_path": "greet.py", "instruction": "why", "old_string": old, "new_string": new,
                "allow_multiple": all })
    };
    let once = client.call("replace", replace("return", "yield", Value::Null));
    refused(&once, &["Failed to edit, Expected 1 occurrence but found 2", "allow_multiple"]);
    daemon.put("greet.py", merged("", ""));
    let all = client.call("replace", replace("return", "yield", json!(true)));
    done(&all, &["Successfully modified file: greet.py (2 replacements).", "+import os, sys"]);
    assert_eq!(daemon.get("greet.py"), merged("return", "yield").as_bytes());
    let write = client.call("write_file", json!({ "file_path": "n/b.txt", "content": "b" }));
    done(&write, &["Successfully created and wrote to new file: n/b.txt."]);
    client.call("undo", json!({})).done();
    assert!(!daemon.workspace().join("n/b.txt").exists());
    let wrong = json!({ "file_path": "greet.py", "start_line": 4, "end_line": 3 });
    refused(&client.call("read_file", wrong), &["end_line lies before start_line"]);
}

#[test]
fn opencode_reads_edits_and_writes() {
    let (daemon, mut client) = begin("opencode");
    let read = client.call("read", json!({ "filePath": "greet.py", "offset": 7 }));
    done(
        &read,
        &["<path>greet.py</path>", "7: def leave():\n8:     return", "(End of file - total 8 lines)"],
    );
    let part = client.call("read", json!({ "filePath": "greet.py", "limit": 6 }));
    done(&part, &["1: import os\n", "(Showing lines 1-6 of 8. Use offset=7 to continue.)"]);
    daemon.put("greet.py", merged("", ""));
    let edit = |old: &str| json!({ "filePath": "greet.py", "oldString": old, "newString": "Ciao" });
    done(&client.call("edit", edit("Bye")), &["Edit applied successfully.", "+import os, sys"]);
    assert_eq!(daemon.get("greet.py"), merged("Bye", "Ciao").as_bytes());
    refused(&client.call("edit", edit("return")), &["Found 2 matches for oldString", "replaceAll"]);
    refused(&client.call("edit", json!({ "oldString": "a", "newString": "b" })), &["filePath is missing"]);
    done(&client.call("write", json!({ "filePath": "new.txt", "content": "n\n" })), &["Wrote file"]);
    client.call("undo", json!({})).done();
    assert!(!daemon.workspace().join("new.txt").exists());
}

#[test]
fn the_text_editor_views_replaces_inserts_and_creates() {
    const TOOL: &str = "str_replace_based_edit_tool";
    let (daemon, mut client) = begin("text-editor");
    let view = client.call(TOOL, json!({ "command": "view", "path": "greet.py", "view_range": [7, -1] }));
    done(&view, &["Here's the result of running `cat -n` on greet.py:\n     7\tdef leave():\n     8\t"]);
    client.call(TOOL, json!({ "command": "view", "path": "greet.py" })).done();
    daemon.put("greet.py", merged("", ""));
    let replace = |old: &str| json!({ "command": "str_replace", "path": "greet.py", "old_str": old, "new_str": "Ciao" });
    let replaced = client.call(TOOL, replace("Bye"));
    done(&replaced, &["The file greet.py has been edited.", "8\t    return \"Ciao\"", "+import os, sys"]);
    let insert =
        json!({ "command": "insert", "path": "greet.py", "insert_line": 8, "insert_text": "# end\n" });
    client.call(TOOL, insert).done();
    assert_eq!(daemon.get("greet.py"), format!("{}# end\n", merged("Bye", "Ciao")).as_bytes());
    refused(&client.call(TOOL, replace("return")), &["Multiple occurrences", "[4, 8]"]);
    let create = |path: &str| json!({ "command": "create", "path": path, "file_text": "x = 1\n" });
    refused(&client.call(TOOL, create("greet.py")), &["File already exists at: greet.py"]);
    done(&client.call(TOOL, create("new.py")), &["File created successfully at: new.py"]);
    client.call("undo", json!({})).done();
    assert!(!daemon.workspace().join("new.py").exists());
    for (arguments, words) in [
        (json!({ "command": "undo_edit", "path": "greet.py" }), "next: undo {\"paths\":[\"greet.py\"]}"),
        (json!({ "command": "view" }), "path is missing"),
        (json!({ "command": "insert", "path": "greet.py", "insert_text": "x" }), "`insert_line`"),
        (json!({ "command": "view", "path": "greet.py", "view_range": [3, 2] }), "view_range"),
    ] {
        refused(&client.call(TOOL, arguments), &[words]);
    }
}

#[test]
fn serena_reads_lines_from_zero_and_edits_symbols() {
    let (daemon, mut client) = begin("serena");
    let file = |mut more: Value| {
        more["relative_path"] = json!("greet.py");
        more
    };
    let read = client.call("read_file", file(json!({ "start_line": 2, "end_line": 2 })));
    assert_eq!(read.done(), "def greet(name):\n(lines 2-2 of 8, counted from 0; next: {\"start_line\": 3})");
    let end = client.call("read_file", file(json!({ "start_line": -1 })));
    assert_eq!(end.done(), "    return \"Bye\"\n(lines 7-7 of 8, counted from 0)");
    let overview = client.call("get_symbols_overview", file(json!({})));
    assert_eq!(overview.done(), r#"{"function":["greet","leave"]}"#);
    let find = json!({ "name_path_pattern": "leave", "include_body": true, "max_answer_chars": -1 });
    let found: Value = serde_json::from_str(client.call("find_symbol", file(find)).done()).unwrap();
    assert_eq!(found[0]["body_location"], json!({ "start_line": 6, "end_line": 7 }), "{found}");
    assert_eq!(found[0]["body"], "def leave():\n    return \"Bye\"\n", "{found}");
    refused(
        &client.call("find_symbol", json!({ "name_path_pattern": "leave" })),
        &["relative_path is missing"],
    );
    daemon.put("greet.py", merged("", ""));
    let body = |name: &str, text: &str| file(json!({ "name_path": name, "body": text }));
    let replaced = client.call("replace_symbol_body", body("leave", "def leave():\n    return 0"));
    done(&replaced, &["OK", "+import os, sys"]);
    assert_eq!(daemon.get("greet.py"), merged("\"Bye\"", "0").as_bytes());
    refused(&client.call("replace_symbol_body", body("part", "x")), &["No symbol matching 'part'", "greet"]);
    done(&client.call("insert_before_symbol", body("leave", "def stay():\n    pass")), &["OK"]);
    let content =
        |needle: &str, mode: &str| file(json!({ "needle": needle, "repl": "return 1", "mode": mode }));
    done(&client.call("replace_content", content(r"return \d", "regex")), &["OK"]);
    refused(&client.call("replace_content", content("def", "literal")), &["allow_multiple_occurrences"]);
    done(
        &client.call("create_text_file", json!({ "relative_path": "new.py", "content": "x = 1\n" })),
        &["File created: new.py"],
    );
    client.call("undo", json!({})).done();
    assert!(!daemon.workspace().join("new.py").exists());
}

#[test]
fn a_pattern_finds_symbols_with_those_inside_them() {
    let (daemon, mut client) = begin("serena");
    daemon.put(
        "k.py",
        "class A:\n    def m(self):\n        return 1\n\n\nclass B:\n    def m(self):\n        return 2\n",
    );
    let find = |pattern: &str| json!({ "name_path_pattern": pattern, "relative_path": "k.py", "depth": 1 });
    for (pattern, names) in [("m", &["A/m", "B/m"][..]), ("/A/m", &["A/m"]), ("/m", &[]), ("A", &["A"])] {
        let found: Value = serde_json::from_str(client.call("find_symbol", find(pattern)).done()).unwrap();
        let listed: Vec<&str> =
            found.as_array().unwrap().iter().filter_map(|one| one["name_path"].as_str()).collect();
        assert_eq!(listed, names, "{pattern}");
        assert_eq!(found[0]["children"]["method"] == json!(["m"]), pattern == "A", "{found}");
    }
    let overview = client.call("get_symbols_overview", json!({ "relative_path": "k.py", "depth": 1 }));
    assert_eq!(overview.done(), r#"{"class":[{"A":{"method":["m"]}},{"B":{"method":["m"]}}]}"#);
}

#[test]
fn the_filesystem_tools_read_edit_write_and_move() {
    let (daemon, mut client) = begin("mcp-filesystem");
    let head = client.call("read_text_file", json!({ "path": "greet.py", "head": 1 }));
    assert_eq!(head.done(), "import os\n(lines 1-1 of 8; next: {\"tail\": 7})");
    let tail = client.call("read_text_file", json!({ "path": "greet.py", "tail": 1 }));
    assert_eq!(tail.done(), "    return \"Bye\"\n(lines 8-8 of 8)");
    let several = client.call("read_multiple_files", json!({ "paths": ["greet.py", "nope.py"] }));
    assert!(
        several.done().starts_with(&format!("greet.py:\n{GREET}\n\n---\nnope.py: Error - ")),
        "{}",
        several.text
    );
    let edits = |mut edits: Vec<Value>, dry: bool| {
        edits.push(json!({ "oldText": "def leave", "newText": "def depart" }));
        json!({ "path": "greet.py", "edits": edits, "dryRun": dry })
    };
    let bye = || vec![json!({ "oldText": "Bye", "newText": "Ciao" })];
    let dry = client.call("edit_file", edits(bye(), true));
    done(&dry, &["Nothing was written", "+    return \"Ciao\""]);
    assert!(!dry.text.contains("token"), "{}", dry.text);
    daemon.put("greet.py", merged("", ""));
    let edited = client.call("edit_file", edits(bye(), false));
    done(&edited, &["```diff\n--- a/greet.py\n+++ b/greet.py", "+def depart", "+import os, sys"]);
    assert_eq!(edited.text.matches("the edit was merged").count(), 1, "{}", edited.text);
    assert_eq!(daemon.get("greet.py"), merged("Bye", "Ciao").replace("leave", "depart").as_bytes());
    let missing = vec![json!({ "oldText": "return", "newText": "x" })];
    refused(&client.call("edit_file", edits(missing, false)), &["not unique", "2 times"]);
    refused(&client.call("move_file", json!({ "source": "greet.py" })), &["destination is missing"]);
    done(
        &client.call("write_file", json!({ "path": "n/a.txt", "content": "a" })),
        &["Successfully wrote to n/a.txt"],
    );
    let moving = json!({ "source": "n/a.txt", "destination": "b.txt" });
    done(&client.call("move_file", moving), &["Successfully moved n/a.txt to b.txt"]);
    client.call("undo", json!({})).done();
    assert_eq!(daemon.get("n/a.txt"), b"a");
}
