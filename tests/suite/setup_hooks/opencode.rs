//! The plugin that `editctl setup opencode --hooks` writes, run by Node and by Bun, in which opencode runs it.

use std::fs;
use std::path::{Path, PathBuf};

use editd_proto::message::kind;
use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

use super::{done, read, setup};

const FILE: &str = ".opencode/plugins/editctl.js";

/// Returns the programs that run the plugin.
fn engines() -> Vec<PathBuf> {
    let bun = binaries::top().join("tests/node/node_modules/@oven/bun-linux-x64/bin/bun");
    let all = [PathBuf::from("node"), bun];
    let runs = |engine: &PathBuf| {
        let output = TestDaemon::new().command(engine).arg("--version").output();
        let runs = output.is_ok_and(|output| output.status.success());
        if !runs {
            println!("skipped: {} does not run here", engine.display());
        }
        runs
    };
    all.into_iter().filter(runs).collect()
}

/// Runs a hook of the plugin; returns its denial, or `allowed`.
fn hook(daemon: &TestDaemon, engine: &Path, moment: &str, tool: &str, args: &Value, output: &str) -> String {
    let script = binaries::top().join("tests/node/opencode_call.mjs");
    // Without a `package.json`, older versions of Node take a `.js` for another kind of module.
    let plugin = daemon.folder("plugin").join("editctl.mjs");
    fs::create_dir_all(plugin.parent().unwrap()).unwrap();
    fs::copy(daemon.workspace().join(FILE), &plugin).unwrap();
    let call = json!({ "tool": tool, "args": args, "output": output }).to_string();
    let mut command = daemon.command(engine);
    command.env("EDITD_BIN", binaries::editd()).arg(script).arg(plugin).arg(daemon.workspace());
    let output = command.args([moment, &call]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_plugin_denies_a_stale_edit_and_names_the_author() {
    for engine in engines() {
        let daemon = TestDaemon::started();
        done(&daemon, &["opencode", "--hooks"]);
        let path = |name: &str| daemon.workspace().join(name);
        let hook = |moment, tool, args: &Value, output| hook(&daemon, &engine, moment, tool, args, output);
        daemon.put("a.txt", "one\ntwo\n");
        daemon.put("b.txt", "x\ny\n");
        assert_eq!(hook("before", "read", &json!({ "filePath": path("a.txt") }), ""), "allowed\n");
        assert_eq!(hook("after", "read", &json!({ "filePath": path("a.txt") }), ""), "allowed\n");
        let found = format!("Found 1 matches\n{}:\n  Line 2: y", path("b.txt").display());
        assert_eq!(hook("after", "grep", &json!({ "pattern": "y" }), &found), "allowed\n");
        daemon.put("a.txt", "one\n2\n");
        daemon.put("b.txt", "x\nz\n");
        let edit = json!({ "filePath": path("a.txt"), "oldString": "one", "newString": "1" });
        let denied = hook("before", "edit", &edit, "");
        assert!(
            denied.contains("a.txt changed since this session read it") && denied.contains("+2"),
            "{denied}"
        );
        let patch = json!({ "patchText": "*** Begin Patch\n*** Delete File: b.txt\n*** End Patch\n" });
        let denied = hook("before", "apply_patch", &patch, "");
        assert!(denied.contains("b.txt changed since this session read it"), "{denied}");
        // The session has read what the denial shows.
        assert_eq!(hook("before", "edit", &edit, ""), "allowed\n");
        daemon.put("a.txt", "1\n2\n");
        assert_eq!(hook("after", "edit", &edit, "Edit applied successfully."), "allowed\n");
        let query = json!({ "session": "ses_1" });
        let history = daemon.client("reader").ask_json(kind::HISTORY, &query);
        let entry = &history["entries"][0];
        assert_eq!((&entry["label"], &entry["client"]), (&json!("edit"), &json!("opencode")), "{history}");
        done(&daemon, &["opencode", "--hooks", "--remove"]);
        assert!(!path(FILE).exists());
    }
}

#[test]
fn the_call_of_a_tool_that_fails_has_ended() {
    for engine in engines() {
        let daemon = TestDaemon::started();
        done(&daemon, &["opencode", "--hooks"]);
        daemon.put("a.txt", "one\n");
        let edit =
            json!({ "filePath": daemon.workspace().join("a.txt"), "oldString": "x", "newString": "y" });
        assert_eq!(hook(&daemon, &engine, "failed", "edit", &edit, ""), "allowed\n");
        // What another program changes afterwards is not a change of the session.
        daemon.put("a.txt", "two\n");
        let mut client = daemon.client("reader");
        client.ask_json(kind::READ, &json!({ "path": "a.txt" }));
        let ended = client.ask_json(kind::HISTORY, &json!({ "session": "ses_1" }));
        assert_eq!(ended["entries"], json!([]), "{ended}");
    }
}

#[test]
fn without_editctl_the_plugin_allows_every_call() {
    for engine in engines() {
        let daemon = TestDaemon::started();
        done(&daemon, &["opencode", "--hooks"]);
        let text = read(&daemon.workspace().join(FILE));
        let (_, program) = text.split_once("const COMMAND = [").unwrap();
        let program = program.split(',').next().unwrap();
        daemon.put(FILE, text.replace(program, "\"/nowhere/editctl\""));
        let edit = json!({ "filePath": daemon.workspace().join("a.txt"), "content": "1\n" });
        assert_eq!(hook(&daemon, &engine, "before", "write", &edit, ""), "allowed\n");
        assert_eq!(hook(&daemon, &engine, "after", "write", &edit, ""), "allowed\n");
    }
}

#[test]
fn the_plugin_is_replaced_if_it_is_older_and_left_alone_if_setup_did_not_write_it() {
    let daemon = TestDaemon::new();
    done(&daemon, &["opencode", "--hooks", "--user"]);
    assert!(daemon.folder("home").join(".config/opencode/plugins/editctl.js").exists());
    assert!(done(&daemon, &["opencode", "--hooks"]).contains("created"));
    assert!(done(&daemon, &["opencode", "--hooks"]).contains("unchanged"));
    let text = read(&daemon.workspace().join(FILE));
    daemon.put(FILE, text.replace("10_000", "20_000"));
    assert!(done(&daemon, &["opencode", "--hooks"]).contains("replaced"));
    assert_eq!(read(&daemon.workspace().join(FILE)), text);
    daemon.put(FILE, "export const Mine = async () => ({});\n");
    let refused = setup(&daemon, &["opencode", "--hooks"]);
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(
        refused.status.code() == Some(1) && message.contains("setup did not write this file"),
        "{message}"
    );
    assert!(done(&daemon, &["opencode", "--hooks", "--remove"]).contains("unchanged"));
}
