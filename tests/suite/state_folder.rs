//! *Durable*: nothing is acknowledged that the next start would not find, because another program removed or moved the
//! state folder while the daemon runs.

use std::fs;
use std::path::{Path, PathBuf};

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

fn requests() -> Vec<(&'static str, Value)> {
    let edit = jobs::write("a.txt", "new\n");
    vec![
        (kind::EDIT, edit.clone()),
        (kind::EDIT, jobs::with(edit.clone(), "durability", json!("relaxed"))),
        (kind::EDIT, jobs::with(edit, "detach", json!(true))),
        (kind::EDIT, jobs::with(jobs::write("a.txt", "old\n"), "key", json!("unchanged"))),
        (kind::UNDO, json!({ "jobs": [1] })),
        (kind::CLIP, json!({ "action": "set", "name": "c", "text": "x" })),
        (kind::MARK, json!({ "name": "m" })),
        (kind::FORGET, json!({ "path": "a.txt" })),
        (kind::NOTE, json!({ "phase": "end", "paths": ["a.txt"] })),
        (kind::TRUST, json!({ "revoke": true })),
        (kind::CANCEL, json!({ "job": 1 })),
    ]
}

#[track_caller]
fn all_refused(daemon: &TestDaemon) {
    let mut client = daemon.client("s");
    for (asked, request) in requests() {
        let reply = client.ask_json(asked, &request);
        jobs::refused(&reply, "io");
        let message = reply["error"]["message"].as_str().unwrap();
        // An undo may find earlier that the log cannot be read.
        let said = message.contains("state folder") && message.contains("nothing was done");
        assert!(said || asked == kind::UNDO, "{message}");
    }
    assert_eq!(daemon.get("a.txt"), b"old\n");
    let status = client.ask_json(kind::STATUS, &json!({}));
    assert!(status["failed"].as_str().unwrap().contains("state folder"), "{status}");
    let found = client.ask_json(kind::CHECK, &json!({}));
    assert!(found.to_string().contains("was removed, moved or replaced"), "{found}");
}

#[test]
fn nothing_is_acknowledged_while_the_state_folder_is_elsewhere() {
    let daemon = TestDaemon::started();
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::write("a.txt", "old\n")));
    let (state, away) = (daemon.state_folder(), daemon.folder("away"));
    for part in [state.clone(), state.join("log")] {
        fs::rename(&part, &away).unwrap();
        all_refused(&daemon);
        fs::rename(&away, &part).unwrap();
    }
    // It is back, and with it the journal.
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::write("a.txt", "new\n")));
}

#[test]
fn nothing_is_acknowledged_after_the_state_folder_was_deleted() {
    let mut daemon = TestDaemon::started();
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::write("a.txt", "old\n")));
    let state = daemon.state_folder();
    fs::remove_dir_all(&state).unwrap();
    all_refused(&daemon);
    // A salvage would find nothing.
    let mut client = daemon.client("s");
    for (asked, request) in [
        (kind::UNDO, json!({ "jobs": [1] })),
        (kind::SHOW, json!({ "job": 1 })),
        (kind::CHECK, json!({})),
        (kind::STATUS, json!({})),
    ] {
        let told = client.ask_json(asked, &request).to_string();
        assert!(told.contains("begin a new journal") && !told.contains("salvage"), "{asked}: {told}");
    }
    drop(client);
    // Another one in its place holds nothing of this daemon.
    fs::create_dir_all(state.join("log")).unwrap();
    all_refused(&daemon);
    fs::remove_dir_all(&state).unwrap();
    let status = daemon.stop();
    assert!(status.success(), "{status}");
    daemon.start();
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::write("a.txt", "new\n")));
}

#[test]
fn show_reports_contents_that_are_gone_or_damaged_as_unknown() {
    let mut daemon = TestDaemon::started();
    // So large that no entry carries it whole.
    let lines: String = (1..=120_000).map(|line| format!("line {line}\n")).collect();
    daemon.put("a.txt", &lines);
    let _read = daemon.client("s").ask_json(kind::READ, &json!({ "path": "a.txt", "lines": [1, 2] }));
    let edit = json!({ "op": "replace", "old": "ne 50\n", "new": "ne fifty\n" });
    let first = daemon.client("s").ask_json(kind::EDIT, &jobs::one("a.txt", edit));
    jobs::applied(&first);
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::append("a.txt", "more\n")));
    let shown = |daemon: &TestDaemon| {
        let reply = daemon.client("s").ask_json(kind::SHOW, &json!({ "job": first["job"] }));
        let change = &reply["changes"][0];
        (change["diff"].as_str().unwrap().to_owned(), change["partial"] == true)
    };
    let (whole, partial) = shown(&daemon);
    assert!(whole.contains("@@ -47,7 +47,7 @@") && !partial, "{whole}");
    let contents = daemon.state_folder().join("contents");
    for (damaged, later, present) in [(true, 0, true), (false, 0, true), (false, 20, true), (false, 0, false)]
    {
        for _ in 0..later {
            jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::append("a.txt", "more\n")));
        }
        daemon.stop();
        if !present {
            daemon.put("a.txt", "other\n");
        }
        let inside = |folder: &Path| {
            fs::read_dir(folder).unwrap().map(|found| found.unwrap().path()).collect::<Vec<PathBuf>>()
        };
        for kept in inside(&contents).iter().flat_map(|folder| inside(folder)) {
            if damaged { fs::write(kept, "damaged").unwrap() } else { fs::remove_file(kept).unwrap() }
        }
        daemon.start();
        let (diff, partial) = shown(&daemon);
        if present && later == 0 {
            // The present content and the later entry lead to it.
            assert!(!partial && diff == whole, "{diff}");
            continue;
        }
        assert!(partial && diff.contains("@@ -?,1 +?,1 @@ at byte"), "{diff}");
        let printed = daemon.editctl().arg("show").arg(first["job"].to_string()).output().unwrap();
        let printed = String::from_utf8(printed.stdout).unwrap();
        assert!(printed.contains("the numbers of its lines are not known"), "{printed}");
        // Behind many later entries, only the request for a content looks for it.
        let cat = daemon.editctl().arg("cat").arg(format!("a.txt@{}", first["job"])).output().unwrap();
        assert_eq!(cat.status.success(), present, "{}", String::from_utf8_lossy(&cat.stderr));
    }
}

#[test]
fn a_state_folder_in_the_workspace_is_no_part_of_it() {
    let daemon = TestDaemon::new();
    let state = daemon.workspace().join("home/state");
    fs::create_dir_all(daemon.workspace().join("home")).unwrap();
    let mut daemon = daemon.with_options(&["--state", state.to_str().unwrap()]);
    daemon.put("home/a.txt", "one\n");
    daemon.start();
    let mut client = daemon.client("s");
    let log = fs::read_dir(state.join("log")).unwrap().next().unwrap().unwrap().file_name();
    for path in
        ["home/state/lock", "home/state/new/a.txt", &format!("home/state/log/{}", log.to_str().unwrap())]
    {
        assert_eq!(
            jobs::code(&client.ask_json(kind::READ, &json!({ "path": path }))),
            Some("outside"),
            "{path}"
        );
        jobs::refused(&client.ask_json(kind::EDIT, &jobs::write(path, "x\n")), "outside");
    }
    let everywhere = json!({"files": [
        {"paths": ["**"], "edits": [{"op": "substitute", "pattern": "one", "replacement": "two", "expect": 1}]},
    ]});
    jobs::applied(&client.ask_json(kind::EDIT, &everywhere));
    assert_eq!(daemon.get("home/a.txt"), b"two\n");
    let entries = client.ask_json(kind::HISTORY, &json!({}));
    assert_eq!(entries["entries"].as_array().unwrap().len(), 1, "{entries}");
}
