//! *Commands run only if they are trusted*: the commands of a workspace are listed, but do not run before their hash
//! was recorded, nor after it changed. The same holds for settings that relax something.

use std::os::unix::fs::symlink;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, wait};
use serde_json::{Value, json};

/// A hook that leaves a mark in the workspace when it runs.
fn config(daemon: &TestDaemon, name: &str) -> String {
    let mark = daemon.workspace().join("mark");
    let command = json!(["touch", mark, "{file}"]);
    format!("[[after_write]]\nname = \"{name}\"\nfiles = [\"*.txt\"]\ncommand = {command}\n")
}

fn marked(daemon: &TestDaemon) -> bool {
    let mark = daemon.workspace().join("mark");
    std::fs::remove_file(mark).is_ok()
}

fn trust(daemon: &TestDaemon, request: Value) -> Value {
    daemon.client("s").ask_json(kind::TRUST, &request)
}

fn trust_what_is_there(daemon: &TestDaemon) -> Value {
    let told = trust(daemon, json!({}));
    trust(daemon, json!({ "hash": told["hash"] }))
}

/// Edits a file and gives everything that the receipt warns of.
fn edit(daemon: &TestDaemon, path: &str, text: &str) -> String {
    let receipt = daemon.client("s").ask_json(kind::EDIT, &jobs::write(path, text));
    jobs::applied(&receipt);
    let warnings = |list: &Value| -> Vec<String> {
        list.as_array()
            .into_iter()
            .flatten()
            .map(|one| one.get("warnings").map_or("[]".into(), Value::to_string))
            .collect()
    };
    [warnings(&receipt["files"]), warnings(&receipt["hooks"])].concat().join(" ")
}

#[test]
fn untrusted_commands_never_run_and_are_reported() {
    let daemon = TestDaemon::new();
    daemon.put(".editd.toml", config(&daemon, "mark"));
    let mut daemon = daemon;
    daemon.start();
    let told = edit(&daemon, "a.txt", "1\n");
    assert!(told.contains("mark") && told.contains("editctl trust"), "{told}");
    assert_eq!(edit(&daemon, "a.md", "1\n"), "[]", "no command is for this file");
    let job = jobs::with(jobs::write("a.txt", "verified\n"), "mode", json!("verify_only"));
    // Each session is told once.
    assert_eq!(edit(&daemon, "a.txt", "1b\n"), "[]");
    let receipt = daemon.client("another").ask_json(kind::EDIT, &job);
    assert!(receipt["files"][0]["warnings"][0].as_str().unwrap().contains("editctl trust"), "{receipt}");
    let status = daemon.client("s").ask_json(kind::STATUS, &json!({}));
    assert!(status["left_out"].as_str().unwrap().contains("mark"), "{status}");
    let found = daemon.client("s").ask_json(kind::CHECK, &json!({})).to_string();
    assert!(found.contains("not trusted"), "{found}");
    let told = trust(&daemon, json!({}));
    assert_eq!((&told["trusted"], &told["commands"][0]["name"]), (&json!(false), &json!("mark")));
    assert_eq!(told["commands"][0]["kind"], "after_write");
    for (hash, code) in [("blake3:00", "malformed"), (&*format!("blake3:{}", "0".repeat(64)), "stale")] {
        jobs::refused(&trust(&daemon, json!({ "hash": hash })), code);
    }
    jobs::refused(&trust(&daemon, json!({ "hash": told["hash"], "revoke": true })), "malformed");
    edit(&daemon, "a.txt", "2\n");
    assert!(!marked(&daemon));
}

#[test]
fn trust_is_for_one_content_persists_and_can_be_revoked() {
    let mut daemon = TestDaemon::started();
    daemon.put(".editd.toml", config(&daemon, "one"));
    assert_eq!(trust_what_is_there(&daemon)["trusted"], true);
    assert_eq!(edit(&daemon, "a.txt", "1\n"), "[]");
    assert!(marked(&daemon));
    let status = daemon.client("s").ask_json(kind::STATUS, &json!({}));
    assert_eq!(status["left_out"], Value::Null, "{status}");
    daemon.kill_and_start();
    edit(&daemon, "a.txt", "2\n");
    assert!(marked(&daemon));

    daemon.put(".editd.toml", config(&daemon, "two"));
    assert!(edit(&daemon, "a.txt", "3\n").contains("two"));
    assert!(!marked(&daemon));
    daemon.put(".editd.toml", config(&daemon, "one"));
    edit(&daemon, "a.txt", "4\n");
    assert!(marked(&daemon), "the same content is trusted again");

    assert_eq!(trust(&daemon, json!({ "revoke": true }))["trusted"], false);
    daemon.kill_and_start();
    edit(&daemon, "a.txt", "5\n");
    assert!(!marked(&daemon));
}

#[test]
fn a_job_that_changes_the_commands_runs_neither_the_old_nor_the_new_ones() {
    let daemon = TestDaemon::started();
    daemon.put(".editd.toml", config(&daemon, "one"));
    trust_what_is_there(&daemon);
    let mut job = jobs::write(".editd.toml", &config(&daemon, "two"));
    let other = jobs::write("a.txt", "1\n")["files"][0].clone();
    job["files"].as_array_mut().unwrap().push(other);
    let receipt = daemon.client("s").ask_json(kind::EDIT, &job);
    jobs::applied(&receipt);
    assert!(receipt["files"].to_string().contains("not trusted and do not run: two"), "{receipt}");
    assert!(!marked(&daemon));
}

/// A job on two files whose command waits in its first run until the trust was taken back: its receipt, and how often
/// the command ran.
fn revoked_meanwhile(table: &str, script: &str) -> (TestDaemon, Value, usize) {
    let daemon = TestDaemon::started();
    let (mark, go) = (daemon.workspace().join("mark"), daemon.folder("home").join("go"));
    let script = format!(
        "echo ran >>'{}'; until [ -e '{}' ]; do sleep 0.02; done; {script}",
        mark.display(),
        go.display()
    );
    let command = json!(["sh", "-c", script, "sh", "{file}"]);
    let files = "files = [\"*.txt\"]\ntimeout = \"60s\"";
    daemon.put(".editd.toml", format!("[[{table}]]\nname = \"slow\"\n{files}\ncommand = {command}\n"));
    trust_what_is_there(&daemon);
    daemon.put("a.txt", "before\n");
    let mut job = jobs::append("a.txt", "a\n");
    job["files"].as_array_mut().unwrap().push(jobs::write("b.md", "b\n")["files"][0].clone());
    if table == "after_write" {
        job["files"].as_array_mut().unwrap().push(jobs::write("c.txt", "c\n")["files"][0].clone());
    }
    let mut client = daemon.client("s");
    client.send(kind::EDIT, &job).unwrap();
    wait::until("the command is at work", wait::LONG, || mark.exists().then_some(()));
    assert_eq!(trust(&daemon, json!({ "revoke": true }))["trusted"], false);
    std::fs::write(&go, "").unwrap();
    let receipt: Value = client.receive().unwrap().body().unwrap();
    jobs::applied(&receipt);
    let runs = std::fs::read_to_string(&mark).unwrap().lines().count();
    (daemon, receipt, runs)
}

#[test]
fn revoked_trust_stops_the_remaining_commands_of_a_job() {
    let (daemon, receipt, runs) = revoked_meanwhile("after_write", "echo hook >>\"$1\"");
    assert_eq!((runs, daemon.get("c.txt")), (1, b"c\n".to_vec()), "{receipt}");
    assert!(receipt["hooks"][0]["warnings"].to_string().contains("no longer trusted"), "{receipt}");
    let (_, receipt, runs) = revoked_meanwhile("validator", "echo \"$1:1: wrong\"; exit 1");
    assert_eq!(runs, 1, "the file as it was is not looked at: {receipt}");
    assert!(receipt["files"][0]["warnings"].to_string().contains("no longer trusted"), "{receipt}");
}

#[test]
fn links_and_invalid_files_add_no_command_and_are_reported() {
    let daemon = TestDaemon::started();
    let file = daemon.workspace().join(".editd.toml");
    daemon.put(".editd.toml", config(&daemon, "one"));
    trust_what_is_there(&daemon);
    // The very bytes that are trusted, but behind a link.
    daemon.put("real.toml", config(&daemon, "one"));
    std::fs::remove_file(&file).unwrap();
    symlink("real.toml", &file).unwrap();
    assert!(edit(&daemon, "a.txt", "1\n").contains("it is a link"));
    jobs::refused(&trust(&daemon, json!({})), "malformed");
    std::fs::remove_file(&file).unwrap();
    daemon.put(".editd.toml", config(&daemon, "one") + "shell = true\n");
    let told = edit(&daemon, "a.txt", "2\n");
    assert!(told.contains("line 5") && told.contains("shell"), "{told}");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(edit(&daemon, "a.txt", "3\n"), "[]");
    assert_eq!(trust(&daemon, json!({})), json!({ "trusted": false, "commands": [] }));
    assert!(!marked(&daemon));
}

#[test]
fn an_invalid_command_prevents_no_start_and_invalid_settings_name_their_file() {
    let mut daemon = TestDaemon::new();
    daemon.put(".editd.toml", config(&daemon, "one") + "shell = true\n");
    daemon.start();
    let told = edit(&daemon, "a.txt", "1\n");
    assert!(told.contains("line 5") && told.contains("shell"), "{told}");
    assert!(left_out(&daemon).contains("shell"));
    edit(&daemon, ".editd.toml", &config(&daemon, "one"));
    daemon.kill_and_start();
    assert!(left_out(&daemon).contains("not trusted"));

    daemon.put(".editd.toml", "durability = \"never\"\n");
    daemon.kill();
    let output = daemon.editctl().args(["read", "a.txt"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{said}");
    for word in [".editd.toml is not valid", "line 1", "never"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

/// Settings that relax checks and shorten retention, and a stricter one.
const RELAXED: &str =
    "unread = \"allow\"\nkeep_entries = 100\ngenerated = \"refuse\"\n[syntax]\ncheck = false\n";

fn left_out(daemon: &TestDaemon) -> String {
    daemon.client("s").ask_json(kind::STATUS, &json!({}))["left_out"].to_string()
}

#[test]
fn settings_that_relax_something_take_effect_only_if_they_are_trusted() {
    let mut daemon = TestDaemon::new();
    daemon.put(".editd.toml", RELAXED);
    daemon.put("unseen.txt", "1\n");
    daemon.put("made.go", "// Code generated by x. DO NOT EDIT.\n");
    daemon.start();
    let job = json!({"files": [{"path": "unseen.txt", "edits": [{"op": "write", "text": "2\n"}]}]});
    let unseen = |daemon: &TestDaemon, session: &str| daemon.client(session).ask_json(kind::EDIT, &job);
    let broken =
        |daemon: &TestDaemon| daemon.client("new").ask_json(kind::EDIT, &jobs::write("a.json", "{\n"));
    jobs::refused(&unseen(&daemon, "n1"), "unread");
    jobs::refused(&broken(&daemon), "rejected");
    // A stricter setting needs no trust.
    let mut client = daemon.client("s");
    client.ask_json(kind::READ, &json!({ "path": "made.go" }));
    jobs::refused(&client.ask_json(kind::EDIT, &jobs::append("made.go", "x\n")), "rejected");
    let told = left_out(&daemon);
    for word in ["not trusted and do not apply: unread, keep_entries, syntax.check", "editctl trust"] {
        assert!(told.contains(word), "{told}");
        assert!(daemon.client("s").ask_json(kind::CHECK, &json!({})).to_string().contains(word));
    }
    assert!(daemon.said().contains("unread, keep_entries"), "{}", daemon.said());
    assert!(edit(&daemon, "new.txt", "1\n").contains("do not apply: unread"));

    let told = trust_what_is_there(&daemon);
    let settings = json!(["unread = \"allow\"", "keep_entries = 100", "syntax.check = false"]);
    assert_eq!((&told["trusted"], &told["settings"]), (&json!(true), &settings));
    jobs::applied(&broken(&daemon));
    jobs::refused(&unseen(&daemon, "n2"), "unread");
    let told = left_out(&daemon);
    assert!(told.contains("do not apply yet: unread") && told.contains("editctl stop"), "{told}");
    daemon.stop();
    daemon.start();
    jobs::applied(&unseen(&daemon, "n3"));
    assert_eq!(left_out(&daemon), "null");

    assert_eq!(trust(&daemon, json!({ "revoke": true }))["trusted"], false);
    assert!(left_out(&daemon).contains("no longer trusted: unread"), "{}", left_out(&daemon));
    daemon.kill_and_start();
    daemon.put("unseen.txt", "3\n");
    jobs::refused(&unseen(&daemon, "n4"), "unread");
}

#[test]
fn a_setting_below_its_bound_prevents_the_start() {
    let daemon = TestDaemon::new();
    daemon.put(".editd.toml", "idle_exit = \"1ms\"\n");
    let output = daemon.editctl().args(["read", "a.txt"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{said}");
    for word in ["line 1", "idle_exit", "at least 1s"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn nothing_can_be_trusted_if_an_edit_could_write_the_record() {
    let daemon = TestDaemon::new();
    let inside = daemon.workspace().join("state");
    let mut daemon = daemon.with_options(&["--state", inside.to_str().unwrap()]);
    daemon.put(".editd.toml", config(&daemon, "one"));
    daemon.start();
    jobs::refused(&trust_what_is_there(&daemon), "denied");
    edit(&daemon, "a.txt", "1\n");
    assert!(!marked(&daemon));
}

#[test]
fn editctl_shows_records_and_revokes_trust() {
    let daemon = TestDaemon::started();
    daemon.put(".editd.toml", config(&daemon, "one"));
    let run = |words: &[&str]| {
        let output = daemon.editctl().arg("trust").args(words).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let (exit, shown) = run(&["--show"]);
    assert!(
        exit == 0 && shown.contains("after_write one for *.txt") && shown.contains("not trusted"),
        "{shown}"
    );
    assert_eq!(run(&[]).0, 1, "there is no terminal to ask at");
    let hash = shown.lines().last().unwrap().split(' ').next_back().unwrap();
    assert_eq!(run(&["--yes", &hash.replace(':', ":0")]).0, 1);
    let (exit, shown) = run(&["--yes", hash]);
    assert!(exit == 0 && shown.contains("\ntrusted"), "{shown}");
    edit(&daemon, "a.txt", "1\n");
    assert!(marked(&daemon));
    daemon.put(".editd.toml", config(&daemon, "two"));
    assert_eq!(run(&["--yes", hash]).0, 3, "another content than was looked at is stale");
    assert_eq!(run(&["--revoke"]).0, 0);
    daemon.put(".editd.toml", config(&daemon, "one"));
    edit(&daemon, "a.txt", "2\n");
    assert!(!marked(&daemon));
}
