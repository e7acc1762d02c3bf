//! Folders that another user made: nobody's `.editd.toml` or `.editd` is used, in a shared folder or elsewhere. The
//! other user is 65534; the tests need root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;

use super::is_root;

const NOBODY: u32 = 65534;

fn give(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
}

/// Runs a command in a folder of the workspace. Returns its status, and what it printed.
fn run(daemon: &TestDaemon, mut command: Command, folder: &str, words: &[&str]) -> (Option<i32>, String) {
    let output = command.current_dir(daemon.workspace().join(folder)).args(words).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// `editctl` in a folder of the workspace.
fn editctl(daemon: &TestDaemon, folder: &str, words: &[&str]) -> (Option<i32>, String) {
    run(daemon, daemon.editctl(), folder, words)
}

/// `editd` in a folder of the workspace; it is expected to end.
fn editd(daemon: &TestDaemon, folder: &str, words: &[&str]) -> (Option<i32>, String) {
    let mut command = daemon.command(binaries::editd());
    // One that serves all the same ends without an error.
    command.args(["--idle-exit", "1s"]);
    run(daemon, command, folder, words)
}

/// A sticky folder in which everybody may create files, with a private folder of this user.
fn shared() -> Option<TestDaemon> {
    if !is_root("a file of another user") {
        return None;
    }
    let daemon = TestDaemon::new();
    daemon.put("mine/a.txt", "one\n");
    fs::set_permissions(daemon.workspace(), Permissions::from_mode(0o1777)).unwrap();
    fs::set_permissions(daemon.workspace().join("mine"), Permissions::from_mode(0o700)).unwrap();
    Some(daemon)
}

#[test]
fn a_workspace_that_another_user_made_in_a_shared_folder_is_not_used() {
    let Some(daemon) = shared() else { return };
    let at = |name: &str| daemon.workspace().join(name);
    fs::write(at(".editd.toml"), "unread = \"allow\"\n").unwrap();
    fs::create_dir_all(at(".editd/staging")).unwrap();
    for name in [".editd.toml", ".editd", ".editd/staging"] {
        give(&at(name));
        fs::set_permissions(at(name), Permissions::from_mode(0o777)).unwrap();
    }
    let (status, said) = editctl(&daemon, "mine", &["replace", "a.txt", "one", "two"]);
    assert_ne!(status, Some(0), "{said}");
    assert!(said.contains("belongs to user 65534") && said.contains("--workspace"), "{said}");
    let root = daemon.workspace().to_str().unwrap();
    // The settings are those of neither this user nor the folder's owner; without them, `.editd` is not this user's.
    for (gone, part) in
        [("nothing", ".editd.toml belongs to user 65534"), (".editd.toml", ".editd in the workspace")]
    {
        let _ = fs::remove_file(at(gone));
        let (status, said) =
            editctl(&daemon, "mine", &["--workspace", root, "replace", "a.txt", "one", "two"]);
        assert_ne!(status, Some(0), "{said}");
        assert!(said.contains(part) && said.contains("65534"), "{said}");
    }
    assert_eq!(daemon.get("mine/a.txt"), b"one\n");
    assert_eq!(fs::metadata(at("mine/a.txt")).unwrap().uid(), 0);
    // A folder without a marker is a workspace of its own.
    let (status, said) = editctl(&daemon, "mine", &["replace", "a.txt", "one", "two"]);
    assert_eq!((status, daemon.get("mine/a.txt")), (Some(0), b"two\n".to_vec()), "{said}");
    assert_eq!(editctl(&daemon, "mine", &["stop"]).0, Some(0));
}

#[test]
fn a_daemon_serves_the_folder_of_another_user_only_if_it_is_named() {
    let Some(daemon) = shared() else { return };
    give(&daemon.workspace().join("mine"));
    let (status, said) = editd(&daemon, "mine", &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("belongs to user 65534") && said.contains("add `--workspace"), "{said}");
    let named = daemon.workspace().join("mine");
    let words = ["--workspace", named.to_str().unwrap()];
    let (status, said) =
        editctl(&daemon, "mine", &[&words[..], &["replace", "a.txt", "one", "two"]].concat());
    assert_eq!((status, daemon.get("mine/a.txt")), (Some(0), b"two\n".to_vec()), "{said}");
    assert_eq!(editctl(&daemon, "mine", &[&words[..], &["stop"]].concat()).0, Some(0));
}

#[test]
fn no_part_of_the_daemons_folder_may_be_of_another_user_or_open_to_others() {
    let Some(mut daemon) = shared() else { return };
    let root = daemon.workspace().to_owned();
    let own = root.join(".editd");
    let named = ["--workspace", root.to_str().unwrap()];
    let folders = ["", "staging", "lost", "unflushed", "check"];
    for part in
        ["", "staging", "lost", "unflushed", "check", "lock", ".gitignore", "beside", "beside.new", "probe"]
    {
        let path = own.join(part);
        for exposed in [false, true] {
            let _ = fs::remove_dir_all(&own);
            fs::create_dir(&own).unwrap();
            if folders.contains(&part) {
                fs::create_dir_all(&path).unwrap();
            } else {
                fs::write(&path, "").unwrap();
            }
            if !exposed {
                give(&path);
            } else if folders.contains(&part) {
                fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
            } else {
                continue;
            }
            let (status, said) = editd(&daemon, "", &named);
            assert_eq!(status, Some(1), "{part} {exposed}: {said}");
            let told = Path::new(".editd").join(part);
            let told = told.to_str().unwrap().trim_end_matches('/');
            let remedy = if exposed { "chmod go-w" } else { "belongs to user 65534" };
            assert!(said.contains(told) && said.contains(remedy), "{part} {exposed}: {said}");
        }
    }
    let _ = fs::remove_dir_all(&own);
    // Folders that others can only read are made private.
    fs::create_dir_all(own.join("staging")).unwrap();
    daemon.start();
    for path in [&own, &own.join("staging")] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o7777, 0o700);
    }
    daemon.stop();
}

#[test]
fn a_journal_with_a_file_of_another_user_is_not_opened() {
    if !is_root("a file of another user") {
        return;
    }
    let mut daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    daemon.stop();
    let state = daemon.folder("state").join("editd");
    let folder = fs::read_dir(&state).unwrap().next().unwrap().unwrap().path();
    let file =
        fs::read_dir(&folder).unwrap().map(|one| one.unwrap().path()).find(|path| path.is_file()).unwrap();
    give(&file);
    let (status, said) = editd(&daemon, "", &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains(file.to_str().unwrap()) && said.contains("65534") && said.contains("--state"),
        "{said}"
    );
}
