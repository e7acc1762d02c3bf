//! `editctl setup RUNTIME --hooks`: the hooks of every runtime are written, run as they are written, and removed.

mod opencode;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// The runtimes, each with the file of its hooks, the event before a tool, its edit tool, and the field for a path.
const RUNTIMES: &[(&str, &str, &str, &str, &str)] = &[
    ("claude-code", ".claude/settings.json", "PreToolUse", "Edit", "file_path"),
    ("codex", ".codex/hooks.json", "PreToolUse", "apply_patch", ""),
    ("cursor", ".cursor/hooks.json", "preToolUse", "Write", "file_path"),
    ("vscode", ".github/hooks/editctl.json", "PreToolUse", "create_file", "filePath"),
    ("gemini", ".gemini/settings.json", "BeforeTool", "replace", "file_path"),
    ("qwen", ".qwen/settings.json", "PreToolUse", "edit", "file_path"),
];

fn setup(daemon: &TestDaemon, words: &[&str]) -> Output {
    let mut command = daemon.editctl();
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "APPDATA"] {
        command.env_remove(name);
    }
    command.arg("setup").args(words).output().unwrap()
}

fn done(daemon: &TestDaemon, words: &[&str]) -> String {
    let output = setup(daemon, words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The commands in a file of hooks, in the order of the file.
fn commands(found: &Value, commands_found: &mut Vec<String>) {
    match found {
        Value::Object(members) => {
            commands_found.extend(members.get("command").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|value| commands(value, commands_found));
        }
        Value::Array(elements) => elements.iter().for_each(|value| commands(value, commands_found)),
        _ => {}
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_hooks_of_every_runtime_work_as_they_are_written() {
    let daemon = TestDaemon::started();
    for (runtime, file, event, tool, field) in RUNTIMES {
        let path = daemon.workspace().join(file);
        let dry = done(&daemon, &[runtime, "--hooks", "--project", "--dry-run"]);
        assert!(dry.contains("not done (--dry-run)") && !path.exists(), "{dry}");
        let told = done(&daemon, &[runtime, "--hooks", "--project"]);
        assert!(told.contains("created") && told.contains(event), "{told}");
        let text = read(&path);
        let again = done(&daemon, &[runtime, "--hooks", "--project"]);
        assert!(again.contains("unchanged") && read(&path) == text, "{again}");
        // A shell runs the first command, as the runtime would.
        let mut found = Vec::new();
        commands(&serde_json::from_str(&text).unwrap(), &mut found);
        let name = format!("{runtime}.txt");
        daemon.put(&name, "1\n");
        let input = match *field {
            "" => json!({ "command": format!("*** Begin Patch\n*** Delete File: {name}\n*** End Patch\n") }),
            field => json!({ field: daemon.workspace().join(&name) }),
        };
        let payload = json!({ "session_id": runtime, "cwd": daemon.workspace(), "hook_event_name": event,
                              "tool_name": tool, "tool_input": input, "tool_use_id": "1" });
        let mut shell = daemon.command("sh");
        let sign = if *runtime == "cursor" { "CURSOR_VERSION" } else { "NO_SIGN" };
        shell.arg("-c").arg(&found[0]).env(sign, "3").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        assert!(child.wait_with_output().unwrap().status.success(), "{found:?}");
        daemon.put(&name, "2\n");
        let mut client = daemon.client(runtime);
        let ended = client.ask_json(kind::NOTE, &json!({ "phase": "end", "call": "1" }));
        assert_eq!(
            (&ended["announced"], &ended["entries"][0]["path"]),
            (&json!(true), &json!(name)),
            "{ended}"
        );
        let removed = done(&daemon, &[runtime, "--hooks", "--project", "--remove"]);
        assert!(removed.contains("deleted") && !path.exists(), "{removed}");
    }
}

#[test]
fn hooks_and_the_server_share_a_file_and_leave_the_rest_as_it_was() {
    let daemon = TestDaemon::new();
    let own = "{\n  // mine\n  \"hooks\": {\n    \"AfterTool\": [\n      {\"matcher\": \"x\", \"hooks\": []},\n    ],\n  },\n}\n";
    daemon.put(".gemini/settings.json", own);
    let path = daemon.workspace().join(".gemini/settings.json");
    done(&daemon, &["gemini"]);
    let with_server = read(&path);
    done(&daemon, &["gemini", "--hooks"]);
    let with_both = read(&path);
    assert!(
        with_both.contains("// mine") && with_both.contains("{\"matcher\": \"x\", \"hooks\": []},"),
        "{with_both}"
    );
    assert!(done(&daemon, &["gemini"]).contains("unchanged"));
    done(&daemon, &["gemini", "--hooks", "--remove"]);
    assert_eq!(read(&path), with_server);
    done(&daemon, &["gemini", "--remove"]);
    assert_eq!(read(&path), own);
    assert!(done(&daemon, &["gemini", "--hooks", "--remove"]).contains("unchanged"));
}

#[test]
fn places_and_refusals() {
    let daemon = TestDaemon::new();
    let home = |name: &str| -> PathBuf { daemon.folder("home").join(name) };
    done(&daemon, &["codex", "--hooks"]);
    assert!(home(".codex/hooks.json").exists(), "Codex reads the file of a project only if it is trusted");
    done(&daemon, &["claude-code", "--hooks", "--user"]);
    assert!(home(".claude/settings.json").exists());
    done(&daemon, &["claude-code", "--hooks", "--local"]);
    assert!(daemon.workspace().join(".claude/settings.local.json").exists());
    for (words, status, because) in [
        (&["zed", "--hooks"][..], 2, "has no hooks"),
        (&["gemini", "--hooks", "--local"], 2, "leave out --local"),
        (&["gemini", "--local"], 2, "--hooks"),
    ] {
        let output = setup(&daemon, words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(status) && said.contains(because), "{words:?}: {said}");
    }
    daemon.put(".cursor/hooks.json", "{\"hooks\": {}}");
    daemon.put(".qwen/settings.json", "{\"hooks\": [],}");
    for (runtime, because) in [("cursor", "`version` is missing"), ("qwen", "`hooks` must be an object")] {
        let output = setup(&daemon, &[runtime, "--hooks"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains(because), "{said}");
    }
}

#[test]
fn all_is_decided_before_anything_is_written() {
    let daemon = TestDaemon::new();
    daemon.put(".claude/settings.json", "[]\n");
    let refused = setup(&daemon, &["claude-code", "--all"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        refused.status.code() == Some(1) && said.contains("must be an object; nothing was written"),
        "{said}"
    );
    assert!(refused.stdout.is_empty() && !daemon.workspace().join(".mcp.json").exists(), "{refused:?}");
    // The hooks are removed first; they stay if the server cannot be removed.
    daemon.put(".qwen/settings.json", "{\n  \"mcpServers\": {\"editctl\": {\"command\": \"mine\"}}\n}\n");
    done(&daemon, &["qwen", "--hooks"]);
    let path = daemon.workspace().join(".qwen/settings.json");
    let text = read(&path);
    let refused = setup(&daemon, &["qwen", "--all", "--remove"]);
    assert!(refused.status.code() == Some(1) && refused.stdout.is_empty(), "{refused:?}");
    assert_eq!(read(&path), text);
}

#[test]
fn an_empty_file_gets_the_hooks_and_a_dry_run_of_all_shows_both() {
    let daemon = TestDaemon::new();
    let put = |file: &str, text: &str| {
        fs::create_dir_all(daemon.workspace().join(file).parent().unwrap()).unwrap();
        fs::write(daemon.workspace().join(file), text).unwrap();
    };
    for (runtime, file, event, ..) in RUNTIMES {
        let path = daemon.workspace().join(file);
        for empty in ["", "\n", " \r\n", "\u{feff}"] {
            put(file, empty);
            let dry = done(&daemon, &[runtime, "--all", "--project", "--dry-run"]);
            assert_eq!(dry.matches("not done (--dry-run): ").count(), 2, "{dry}");
            assert_eq!(read(&path), empty, "{runtime}");
            let told = done(&daemon, &[runtime, "--all", "--project"]);
            let diffs = |told: &str| -> Vec<String> {
                told.lines().filter(|line| line.starts_with(['+', '-', '@'])).map(str::to_owned).collect()
            };
            assert_eq!(diffs(&dry), diffs(&told), "{runtime}");
            done(&daemon, &[runtime, "--all", "--project", "--remove"]);
            put(file, empty);
            done(&daemon, &[runtime, "--hooks", "--project"]);
            let text = read(&path);
            assert!(
                text.contains(event) && text.starts_with('\u{feff}') == empty.starts_with('\u{feff}'),
                "{text}"
            );
            done(&daemon, &[runtime, "--hooks", "--project", "--remove"]);
        }
    }
}

#[test]
fn a_linked_file_keeps_the_version_that_the_runtime_needs() {
    let daemon = TestDaemon::new();
    for (runtime, file, ..) in RUNTIMES {
        let path = daemon.workspace().join(file);
        let target = daemon.workspace().join(format!("{runtime}.json"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Setup would create the file in this form, and delete it without the link.
        let start = if *runtime == "cursor" { "{\n  \"version\": 1\n}\n" } else { "{}\n" };
        fs::write(&target, start).unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        done(&daemon, &[runtime, "--hooks", "--project"]);
        done(&daemon, &[runtime, "--hooks", "--project", "--remove"]);
        assert_eq!(read(&path), start, "{runtime}");
        done(&daemon, &[runtime, "--hooks", "--project"]);
    }
}

#[test]
fn a_hook_with_an_option_is_left_alone_and_named() {
    let daemon = TestDaemon::new();
    done(&daemon, &["claude-code", "--hooks"]);
    let path = daemon.workspace().join(".claude/settings.json");
    let edited = read(&path).replace(" hook claude-code", " hook claude-code --session x");
    daemon.put(".claude/settings.json", &edited);
    let told = done(&daemon, &["claude-code", "--hooks"]);
    assert!(told.contains("unchanged") && told.contains("--session x` has options"), "{told}");
    assert_eq!(read(&path), edited);
    done(&daemon, &["claude-code", "--hooks", "--remove"]);
    assert!(!path.exists());
}

#[test]
fn all_writes_the_server_and_the_hooks_and_removes_both() {
    let daemon = TestDaemon::started();
    for (runtime, hooks, ..) in RUNTIMES {
        let server = match *runtime {
            "claude-code" => ".mcp.json",
            "codex" => ".codex/config.toml",
            "cursor" => ".cursor/mcp.json",
            "vscode" => ".vscode/mcp.json",
            // The same file.
            _ => hooks,
        };
        let paths = [server, hooks].map(|file| daemon.workspace().join(file));
        let told = done(&daemon, &[runtime, "--all", "--project"]);
        assert!(told.contains("the server `editctl`") && told.contains("the hooks of `editctl`"), "{told}");
        assert!(read(&paths[0]).contains("mcp") && read(&paths[1]).contains("editctl hook"), "{told}");
        let again = done(&daemon, &[runtime, "--all", "--project"]);
        assert_eq!(again.matches("unchanged: ").count(), 2, "{again}");
        let objects = done(&daemon, &[runtime, "--all", "--project", "--remove", "--json"]);
        assert_eq!(objects.lines().count(), 2, "{objects}");
        assert!(paths.iter().all(|path| !path.exists()), "{objects}");
        // Neither is the last that was written when it is removed.
        for (first, second) in [(None, Some("--hooks")), (Some("--hooks"), None)] {
            let run = |more: &[&str]| {
                for one in [first, second] {
                    let words: Vec<_> =
                        [*runtime, "--project"].into_iter().chain(one).chain(more.iter().copied()).collect();
                    done(&daemon, &words);
                }
            };
            run(&[]);
            run(&["--remove"]);
            assert!(paths.iter().all(|path| !path.exists()), "{runtime} {first:?} {second:?}");
        }
    }
    let refused = setup(&daemon, &["zed", "--all"]);
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && message.contains("leave out --all"), "{message}");
}
