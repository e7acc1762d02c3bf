//! `editctl mcp` with real daemons: a client speaks JSON lines to it, as agent runtimes do.

mod long_reads;
mod moved_numbers;
mod node_clients;
mod numbers;
mod one_diff;
mod python_clients;
mod refusals;
mod repeated;
mod resource;
mod roots;
mod toolsets;
mod transcript;
#[cfg(target_os = "linux")]
mod two_agents;
mod undo;
mod whole_files;
mod wrong_lines;

use std::process::Stdio;

use editd_tests::binaries;
use editd_tests::mcp_client::{McpClient, ToolResult};
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

const GREET: &str =
    "import os\n\ndef greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    return \"Bye\"\n";

fn edit(client: &mut McpClient, edits: Value) -> ToolResult {
    client.call("edit", json!({ "edits": edits }))
}

#[test]
fn the_tools_take_at_most_700_tokens_and_are_annotated() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &[]);
    let listed = client.ask("tools/list", json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["read", "edit", "undo", "history"]);
    let tokens = tiktoken_rs::o200k_base().unwrap().encode_ordinary(&listed["tools"].to_string()).len();
    assert!(tokens <= 700, "{tokens} tokens");
    for tool in tools {
        let hints = tool["annotations"].as_object().unwrap();
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(hints[hint].is_boolean(), "{tool}");
        }
    }
    let mut client = McpClient::begin(&daemon, &["--tools", "read,history"]);
    assert_eq!(client.ask("tools/list", json!({}))["tools"].as_array().unwrap().len(), 2);
    let refused = client.request("tools/call", json!({ "name": "edit", "arguments": {} }));
    let told = refused["error"]["message"].as_str().unwrap();
    assert_eq!(told, "there is no tool \"edit\"; there are read, history");
}

#[test]
fn a_client_reads_edits_three_files_and_undoes_a_hunk() {
    let daemon = TestDaemon::started();
    let text = GREET.replace("\n\n\n", "\n\n\nA = 1\nB = 2\nC = 3\nD = 4\n\n\n");
    daemon.put("greet.py", &text);
    daemon.put("crlf.txt", "one\r\ntwo\r\n");
    let mut client = McpClient::begin(&daemon, &[]);
    assert_eq!(client.call("read", json!({ "path": "greet.py" })).done(), text);
    let symbol = client.call("read", json!({ "path": "greet.py", "symbol": "leave" }));
    assert_eq!(symbol.done(), "def leave():\n    return \"Bye\"\n");
    let lines = client.call("read", json!({ "path": "greet.py", "lines": "3-4" }));
    assert_eq!(lines.done(), "3\tdef greet(name):\n4\t    return \"Hello \" + name\n(lines 3-4 of 14)");
    let edits = json!([
        { "path": "greet.py", "old": "\"Bye\"", "new": "\"Goodbye\"" },
        { "path": "greet.py", "lines": "1", "insert": "after", "new": "import sys\n" },
        { "path": "crlf.txt", "old": "one", "new": "1\n1b" },
        { "path": "new/file.txt", "content": "new\n" },
    ]);
    let applied = client.call("edit", json!({ "edits": edits, "why": "three files" }));
    assert!(applied.done().starts_with("job 1 applied"), "{}", applied.text);
    assert_eq!(applied.structured["job"], 1);
    assert_eq!(daemon.get("crlf.txt"), b"1\r\n1b\r\ntwo\r\n");
    assert_eq!(daemon.get("new/file.txt"), b"new\n");
    let first = text.replace("import os\n", "import os\nimport sys\n");
    assert_eq!(daemon.get("greet.py"), first.replace("Bye", "Goodbye").as_bytes());
    let listed = client.call("history", json!({}));
    assert!(listed.done().contains("three files") && listed.text.contains("mcp-client"), "{}", listed.text);
    let shown = client.call("history", json!({ "job": 1 }));
    assert!(shown.done().contains("hunk 2"), "{}", shown.text);
    client.call("undo", json!({ "job": 1, "paths": ["greet.py"], "hunks": [2] })).done();
    assert_eq!(daemon.get("greet.py"), first.as_bytes());
    client.call("undo", json!({ "job": 1 })).done();
    assert_eq!(daemon.get("greet.py"), text.as_bytes());
    assert!(!daemon.workspace().join("new/file.txt").exists());
}

#[test]
fn every_kind_of_edit_has_its_effect() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &[]);
    let cases = [
        (json!({ "old": "return", "new": "yield", "all": true }), GREET.replace("return", "yield")),
        (
            json!({ "old": "return", "new": "yield", "lines": "7-8" }),
            GREET.replace("return \"B", "yield \"B"),
        ),
        (
            json!({ "old": "return", "new": "yield", "symbol": "greet" }),
            GREET.replace("return \"H", "yield \"H"),
        ),
        (json!({ "lines": [1, 2], "new": "" }), GREET.replace("import os\n\n", "")),
        (json!({ "lines": 1, "delete": true }), GREET.replace("import os\n", "")),
        (json!({ "old": "import os\n", "delete": true }), GREET.replace("import os\n", "")),
        (
            json!({ "symbol": "leave", "part": "body", "new": "pass" }),
            GREET.replace("return \"Bye\"", "pass"),
        ),
        (
            json!({ "old": "import os", "insert": "before", "new": "import io" }),
            format!("import io\n{GREET}"),
        ),
        (json!({ "insert": "end", "new": "# end" }), format!("{GREET}# end\n")),
        (json!({ "insert": "start", "new": "# start\n" }), format!("# start\n{GREET}")),
        (json!({ "lines": "8", "insert": "after", "new": "    # end\n" }), format!("{GREET}    # end\n")),
        (json!({ "content": "pass\n" }), "pass\n".to_owned()),
    ];
    for (mut given, expected) in cases {
        daemon.put("greet.py", GREET);
        client.call("read", json!({ "path": "greet.py" })).done();
        given["path"] = json!("greet.py");
        edit(&mut client, json!([given])).done();
        assert_eq!(String::from_utf8(daemon.get("greet.py")).unwrap(), expected, "{given}");
    }
    edit(&mut client, json!([{ "path": "greet.py", "old": "pass", "new": "...", "rename_to": "sub/b.py" }]))
        .done();
    assert_eq!(daemon.get("sub/b.py"), b"...\n");
    let delete = |path: &str| json!([{ "path": path, "symbol": null, "delete": true }]);
    edit(&mut client, delete("sub/b.py")).done();
    daemon.put("unread.py", GREET);
    assert!(edit(&mut client, delete("unread.py")).text.contains("send the job again"), "shown is read");
    edit(&mut client, delete("unread.py")).done();
    assert!(["sub/b.py", "unread.py"].iter().all(|path| !daemon.workspace().join(path).exists()));
}

#[test]
fn refusals_name_the_next_call_and_no_command() {
    let daemon = TestDaemon::started();
    daemon.put("greet.py", GREET);
    daemon.put("unread.py", GREET);
    let mut client = McpClient::begin(&daemon, &[]);
    client.call("read", json!({ "path": "greet.py" })).done();
    edit(&mut client, json!([{ "path": "greet.py", "old": "Bye", "new": "Goodbye" }])).done();
    let cases = [
        (json!({ "path": "greet.py", "old": "return", "new": "yield" }), "\"all\": true"),
        (json!({ "path": "greet.py", "old": "\"Bye\"", "new": "yield" }), "history {\"job\": 1}"),
        (json!({ "path": "unread.py", "lines": "1-3", "new": "x" }), "read"),
        (json!({ "path": "greet.py", "old": "return \"H", "new": "return (\"H" }), "syntax"),
        (json!({ "path": "greet.py", "old": "Hello", "nw": "Hi" }), "did you mean `new`?"),
        (json!({ "path": "greet.py", "old": "Hello" }), "edits[0].new is missing"),
        (json!({ "path": "greet.py", "lines": "9-3", "new": "" }), "edits[0].lines must be"),
        (json!({ "path": "../x", "content": "" }), "outside"),
        (json!({ "path": ".git/hooks/x", "content": "" }), ".git"),
        (json!({ "path": "greet.py", "content": "", "old": "x" }), "leave out the other fields"),
        (
            json!({ "path": "greet.py", "lines": "1", "symbol": "leave", "delete": true }),
            "cannot be combined",
        ),
        (json!({ "path": "greet.py", "lines": "1", "new": "", "part": "body" }), "edits[0].part is"),
        (
            json!({ "path": "greet.py", "symbol": "leave", "part": "body", "delete": true }),
            "edits[0].part is",
        ),
        (
            json!({ "path": "greet.py", "symbol": "leave", "part": "body", "insert": "after", "new": "x" }),
            "edits[0].part is",
        ),
        (
            json!({ "path": "greet.py", "symbol": "leave", "insert": "end", "new": "x" }),
            "before or after with",
        ),
        (json!("greet.py"), "edits[0] must be an object"),
    ];
    for (given, expected) in cases {
        let refused = edit(&mut client, json!([given]));
        assert!(refused.is_error && refused.text.contains(expected), "{given}: {}", refused.text);
        // The user has to approve that one in a terminal.
        let names_commands = ["editctl ", "--"].iter().any(|word| refused.text.contains(word));
        assert!(!names_commands || expected == ".git", "{given}: {}", refused.text);
    }
    let undone = client.call("undo", json!({ "job": 1 }));
    assert!(!undone.is_error, "{}", undone.text);
    for (given, expected) in [
        (json!({ "job": 1 }), "undo of the job that undid it restores it"),
        (json!({ "job": 77 }), "history lists"),
        (json!({}), "history lists every entry"),
    ] {
        let refused = client.call("undo", given);
        assert!(refused.is_error && refused.text.contains(expected), "{}", refused.text);
        assert!(!refused.text.contains("editctl "), "{}", refused.text);
    }
    let missing = client.call("read", json!({ "path": "nope.py" }));
    assert!(missing.is_error && missing.text.contains("does not exist"), "{}", missing.text);
    assert!(client.call("undo", json!({ "hunks": [1] })).is_error);
    assert_eq!(daemon.get("unread.py"), GREET.as_bytes());
}

#[test]
fn a_checked_edit_is_applied_with_its_token() {
    let daemon = TestDaemon::started();
    daemon.put("greet.py", GREET);
    let mut client = McpClient::begin(&daemon, &[]);
    let edits = json!([{ "path": "greet.py", "old": "Bye", "new": "Goodbye" }]);
    let same = json!([{ "path": "greet.py", "old": "Bye", "new": "Bye" }]);
    let unchanged = client.call("edit", json!({ "edits": same, "check_only": true }));
    assert!(unchanged.done().contains("greet.py unchanged"), "{}", unchanged.text);
    let check = |client: &mut McpClient| {
        let checked = client.call("edit", json!({ "edits": edits, "check_only": true }));
        assert!(checked.done().contains("+    return \"Goodbye\""), "{}", checked.text);
        let token = checked.text.rsplit(' ').next().unwrap().to_owned();
        assert_eq!(checked.structured["token"], token, "{}", checked.structured);
        assert!(checked.structured["verified"].is_null(), "{}", checked.structured);
        token
    };
    let token = check(&mut client);
    assert_eq!(daemon.get("greet.py"), GREET.as_bytes());
    let text = GREET.replace("import os", "import os, sys");
    daemon.put("greet.py", &text);
    let changed = client.call("edit", json!({ "token": token }));
    assert!(changed.is_error && changed.text.contains("check them again"), "{}", changed.text);
    // The edits of the check are sent again with the token, or the token is enough.
    for given in [json!({ "edits": edits }), json!({})] {
        daemon.put("greet.py", &text);
        client.call("read", json!({ "path": "greet.py" })).done();
        let mut given = given;
        given["token"] = json!(check(&mut client));
        client.call("edit", given).done();
        assert_eq!(daemon.get("greet.py"), text.replace("Bye", "Goodbye").as_bytes());
    }
    let unknown = client.call("edit", json!({ "token": "0123" }));
    assert!(unknown.is_error && unknown.text.contains("send the same edits with it"), "{}", unknown.text);
}

#[test]
fn a_token_is_used_once() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let mut client = McpClient::begin(&daemon, &[]);
    let edits = |new: &str| json!([{ "path": "a.txt", "insert": "end", "new": new }]);
    let checked = client.call("edit", json!({ "edits": edits("two"), "check_only": true }));
    let token = checked.structured["token"].clone();
    let other = client.call("edit", json!({ "edits": edits("three"), "token": token }));
    assert!(other.is_error && other.text.contains("token is that of other edits"), "{}", other.text);
    client.call("edit", json!({ "token": token })).done();
    for given in [json!({ "token": token }), json!({ "edits": edits("two"), "token": token })] {
        let again = client.call("edit", given);
        assert!(again.done().starts_with("these edits were applied already, as job 1"), "{}", again.text);
        assert_eq!(again.structured["job"], 1, "{}", again.structured);
    }
    assert_eq!(daemon.get("a.txt"), b"one\ntwo\n");
}

#[test]
fn the_object_of_a_reply_has_whole_paths() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &[]);
    let path = |nth: u64| {
        format!("a/folder/with/a/rather/long/name/and/another/one/below/it/of-the-file-number-{nth}.txt")
    };
    let edits = [1, 2, 3].map(|nth| json!({ "path": path(nth), "content": "x\n" }));
    let done = edit(&mut client, json!(edits));
    let files: Vec<&String> = done.structured["files"].as_object().unwrap().keys().collect();
    assert_eq!(files, [&path(1), &path(2), &path(3)], "{}", done.done());
}

#[test]
fn a_long_file_is_shown_in_parts_and_the_rest_is_not_read() {
    let daemon = TestDaemon::started();
    let line = |number: u64| format!("line {number} of a long file\n");
    daemon.put("long.txt", (1..=10_000).map(line).collect::<String>());
    let mut client = McpClient::begin(&daemon, &[]);
    let shown = client.call("read", json!({ "path": "long.txt" }));
    let end = shown.done().rsplit('(').next().unwrap().to_owned();
    let last: u64 = end.trim_start_matches("lines 1-").split(' ').next().unwrap().parse().unwrap();
    assert!(shown.text.len() < 100_000 && last > 1000 && end.ends_with("of 10000)"), "{end}");
    let unread = edit(&mut client, json!([{ "path": "long.txt", "lines": "9000", "new": "x\n" }]));
    assert!(unread.is_error && unread.text.contains("unread"), "{}", unread.text);
    edit(&mut client, json!([{ "path": "long.txt", "lines": last.to_string(), "new": "x\n" }])).done();
}

#[test]
fn a_long_file_with_carriage_returns_is_shown_once() {
    let daemon = TestDaemon::started();
    daemon.put("old.txt", (1..=9000).map(|number| format!("number {number} of them\r")).collect::<String>());
    let mut client = McpClient::begin(&daemon, &[]);
    let shown = client.call("read", json!({ "path": "old.txt" }));
    let lines: Vec<&str> = shown.done().split('\r').collect();
    let (note, lines) = lines.split_last().unwrap();
    assert!(lines.len() > 1000 && note.trim() == format!("(lines 1-{} of 9000)", lines.len()), "{note}");
    for (line, number) in lines.iter().zip(1..) {
        assert_eq!(*line, format!("{number}\tnumber {number} of them"));
    }
}

#[test]
fn a_change_by_another_program_is_merged_and_shown() {
    let daemon = TestDaemon::started();
    daemon.put("greet.py", GREET);
    let mut client = McpClient::begin(&daemon, &[]);
    client.call("read", json!({ "path": "greet.py" })).done();
    daemon.put("greet.py", GREET.replace("import os", "import os, sys"));
    let merged = edit(&mut client, json!([{ "path": "greet.py", "lines": "8", "new": "    return 0\n" }]));
    assert!(merged.done().contains("rebased") && merged.text.contains("import os, sys"), "{}", merged.text);
    let expected = GREET.replace("import os", "import os, sys").replace("\"Bye\"", "0");
    assert_eq!(daemon.get("greet.py"), expected.as_bytes());
    daemon.put("greet.py", expected.replace("return 0", "return 1"));
    let conflict = edit(&mut client, json!([{ "path": "greet.py", "lines": "8", "new": "    return 2\n" }]));
    assert!(conflict.is_error && conflict.text.contains("return 1"), "{}", conflict.text);
}

#[test]
fn calls_that_are_sent_together_are_answered() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &[]);
    let ids: Vec<u64> = (0..32)
        .map(|nth| {
            let edits = json!([{ "path": format!("{nth}.txt"), "content": format!("{nth}\n") }]);
            client.send("tools/call", json!({ "name": "edit", "arguments": { "edits": edits } }))
        })
        .collect();
    for (nth, id) in ids.into_iter().enumerate() {
        ToolResult::of(&client.reply(id)["result"]).done();
        assert_eq!(daemon.get(&format!("{nth}.txt")), format!("{nth}\n").into_bytes());
    }
}

#[test]
fn the_stateless_revision_is_served() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let mut client = McpClient::start(&daemon, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "stateless", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = client.ask("server/discover", json!({ "_meta": meta }));
    assert!(found["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    let listed = client.ask("tools/list", json!({ "_meta": meta }));
    assert_eq!(listed["tools"].as_array().unwrap().len(), 4, "{listed}");
    let call = json!({ "name": "read", "arguments": { "path": "a.txt" }, "_meta": meta });
    let reply = client.ask("tools/call", call);
    assert_eq!(reply["resultType"], "complete", "{reply}");
    assert_eq!(ToolResult::of(&reply).done(), "one\n");
}

#[test]
fn a_bare_environment_finds_the_daemon_that_serves() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let mut command = daemon.command(binaries::editctl_mcp());
    // As Codex starts servers. A daemon cannot be started.
    command
        .env_clear()
        .env("HOME", daemon.folder("home"))
        .env("PATH", "/nonexistent")
        .env("EDITD_BIN", "/none");
    let mut client = McpClient::run(command);
    client.initialize();
    assert_eq!(client.call("read", json!({ "path": "a.txt" })).done(), "one\n");
}

#[test]
#[cfg(unix)]
fn a_daemon_outlives_the_process_group_of_its_server() {
    use std::os::unix::process::CommandExt;

    let mut daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    daemon.kill();
    let mut command = daemon.editctl();
    command.arg("mcp").process_group(0).stderr(Stdio::null());
    let mut client = McpClient::run(command);
    client.initialize();
    edit(&mut client, json!([{ "path": "a.txt", "old": "one", "new": "two" }])).done();
    client.kill_group();
    let status = daemon.editctl().args(["status", "--no-spawn"]).output().unwrap();
    let stopped = daemon.editctl().arg("stop").output().unwrap();
    assert!(status.status.success() && stopped.status.success(), "{status:?} {stopped:?}");
    assert_eq!(daemon.get("a.txt"), b"two\n");
}

#[test]
fn a_server_that_may_not_start_a_daemon_says_so_until_one_serves() {
    let mut daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    daemon.kill();
    let mut client = McpClient::begin(&daemon, &["--no-spawn"]);
    let refused = client.call("read", json!({ "path": "a.txt" }));
    assert!(refused.is_error && refused.text.contains("no daemon"), "{}", refused.text);
    daemon.start();
    assert_eq!(client.call("read", json!({ "path": "a.txt" })).done(), "one\n");
}
