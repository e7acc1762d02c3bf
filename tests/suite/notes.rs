//! `note`: changes by other tools are attributed to the session that announced them, and to nobody else.

use std::fs;

use editd_proto::message::kind;
use editd_tests::client::Client;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::wait;
use serde_json::{Value, json};

/// The newest entry of a path, once there are so many.
fn newest(client: &mut Client, path: &str, count: usize) -> Value {
    wait::until("the change is journaled", wait::LONG, || {
        let told = client.ask_json(kind::HISTORY, &json!({ "path": path }));
        let entries = told["entries"].as_array().unwrap();
        (entries.len() >= count).then(|| entries[0].clone())
    })
}

/// Puts a file in place in one step, so that the watcher does not notice it half written.
fn put(daemon: &TestDaemon, path: &str, text: &str) {
    let file = daemon.workspace().join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let staged = daemon.folder("home").join("staged");
    fs::write(&staged, text).unwrap();
    // On Windows, not while another program has it open.
    wait::until("the file can be replaced", wait::LONG, || fs::rename(&staged, &file).ok());
}

fn note(client: &mut Client, note: &Value) -> Value {
    client.ask_json(kind::NOTE, note)
}

#[test]
fn a_change_between_begin_and_end_is_of_the_session_and_can_be_undone() {
    let daemon = TestDaemon::started();
    put(&daemon, "a.txt", "one\ntwo\n");
    let mut client = daemon.client("s");
    let begun = note(
        &mut client,
        &json!({ "phase": "begin", "paths": ["a.txt", "new/b.txt"], "label": "Edit", "call": "1" }),
    );
    assert_eq!(begun, json!({ "announced": true }));
    put(&daemon, "a.txt", "one\n2\n");
    put(&daemon, "new/b.txt", "b\n");
    let ended = note(&mut client, &json!({ "phase": "end", "call": "1" }));
    let mut paths: Vec<&str> =
        ended["entries"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    paths.sort_unstable();
    assert_eq!((&ended["announced"], paths), (&json!(true), vec!["a.txt", "new/b.txt"]), "{ended}");
    let entry = newest(&mut client, "a.txt", 1);
    let told = |name: &str| entry[name].as_str().unwrap().to_owned();
    assert_eq!(
        (told("session"), told("client"), told("label")),
        ("s".into(), "editd-tests".into(), "Edit".into())
    );
    assert_eq!(entry["kind"], "external");
    // The session knows what it wrote: its next job is not stale.
    let job =
        json!({ "files": { "path": "a.txt", "edits": { "op": "replace", "old": "2\n", "new": "3\n" } } });
    assert_eq!(client.ask_json(kind::EDIT, &job)["status"], "applied");
    let undone = daemon.client("other").ask_json(kind::UNDO, &json!({ "session": "s" }));
    assert_eq!(undone["status"], "applied", "{undone}");
    assert_eq!(daemon.get("a.txt"), b"one\ntwo\n");
    assert!(!daemon.workspace().join("new/b.txt").exists());
}

#[test]
fn a_tool_that_empties_a_file_before_it_writes_makes_one_entry() {
    let daemon = TestDaemon::started();
    put(&daemon, "a.txt", "one\ntwo\nthree\n");
    put(&daemon, "b.txt", "b\n");
    let mut client = daemon.client("s");
    client.ask_json(kind::READ, &json!({ "path": "b.txt" }));
    note(&mut client, &json!({ "phase": "begin", "paths": ["a.txt"], "label": "Edit", "call": "1" }));
    daemon.put("a.txt", "");
    // The daemon handles events in their order: it has noticed that the first file is empty, too.
    put(&daemon, "b.txt", "c\n");
    newest(&mut client, "b.txt", 1);
    daemon.put("a.txt", "one\n2\nthree\n");
    let ended = note(&mut client, &json!({ "phase": "end", "call": "1" }));
    assert_eq!(ended["entries"].as_array().unwrap().len(), 1, "{ended}");
    let entry = newest(&mut client, "a.txt", 1);
    assert_eq!(
        (&entry["files"][0]["added"], &entry["files"][0]["removed"]),
        (&json!(1), &json!(1)),
        "{entry}"
    );
    assert_eq!(client.ask_json(kind::UNDO, &json!({ "path": "a.txt" }))["status"], "applied");
    assert_eq!(daemon.get("a.txt"), b"one\ntwo\nthree\n");
}

#[test]
fn a_session_whose_calls_have_no_end_can_announce_another() {
    let daemon = TestDaemon::started();
    put(&daemon, "a.txt", "one\n");
    let mut client = daemon.client("s");
    // As many as a session may have, and more.
    for call in 0..70 {
        let begin = json!({ "phase": "begin", "call": call.to_string() });
        assert_eq!(note(&mut client, &begin)["announced"], true, "{call}");
    }
    note(&mut client, &json!({ "phase": "begin", "paths": ["a.txt"], "call": "edit" }));
    put(&daemon, "a.txt", "two\n");
    let ended = note(&mut client, &json!({ "phase": "end", "call": "edit" }));
    assert_eq!(ended["entries"].as_array().unwrap().len(), 1, "{ended}");
    assert_eq!(note(&mut client, &json!({ "phase": "end", "call": "0" }))["announced"], false);
}

#[test]
fn a_call_that_never_ended_does_not_let_its_session_overwrite_others() {
    let daemon = TestDaemon::started();
    put(&daemon, "a.txt", "one\n");
    let mut client = daemon.client("s");
    client.ask_json(kind::READ, &json!({ "path": "a.txt" }));
    // The runtime asks a person, who refuses the call and edits the file. No hook tells the end.
    note(&mut client, &json!({ "phase": "begin", "paths": ["a.txt"], "call": "1", "check": true }));
    put(&daemon, "a.txt", "by a person\n");
    assert_eq!(newest(&mut client, "a.txt", 1)["session"], "s", "the limits of `note` name this");
    let next = json!({ "phase": "begin", "paths": ["a.txt"], "call": "2", "check": true });
    let refused = note(&mut client, &next);
    assert_eq!(refused["error"]["code"], "stale", "{refused}");
    assert!(refused["error"]["diff"].as_str().unwrap().contains("+by a person"), "{refused}");
    assert_eq!(note(&mut client, &next)["announced"], true, "it was shown the change");
}

#[test]
fn a_change_before_begin_or_after_end_is_of_nobody() {
    let daemon = TestDaemon::started();
    put(&daemon, "a.txt", "1\n");
    let mut client = daemon.client("s");
    client.ask_json(kind::READ, &json!({ "path": "a.txt" }));
    put(&daemon, "a.txt", "1\n2\n");
    note(&mut client, &json!({ "phase": "begin", "paths": ["a.txt"] }));
    assert_eq!(newest(&mut client, "a.txt", 1)["session"], "outside", "it was there before");
    put(&daemon, "a.txt", "1\n2\n3\n");
    assert_eq!(newest(&mut client, "a.txt", 2)["session"], "s", "the watcher noticed it");
    let ended = note(&mut client, &json!({ "phase": "end" }));
    assert_eq!(ended["entries"].as_array().unwrap().len(), 1, "what the watcher noticed counts: {ended}");
    put(&daemon, "a.txt", "1\n2\n3\n4\n");
    assert_eq!(newest(&mut client, "a.txt", 3)["session"], "outside");
}

#[test]
fn a_call_for_every_file_claims_what_is_tracked_but_was_not_shown_it() {
    let daemon = TestDaemon::started();
    put(&daemon, "read.txt", "1\n");
    put(&daemon, "unread.txt", "1\n");
    let mut client = daemon.client("s");
    client.ask_json(kind::READ, &json!({ "path": "read.txt" }));
    note(&mut client, &json!({ "phase": "begin", "label": "make" }));
    put(&daemon, "read.txt", "2\n");
    put(&daemon, "unread.txt", "2\n");
    let ended = note(&mut client, &json!({ "phase": "end" }));
    let entries = ended["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{ended}");
    assert_eq!(entries[0]["path"], "read.txt");
    let job = json!({ "files": { "path": "read.txt", "edits": { "op": "write", "text": "3\n" } } });
    let refused = client.ask_json(kind::EDIT, &job);
    assert_eq!(refused["error"]["code"], "stale", "{refused}");
    assert_eq!(refused["error"]["by"], entries[0]["job"]);
}

#[test]
fn of_two_sessions_the_one_that_named_the_path_is_the_author_else_neither() {
    let daemon = TestDaemon::started();
    for name in ["both.txt", "one.txt", "free.txt"] {
        put(&daemon, name, "1\n");
    }
    let (mut one, mut two) = (daemon.client("one"), daemon.client("two"));
    one.ask_json(kind::READ, &json!({ "path": "free.txt" }));
    note(&mut one, &json!({ "phase": "begin", "paths": ["both.txt", "one.txt"] }));
    note(&mut two, &json!({ "phase": "begin", "paths": ["both.txt"], "call": "edit" }));
    note(&mut two, &json!({ "phase": "begin", "call": "shell" }));
    for name in ["both.txt", "one.txt", "free.txt"] {
        put(&daemon, name, "2\n");
    }
    let first = note(&mut two, &json!({ "phase": "end", "call": "shell" }));
    let second = note(&mut one, &json!({ "phase": "end" }));
    let third = note(&mut two, &json!({ "phase": "end", "call": "edit" }));
    let session = |client: &mut Client, path: &str| newest(client, path, 1)["session"].clone();
    assert_eq!(session(&mut one, "both.txt"), "outside");
    assert_eq!(session(&mut one, "one.txt"), "one");
    assert_eq!(session(&mut one, "free.txt"), "two");
    let count = |told: &Value| told["entries"].as_array().map_or(0, Vec::len);
    assert_eq!((count(&first), count(&second), count(&third)), (1, 1, 0), "{first} {second} {third}");
}

#[test]
fn a_check_refuses_once_with_the_change_and_announces_nothing() {
    let daemon = TestDaemon::started();
    put(&daemon, "a.txt", "one\ntwo\n");
    let mut client = daemon.client("s");
    let check = json!({ "phase": "begin", "paths": ["a.txt"], "check": true });
    assert_eq!(note(&mut client, &check), json!({ "announced": true }), "what was never read is not checked");
    note(&mut client, &json!({ "phase": "end" }));
    client.ask_json(kind::READ, &json!({ "path": "a.txt" }));
    put(&daemon, "a.txt", "one\n2\n");
    let refused = note(&mut client, &check);
    let error = &refused["error"];
    assert_eq!((error["code"].as_str(), error["by"].as_str()), (Some("stale"), Some("outside")), "{refused}");
    assert!(error["diff"].as_str().unwrap().contains("-two\n+2\n"), "{refused}");
    put(&daemon, "a.txt", "one\n3\n");
    assert_eq!(newest(&mut client, "a.txt", 2)["session"], "outside", "nothing was announced");
    assert_eq!(note(&mut client, &check)["error"]["code"], "stale", "it changed again");
    assert_eq!(note(&mut client, &check), json!({ "announced": true }), "the refusal showed the change");
    let job = json!({ "files": { "path": "a.txt", "edits": { "op": "write", "text": "4\n" } } });
    assert_eq!(client.ask_json(kind::EDIT, &job)["status"], "applied", "the whole file counts as read");
    note(&mut client, &json!({ "phase": "end" }));
    let file = daemon.workspace().join("a.txt");
    fs::remove_file(&file).unwrap();
    // On Windows, its name stays as long as a program has it open.
    wait::until("the name is gone", wait::LONG, || (!file.exists()).then_some(()));
    let gone = note(&mut client, &check);
    assert_eq!(gone["error"]["code"], "stale", "{gone}");
    assert!(gone["error"]["message"].as_str().unwrap().contains("a.txt is gone"), "{gone}");
    assert_eq!(note(&mut client, &check), json!({ "announced": true }));
}

#[test]
fn a_killed_daemon_forgets_what_was_announced() {
    let mut daemon = TestDaemon::started();
    put(&daemon, "a.txt", "1\n");
    let mut client = daemon.client("s");
    note(&mut client, &json!({ "phase": "begin", "paths": ["a.txt"], "call": "1" }));
    put(&daemon, "a.txt", "2\n");
    note(&mut client, &json!({ "phase": "end", "call": "1" }));
    note(&mut client, &json!({ "phase": "begin", "paths": ["a.txt"], "call": "2" }));
    daemon.kill();
    put(&daemon, "a.txt", "3\n");
    daemon.start();
    let mut client = daemon.client("s");
    let ended = note(&mut client, &json!({ "phase": "end", "call": "2" }));
    assert_eq!(ended, json!({ "announced": false }), "without paths, nothing can be claimed");
    let read = client.ask_json(kind::READ, &json!({ "path": "a.txt" }));
    assert_eq!(read["text"], "3\n");
    assert_eq!(newest(&mut client, "a.txt", 2)["session"], "outside");
    // With paths, the end claims what has not been noticed.
    daemon.kill();
    put(&daemon, "a.txt", "4\n");
    daemon.start();
    let mut client = daemon.client("s");
    let ended = note(&mut client, &json!({ "phase": "end", "call": "2", "paths": ["a.txt"] }));
    assert_eq!(
        (&ended["announced"], ended["entries"].as_array().unwrap().len()),
        (&json!(false), 1),
        "{ended}"
    );
    assert_eq!(newest(&mut client, "a.txt", 3)["session"], "s");
}

#[test]
fn bad_notes_are_refused_with_advice() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    let many: Vec<String> = (0..1001).map(|at| format!("f{at}")).collect();
    for (bad, code, words) in [
        (json!({ "phase": "middle" }), "malformed", "begin"),
        (json!({ "phase": "end", "paths": ["a"], "check": true }), "malformed", "send it with `begin`"),
        (json!({ "phase": "begin", "check": true }), "malformed", "with paths"),
        (json!({ "phase": "begin", "paths": [] }), "malformed", "leave `paths` out"),
        (json!({ "phase": "end", "paths": [] }), "malformed", "leave `paths` out"),
        (json!({ "phase": "begin", "paths": ["../a"] }), "outside", ""),
        (json!({ "phase": "begin", "paths": many }), "too_large", "at most 1000 paths"),
        (json!({ "phase": "begin", "session": "" }), "malformed", "session name is empty"),
        (json!({ "phase": "begin", "label": "a\u{1b}b" }), "malformed", "control characters"),
        (json!({ "phase": "begin", "call": "x".repeat(257) }), "too_large", "257 bytes"),
    ] {
        let told = note(&mut client, &bad);
        assert_eq!(told["error"]["code"], code, "{bad}: {told}");
        assert!(told["error"]["message"].as_str().unwrap().contains(words), "{bad}: {told}");
    }
    let named: Vec<&String> = many.iter().take(1000).collect();
    assert_eq!(note(&mut client, &json!({ "phase": "begin", "paths": named }))["announced"], true);
    for at in 1..64 {
        assert_eq!(
            note(&mut client, &json!({ "phase": "begin", "call": at.to_string() }))["announced"],
            true
        );
    }
    // One more takes the place of the oldest.
    assert_eq!(note(&mut client, &json!({ "phase": "begin", "call": "64" }))["announced"], true);
    assert_eq!(note(&mut client, &json!({ "phase": "end" }))["announced"], false);
    assert_eq!(note(&mut client, &json!({ "phase": "end", "call": "1" }))["announced"], true);
}

#[test]
fn subscribers_learn_the_author() {
    let daemon = TestDaemon::started();
    put(&daemon, "a.txt", "1\n");
    let mut watching = daemon.client("watching");
    watching.ask_json(kind::SUBSCRIBE, &json!({ "globs": ["*.txt"] }));
    let mut client = daemon.client("s");
    note(&mut client, &json!({ "phase": "begin", "paths": ["a.txt"] }));
    put(&daemon, "a.txt", "2\n");
    let ended = note(&mut client, &json!({ "phase": "end" }));
    let event = loop {
        let message = watching.receive().unwrap();
        let event: Value = message.body().unwrap();
        if !event["entry"].is_null() {
            break event;
        }
    };
    assert_eq!((&event["session"], &event["entry"]), (&json!("s"), &ended["entries"][0]["job"]), "{event}");
}

#[test]
fn a_path_that_cannot_be_a_file_does_not_hide_the_others() {
    let daemon = TestDaemon::started();
    for path in ["z.txt", "foo"] {
        put(&daemon, path, "one\n");
    }
    let mut client = daemon.client("s");
    client.ask_json(kind::READ, &json!({ "path": "z.txt" }));
    put(&daemon, "z.txt", "two\n");
    // A patch turns the file `foo` into a folder, and names a file elsewhere.
    let paths = json!(["../x", "foo/mod.txt", "z.txt", "foo"]);
    let check = json!({ "phase": "begin", "paths": paths, "call": "1", "check": true });
    let refused = note(&mut client, &check);
    assert!(refused["error"]["diff"].as_str().unwrap().contains("-one\n+two\n"), "{refused}");
    assert_eq!(note(&mut client, &check)["announced"], true, "it was shown the change");
    fs::remove_file(daemon.workspace().join("foo")).unwrap();
    put(&daemon, "foo/mod.txt", "three\n");
    put(&daemon, "z.txt", "three\n");
    let ended = note(&mut client, &json!({ "phase": "end", "paths": paths, "call": "1" }));
    assert_eq!(ended["announced"], true, "{ended}");
    assert_eq!(newest(&mut client, "z.txt", 2)["session"], "s");
    let alone = json!({ "phase": "begin", "paths": ["../x"], "call": "2", "check": true });
    assert_eq!(note(&mut client, &alone)["error"]["code"], "outside");
}

#[test]
fn a_change_that_a_refusal_does_not_name_is_refused_later() {
    let daemon = TestDaemon::started();
    let names: Vec<String> = (0..25).map(|at| format!("f{at:02}")).collect();
    let mut client = daemon.client("s");
    for name in &names {
        put(&daemon, name, "one\n");
        client.ask_json(kind::READ, &json!({ "path": name }));
        put(&daemon, name, "two\n");
    }
    let check = json!({ "phase": "begin", "paths": names, "check": true });
    let refused = note(&mut client, &check);
    let shown = 1 + refused["error"]["others"].as_array().unwrap().len();
    assert_eq!(refused["error"]["more"], json!(names.len() - shown), "{refused}");
    let last = json!({ "phase": "begin", "paths": [names.last()], "check": true });
    let refused = note(&mut client, &last);
    assert!(refused["error"]["diff"].as_str().unwrap().contains("-one\n+two\n"), "{refused}");
}

#[test]
fn a_failed_call_does_not_claim_what_a_person_changes_after_the_next_one() {
    let daemon = TestDaemon::started();
    put(&daemon, "a.txt", "one\n");
    let mut client = daemon.client("s");
    // The tool fails, and its runtime reports no end.
    note(&mut client, &json!({ "phase": "begin", "paths": ["a.txt"], "call": "1" }));
    note(&mut client, &json!({ "phase": "begin", "paths": ["a.txt"], "call": "2" }));
    put(&daemon, "a.txt", "two\n");
    note(&mut client, &json!({ "phase": "end", "call": "2" }));
    put(&daemon, "a.txt", "by a person\n");
    assert_eq!(newest(&mut client, "a.txt", 2)["session"], "outside");
}
