//! *Undo* as users call it: by file and by hunk, as a preview, with later changes by others, and by either number of a
//! detached job. The case files test the journal.

mod again;

use std::fs;

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use serde_json::json;

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";

/// Runs `editctl` in a session. Returns its standard output and standard error, and its exit status.
fn editctl(daemon: &TestDaemon, session: &str, words: &[&str]) -> (String, i32) {
    let output = daemon.editctl().env("EDITCTL_SESSION", session).args(words).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (text, output.status.code().unwrap())
}

fn text(daemon: &TestDaemon, path: &str) -> String {
    String::from_utf8(daemon.get(path)).unwrap()
}

/// A daemon, and a job of session `s` with two hunks in `a.txt` and one in `b.txt`.
fn with_job() -> (TestDaemon, String) {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", LINES);
    daemon.put("b.txt", "b\n");
    let replace = |old: &str, new: &str| json!({ "op": "replace", "old": old, "new": new });
    let job = json!({ "files": [
        { "path": "a.txt", "edits": [replace("2\n3", "two\n3"), replace("19", "nineteen")] },
        { "path": "b.txt", "edits": [replace("b", "B")] },
    ] });
    let receipt = daemon.client("s").ask_json(kind::EDIT, &job);
    jobs::applied(&receipt);
    let id = jobs::number(&receipt).to_string();
    (daemon, id)
}

#[test]
fn hunks_are_numbered_undone_and_redone_by_their_numbers() {
    let (daemon, job) = with_job();
    let (shown, _) = editctl(&daemon, "s", &["show", &job]);
    assert!(shown.contains("@@ -1,5 +1,5 @@ hunk 1\n") && shown.contains("@@ hunk 2\n"), "{shown}");
    let undo = ["undo", &job, "--path", "a.txt", "--hunk", "2"];
    let (preview, status) = editctl(&daemon, "s", &[&undo[..], &["--dry-run"]].concat());
    assert!(preview.contains("-nineteen\n+19\n") && preview.contains("verified") && status == 0, "{preview}");
    assert!(text(&daemon, "a.txt").contains("nineteen"));
    let (undone, status) = editctl(&daemon, "s", &undo);
    assert!(undone.contains(" undone, version @2\na.txt ") && status == 0, "{undone}");
    assert_eq!(text(&daemon, "a.txt"), LINES.replace("2\n3", "two\n3"));
    assert_eq!(text(&daemon, "b.txt"), "B\n");
    let (log, _) = editctl(&daemon, "s", &["log"]);
    assert!(log.contains("partly undone") && log.contains("hunk 2 undone"), "{log}");
    let (shown, _) = editctl(&daemon, "s", &["show", &job]);
    assert!(shown.contains("@@ hunk 2, undone\n"), "{shown}");
    let (refused, status) = editctl(&daemon, "s", &undo);
    assert!(refused.contains("undone already") && status == 3, "{refused}");
    let (redone, status) = editctl(&daemon, "s", &["redo", &job]);
    assert!(redone.contains(" redone, version @3\na.txt ") && status == 0, "{redone}");
    assert!(text(&daemon, "a.txt").contains("nineteen"));
    let (undone, _) = editctl(&daemon, "s", &["undo", &format!("@{job}"), "--hunk", "1"]);
    assert!(undone.contains("name one path"), "{undone}");
}

#[test]
fn a_preview_of_an_undo_in_json_is_verified_and_leaves_nothing() {
    let (daemon, _) = with_job();
    let (told, status) = editctl(&daemon, "s", &["undo", "--mode", "verify_only", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["status"], status), (&json!("verified"), 0), "{told}");
    assert_eq!(text(&daemon, "b.txt"), "B\n");
    let history = daemon.client("s").ask_json(kind::HISTORY, &json!({}));
    assert_eq!(history["entries"].as_array().unwrap().len(), 1, "{history}");
}

#[test]
fn a_refused_undo_names_the_later_entries_and_how_to_keep_them() {
    let (daemon, job) = with_job();
    let later = json!({ "label": "theirs", "files": [{ "path": "a.txt", "edits": [{ "op": "replace", "old": "10", "new": "ten" }] }] });
    let theirs = jobs::number(&daemon.client("other").ask_json(kind::EDIT, &later));
    let (refused, status) = editctl(&daemon, "s", &["undo", &job]);
    assert!(status == 3 && refused.contains("of another session"), "{refused}");
    assert!(refused.contains(&format!("later: {theirs}  session other")), "{refused}");
    assert!(refused.contains("--on-stale rebase") && !refused.contains("undo those"), "{refused}");
    let (undone, status) = editctl(&daemon, "s", &["undo", &job, "--on-stale", "rebase"]);
    assert!(status == 0, "{undone}");
    assert_eq!(text(&daemon, "a.txt"), LINES.replace("10", "ten"));
}

#[test]
fn a_detached_job_is_known_by_both_of_its_numbers_everywhere() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let queued = daemon
        .client("s")
        .ask_json(kind::EDIT, &jobs::with(jobs::append("a.txt", "two\n"), "detach", json!(true)));
    let queued = jobs::number(&queued);
    let receipt = daemon.client("s").ask_json(kind::WAIT, &json!({ "job": queued }));
    let entry = jobs::number(&receipt);
    assert_eq!(receipt["queued"], json!(queued), "{receipt}");
    assert_ne!(entry, queued);
    for number in [queued, entry] {
        let number = number.to_string();
        let (waited, _) = editctl(&daemon, "s", &["wait", &number]);
        assert!(waited.contains(&format!("job {entry} (queued as {queued}) applied")), "{waited}");
        let (shown, _) = editctl(&daemon, "s", &["show", &number]);
        assert!(
            shown.starts_with(&entry.to_string()) && shown.contains(&format!("queued as {queued}")),
            "{shown}"
        );
        assert!(editctl(&daemon, "s", &["undo", &number]).0.contains("undone"));
        assert!(editctl(&daemon, "s", &["redo", &number]).0.contains("redone"));
    }
    let (log, _) = editctl(&daemon, "s", &["log"]);
    assert!(log.contains(&format!("queued as {queued}")), "{log}");
    assert_eq!(text(&daemon, "a.txt"), "one\ntwo\n");
}

#[test]
fn a_change_by_another_program_is_undone_although_no_content_is_kept() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    for (path, text) in [("a.txt", "one\n"), ("b.txt", "two\n"), ("bin.dat", "\0binary\n")] {
        jobs::applied(&client.ask_json(kind::EDIT, &jobs::write(path, text)));
    }
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::append("a.txt", "more\n")));
    client.ask_json(kind::MARK, &json!({ "name": "start" }));
    drop(client);
    daemon.kill();
    // A kill right after a job leaves none of them either.
    let state = daemon.folder("state");
    let kept: Vec<_> = FileTree::of(&state)
        .nodes
        .into_keys()
        .filter_map(|path| String::from_utf8(path).ok())
        .filter(|path| {
            path.contains("/contents/") && path.rsplit('/').next().is_some_and(|name| name.len() == 64)
        })
        .collect();
    kept.iter().for_each(|path| fs::remove_file(state.join(path)).unwrap());
    daemon.start();
    let mut client = daemon.client("s");
    daemon.put("bin.dat", "");
    daemon.put("a.txt", "by a person\n");
    fs::remove_file(daemon.workspace().join("b.txt")).unwrap();
    jobs::applied(&client.ask_json(kind::UNDO, &json!({ "to": "start" })));
    assert_eq!(daemon.get("bin.dat"), b"\0binary\n");
    assert_eq!(daemon.get("b.txt"), b"two\n");
    assert_eq!(daemon.get("a.txt"), b"one\nmore\n");
}

#[test]
fn an_undo_to_a_mark_lists_the_files_that_it_changes() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "one\n")));
    client.ask_json(kind::MARK, &json!({ "name": "start" }));
    for job in [jobs::write("a.txt", "two\n"), jobs::write("a.txt", "one\n"), jobs::write("b.txt", "new\n")] {
        jobs::applied(&client.ask_json(kind::EDIT, &job));
    }
    let undone = client.ask_json(kind::UNDO, &json!({ "to": "start" }));
    jobs::applied(&undone);
    assert_eq!(undone["files"].as_array().map(Vec::len), Some(1), "{undone}");
    assert_eq!(undone["files"][0]["path"], "b.txt");
}

#[test]
fn a_change_that_a_session_only_announced_is_not_its_own() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    let made = client.ask_json(kind::EDIT, &jobs::write("a.txt", "one\n"));
    client.ask_json(kind::NOTE, &json!({ "phase": "begin", "call": "c" }));
    daemon.put("a.txt", "by somebody\n");
    client.ask_json(kind::NOTE, &json!({ "phase": "end", "call": "c" }));
    let refused = client.ask_json(kind::UNDO, &json!({ "jobs": [made["job"]] }));
    jobs::refused(&refused, "stale");
    let later = &refused["error"]["later"][0];
    assert_eq!((&later["session"], &later["own"]), (&json!("s"), &json!(false)), "{refused}");
    assert!(!refused["error"]["message"].as_str().unwrap().contains("of this session"), "{refused}");
}

#[test]
fn since_an_entry_means_the_same_as_in_a_diff() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", LINES);
    for line in ["5", "15", "18"] {
        let (said, status) =
            editctl(&daemon, "s", &["replace", "a.txt", &format!("\n{line}\n"), &format!("\nx{line}\n")]);
        assert_eq!(status, 0, "{said}");
    }
    let (diff, _) = editctl(&daemon, "s", &["diff", "--since", "2"]);
    assert!(diff.contains("+x15") && diff.contains("+x18") && !diff.contains("+x5"), "{diff}");
    let (log, _) = editctl(&daemon, "s", &["log", "--since", "3"]);
    assert!(log.starts_with("3 ") && !log.contains("\n2 "), "{log}");
    let (said, status) = editctl(&daemon, "s", &["undo", "--since", "2"]);
    assert_eq!(status, 0, "{said}");
    assert_eq!(text(&daemon, "a.txt"), LINES.replace("\n5\n", "\nx5\n"));
    let (said, status) = editctl(&daemon, "s", &["undo", "--since", "9"]);
    assert_eq!(status, 1, "{said}");
    let (said, status) = editctl(&daemon, "s", &["undo", "1", "--since", "9"]);
    assert_eq!(status, 2, "{said}");
}

/// Runs commands that must succeed, each given as words that spaces separate.
fn done(daemon: &TestDaemon, commands: &[&str]) {
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        let (told, status) = editctl(daemon, "s", &words);
        assert_eq!(status, 0, "{command}: {told}");
    }
}

#[test]
fn a_redo_reverts_the_last_undo_also_if_that_undid_only_undos() {
    for all in ["undo --to m", "undo --since 6"] {
        let daemon = TestDaemon::started();
        let before = ["create h.txt old", "replace h.txt old new", "undo"];
        done(&daemon, &before);
        done(&daemon, &["create f.txt F", "mark m", "undo 4", all]);
        assert_eq!(text(&daemon, "f.txt"), "F");
        done(&daemon, &["redo"]);
        assert!(!daemon.workspace().join("f.txt").exists(), "{all}");
        assert_eq!(text(&daemon, "h.txt"), "old", "the undo before the mark was not the last one");
        let (log, _) = editctl(&daemon, "s", &["log"]);
        let is_undone = |id: &str| log.lines().any(|line| line.starts_with(id) && line.contains("undone"));
        assert!(is_undone("4 ") && !is_undone("6 ") && is_undone("7 "), "{log}");
    }
}

#[test]
fn an_entry_is_in_force_if_its_undo_and_the_redo_of_that_are_undone() {
    let daemon = TestDaemon::started();
    daemon.put("f.txt", "one\ntwo\n");
    done(&daemon, &["read f.txt", "replace f.txt one ONE", "undo", "redo", "replace f.txt two TWO"]);
    done(&daemon, &["undo --since 2"]);
    assert_eq!(text(&daemon, "f.txt"), "ONE\ntwo\n");
    let (log, _) = editctl(&daemon, "s", &["log"]);
    let first = log.lines().find(|line| line.starts_with("1 ")).unwrap();
    assert!(!first.contains("undone"), "{log}");
    let (told, status) = editctl(&daemon, "s", &["redo"]);
    assert_eq!((text(&daemon, "f.txt").as_str(), status), ("ONE\nTWO\n", 0), "{told}");
    done(&daemon, &["undo --since 2", "undo 1"]);
    assert_eq!(text(&daemon, "f.txt"), "one\ntwo\n");
}
