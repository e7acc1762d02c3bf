//! *Hard links*: no job changes a file outside the workspace through another name of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use editd_proto::message::{JobStatus, UndoRequest, kind};
use editd_tests::fault_injection::requests::{delete, file, job};
use editd_tests::fault_injection::sim_scenario::ChangeRequest;
use editd_tests::fault_injection::sim_workspace::{STATE, SimWorkspace};
use editd_tests::jobs;
use editd_tests::sim::{EACCES, Fault, FaultDuration, OsCall, SimMachine};
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

const OLD: &str = "one\n";

fn edit(daemon: &TestDaemon, path: &str) -> Value {
    let edit = json!({ "op": "replace", "old": "one", "new": "two" });
    daemon.client("s").ask_json(kind::EDIT, &jobs::one(path, edit))
}

/// Gives a file of the workspace a second name outside of it.
fn link_outside(daemon: &TestDaemon, path: &str) -> PathBuf {
    let name = path.replace('/', "-");
    let outside = daemon.folder("home").join(name);
    fs::hard_link(daemon.workspace().join(path), &outside).unwrap();
    outside
}

fn content(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_file_with_a_name_outside_is_refused_until_that_name_is_gone() {
    let daemon = TestDaemon::started();
    daemon.put("sub/a.txt", OLD);
    let outside = link_outside(&daemon, "sub/a.txt");
    fs::hard_link(&outside, daemon.workspace().join("b.txt")).unwrap();
    let attempts = [
        json!({ "op": "replace", "old": "one", "new": "two" }),
        json!({ "op": "write", "text": "two\n" }),
        json!({ "op": "chmod", "mode": "600" }),
    ];
    for (attempt, path) in
        attempts.iter().flat_map(|attempt| ["sub/a.txt", "b.txt"].map(|path| (attempt, path)))
    {
        let reply = daemon.client("s").ask_json(kind::EDIT, &jobs::one(path, attempt.clone()));
        jobs::refused(&reply, "rejected");
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.contains("has 3 names") && message.contains("2 of them were found"), "{message}");
        assert!(message.contains("hard_links = \"allow\""), "{message}");
    }
    assert_eq!(content(&outside), OLD);
    // The other ways to use the file stay possible, and change nothing outside.
    jobs::applied(
        &daemon.client("s").ask_json(kind::EDIT, &jobs::one("b.txt", json!({ "op": "copy", "to": "c.txt" }))),
    );
    jobs::applied(&edit(&daemon, "c.txt"));
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::one("b.txt", json!({ "op": "delete" }))));
    assert_eq!(content(&outside), OLD);
    // A copy of its own can be edited, and so can the file once no name is outside.
    let copied = daemon.workspace().join("sub/a.txt");
    fs::copy(&copied, daemon.workspace().join("copy")).unwrap();
    fs::remove_file(&outside).unwrap();
    jobs::applied(&edit(&daemon, "sub/a.txt"));
}

#[test]
fn a_file_whose_names_are_all_in_the_workspace_can_be_edited_wherever_they_move() {
    let daemon = TestDaemon::started();
    daemon.put("deep/er/a.txt", OLD);
    let a = daemon.workspace().join("deep/er/a.txt");
    fs::hard_link(&a, daemon.workspace().join("b.txt")).unwrap();
    fs::create_dir(daemon.workspace().join("other")).unwrap();
    fs::hard_link(&a, daemon.workspace().join("other/c.txt")).unwrap();
    jobs::applied(&edit(&daemon, "b.txt"));
    assert_eq!(content(&a), "two\n");
    // A name that was found before moves, first inside, and then out.
    fs::rename(daemon.workspace().join("other"), daemon.workspace().join("another")).unwrap();
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::append("b.txt", "three\n")));
    let outside = daemon.folder("home").join("c.txt");
    fs::rename(daemon.workspace().join("another/c.txt"), &outside).unwrap();
    jobs::refused(&daemon.client("s").ask_json(kind::EDIT, &jobs::append("b.txt", "four\n")), "rejected");
    let undone = daemon.client("s").ask_json(kind::UNDO, &json!({}));
    jobs::refused(&undone, "rejected");
    assert_eq!(content(&outside), "two\nthree\n");
}

#[test]
fn only_a_trusted_setting_permits_it() {
    let mut daemon = TestDaemon::new();
    daemon.put("a.txt", OLD);
    daemon.put(".editd.toml", "hard_links = \"allow\"\n");
    let outside = link_outside(&daemon, "a.txt");
    daemon.start();
    let reply = edit(&daemon, "a.txt");
    jobs::refused(&reply, "rejected");
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(message.contains("has 2 names (hard links), and 1 of them was found"), "{message}");
    daemon.trust();
    daemon.stop();
    daemon.start();
    jobs::applied(&edit(&daemon, "a.txt"));
    assert_eq!(content(&outside), "two\n");
}

/// A simulated workspace with one file, `x.txt` and `y.txt`.
fn two_names() -> (SimMachine, SimWorkspace) {
    let machine = SimMachine::new();
    let outside = machine.outside();
    outside.mkdir("/w").unwrap();
    outside.mkdir(STATE).unwrap();
    outside.write("/w/x.txt", b"one\n").unwrap();
    outside.link("/w/x.txt", "/w/y.txt").unwrap();
    let workspace = SimWorkspace::open(&machine).unwrap();
    (machine, workspace)
}

#[test]
fn a_name_that_waits_to_be_removed_is_not_counted() {
    let (machine, workspace) = two_names();
    let outside = machine.outside();
    let (deletion, undo) =
        (job(vec![file("y.txt", vec![delete()])]), ChangeRequest::Undo(UndoRequest::default()));
    for (request, key) in [(&deletion, "delete"), (&undo, "undo"), (&deletion, "delete again")] {
        let receipt = workspace.send(request, key);
        assert_eq!(receipt.status, JobStatus::Applied, "{key}: {:?}", receipt.error);
    }
    // The deleted names are still in staging. The other name has another content now, so the undo makes a copy.
    outside.write("/w/x.txt", b"theirs\n").unwrap();
    let receipt = workspace.send(&undo, "undo again");
    let warnings = receipt.files[0].warnings.join("; ");
    assert!(warnings.contains("y.txt was one of 2 hard links"), "{receipt:?}");
}

#[test]
fn a_deleted_name_that_may_not_be_read_is_not_set_aside() {
    let (machine, workspace) = two_names();
    let outside = machine.outside();
    let receipt = workspace.send(&job(vec![file("y.txt", vec![delete()])]), "delete");
    assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
    let (lasting, only) = (FaultDuration::ForEver, vec![OsCall::OpenFile]);
    machine.fail(Fault { at: 0, lasting, only, errno: EACCES, written: 0 });
    workspace.settle();
    machine.remove_faults();
    assert!(workspace.settle());
    // In `.editd/lost`, the file would have a second name, which is not in the workspace.
    assert_eq!(outside.stat("/w/x.txt").unwrap().links, 1);
}

#[test]
fn a_copy_of_a_tree_by_hard_links_is_refused_after_one_search() {
    let daemon = TestDaemon::started();
    let farm = daemon.folder("home").join("farm");
    fs::create_dir(&farm).unwrap();
    let mut files = Vec::new();
    for folder in 0..50 {
        for nth in 0..100 {
            daemon.put(&format!("src/{folder}/{nth}.txt"), OLD);
        }
        let path = format!("src/{folder}/0.txt");
        fs::hard_link(daemon.workspace().join(&path), farm.join(folder.to_string())).unwrap();
        files.push(json!({ "path": path, "base": "any", "edits": [{ "op": "replace", "old": "one", "new": "two" }] }));
    }
    let began = Instant::now();
    jobs::refused(&daemon.client("s").ask_json(kind::EDIT, &json!({ "files": files })), "rejected");
    let first = began.elapsed();
    let began = Instant::now();
    jobs::refused(&daemon.client("s").ask_json(kind::EDIT, &json!({ "files": files })), "rejected");
    let (again, began) = (began.elapsed(), Instant::now());
    jobs::applied(&edit(&daemon, "src/7/7.txt"));
    println!("50 of 5000 files: {first:?}, again {again:?}; a file with one name: {:?}", began.elapsed());
    assert!((0..50).all(|nth| content(&farm.join(nth.to_string())) == OLD));
}
