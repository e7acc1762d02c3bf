//! Payloads of other tools from the command line to the file: exit status, replies, detached jobs, kills. The cases
//! of the engine test the meaning of each dialect.

use std::io::Write;
use std::process::{Output, Stdio};

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

const PATCH: &str =
    r#"{"path": "a.txt", "patches": [{"operation": "replace", "oldText": "two", "newText": "2"}]}"#;

fn editctl(daemon: &TestDaemon, words: &[&str], input: &str) -> Output {
    let mut command = daemon.editctl();
    command
        .env("EDITCTL_SESSION", "s")
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn a_stale_payload_exits_with_3_and_applies_when_sent_again() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\ntwo\n");
    editctl(&daemon, &["read", "a.txt"], "");
    daemon.put("a.txt", "zero\none\ntwo\n");
    let stale = editctl(&daemon, &["edit", "--dialect", "patch", "--json", "-"], PATCH);
    let reply = object(&stale);
    assert_eq!(stale.status.code(), Some(3), "{reply}");
    assert_eq!((&reply["error"]["code"], &reply["dialect"]), (&json!("stale"), &json!("patch")));
    assert!(reply["text"].as_str().unwrap().contains("changed since it was read"), "{reply}");

    let again = editctl(&daemon, &["edit"], PATCH);
    let said = String::from_utf8(again.stdout).unwrap();
    let all = "<patches_applied>all</patches_applied>\n<summary>job 2: a.txt +1 -1, line 3</summary>\n";
    assert_eq!((again.status.code(), said.as_str()), (Some(0), all));
    assert_eq!(daemon.get("a.txt"), b"zero\none\n2\n");

    let gone = editctl(&daemon, &["edit", "-"], PATCH);
    let why = String::from_utf8(gone.stderr).unwrap();
    assert_eq!(gone.status.code(), Some(1), "{why}");
    assert!(why.contains("made this very change"), "{why}");
    let nothing = editctl(&daemon, &["edit", "--json"], "hello\n");
    assert_eq!((nothing.status.code(), &object(&nothing)["error"]["code"]), (Some(1), &json!("malformed")));
}

#[test]
fn a_detached_payload_survives_a_kill_and_is_answered_in_its_dialect() {
    let mut daemon = TestDaemon::started();
    daemon.put("a.txt", "one\ntwo\n");
    let request = json!({"detach": true, "key": "k", "payload": {"text": PATCH}});
    let reply = daemon.client("s").ask_json(kind::EDIT, &request);
    assert_eq!(reply["status"], "queued", "{reply}");
    let wait = json!({"job": reply["job"]});
    // Killed before, while or after it runs: either way it is done once.
    daemon.kill_and_start();
    let ended = daemon.client("s").ask_json(kind::WAIT, &wait);
    assert_eq!(ended["status"], "applied", "{ended}");
    assert_eq!(daemon.get("a.txt"), b"one\n2\n");
    let again = daemon.client("s").ask_json(kind::EDIT, &request);
    assert_eq!(
        (&again["repeated"], &again["text"]),
        (
            &json!(true),
            &json!(format!(
                "<patches_applied>all</patches_applied>\n<summary>job {}: a.txt +1 -1, line 2</summary>",
                again["job"]
            ))
        ),
        "{again}"
    );

    // One that ended in peace, and one that was refused, are told by `wait` too.
    for (text, status, word) in [
        (
            r#"{"path": "a.txt", "patches": [{"operation": "append_eof", "newText": "3\n"}]}"#,
            "applied",
            "all",
        ),
        (PATCH, "refused", "none"),
    ] {
        let queued =
            daemon.client("s").ask_json(kind::EDIT, &json!({"detach": true, "payload": {"text": text}}));
        let ended = daemon.client("s").ask_json(kind::WAIT, &json!({"job": queued["job"]}));
        assert_eq!(ended["status"], status, "{ended}");
        let said = ended["text"].as_str().unwrap();
        assert!(said.starts_with(&format!("<patches_applied>{word}</patches_applied>")), "{said}");
    }
}

#[test]
fn an_absolute_path_of_a_payload_must_be_in_the_workspace() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let payload = |path: &str| {
        let text = json!({"path": path, "patches": [{"operation": "append_eof", "newText": "x\n"}]});
        daemon.client("s").ask_json(kind::EDIT, &json!({"payload": {"text": text.to_string()}}))
    };
    let inside = daemon.workspace().join("a.txt");
    assert_eq!(payload(inside.to_str().unwrap())["status"], "applied");
    for outside in ["/etc/passwd", "../a.txt", "/"] {
        let reply = payload(outside);
        assert_eq!(
            (&reply["status"], &reply["error"]["code"]),
            (&json!("refused"), &json!("outside")),
            "{reply}"
        );
        assert!(reply["text"].is_string(), "{reply}");
    }
    assert_eq!(daemon.get("a.txt"), b"one\nx\n");
}

#[test]
fn a_payload_over_its_limit_is_too_large_in_bytes() {
    let mut daemon = TestDaemon::new();
    std::fs::write(daemon.workspace().join(".editd.toml"), "payload_limit = \"1KiB\"\n").unwrap();
    daemon.start();
    let text = |size: usize| {
        let patch =
            json!({"path": "a.txt", "patches": [{"operation": "overwrite", "newText": ""}]}).to_string();
        format!("{patch}{}", " ".repeat(size - patch.len()))
    };
    let send = |size| daemon.client("s").ask_json(kind::EDIT, &json!({"payload": {"text": text(size)}}));
    assert_eq!(send(1024)["status"], "applied");
    let reply = send(1025);
    assert_eq!((&reply["error"]["code"], &reply["error"]["limit"]), (&json!("too_large"), &json!(1024)));
    assert!(reply["error"]["message"].as_str().unwrap().contains("1025 bytes"), "{reply}");
}

#[test]
fn every_dialect_is_listed_with_a_sentence() {
    let daemon = TestDaemon::started();
    let reply = object(&editctl(&daemon, &["dialects", "--json"], ""));
    let listed: Vec<&str> =
        reply["dialects"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    let known: Vec<&str> = editd_engine::dialect::list().map(|(name, _)| name).collect();
    assert_eq!(listed, known);
}
