//! Marks: everything after a mark is undone in one transaction, whoever made it, or nothing is.

use std::fs;
use std::process::Output;

use editd_proto::message::kind;
use editd_tests::client::Client;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use editd_tests::{jobs, process, wait};
use serde_json::{Value, json};

fn mark(client: &mut Client, name: &str) -> u64 {
    let reply = client.ask_json(kind::MARK, &json!({ "name": name }));
    assert_eq!(reply["name"], name, "{reply}");
    jobs::number(&reply)
}

fn to(client: &mut Client, name: &str) -> Value {
    client.ask_json(kind::UNDO, &json!({ "to": name }))
}

fn edit(client: &mut Client, job: &Value) -> u64 {
    let receipt = client.ask_json(kind::EDIT, job);
    jobs::applied(&receipt);
    jobs::number(&receipt)
}

/// The newest entry of a file by another program, once it is journaled.
fn noticed(client: &mut Client, path: &str, than: u64) {
    wait::until("the change is journaled", wait::LONG, || {
        let log = client.ask_json(kind::HISTORY, &json!({ "path": path, "limit": 1 }));
        let newest = &log["entries"][0];
        (newest["kind"] == "external" && newest["id"].as_u64() > Some(than)).then_some(())
    });
}

fn unchanged(before: &FileTree, daemon: &TestDaemon) {
    assert_eq!(before.differences(&FileTree::of(daemon.workspace())), [""; 0]);
}

fn editctl(daemon: &TestDaemon, words: &[&str]) -> Output {
    daemon.editctl().args(words).env("EDITCTL_SESSION", "cli").output().unwrap()
}

fn said(daemon: &TestDaemon, words: &[&str]) -> String {
    let done = editctl(daemon, words);
    assert!(done.status.success(), "{words:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn an_undo_to_a_mark_restores_what_sessions_and_other_programs_changed() {
    if process::skips_under_wine("a folder that is watched cannot be removed") {
        return;
    }
    let mut daemon = TestDaemon::started();
    for path in ["a.txt", "b.txt", "c.txt"] {
        daemon.put(path, format!("{path}\none\n"));
    }
    let (mut one, mut two) = (daemon.client("one"), daemon.client("two"));
    let older = edit(&mut one, &jobs::append("a.txt", "older\n"));
    edit(&mut two, &jobs::write("b.txt", "two\n"));
    let before = FileTree::of(daemon.workspace());
    let number = mark(&mut one, "start");
    assert!(number > older);

    edit(&mut two, &jobs::write("new/d.txt", "new\n"));
    edit(&mut one, &jobs::one("c.txt", json!({"op": "delete"})));
    edit(&mut two, &jobs::append("b.txt", "more\n"));
    jobs::applied(&one.ask_json(kind::UNDO, &json!({ "jobs": [older] })));
    daemon.put("b.txt", "two\nmore\nby a formatter\n");
    noticed(&mut one, "b.txt", number);
    let last = edit(&mut one, &jobs::append("new/d.txt", "again\n"));
    jobs::applied(&one.ask_json(kind::UNDO, &json!({ "jobs": [last] })));
    let after = FileTree::of(daemon.workspace());

    let preview = one.ask_json(kind::UNDO, &json!({ "to": "start", "mode": "verify_only" }));
    assert_eq!(jobs::status(&preview), "verified", "{preview}");
    unchanged(&after, &daemon);
    drop((one, two));
    daemon.kill_and_start();
    let mut three = daemon.client("three");
    jobs::applied(&to(&mut three, "start"));
    unchanged(&before, &daemon);
    let log = three.ask_json(kind::HISTORY, &json!({ "limit": 1 }));
    assert_eq!(log["entries"][0]["label"], "undo to start", "{log}");

    daemon.kill_and_start();
    let mut three = daemon.client("three");
    jobs::applied(&three.ask_json(kind::REDO, &json!({})));
    unchanged(&after, &daemon);
    jobs::applied(&to(&mut three, "start"));
    unchanged(&before, &daemon);
    assert_eq!(jobs::status(&to(&mut three, "start")), "unchanged", "it is there already");
}

#[test]
fn an_undo_to_a_mark_is_refused_as_a_whole() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let mut client = daemon.client("s");
    mark(&mut client, "start");
    edit(&mut client, &jobs::append("a.txt", "two\n"));
    edit(&mut client, &jobs::write("b.txt", "new\n"));
    fs::remove_file(daemon.workspace().join("b.txt")).unwrap();
    // On Windows, the name is free once no program has the file open.
    wait::until("the name is free", wait::LONG, || fs::create_dir(daemon.workspace().join("b.txt")).ok());
    let refused = to(&mut client, "start");
    assert_ne!(jobs::status(&refused), "applied", "{refused}");
    assert_eq!(daemon.get("a.txt"), b"one\ntwo\n", "nothing is undone");
}

#[test]
fn a_change_that_no_event_has_reported_belongs_to_its_side_of_the_mark() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let mut client = daemon.client("s");
    edit(&mut client, &jobs::append("a.txt", "two\n"));
    for round in 0..10 {
        let name = format!("mark {round}");
        let own = format!("by a person {round}\n");
        daemon.put("a.txt", &own);
        mark(&mut client, &name);
        daemon.put("a.txt", format!("{own}by a formatter {}\n", "x".repeat(round)));
        jobs::applied(&to(&mut client, &name));
        assert_eq!(String::from_utf8(daemon.get("a.txt")).unwrap(), own, "in round {round}");
    }
}

#[test]
fn a_change_that_was_made_while_no_daemon_ran_is_undone_at_once() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    edit(&mut client, &jobs::write("a.txt", "one\n"));
    mark(&mut client, "start");
    edit(&mut client, &jobs::append("a.txt", "two\n"));
    // The journal keeps contents that were read, and needs this one to undo the change that replaces it.
    client.ask_json(kind::READ, &json!({ "path": "a.txt" }));
    let name = blake3::hash(b"one\ntwo\n").to_hex();
    wait::until("the content is kept", wait::LONG, || {
        let state = FileTree::of(&daemon.folder("state"));
        state.nodes.keys().any(|path| path.ends_with(name.as_bytes())).then_some(())
    });
    drop(client);
    daemon.stop();
    daemon.put("a.txt", "by a person\n");
    daemon.start();
    jobs::applied(&to(&mut daemon.client("s"), "start"));
    assert_eq!(daemon.get("a.txt"), b"one\n");
}

#[test]
fn a_change_of_any_journaled_file_while_no_daemon_ran_is_noticed() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    for path in ["a.txt", "b.txt", "c/d.txt", "e.txt"] {
        edit(&mut client, &jobs::write(path, "one\n"));
    }
    mark(&mut client, "first");
    drop(client);
    daemon.stop();
    daemon.put("a.txt", "by a person\n");
    daemon.start();
    let mut client = daemon.client("s");
    mark(&mut client, "second");
    drop(client);
    daemon.stop();
    daemon.put("c/d.txt", "by a person\n");
    fs::remove_file(daemon.workspace().join("b.txt")).unwrap();
    daemon.start();
    let mut client = daemon.client("s");
    jobs::applied(&to(&mut client, "second"));
    assert_eq!((&*daemon.get("b.txt"), &*daemon.get("c/d.txt")), (&b"one\n"[..], &b"one\n"[..]));
    assert_eq!(daemon.get("a.txt"), b"by a person\n", "it was changed before the mark");
    jobs::applied(&to(&mut client, "first"));
    assert_eq!(daemon.get("a.txt"), b"one\n");
}

#[test]
fn entries_that_were_undone_since_the_mark_do_not_count() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    edit(&mut client, &jobs::write("a.txt", "one\n"));
    mark(&mut client, "start");
    edit(&mut client, &jobs::append("a.txt", "two\n"));
    edit(&mut client, &jobs::append("a.txt", "three\n"));
    edit(&mut client, &jobs::write("b.txt", "new\n"));
    for _ in 0..3 {
        jobs::applied(&client.ask_json(kind::UNDO, &json!({})));
    }
    assert_eq!(jobs::status(&to(&mut client, "start")), "unchanged", "it is there already");
    edit(&mut client, &jobs::append("a.txt", "four\n"));
    let undone = to(&mut client, "start");
    jobs::applied(&undone);
    assert_eq!(daemon.get("a.txt"), b"one\n");
    let log = client.ask_json(kind::HISTORY, &json!({ "limit": 1 }));
    assert_eq!(log["entries"][0]["of"].as_array().map(Vec::len), Some(1), "{log}");
    jobs::applied(&client.ask_json(kind::REDO, &json!({})));
    assert_eq!(daemon.get("a.txt"), b"one\nfour\n");
    jobs::applied(&to(&mut client, "start"));
    assert!(daemon.get("a.txt") == b"one\n" && !daemon.workspace().join("b.txt").exists());
}

#[test]
fn more_than_a_thousand_entries_are_undone_to_a_mark() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    edit(&mut client, &jobs::write("a.txt", "0\n"));
    mark(&mut client, "start");
    for nth in 1..=1100 {
        let mut job = jobs::write("a.txt", &format!("{nth}\n"));
        job["durability"] = json!("relaxed");
        edit(&mut client, &job);
    }
    jobs::applied(&to(&mut client, "start"));
    assert_eq!(daemon.get("a.txt"), b"0\n");
}

#[cfg(unix)]
#[test]
fn a_folder_or_link_in_place_of_a_file_is_no_success() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    for path in ["a.txt", "b.txt", "c/d.txt", "e.txt"] {
        edit(&mut client, &jobs::write(path, "one\n"));
    }
    mark(&mut client, "start");
    let at = |path: &str| daemon.workspace().join(path);
    fs::remove_file(at("a.txt")).unwrap();
    fs::create_dir(at("a.txt")).unwrap();
    let refused = to(&mut client, "start");
    jobs::refused(&refused, "unsupported");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("a.txt is a folder now; move it away and undo again"), "{message}");
    fs::remove_dir(at("a.txt")).unwrap();
    jobs::applied(&to(&mut client, "start"));

    fs::remove_file(at("b.txt")).unwrap();
    std::os::unix::fs::symlink("e.txt", at("b.txt")).unwrap();
    fs::rename(at("c"), at("moved")).unwrap();
    std::os::unix::fs::symlink("moved", at("c")).unwrap();
    jobs::refused(&to(&mut client, "start"), "unsupported");
    fs::remove_file(at("b.txt")).unwrap();
    let refused = to(&mut client, "start");
    jobs::refused(&refused, "unsupported");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("which leads to moved/d.txt now"), "{message}");
    fs::remove_file(at("c")).unwrap();
    jobs::applied(&to(&mut client, "start"));
    for path in ["a.txt", "b.txt", "c/d.txt", "e.txt", "moved/d.txt"] {
        assert_eq!(daemon.get(path), b"one\n", "{path}");
    }
    // A folder that was there when the mark was made stays.
    fs::remove_file(daemon.workspace().join("a.txt")).unwrap();
    fs::create_dir(daemon.workspace().join("a.txt")).unwrap();
    mark(&mut client, "later");
    drop(client);
    daemon.kill_and_start();
    let mut client = daemon.client("s");
    edit(&mut client, &jobs::append("e.txt", "two\n"));
    jobs::applied(&to(&mut client, "later"));
    assert_eq!(daemon.get("e.txt"), b"one\n");
}

#[test]
fn a_file_that_became_too_large_is_reported() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    edit(&mut client, &jobs::write("a.txt", "one\n"));
    edit(&mut client, &jobs::write("b.txt", "one\n"));
    mark(&mut client, "start");
    let large = fs::File::options().write(true).open(daemon.workspace().join("a.txt")).unwrap();
    large.set_len(editd_proto::limits::FILE as u64 + 1).unwrap();
    let nothing = to(&mut client, "start");
    assert!(
        nothing.to_string().contains("a.txt: another program changed it, but it is too large"),
        "{nothing}"
    );
    edit(&mut client, &jobs::append("b.txt", "two\n"));
    let undone = to(&mut client, "start");
    jobs::applied(&undone);
    let files: Vec<&Value> = undone["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(files, ["b.txt", "a.txt"], "{undone}");
}

#[cfg(unix)]
#[test]
fn a_mode_that_another_program_changed_is_restored() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    edit(&mut client, &jobs::write("a.sh", "one\n"));
    edit(&mut client, &jobs::write("b.sh", "one\n"));
    let mode = |daemon: &TestDaemon, path: &str| {
        fs::metadata(daemon.workspace().join(path)).unwrap().permissions().mode() & 0o7777
    };
    let set = |daemon: &TestDaemon, path: &str| {
        fs::set_permissions(daemon.workspace().join(path), fs::Permissions::from_mode(0o751)).unwrap();
    };
    let before = mode(&daemon, "a.sh");
    mark(&mut client, "start");
    set(&daemon, "a.sh");
    jobs::applied(&to(&mut client, "start"));
    drop(client);
    daemon.stop();
    set(&daemon, "b.sh");
    daemon.start();
    let mut client = daemon.client("s");
    jobs::applied(&to(&mut client, "start"));
    assert_eq!((mode(&daemon, "a.sh"), mode(&daemon, "b.sh")), (before, before));
    assert_eq!((daemon.get("a.sh"), daemon.get("b.sh")), (b"one\n".to_vec(), b"one\n".to_vec()));
    assert_eq!(jobs::status(&to(&mut client, "start")), "unchanged");
}

#[test]
fn a_session_or_a_path_limits_an_undo_to_a_mark() {
    let daemon = TestDaemon::started();
    let (mut one, mut two) = (daemon.client("one"), daemon.client("two"));
    mark(&mut one, "start");
    edit(&mut one, &jobs::write("a.txt", "one\n"));
    edit(&mut two, &jobs::write("b.txt", "two\n"));
    edit(&mut one, &jobs::write("c.txt", "one\n"));
    jobs::applied(&one.ask_json(kind::UNDO, &json!({ "to": "start", "session": "two" })));
    assert!(!daemon.workspace().join("b.txt").exists() && daemon.get("a.txt") == b"one\n");
    jobs::applied(&one.ask_json(kind::UNDO, &json!({ "to": "start", "path": "c.txt" })));
    assert!(!daemon.workspace().join("c.txt").exists() && daemon.get("a.txt") == b"one\n");
}

#[test]
fn names_have_rules_and_a_name_used_again_means_the_newest() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    let none = to(&mut client, "start");
    jobs::refused(&none, "not_found");
    assert!(none.to_string().contains("editctl mark NAME"), "{none}");
    let longest = "m".repeat(200);
    mark(&mut client, &longest);
    for (name, code) in [("", "malformed"), ("a\u{1b}b", "malformed"), (&*"m".repeat(201), "too_large")] {
        let refused = client.ask_json(kind::MARK, &json!({ "name": name }));
        jobs::refused(&refused, code);
    }
    mark(&mut client, "start");
    edit(&mut client, &jobs::write("a.txt", "one\n"));
    let mark_of_one = mark(&mut client, "start");
    let empty = to(&mut client, "start");
    jobs::refused(&empty, "not_found");
    assert!(empty.to_string().contains("nothing that matches was changed"), "{empty}");
    edit(&mut client, &jobs::write("a.txt", "two\n"));
    jobs::applied(&to(&mut client, "start"));
    assert_eq!(daemon.get("a.txt"), b"one\n");
    let unknown = to(&mut client, "strat");
    jobs::refused(&unknown, "not_found");
    assert!(unknown["error"]["message"].as_str().unwrap().contains("the marks are \"start\""), "{unknown}");
    for request in [json!({ "to": "start", "jobs": [1] }), json!({ "to": "start", "since": 1 })] {
        jobs::refused(&client.ask_json(kind::UNDO, &request), "malformed");
    }
    jobs::refused(&client.ask_json(kind::REDO, &json!({ "to": "start" })), "malformed");
    jobs::refused(&client.ask_json(kind::UNDO, &json!({ "jobs": [mark_of_one] })), "unsupported");
    // A mark is no change, so that the last one is still that of the file.
    mark(&mut client, "end");
    jobs::applied(&client.ask_json(kind::UNDO, &json!({})));
    assert!(!daemon.workspace().join("a.txt").exists());
}

#[test]
fn marks_are_in_the_log_in_the_net_change_and_in_an_export() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    said(&daemon, &["write", "a.txt", "zero\n", "--base", "any"]);
    let marked = said(&daemon, &["mark", "before cleaning"]);
    assert!(marked.contains("entry 2 is the mark \u{201c}before cleaning\u{201d}"), "{marked}");
    let none = editctl(&daemon, &["diff", "--mark", "before cleaning"]);
    let none = String::from_utf8_lossy(&none.stderr);
    assert!(none.contains("the last edits are by --session cli (entry 1)"), "{none}");
    said(&daemon, &["write", "a.txt", "one\n"]);
    said(&daemon, &["write", "a.txt", "two\n"]);
    let log = said(&daemon, &["log"]);
    assert!(log.contains("mark  by cli (editctl)  \u{201c}before cleaning\u{201d}"), "{log}");
    let diff = said(&daemon, &["diff", "--mark", "before cleaning"]);
    assert!(diff.contains("-zero\n+two\n"), "{diff}");
    let unknown = editctl(&daemon, &["diff", "--mark", "x"]);
    assert!(!unknown.status.success() && String::from_utf8_lossy(&unknown.stderr).contains("no mark"));

    let file = daemon.folder("home").join("journal.jsonl");
    said(&daemon, &["export", file.to_str().unwrap()]);
    let copy = TestDaemon::new();
    copy.put("a.txt", "two\n");
    said(&copy, &["import", file.to_str().unwrap()]);
    for daemon in [&daemon, &copy] {
        let preview = said(daemon, &["--mode", "strict", "undo", "--to", "before cleaning", "--dry-run"]);
        assert!(preview.contains("-two") && preview.contains("+zero"), "{preview}");
        said(daemon, &["undo", "--to", "before cleaning"]);
        assert_eq!(daemon.get("a.txt"), b"zero\n");
    }
    said(&copy, &["stop"]);
}
