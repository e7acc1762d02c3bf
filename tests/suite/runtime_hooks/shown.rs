//! The reads and searches of tools are recorded, so that a later change of a file is noticed: empty files, single lines, and
//! searches with more passages than are recorded.

use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

use super::{Answer, answer, claude, hook, hook_command};

/// Asks whether the file may be edited.
fn before_edit(daemon: &TestDaemon, name: &str) -> Answer {
    let input = json!({ "file_path": daemon.workspace().join(name) });
    hook(daemon, "claude-code", &claude(daemon, "PreToolUse", "Edit", &input))
}

fn denies(told: &Answer) -> bool {
    told.out.contains("\"deny\"")
}

#[test]
fn a_change_after_a_read_of_an_empty_file_or_of_one_line_is_noticed() {
    let file = |start: u64, lines: u64, total: u64| json!({ "type": "text", "file": { "startLine": start, "numLines": lines, "totalLines": total } });
    for (text, input, response) in [
        ("", json!({}), file(1, 0, 0)),
        ("", json!({}), file(1, 1, 1)),
        ("", json!({}), Value::Null),
        ("", json!({ "offset": 1 }), Value::Null),
        ("one\n", json!({ "offset": 1, "limit": 1 }), Value::Null),
        ("one\ntwo\n", json!({ "offset": 2, "limit": 1 }), Value::Null),
        // The last line, for a runtime that counts from 1.
        ("one\ntwo\n", json!({ "offset": 2, "limit": 5 }), Value::Null),
        ("one\ntwo\n", json!({ "offset": -1 }), file(2, 1, 2)),
    ] {
        let daemon = TestDaemon::started();
        daemon.put("a.txt", text);
        let mut read = input.clone();
        read["file_path"] = json!(daemon.workspace().join("a.txt"));
        let mut payload = claude(&daemon, "PostToolUse", "Read", &read);
        payload["tool_response"] = response.clone();
        hook(&daemon, "claude-code", &payload).allows();
        daemon.put("a.txt", format!("{text}more\n"));
        let told = before_edit(&daemon, "a.txt");
        assert!(denies(&told), "{input} {response}: {}{}", told.out, told.err);
    }
}

#[test]
fn every_file_of_a_long_search_result_is_recorded_before_the_rest_of_any() {
    let daemon = TestDaemon::started();
    let lines: String = (1..=2400).map(|at| format!("line {at}\n")).collect();
    daemon.put("a.txt", &lines);
    daemon.put("b.txt", "one\n");
    let every_other: String = (1..=1200).map(|at| format!("a.txt:{}:line\n", at * 2)).collect();
    let mut payload = claude(&daemon, "PostToolUse", "Grep", &json!({ "pattern": "n" }));
    payload["tool_response"] = json!({ "mode": "content", "content": format!("{every_other}b.txt:1:one\n") });
    let told = hook(&daemon, "claude-code", &payload);
    assert_eq!((told.status, &*told.out), (Some(0), ""), "{}", told.err);
    assert!(told.err.contains("201 passages") && told.err.contains("at most 1000"), "{}", told.err);
    for name in ["a.txt", "b.txt"] {
        daemon.put(name, "changed\n");
        assert!(denies(&before_edit(&daemon, name)), "{name}");
    }
}

#[test]
fn a_patch_of_too_many_files_is_allowed_with_a_message() {
    let daemon = TestDaemon::started();
    let patch: String = (0..1001).map(|at| format!("*** Add File: f{at}\n")).collect();
    let payload = claude(&daemon, "PreToolUse", "apply_patch", &json!({ "input": patch }));
    let told = hook(&daemon, "claude-code", &payload);
    assert_eq!((told.status, &*told.out), (Some(0), ""), "{}", told.err);
    assert!(told.err.contains("1001 files"), "{}", told.err);
}

#[test]
fn a_byte_order_mark_in_front_of_a_payload_does_not_hide_the_call() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let input = json!({ "file_path": daemon.workspace().join("a.txt") });
    let marked = |event: &str, tool: &str| {
        let payload = format!("\u{feff}{}", claude(&daemon, event, tool, &input));
        answer(hook_command(&daemon, "claude-code"), payload.as_bytes())
    };
    marked("PostToolUse", "Read").allows();
    daemon.put("a.txt", "two\n");
    assert!(denies(&marked("PreToolUse", "Edit")));
}
