//! *Jobs whose end may be lost* through damage of the log, after a power cut: files that the cut has torn get their content
//! back, and files that a program changed stay.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Duration;

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

const MARK: &str = "a record that is lost";

/// Runs jobs on these files, then loses the record of a later job, and ends the daemon.
fn damaged(paths: &[&str]) -> TestDaemon {
    let mut daemon = TestDaemon::started();
    for path in paths.iter().chain(&["later.txt", "last.txt"]) {
        daemon.put(path, format!("old text of {path}\n"));
    }
    let mut client = daemon.client("s");
    for path in paths {
        let job = jobs::with(jobs::write(path, &new(path)), "key", json!(path));
        jobs::applied(&client.ask_json(kind::EDIT, &job));
    }
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::append("later.txt", MARK)));
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::append("last.txt", "more\n")));
    daemon.kill();
    let log = log_of(&daemon);
    let mut bytes = fs::read(&log).unwrap();
    let at = bytes.windows(MARK.len()).position(|bytes| bytes == MARK.as_bytes()).unwrap();
    bytes[at..at + MARK.len()].fill(0);
    fs::write(log, bytes).unwrap();
    daemon
}

fn new(path: &str) -> String {
    format!("new text of {path}\n").repeat(40)
}

fn log_of(daemon: &TestDaemon) -> PathBuf {
    let workspaces = daemon.folder("state").join("editd");
    let mut found = fs::read_dir(workspaces).unwrap();
    found.next().unwrap().unwrap().path().join("log/0000000000000001.log")
}

/// Truncates a file as a power cut does: its times stay.
fn tear(daemon: &TestDaemon, path: &str, len: u64) {
    let file = File::options().write(true).open(daemon.workspace().join(path)).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    file.set_len(len).unwrap();
    file.set_modified(modified - Duration::from_millis(4)).unwrap();
}

fn salvage(daemon: &mut TestDaemon) {
    let output = daemon.editctl().args(["--json", "salvage"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_start_restores_a_torn_file_and_leaves_what_programs_wrote() {
    restores_torn_files(|_| {});
}

#[test]
fn a_start_after_a_salvage_restores_a_torn_file_and_leaves_what_programs_wrote() {
    restores_torn_files(salvage);
}

/// Checks the start after damage, and after another action before it.
fn restores_torn_files(before: impl Fn(&mut TestDaemon)) {
    let paths = ["empty.txt", "short.txt", "whole.txt", "emptied.txt", "changed.txt", "removed.txt"];
    let mut daemon = damaged(&paths);
    tear(&daemon, "empty.txt", 0);
    tear(&daemon, "short.txt", 512);
    daemon.put("emptied.txt", "");
    daemon.put("changed.txt", "of another program\n");
    fs::remove_file(daemon.workspace().join("removed.txt")).unwrap();
    before(&mut daemon);
    daemon.start();
    for path in ["empty.txt", "short.txt", "whole.txt"] {
        assert_eq!(String::from_utf8(daemon.get(path)).unwrap(), new(path), "{path}");
    }
    assert_eq!(
        (daemon.get("emptied.txt"), daemon.get("changed.txt")),
        (vec![], b"of another program\n".to_vec())
    );
    assert!(!daemon.workspace().join("removed.txt").exists());
    let said = daemon.said();
    for path in ["emptied.txt", "changed.txt", "removed.txt"] {
        assert!(said.contains(&format!("{path}: records after job")), "{path}: {said}");
    }
    let again = jobs::with(jobs::write("empty.txt", &new("empty.txt")), "key", json!("empty.txt"));
    let reply = daemon.client("s").ask_json(kind::EDIT, &again);
    jobs::applied(&reply);
    assert_eq!(reply["repeated"], json!(true), "{reply}");
}
