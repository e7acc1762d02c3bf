//! A daemon whose user lacks permissions, and clients of another user: `denied`, with a message, and no change. The
//! other user is 65534, which owns nothing elsewhere.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use serde_json::Value;

use super::{MountPoint, is_root};

const NOBODY: u32 = 65534;

const CHMOD_AND_EDIT: &str = r#"{"files": [{"path": "once.sh", "edits": [
    {"op": "replace", "old": "one", "new": "four"}, {"op": "chmod", "mode": "4755"}]}]}"#;

const FULL: &str = r#"{"durability": "full", "files": [
    {"path": "a/b/new/er/z.txt", "base": "absent", "edits": [{"op": "create", "text": "z\n"}]},
    {"path": "c/b/new/z.txt", "base": "absent", "edits": [{"op": "create", "text": "z\n"}]}]}"#;

const NEW: &str = r#"{"files": [
    {"path": "a/b/new/er/z.txt", "base": "absent", "edits": [{"op": "create", "text": "z\n"}]}]}"#;

/// The binaries where anybody may run them, and folders that are the other user's. `None` where that cannot be.
fn belongs_to_nobody(daemon: &TestDaemon) -> Option<PathBuf> {
    if !is_root("another user") || Command::new("setpriv").arg("--version").output().is_err() {
        println!("skipped: needs root and setpriv");
        return None;
    }
    let top = daemon.workspace().parent().unwrap();
    fs::set_permissions(top, Permissions::from_mode(0o755)).unwrap();
    let bin = top.join("bin");
    fs::create_dir(&bin).unwrap();
    // By another process: a child of a test that runs beside this one would keep a copy open for writing.
    for (binary, name) in [(binaries::editd(), "editd"), (binaries::editctl(), "editctl")] {
        assert!(Command::new("cp").args([binary, &bin.join(name)]).status().unwrap().success());
    }
    Some(bin)
}

fn give(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|one| give(&one.unwrap().path()));
    }
}

/// `editctl` of that user, who starts a daemon of its own.
fn editctl(daemon: &TestDaemon, bin: &Path, words: &[&str]) -> Output {
    let mut command = daemon.command("setpriv");
    command
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"])
        .arg(bin.join("editctl"))
        .env("EDITD_BIN", bin.join("editd"))
        .args(words);
    command.output().unwrap()
}

/// Kills the daemon of that user.
fn kill(daemon: &TestDaemon, bin: &Path) {
    let output = editctl(daemon, bin, &["--json", "status"]);
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    let killed = Command::new("kill").args(["-KILL", &status["pid"].to_string()]).status().unwrap();
    assert!(killed.success());
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn actions_without_permission_are_denied_and_change_nothing() {
    let daemon = TestDaemon::new();
    let Some(bin) = belongs_to_nobody(&daemon) else { return };
    daemon.put("mine.txt", "one\n");
    daemon.put("secret.txt", "one\n");
    daemon.put("foreign.txt", "one\n");
    daemon.put("shut/a.txt", "one\n");
    daemon.put("closed/a.txt", "one\n");
    daemon.put("locked.txt", "one\n");
    for name in ["workspace", "home", "run", "state"] {
        give(&daemon.folder(name));
    }
    let at = |name: &str| daemon.workspace().join(name);
    // Root's, and readable; root's, and not; a folder that may be entered, and one that may not.
    for name in ["foreign.txt", "secret.txt", "shut", "closed"] {
        chown(at(name), Some(0), Some(0)).unwrap();
    }
    for (name, mode) in [("secret.txt", 0o600), ("shut", 0o755), ("closed", 0o700), ("locked.txt", 0o444)] {
        fs::set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
    }
    let before = FileTree::of(daemon.workspace());
    for (words, why) in [
        (vec!["read", "secret.txt"], "secret.txt"),
        (vec!["replace", "secret.txt", "one", "two"], "secret.txt"),
        (vec!["read", "closed/a.txt"], "closed"),
        (vec!["replace", "closed/a.txt", "one", "two"], "closed"),
        (vec!["replace", "shut/a.txt", "one", "two"], "shut"),
        (vec!["replace", "locked.txt", "one", "two"], "locked.txt"),
    ] {
        let output = editctl(&daemon, &bin, &words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {}", said(&output));
        assert!(said(&output).contains("denied") && said(&output).contains(why), "{}", said(&output));
    }
    let foreign = editctl(&daemon, &bin, &["replace", "foreign.txt", "one", "two"]);
    println!(
        "a file of another user in a folder of one's own: {}",
        said(&foreign).lines().last().unwrap_or("")
    );
    if foreign.status.code() == Some(0) {
        let back = editctl(&daemon, &bin, &["undo"]);
        assert_eq!(back.status.code(), Some(0), "{}", said(&back));
    }
    let found = before.differences(&FileTree::of(daemon.workspace()));
    assert_eq!(found, [""; 0]);
    let mine = editctl(&daemon, &bin, &["replace", "mine.txt", "one", "two"]);
    assert_eq!((mine.status.code(), daemon.get("mine.txt")), (Some(0), b"two\n".to_vec()), "{}", said(&mine));
    assert_eq!(editctl(&daemon, &bin, &["stop"]).status.code(), Some(0));
}

#[test]
fn an_edit_drops_set_id_bits_unless_the_job_sets_them() {
    let daemon = TestDaemon::new();
    let Some(bin) = belongs_to_nobody(&daemon) else { return };
    daemon.put("s.sh", "one\n");
    let at = |name: &str| daemon.workspace().join(name);
    daemon.put("once.sh", "one\n");
    fs::hard_link(at("s.sh"), at("t.sh")).unwrap();
    for name in ["workspace", "home", "run", "state"] {
        give(&daemon.folder(name));
    }
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o7777;
    // The first is rewritten in place, the second exchanged.
    for (name, shown) in [("s.sh", "t.sh"), ("once.sh", "once.sh")] {
        for (bits, kept) in [(0o4755, 0o755), (0o2755, 0o755), (0o6755, 0o755), (0o2644, 0o2644)] {
            fs::set_permissions(at(name), Permissions::from_mode(bits)).unwrap();
            let run = |words: &[&str], text: &str, warns: bool| {
                let output = editctl(&daemon, &bin, words);
                let told = said(&output);
                assert_eq!(output.status.code(), Some(0), "{words:?}: {told}");
                assert_eq!((daemon.get(shown), mode(shown)), (text.as_bytes().to_vec(), kept), "{words:?}");
                assert_eq!(told.contains("no set-user-ID or set-group-ID bit any more"), warns, "{told}");
            };
            run(&["replace", name, "one", "three"], "three\n", bits != kept);
            run(&["undo"], "one\n", bits != kept);
        }
    }
    fs::write(at("job.json"), CHMOD_AND_EDIT).unwrap();
    let output = editctl(&daemon, &bin, &["edit", "job.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!((daemon.get("once.sh"), mode("once.sh")), (b"four\n".to_vec(), 0o4755));
    // A new file of this user does not get the bits of the file that it is a copy of.
    fs::write(
        at("job.json"),
        r#"{"files": [{"path": "once.sh", "edits": [{"op": "copy", "to": "copy.sh"}]}]}"#,
    )
    .unwrap();
    let output = editctl(&daemon, &bin, &["edit", "job.json"]);
    assert_eq!((output.status.code(), mode("copy.sh")), (Some(0), 0o755), "{}", said(&output));
    assert_eq!(editctl(&daemon, &bin, &["stop"]).status.code(), Some(0));
}

#[test]
fn folders_that_may_be_entered_but_not_listed_lead_to_the_files_below_them() {
    let daemon = TestDaemon::new();
    let Some(bin) = belongs_to_nobody(&daemon) else { return };
    let at = |name: &str| daemon.workspace().join(name);
    // The first is another user's, the second one's own.
    for top in ["a", "c"] {
        daemon.put(&format!("{top}/b/x.txt"), "one\n");
        fs::hard_link(at(&format!("{top}/b/x.txt")), at(&format!("{top}/b/y.txt"))).unwrap();
    }
    std::os::unix::fs::symlink("a/b", at("link")).unwrap();
    fs::write(at("full.json"), FULL).unwrap();
    for name in ["workspace", "home", "run", "state"] {
        give(&daemon.folder(name));
    }
    chown(at("a"), Some(0), Some(0)).unwrap();
    fs::set_permissions(at("a"), Permissions::from_mode(0o711)).unwrap();
    fs::set_permissions(at("c"), Permissions::from_mode(0o311)).unwrap();
    let run = |words: &[&str]| {
        let output = editctl(&daemon, &bin, words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", said(&output));
        said(&output)
    };
    // Both names of a file are found, also through a link.
    for path in ["a/b/x.txt", "c/b/x.txt"] {
        run(&["replace", path, "one", "two"]);
        assert_eq!(daemon.get(path), b"two\n");
    }
    run(&["replace", "link/x.txt", "two", "three"]);
    // New folders are flushed before the reply.
    run(&["edit", "full.json"]);
    assert_eq!((daemon.get("a/b/new/er/z.txt"), daemon.get("c/b/new/z.txt")), (b"z\n".into(), b"z\n".into()));
    // A start after a kill reaches them as well, and so does an undo.
    kill(&daemon, &bin);
    // As a note that came with a repository, about a folder that cannot be listed.
    fs::write(at(".editd/beside"), b"\0c\0").unwrap();
    give(&at(".editd/beside"));
    run(&["undo"]);
    assert!(!at("a/b/new").exists() && !at("c/b/new").exists());
    // A file can be put only into a folder that can be flushed.
    let output = editctl(&daemon, &bin, &["replace", "c/new.txt", "one", "two"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("no permission for c:"), "{}", said(&output));
    run(&["stop"]);
}

#[test]
fn a_folder_that_cannot_be_flushed_after_a_cut_is_named_with_a_remedy() {
    let daemon = TestDaemon::new();
    let Some(bin) = belongs_to_nobody(&daemon) else { return };
    let at = |name: &str| daemon.workspace().join(name);
    daemon.put("a/b/x.txt", "one\n");
    fs::write(at("new.json"), NEW).unwrap();
    for name in ["workspace", "home", "run", "state"] {
        give(&daemon.folder(name));
    }
    let made = editctl(&daemon, &bin, &["edit", "new.json"]);
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    kill(&daemon, &bin);
    fs::set_permissions(at("a/b"), Permissions::from_mode(0o311)).unwrap();
    // On another mount, the unflushed changes of the last one may be lost.
    let Some(_mount) = MountPoint::bind(daemon.workspace(), daemon.workspace()) else { return };
    let refused = editctl(&daemon, &bin, &["read", "a/b/x.txt"]);
    assert_eq!(refused.status.code(), Some(4), "{}", said(&refused));
    let told = said(&refused);
    assert!(told.contains("a/b: ") && told.contains("make it readable"), "{told}");
    fs::set_permissions(at("a/b"), Permissions::from_mode(0o755)).unwrap();
    for words in [["undo"], ["stop"]] {
        let output = editctl(&daemon, &bin, &words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", said(&output));
    }
    assert!(!at("a/b/new").exists());
}

#[test]
fn a_client_of_another_user_is_denied() {
    let mut daemon = TestDaemon::new();
    let Some(bin) = belongs_to_nobody(&daemon) else { return };
    daemon.put("a.txt", "one\n");
    daemon.start();
    let socket = daemon.socket();
    let words = ["--no-spawn", "--json", "--socket", socket.to_str().unwrap(), "read", "a.txt"];
    // The folder of the socket lets nobody in.
    let output = editctl(&daemon, &bin, &words);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    // Nor does the daemon, should somebody open the folder and the socket.
    for (path, mode) in [(daemon.folder("run"), 0o755), (socket.parent().unwrap().to_owned(), 0o755)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    fs::set_permissions(&socket, Permissions::from_mode(0o666)).unwrap();
    let output = editctl(&daemon, &bin, &words);
    assert_ne!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!said(&output).contains("one\\n"), "{}", said(&output));
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(reply["error"]["code"], "denied", "{}", said(&output));
    // The daemon goes on for its own user.
    let status = daemon.client("own").ask_json("status", &serde_json::json!({}));
    assert_eq!(status["pid"], daemon.pid());
}
