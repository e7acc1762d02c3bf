//! Full disks and other mounts: a job is refused with `io` and changes nothing, and works again once there is space;
//! a file on another mount is edited like any other. Everything is mounted in the test's own folders.

use std::fs;

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use editd_tests::wait;
use serde_json::json;

use super::{MountPoint, fill, is_root};

/// Returns the files in the staging folder of the daemon.
fn staged(daemon: &TestDaemon) -> Vec<String> {
    let folder = daemon.workspace().join(".editd/staging");
    let names =
        fs::read_dir(folder).unwrap().map(|one| one.unwrap().file_name().to_string_lossy().into_owned());
    names.collect()
}

#[test]
fn a_full_workspace_refuses_and_loses_nothing_and_works_again() {
    if !is_root("a full disk") {
        return;
    }
    let mut daemon = TestDaemon::new();
    let Some(_mount) = MountPoint::new(daemon.workspace(), "6m") else { return };
    daemon.put("a.txt", "small\n");
    daemon.put("b.txt", "small\n");
    daemon.start();
    let mut client = daemon.client("a");
    let large = "a line that takes room\n".repeat(60_000);
    let filler = fill(daemon.workspace());
    let before = FileTree::of(daemon.workspace());
    for round in 0..3 {
        let job = json!({"files": [
            {"path": "a.txt", "base": "any", "edits": [{"op": "insert", "at": "end", "text": "x\n"}]},
            {"path": "b.txt", "base": "any", "edits": [{"op": "write", "text": large}]},
        ]});
        let reply = client.ask_json(kind::EDIT, &job);
        jobs::refused(&reply, "io");
        let made = client.ask_json(kind::EDIT, &jobs::write("new/folder/c.txt", &large));
        jobs::refused(&made, "io");
        let left = staged(&daemon);
        assert_eq!(left, [""; 0], "{round}: what was staged is cleaned up");
    }
    let mut after = FileTree::of(daemon.workspace());
    // A folder on the way to a file that could not be written may stay.
    after.nodes.retain(|path, _| !path.starts_with(b"new"));
    assert_eq!(before.differences(&after), [""; 0]);
    let read = client.ask_json(kind::READ, &json!({"path": "a.txt"}));
    assert_eq!(read["text"], "small\n", "reading goes on: {read}");
    // Also a daemon that starts on a full disk serves.
    drop(client);
    daemon.kill_and_start();
    let mut client = daemon.client("a");
    assert_eq!(client.ask_json(kind::READ, &json!({"path": "a.txt"}))["text"], "small\n");

    fs::remove_file(filler).unwrap();
    let reply = client.ask_json(kind::EDIT, &jobs::write("b.txt", &large));
    jobs::applied(&reply);
    jobs::applied(&client.ask_json(kind::UNDO, &json!({})));
    assert_eq!(daemon.get("b.txt"), b"small\n");
    assert_eq!(daemon.stop().code(), Some(0));
}

#[test]
fn a_full_state_folder_refuses_and_loses_nothing_and_works_again() {
    if !is_root("a full disk") {
        return;
    }
    let mut daemon = TestDaemon::new();
    let state = daemon.folder("state");
    let Some(_mount) = MountPoint::new(&state, "40m") else { return };
    daemon.put("a.txt", "small\n");
    daemon.put("b.txt", "small\n");
    daemon.start();
    let mut client = daemon.client("a");
    let noise = |nth: u32, lines: u32| -> String {
        // Not to be packed: the log shall grow.
        let mut seed = u64::from(nth) + 1;
        (0..lines)
            .map(|_| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                format!("{:016x}\n", seed.rotate_left(29) ^ seed)
            })
            .collect()
    };
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "first\n")));
    let filler = fill(&state);
    let mut present = [String::from("first\n"), String::from("small\n")];
    let mut refused = 0;
    for nth in 0..2000 {
        // Once no large text fits, small ones fill the log to its last blocks: a job must not find room for its intent
        // alone.
        let (file, lines) = if refused == 0 { (0, 12_000) } else { (1, 10 * (nth % 7) + 1) };
        let text = noise(nth, lines);
        let job = jobs::with(jobs::write(["a.txt", "b.txt"][file], &text), "diff", json!(false));
        let reply = client.ask_json(kind::EDIT, &job);
        if jobs::status(&reply) == "applied" {
            present[file] = text;
        } else {
            jobs::refused(&reply, "io");
            let told = reply["error"]["message"].as_str().unwrap();
            assert!(told.contains("the disk is full") && told.contains("make room"), "{told}");
            refused += 1;
        }
        assert_eq!(daemon.get("a.txt"), present[0].as_bytes(), "{nth}: {reply}");
        assert_eq!(daemon.get("b.txt"), present[1].as_bytes(), "{nth}: {reply}");
        if refused == 20 {
            break;
        }
    }
    assert_eq!(refused, 20, "the log found room on a full disk");
    let read = client.ask_json(kind::READ, &json!({"path": "a.txt"}));
    assert!(read["text"].is_string() || jobs::code(&read) == Some("io"), "{read}");

    fs::remove_file(filler).unwrap();
    // Once there is room it works again, without a start.
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::append("a.txt", "room\n")));
    assert_eq!(daemon.get("a.txt"), (present[0].clone() + "room\n").as_bytes());
    jobs::applied(&client.ask_json(kind::UNDO, &json!({})));
    assert_eq!(daemon.get("a.txt"), present[0].as_bytes());
    // Nothing of it is lost to the next daemon.
    drop(client);
    daemon.kill_and_start();
    let log = daemon.client("a").ask_json(kind::HISTORY, &json!({"path": "a.txt"}));
    assert_eq!(
        (&log["entries"][0]["kind"], &log["entries"][1]["undone"]),
        (&json!("undo"), &json!(true)),
        "{log}"
    );
}

/// Number of entries whose records do not fit where a small job does not.
const HELD: u64 = 300;

#[test]
fn entries_that_a_full_log_does_not_take_as_settled_are_settled_once_there_is_room() {
    if !is_root("a full disk") {
        return;
    }
    let mut daemon = TestDaemon::new();
    let state = daemon.folder("state");
    let Some(_mount) = MountPoint::new(&state, "80m") else { return };
    daemon.start();
    let mut client = daemon.client("a");
    let mut write = |path: &str, text: &str| {
        let job = jobs::with(jobs::write(path, text), "durability", json!("relaxed"));
        let reply = client.ask_json(kind::EDIT, &job);
        jobs::status(&reply) == "applied" || {
            jobs::refused(&reply, "io");
            false
        }
    };
    let unsettled = |daemon: &TestDaemon| {
        daemon.client("b").ask_json(kind::STATUS, &json!({}))["unsettled"].as_u64().unwrap()
    };
    // A displaced file is not removed while a program has it open for writing: these entries stay unsettled while others are
    // settled.
    let held: Vec<fs::File> = (0..HELD)
        .map(|nth| {
            let path = format!("held/{nth}.txt");
            daemon.put(&path, "one\n");
            let file = fs::File::options().append(true).open(daemon.workspace().join(&path)).unwrap();
            assert!(write(&path, "two\n"));
            file
        })
        .collect();
    let filler = fill(&state);
    let mut dice = fastrand::Rng::with_seed(1);
    // Texts that cannot be packed, then small jobs.
    while write("b.txt", &(0..800).map(|_| format!("{:016x}\n", dice.u64(..))).collect::<String>()) {}
    while write("a.txt", &format!("{}\n", dice.u64(..))) {}
    wait::until("the other entries are settled, or refused", wait::LONG, || {
        (unsettled(&daemon) <= HELD || daemon.said().contains("cannot be recorded yet")).then_some(())
    });
    drop(held);
    wait::until("settled entries are refused", wait::LONG, || {
        daemon.said().contains("cannot be recorded yet").then_some(())
    });
    let found = daemon.client("b").ask_json(kind::CHECK, &json!({}));
    assert!(found.to_string().contains("edits are refused once the present file is full"), "{found}");
    assert!(unsettled(&daemon) > 0);

    fs::remove_file(filler).unwrap();
    jobs::applied(&daemon.client("b").ask_json(kind::EDIT, &jobs::write("a.txt", "room\n")));
    wait::until("all are settled", wait::LONG, || (unsettled(&daemon) == 0).then_some(()));
    assert!(!daemon.said().contains("internal error"), "{}", daemon.said());
    assert_eq!(daemon.stop().code(), Some(0));
}

#[test]
fn files_on_another_mount_are_edited_moved_and_undone() {
    if !is_root("another mount") {
        return;
    }
    let mut daemon = TestDaemon::new();
    let inner = daemon.workspace().join("mount");
    fs::create_dir(&inner).unwrap();
    let Some(_mount) = MountPoint::new(&inner, "8m") else { return };
    daemon.put("mount/a.txt", "one\n");
    daemon.put("mount/sub/b.txt", "one\n");
    daemon.put("c.txt", "here\n");
    let before = FileTree::of(daemon.workspace());
    daemon.start();
    let mut client = daemon.client("a");
    let whole = json!({"label": "over both", "files": [
        {"path": "mount/a.txt", "base": "any", "edits": [{"op": "replace", "old": "one", "new": "two"}]},
        {"path": "c.txt", "base": "any", "edits": [{"op": "replace", "old": "here", "new": "there"}]},
        {"path": "mount/new/d.txt", "base": "absent", "edits": [{"op": "write", "text": "made\n"}]},
    ]});
    let steps = [
        whole,
        jobs::one("mount/sub/b.txt", json!({"op": "rename", "to": "b.txt"})),
        jobs::one("c.txt", json!({"op": "rename", "to": "mount/c.txt"})),
        jobs::one("mount/c.txt", json!({"op": "copy", "to": "copied.txt"})),
        jobs::one("mount/a.txt", json!({"op": "delete"})),
        jobs::one("mount/new/d.txt", json!({"op": "chmod", "mode": "600"})),
        jobs::append("mount/new/d.txt", "more\n"),
    ];
    for step in &steps {
        jobs::applied(&client.ask_json(kind::EDIT, step));
    }
    assert_eq!(daemon.get("b.txt"), b"one\n");
    assert_eq!(daemon.get("mount/c.txt"), b"there\n");
    assert_eq!(daemon.get("copied.txt"), b"there\n");
    assert_eq!(daemon.get("mount/new/d.txt"), b"made\nmore\n");
    assert!(!inner.join("a.txt").is_file());
    drop(client);
    daemon.kill_and_start();
    let mut client = daemon.client("a");
    for _ in &steps {
        jobs::applied(&client.ask_json(kind::UNDO, &json!({})));
    }
    drop(client);
    assert_eq!(daemon.stop().code(), Some(0));
    let mut after = FileTree::of(daemon.workspace());
    // Folders are made on the way to a file and stay.
    after.nodes.remove(b"mount/new".as_slice());
    // Where files are staged beside their target, nothing of that is left.
    let found = before.differences(&after);
    assert!(found.iter().all(|line| line.starts_with("\"mount/.editd")), "{found:?}");
}

#[test]
fn a_read_only_mount_refuses_and_other_files_can_be_edited() {
    if !is_root("a read-only mount") {
        return;
    }
    let mut daemon = TestDaemon::new();
    let inner = daemon.workspace().join("fixed");
    fs::create_dir(&inner).unwrap();
    let Some(mount) = MountPoint::new(&inner, "1m") else { return };
    daemon.put("fixed/a.txt", "one\n");
    daemon.put("b.txt", "one\n");
    mount.again("ro");
    let before = FileTree::of(daemon.workspace());
    daemon.start();
    let mut client = daemon.client("a");
    assert_eq!(client.ask_json(kind::READ, &json!({"path": "fixed/a.txt"}))["text"], "one\n");
    for edit in [
        json!({"op": "write", "text": "two\n"}),
        json!({"op": "delete"}),
        json!({"op": "chmod", "mode": "600"}),
        json!({"op": "rename", "to": "moved.txt"}),
    ] {
        let job = json!({"files": [
            {"path": "b.txt", "base": "any", "edits": [{"op": "write", "text": "two\n"}]},
            {"path": "fixed/a.txt", "base": "any", "edits": [edit]},
        ]});
        let reply = client.ask_json(kind::EDIT, &job);
        let code = jobs::code(&reply).unwrap_or_else(|| panic!("{reply}"));
        assert!(["denied", "io"].contains(&code), "{reply}");
        assert_eq!(reply["error"]["path"], "fixed/a.txt", "{reply}");
        jobs::refused(&reply, code);
    }
    assert_eq!(before.differences(&FileTree::of(daemon.workspace())), [""; 0]);
    mount.again("rw");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("fixed/a.txt", "two\n")));
    jobs::applied(&client.ask_json(kind::UNDO, &json!({})));
    daemon.stop();
}

#[test]
fn a_git_folder_is_recognized_where_it_is_mounted_again() {
    if !is_root("a mount") {
        return;
    }
    let mut daemon = TestDaemon::new();
    for (path, text) in [("HEAD", "ref\n"), ("config", "one\n"), ("refs/x", "x\n"), ("objects/x", "x\n")] {
        daemon.put(&format!(".git/{path}"), text);
    }
    fs::create_dir(daemon.workspace().join("other")).unwrap();
    let git = daemon.workspace().join(".git");
    let Some(_mount) = MountPoint::bind(&git, &daemon.workspace().join("other")) else { return };
    daemon.start();
    let mut client = daemon.client("a");
    for path in ["other/config", "other/hooks/post-checkout"] {
        let reply = client.ask_json(kind::EDIT, &jobs::write(path, "two\n"));
        jobs::refused(&reply, "rejected");
        assert!(reply["error"]["message"].as_str().unwrap().contains("belongs to git"), "{reply}");
    }
    assert_eq!(daemon.get(".git/config"), b"one\n");
    assert_eq!(daemon.stop().code(), Some(0));
}

#[test]
fn the_folder_of_the_daemon_is_recognized_where_it_is_mounted_again() {
    if !is_root("a mount") {
        return;
    }
    let mut daemon = TestDaemon::new();
    fs::create_dir_all(daemon.workspace().join("sub/other")).unwrap();
    // The first start makes the folder.
    daemon.start();
    daemon.stop();
    let own = daemon.workspace().join(".editd");
    let Some(_mount) = MountPoint::bind(&own, &daemon.workspace().join("sub/other")) else { return };
    daemon.start();
    let mut client = daemon.client("a");
    let before = fs::read(own.join("lock")).unwrap();
    for path in [".editd/lock", "sub/other/lock", "sub/other/new", "sub/other/staging/x"] {
        for base in ["any", "absent"] {
            let job =
                json!({"files": [{"path": path, "base": base, "edits": [{"op": "write", "text": "two\n"}]}]});
            let reply = client.ask_json(kind::EDIT, &job);
            assert!(
                ["outside", "denied", "rejected"].contains(&jobs::code(&reply).unwrap_or("none")),
                "{path}: {reply}"
            );
        }
    }
    assert_eq!(fs::read(own.join("lock")).unwrap(), before);
    assert!(!own.join("new").exists());
    assert_eq!(daemon.stop().code(), Some(0));
}
