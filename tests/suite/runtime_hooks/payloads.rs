//! Payloads that are no JSON, have half a character, or do not end: the call is allowed, and the reason is told.

use std::io::Write;
use std::process::Stdio;

use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

use super::{answer, claude, entries, hook, hook_command};

#[test]
fn payloads_that_nobody_should_send_are_allowed_with_a_message() {
    let daemon = TestDaemon::started();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let large = vec![b' '; 65 * 1024 * 1024];
    for bad in
        [&b""[..], b"{", b"[]", b"\xff", b"{\"hook_event_name\":\"PreToolUse\"}", deep.as_bytes(), &large]
    {
        let told = answer(hook_command(&daemon, "claude-code"), bad);
        assert_eq!((told.status, &*told.out), (Some(0), ""), "{}", told.err);
        assert!(told.err.contains("the call is allowed"), "{}", told.err);
    }
    let stop = json!({ "hook_event_name": "Stop", "session_id": "s" });
    hook(&daemon, "claude-code", &stop).allows();
    let long = json!({ "file_path": format!("{}/a", "x".repeat(100_000)) });
    let told = hook(&daemon, "claude-code", &claude(&daemon, "PreToolUse", "Edit", &long));
    assert_eq!((told.status, &*told.out), (Some(0), ""), "{}", told.err);
    let outside = json!({ "file_path": daemon.folder("home").join("a.txt") });
    hook(&daemon, "claude-code", &claude(&daemon, "PreToolUse", "Edit", &outside)).allows();
    let wrong = answer(hook_command(&daemon, "emacs"), b"{}");
    assert_eq!((wrong.status, &*wrong.out), (Some(1), ""), "exit status 2 would deny the call");
}

#[test]
fn half_a_character_in_a_payload_does_not_hide_the_call() {
    let daemon = TestDaemon::started();
    daemon.put("a", "one\n");
    let payload =
        claude(&daemon, "PreToolUse", "Edit", &json!({ "file_path": "a", "old_string": "HALF" })).to_string();
    for half in ["\\ud83d", "\\ude00 \\\\", "\\ud83d\\ud83d\\ude00", "\\uD83D\\n"] {
        answer(hook_command(&daemon, "claude-code"), payload.replace("HALF", half).as_bytes()).allows();
        daemon.put("a", format!("{half}\n"));
        let after = payload.replace("HALF", half).replace("PreToolUse", "PostToolUse");
        answer(hook_command(&daemon, "claude-code"), after.as_bytes()).allows();
        let newest = &entries(&mut daemon.client("other"), "a")[0];
        assert_eq!(
            (&newest["kind"], &newest["label"]),
            (&json!("external"), &json!("Edit")),
            "{half}: {newest}"
        );
        assert_ne!(newest["session"], "outside", "{half}: {newest}");
    }
}

#[test]
fn a_payload_that_does_not_end_is_named_as_the_reason() {
    let daemon = TestDaemon::started();
    let mut command = hook_command(&daemon, "claude-code");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut open = child.stdin.take().unwrap();
    open.write_all(b"{\"hook_event_name\": \"PreToolUse\"}").unwrap();
    let output = child.wait_with_output().unwrap();
    drop(open);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{told}");
    assert!(told.contains("did not end the payload") && told.contains("within 3 s"), "{told}");
    assert!(!told.contains("editd did not answer"), "{told}");
}
