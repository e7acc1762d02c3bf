//! `editctl hook` with the payloads of agent runtimes: what their own tools read is recorded, what they change has its author,
//! and an edit of a file that changed meanwhile is denied with the change.

mod payloads;
mod shown;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use editd_proto::message::kind;
use editd_tests::binaries;
use editd_tests::client::Client;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// Variables that only one runtime sets.
const SIGNS: &[&str] = &[
    "CLAUDE_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "CURSOR_VERSION",
    "DEVIN_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
];

/// The answer of a hook.
struct Answer {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Answer {
    /// The object that it printed.
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{:?} {}", self.out, self.err))
    }

    /// Checks that the call is allowed, and nothing was to be said.
    fn allows(&self) {
        let quiet = self.out.is_empty() || self.out == "{}\n";
        assert!(
            self.status == Some(0) && quiet && self.err.is_empty(),
            "{:?} {}{}",
            self.status,
            self.out,
            self.err
        );
    }
}

fn hook_command(daemon: &TestDaemon, runtime: &str) -> Command {
    let mut command = daemon.command(binaries::editctl_hook());
    command.arg(runtime).env("EDITD_BIN", binaries::editd());
    SIGNS.iter().for_each(|name| {
        command.env_remove(name);
    });
    command
}

fn answer(mut command: Command, payload: &[u8]) -> Answer {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A hook that ends early closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(payload);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Answer { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn hook(daemon: &TestDaemon, runtime: &str, payload: &Value) -> Answer {
    answer(hook_command(daemon, runtime), payload.to_string().as_bytes())
}

/// The names that a runtime uses in its payloads.
struct Wording {
    runtime: &'static str,
    before: &'static str,
    after: &'static str,
    read: &'static str,
    edit: &'static str,
    shell: &'static str,
    path: &'static str,
}

const fn wording(
    runtime: &'static str,
    (before, after): (&'static str, &'static str),
    (read, edit, shell): (&'static str, &'static str, &'static str),
    path: &'static str,
) -> Wording {
    Wording { runtime, before, after, read, edit, shell, path }
}

const CLAUDE: (&str, &str) = ("PreToolUse", "PostToolUse");

const WORDINGS: &[Wording] = &[
    wording("claude-code", CLAUDE, ("Read", "Edit", "Bash"), "file_path"),
    wording("codex", CLAUDE, ("", "apply_patch", "Bash"), "command"),
    wording("cursor", ("preToolUse", "postToolUse"), ("Read", "Write", "Shell"), "file_path"),
    wording("vscode", CLAUDE, ("read_file", "replace_string_in_file", "run_in_terminal"), "filePath"),
    wording(
        "gemini",
        ("BeforeTool", "AfterTool"),
        ("read_file", "replace", "run_shell_command"),
        "file_path",
    ),
    wording("qwen", CLAUDE, ("read_file", "edit", "run_shell_command"), "file_path"),
];

impl Wording {
    fn payload(&self, daemon: &TestDaemon, event: &str, tool: &str, call: &str, input: &Value) -> Value {
        let folder = daemon.workspace().to_str().unwrap();
        let mut payload =
            json!({ "cwd": folder, "tool_name": tool, "tool_input": input, "transcript_path": "/t" });
        let mut set = |name: &str, value: Value| payload[name] = value;
        let session = format!("{}-session", self.runtime);
        match self.runtime {
            "vscode" => {
                set("sessionId", json!(session));
                set("hookEventName", json!(event));
            }
            _ => {
                set("session_id", json!(session));
                set("hook_event_name", json!(event));
            }
        }
        match self.runtime {
            "cursor" => {
                set("cursor_version", json!("3.1"));
                set("workspace_roots", json!([folder]));
                set("tool_output", json!("{\"success\":true}"));
                set("tool_use_id", json!(call));
            }
            // Gemini gives calls no number.
            "gemini" => {
                set("tool_response", json!({ "llmContent": "ok", "returnDisplay": "ok", "error": null }))
            }
            "vscode" => {
                set("tool_use_id", json!(call));
                set("tool_response", json!("ok"));
            }
            _ => {
                set("tool_use_id", json!(call));
                set("tool_response", json!({ "ok": true }));
            }
        }
        payload
    }

    fn file(&self, daemon: &TestDaemon, name: &str) -> Value {
        let path = daemon.workspace().join(name);
        match self.runtime {
            "codex" => {
                json!({ "command": format!("*** Begin Patch\n*** Update File: {name}\n@@\n-x\n+y\n*** End Patch\n") })
            }
            _ => json!({ self.path: path.to_str().unwrap() }),
        }
    }
}

fn entries(client: &mut Client, path: &str) -> Vec<Value> {
    client.ask_json(kind::HISTORY, &json!({ "path": path }))["entries"].as_array().unwrap().clone()
}

#[test]
fn every_runtime_gets_attribution_denial_and_undo() {
    for words in WORDINGS {
        let daemon = TestDaemon::started();
        let name = words.runtime;
        daemon.put("a.txt", "one\ntwo\n");
        let file = words.file(&daemon, "a.txt");
        let ask = |event: &str, tool: &str, call: &str, input: &Value| {
            hook(&daemon, name, &words.payload(&daemon, event, tool, call, input))
        };
        let session = format!("{name}-session");
        let mut client = daemon.client("looking");
        // The agent reads and edits.
        if words.read.is_empty() {
            daemon.client(&session).ask_json(kind::READ, &json!({ "path": "a.txt" }));
        } else {
            ask(words.after, words.read, "1", &file).allows();
        }
        ask(words.before, words.edit, "2", &file).allows();
        daemon.put("a.txt", "one\n2\n");
        ask(words.after, words.edit, "2", &file).allows();
        let made = entries(&mut client, "a.txt");
        // A write may be noticed in two steps.
        let all = made.iter().all(|one| one["session"] == *session && one["client"] == name);
        assert!(all && !made.is_empty(), "{name}: {made:?}");
        assert_eq!(made[0]["label"], words.edit);
        // Somebody else changes the file: the next edit is denied once, with the change.
        daemon.put("a.txt", "zero\none\n2\n");
        let denied = ask(words.before, words.edit, "3", &file);
        let told = denied.json();
        let (decision, reason) = match name {
            "cursor" => (&told["permission"], &told["agent_message"]),
            "gemini" => (&told["decision"], &told["reason"]),
            _ => {
                let specific = &told["hookSpecificOutput"];
                assert_eq!(specific["hookEventName"], words.before);
                (&specific["permissionDecision"], &specific["permissionDecisionReason"])
            }
        };
        assert_eq!((decision, denied.status), (&json!("deny"), Some(0)), "{name}: {told}");
        assert!(reason.as_str().unwrap().contains("\n+zero\n"), "{name}: {told}");
        ask(words.before, words.edit, "4", &file).allows();
        daemon.put("a.txt", "zero\none\n3\n");
        ask(words.after, words.edit, "4", &file).allows();
        // A shell command changes it, too.
        let command = json!({ "command": "sed -i s/3/4/ a.txt\necho done" });
        ask(words.before, words.shell, "5", &command).allows();
        daemon.put("a.txt", "zero\none\n4\n");
        ask(words.after, words.shell, "5", &command).allows();
        let made = entries(&mut client, "a.txt");
        let mut of: Vec<&str> = made.iter().map(|entry| entry["session"].as_str().unwrap()).collect();
        of.dedup();
        assert_eq!(of, [&*session, "outside", &*session], "{name}");
        assert_eq!(made[0]["label"], format!("{}: sed -i s/3/4/ a.txt", words.shell));
        let log = daemon.editctl().args(["log"]).output().unwrap();
        let log = String::from_utf8(log.stdout).unwrap();
        assert!(log.contains(&format!("external  by {session} ({name})")), "{log}");
        // Its changes are undone, that of the other program stays.
        let undone =
            daemon.editctl().args(["undo", "--session", &session, "--on-stale", "rebase"]).output().unwrap();
        assert!(undone.status.success(), "{name}: {}", String::from_utf8_lossy(&undone.stderr));
        assert_eq!(daemon.get("a.txt"), b"zero\none\ntwo\n", "{name}");
    }
}

fn claude(daemon: &TestDaemon, event: &str, tool: &str, input: &Value) -> Value {
    WORDINGS[0].payload(daemon, event, tool, "1", input)
}

#[test]
fn a_new_file_of_a_tool_is_removed_by_undo() {
    let daemon = TestDaemon::started();
    let input = json!({ "file_path": daemon.workspace().join("new/a.txt"), "content": "a\n" });
    hook(&daemon, "claude-code", &claude(&daemon, "PreToolUse", "Write", &input)).allows();
    daemon.put("new/a.txt", "a\n");
    hook(&daemon, "claude-code", &claude(&daemon, "PostToolUse", "Write", &input)).allows();
    let undone = daemon.editctl().args(["undo", "--session", "claude-code-session"]).output().unwrap();
    assert!(undone.status.success(), "{}", String::from_utf8_lossy(&undone.stderr));
    assert!(!daemon.workspace().join("new/a.txt").exists());
}

#[test]
fn a_read_of_some_lines_is_not_a_read_of_the_others() {
    let daemon = TestDaemon::started();
    let text: String = (1..=30).map(|line| format!("line {line}\n")).collect();
    daemon.put("a.txt", &text);
    let input = json!({ "file_path": daemon.workspace().join("a.txt"), "offset": 1, "limit": 10 });
    hook(&daemon, "claude-code", &claude(&daemon, "PostToolUse", "Read", &input)).allows();
    let grep = json!({ "pattern": "line 20" });
    let mut payload = claude(&daemon, "PostToolUse", "Grep", &grep);
    payload["tool_response"] = json!({ "mode": "content", "content": "a.txt:20:line 20" });
    hook(&daemon, "claude-code", &payload).allows();
    let mut client = daemon.client("claude-code-session");
    let edit = |line: u64| {
        let edits = json!({ "op": "lines", "start": line, "end": line, "text": "x\n" });
        json!({ "mode": "verify_only", "files": { "path": "a.txt", "edits": edits } })
    };
    assert_eq!(client.ask_json(kind::EDIT, &edit(5))["status"], "verified");
    assert_eq!(client.ask_json(kind::EDIT, &edit(20))["status"], "verified");
    let unread = client.ask_json(kind::EDIT, &edit(15));
    assert_eq!(unread["error"]["code"], "unread", "{unread}");
}

#[test]
fn a_daemon_is_started_and_one_that_is_killed_between_the_phases_attributes_nothing_false() {
    let mut daemon = TestDaemon::started();
    daemon.put("a.txt", "1\n");
    let input = json!({ "file_path": daemon.workspace().join("a.txt") });
    hook(&daemon, "claude-code", &claude(&daemon, "PreToolUse", "Edit", &input)).allows();
    daemon.kill();
    daemon.put("a.txt", "2\n");
    daemon.start();
    // The watcher, a read or the end: whichever comes first finds the change.
    daemon.client("other").ask_json(kind::READ, &json!({ "path": "a.txt" }));
    hook(&daemon, "claude-code", &claude(&daemon, "PostToolUse", "Edit", &input)).allows();
    let made = entries(&mut daemon.client("looking"), "a.txt");
    assert!(made.iter().all(|entry| entry["session"] == "outside"), "{made:?}");
    daemon.stop();
    hook(&daemon, "claude-code", &claude(&daemon, "PreToolUse", "Edit", &input)).allows();
    assert!(daemon.editctl().args(["stop"]).status().unwrap().success(), "the hook had started a daemon");
}

#[test]
fn a_call_is_allowed_if_no_daemon_can_be_used() {
    let daemon = TestDaemon::new();
    let input = json!({ "file_path": daemon.workspace().join("a.txt") });
    let payload = claude(&daemon, "PreToolUse", "Edit", &input).to_string();
    let mut none = hook_command(&daemon, "claude-code");
    none.arg("--no-spawn");
    let mut broken = hook_command(&daemon, "gemini");
    broken.env("EDITD_BIN", "/nonexistent/editd");
    for (command, out) in [(none, ""), (broken, "{}\n")] {
        let payload = payload.replace("PreToolUse", if out.is_empty() { "PreToolUse" } else { "BeforeTool" });
        let told = answer(command, payload.as_bytes());
        assert_eq!((told.status, &*told.out), (Some(0), out), "{}", told.err);
        assert!(told.err.contains("the call is allowed"), "{}", told.err);
    }
    // A listener that never answers.
    let socket = daemon.folder("run").join("mute.sock");
    let _mute = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let mut hanging = hook_command(&daemon, "claude-code");
    hanging.arg("--socket").arg(&socket);
    let begun = Instant::now();
    let told = answer(hanging, payload.as_bytes());
    assert_eq!((told.status, &*told.out), (Some(0), ""), "{}", told.err);
    assert!(told.err.contains("did not answer within 3 s"), "{}", told.err);
    assert!(begun.elapsed().as_secs() < 9, "{:?}", begun.elapsed());
}

#[test]
fn a_hook_that_another_runtime_runs_does_nothing() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "1\n");
    let file = json!({ "file_path": daemon.workspace().join("a.txt") });
    let cursor = WORDINGS[2].payload(&daemon, "PreToolUse", "Edit", "1", &file);
    let told = hook(&daemon, "claude-code", &cursor);
    assert_eq!((told.status, &*told.out), (Some(0), ""));
    assert!(told.err.contains("run by cursor"), "{}", told.err);
    daemon.put("a.txt", "2\n");
    assert!(entries(&mut daemon.client("looking"), "a.txt").is_empty(), "the file is not tracked");
}

#[test]
fn two_agents_in_one_tree_are_told_apart() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "1\n");
    daemon.put("b.txt", "1\n");
    let input = |name: &str| json!({ "file_path": daemon.workspace().join(name) });
    let mut first = claude(&daemon, "PreToolUse", "Edit", &input("a.txt"));
    let mut second = claude(&daemon, "PreToolUse", "Edit", &input("b.txt"));
    second["agent_id"] = json!("sub");
    hook(&daemon, "claude-code", &first).allows();
    hook(&daemon, "claude-code", &second).allows();
    fs::write(daemon.workspace().join("a.txt"), "2\n").unwrap();
    fs::write(daemon.workspace().join("b.txt"), "2\n").unwrap();
    for payload in [&mut first, &mut second] {
        payload["hook_event_name"] = json!("PostToolUse");
        hook(&daemon, "claude-code", payload).allows();
    }
    let mut client = daemon.client("looking");
    assert_eq!(entries(&mut client, "a.txt")[0]["session"], "claude-code-session");
    assert_eq!(entries(&mut client, "b.txt")[0]["session"], "claude-code-session/sub");
}
