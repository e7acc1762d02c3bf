//! *Hints only*: a subscriber receives the edits and the changes by others; an event that is missed, late or doubled
//! costs time and nothing else. The tests wait for events without a limit, and conclude from silence only after a later
//! event.

use std::fs;

use editd_proto::message::kind;
use editd_tests::client::Client;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, wait};
use serde_json::{Value, json};

fn subscribed(daemon: &TestDaemon, globs: &[&str]) -> Client {
    let mut client = daemon.client("watcher");
    let reply = client.ask_json(kind::SUBSCRIBE, &json!({ "globs": globs }));
    assert!(reply["folders"].as_u64().is_some_and(|folders| folders > 0), "{reply}");
    client
}

/// The next event that is about this path, and the paths of those before it.
fn event_of(client: &mut Client, path: &str) -> (Value, Vec<String>) {
    let mut before = Vec::new();
    loop {
        let message =
            client.receive().unwrap_or_else(|e| panic!("no event of {path}, after {before:?}: {e:?}"));
        assert_eq!(message.kind(), kind::EVENT);
        let event: Value = message.body().unwrap();
        if event["path"] == path {
            return (event, before);
        }
        before.push(event["path"].as_str().unwrap_or("an overflow").to_owned());
    }
}

#[test]
fn an_edit_of_another_session_is_an_event_with_its_entry() {
    let daemon = TestDaemon::started();
    daemon.put("src/a.txt", "one\n");
    let mut watcher = subscribed(&daemon, &["src/**"]);
    let mut other = daemon.client("other");
    let edit = other.ask_json(kind::EDIT, &jobs::append("src/a.txt", "two\n"));
    let (event, _) = event_of(&mut watcher, "src/a.txt");
    let want = (&json!("changed"), &edit["job"], &json!("other"), &json!("edit"));
    assert_eq!((&event["change"], &event["entry"], &event["session"], &event["by"]), want, "{event}");
    assert_eq!(event["version"], edit["files"][0]["after"]);
    for (job, path, change) in [
        (jobs::write("src/new/b.txt", "made\n"), "src/new/b.txt", "created"),
        (jobs::one("src/new/b.txt", json!({"op": "delete"})), "src/new/b.txt", "removed"),
    ] {
        let edit = other.ask_json(kind::EDIT, &job);
        jobs::applied(&edit);
        let (event, _) = event_of(&mut watcher, path);
        assert_eq!((&event["change"], &event["entry"]), (&json!(change), &edit["job"]), "{event}");
    }
    let undo = other.ask_json(kind::UNDO, &json!({}));
    let (event, _) = event_of(&mut watcher, "src/new/b.txt");
    let seen = (&event["change"], &event["entry"], &event["by"]);
    assert_eq!(seen, (&json!("created"), &undo["job"], &json!("undo")), "{event}");
}

#[test]
fn outside_changes_of_read_files_are_events_and_journaled() {
    let daemon = TestDaemon::started();
    daemon.put("read.txt", "one\n");
    daemon.put("unread.txt", "one\n");
    let mut watcher = subscribed(&daemon, &[]);
    let mut reader = daemon.client("reader");
    reader.ask_json(kind::READ, &json!({"path": "read.txt"}));

    daemon.put("read.txt", "one\nby a formatter\n");
    let (event, _) = event_of(&mut watcher, "read.txt");
    assert_eq!((&event["change"], &event["by"]), (&json!("changed"), &json!("external")), "{event}");
    let entry = event["entry"].as_u64().unwrap_or_else(|| panic!("no entry: {event}"));
    daemon.put("unread.txt", "two\n");
    let (event, _) = event_of(&mut watcher, "unread.txt");
    assert_eq!(event["change"], "changed", "{event}");

    let log = reader.ask_json(kind::HISTORY, &json!({"path": "read.txt"}));
    let newest = &log["entries"][0];
    assert_eq!((&newest["kind"], &newest["id"]), (&json!("external"), &json!(entry)), "{log}");
    let shown = reader.ask_json(kind::SHOW, &json!({"job": entry}));
    assert!(shown["changes"][0]["diff"].as_str().unwrap().contains("+by a formatter"), "{shown}");
    // It is taken back as any other.
    jobs::applied(&reader.ask_json(kind::UNDO, &json!({"jobs": [entry]})));
    assert_eq!(daemon.get("read.txt"), b"one\n");

    fs::remove_file(daemon.workspace().join("read.txt")).unwrap();
    let (mut event, _) = event_of(&mut watcher, "read.txt");
    if event["by"] == "undo" {
        event = event_of(&mut watcher, "read.txt").0;
    }
    assert_eq!((&event["change"], &event["by"]), (&json!("removed"), &json!("external")), "{event}");
    jobs::applied(&reader.ask_json(kind::UNDO, &json!({"jobs": [event["entry"]]})));
    assert_eq!(daemon.get("read.txt"), b"one\n");
}

#[test]
fn a_change_that_a_mark_or_an_undo_to_it_notices_is_an_event() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "one\n")));
    for (text, request, body) in [
        ("before the mark\n", kind::MARK, json!({ "name": "start" })),
        ("after the mark\n", kind::UNDO, json!({ "to": "start" })),
    ] {
        drop(client);
        daemon.stop();
        daemon.put("a.txt", text);
        daemon.start();
        let mut watcher = subscribed(&daemon, &[]);
        client = daemon.client("s");
        client.ask_json(request, &body);
        let (event, _) = event_of(&mut watcher, "a.txt");
        assert_eq!((&event["change"], &event["by"]), (&json!("changed"), &json!("external")), "{event}");
        assert!(event["entry"].is_u64() && event["session"].is_null(), "{event}");
    }
    assert_eq!(daemon.get("a.txt"), b"before the mark\n");
}

#[test]
fn a_file_made_right_after_its_folders_is_not_missed() {
    let daemon = TestDaemon::started();
    let mut watcher = subscribed(&daemon, &["**/*.txt"]);
    for round in 0..40 {
        let path = format!("new/{round}/deep/er/f.txt");
        daemon.put(&path, "x\n");
        let (event, _) = event_of(&mut watcher, &path);
        // Whether it was there before, nobody knows who never looked.
        assert!(event["change"] == "created" || event["change"] == "changed", "{event}");
        // A whole tree that is moved in is seen too.
        let outside = daemon.folder("home").join(format!("tree {round}"));
        fs::create_dir_all(outside.join("in")).unwrap();
        fs::write(outside.join("in/g.txt"), "x\n").unwrap();
        fs::rename(&outside, daemon.workspace().join(format!("moved-{round}"))).unwrap();
        event_of(&mut watcher, &format!("moved-{round}/in/g.txt"));
    }
}

#[test]
fn ignored_and_unmatched_paths_have_no_events() {
    let daemon = TestDaemon::new();
    daemon.put(".gitignore", "target/\n*.log\n");
    daemon.put(".git/HEAD", "ref\n");
    daemon.put("target/x.rs", "x\n");
    daemon.put("src/a.rs", "x\n");
    let mut daemon = daemon;
    daemon.start();
    let mut all = subscribed(&daemon, &[]);
    let mut rust = subscribed(&daemon, &["**/*.rs"]);
    for path in
        [".git/HEAD", "target/x.rs", "target/new.rs", "noise.log", "src/noise.log", "src/b.txt", ".editd/x"]
    {
        daemon.put(path, "changed\n");
    }
    // What is told later must have been told after what came before, were it told.
    for round in 0..3 {
        daemon.put("src/a.rs", format!("round {round}\n"));
        let (_, before) = event_of(&mut all, "src/a.rs");
        assert!(before.iter().all(|path| path == "src/b.txt"), "{before:?}");
        let (_, before) = event_of(&mut rust, "src/a.rs");
        assert_eq!(before, [""; 0]);
    }
    let mut literal = subscribed(&daemon, &["target/x.rs"]);
    daemon.put("target/x.rs", "named literally\n");
    event_of(&mut literal, "target/x.rs");
}

#[test]
fn a_change_that_no_hint_told_of_is_seen_by_the_next_look() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let mut client = daemon.client("a");
    client.ask_json(kind::READ, &json!({"path": "a.txt"}));
    // On Windows, each round waits until the daemon has settled the one before and closed the file.
    let rounds = if cfg!(windows) { 5 } else { 200 };
    for round in 0..rounds {
        // At once after the change: no hint need have been looked at. Renamed, so that it is one change.
        daemon.put("a.new", format!("outside {round}\n"));
        let [new, old] = ["a.new", "a.txt"].map(|name| daemon.workspace().join(name));
        wait::until("the file can be replaced", wait::LONG, || fs::rename(&new, &old).ok());
        let edit = jobs::with(
            json!({"files": [{"path": "a.txt", "edits": [
            {"op": "write", "text": format!("mine {round}\n")}]}]}),
            "diff",
            json!(false),
        );
        let stale = client.ask_json(kind::EDIT, &edit);
        jobs::refused(&stale, "stale");
        assert!(stale["error"]["diff"].as_str().unwrap().contains(&format!("+outside {round}\n")), "{stale}");
        assert_eq!(stale["error"]["by"], "outside", "{stale}");
        jobs::applied(&client.ask_json(kind::EDIT, &edit));
    }
    let log = client.ask_json(kind::HISTORY, &json!({"path": "a.txt", "limit": 1000}));
    let kinds =
        |word: &str| log["entries"].as_array().unwrap().iter().filter(|one| one["kind"] == word).count();
    assert_eq!(
        (kinds("edit"), kinds("external")),
        (rounds, rounds),
        "each outside change is one entry, once"
    );
}

#[test]
fn thousands_of_events_are_neither_doubled_nor_invented() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let mut client = daemon.client("a");
    daemon.put("empty.txt", "");
    let empty = client.ask_json(kind::READ, &json!({"path": "empty.txt"}))["version"].clone();
    client.ask_json(kind::READ, &json!({"path": "a.txt"}));
    let place = daemon.workspace().join("a.txt");
    for _ in 0..2000 {
        // Touched, moved away and back, and equal again: nothing has changed.
        fs::write(&place, "one\n").unwrap();
        fs::rename(&place, place.with_extension("away")).unwrap();
        fs::rename(place.with_extension("away"), &place).unwrap();
    }
    let edit = json!({"files": [{"path": "a.txt", "edits": [{"op": "write", "text": "mine\n"}]}]});
    jobs::applied(&client.ask_json(kind::EDIT, &edit));
    let log = client.ask_json(kind::HISTORY, &json!({"path": "a.txt", "limit": 1000}));
    // A moment without the file, or before its text was written, may be seen by chance. It is an entry, and the return is
    // another.
    let mut entries: Vec<Value> = log["entries"].as_array().unwrap().clone();
    entries.reverse();
    let edit = entries.pop().unwrap();
    assert_eq!(edit["kind"], "edit", "{log}");
    let before = edit["files"][0]["before"].clone();
    let mut present = before.clone();
    for entry in &entries {
        let file = &entry["files"][0];
        assert_eq!(entry["kind"], "external", "{log}");
        assert_eq!(file["before"], present, "nothing is missing: {log}");
        assert_ne!(file["after"], present, "nothing is invented: {log}");
        let moment = file["after"].is_null() || file["after"] == empty || file["after"] == before;
        assert!(moment, "the file never had another content: {log}");
        present = file["after"].clone();
    }
    assert_eq!(present, before, "{log}");
}
