//! *Confinement*: where the kernel has Landlock, neither the daemon nor a command of the workspace can write elsewhere, and
//! `doctor` says whether it is so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{binaries, jobs, wait};
use serde_json::json;

/// Returns the finding of `doctor` about the confinement: the severity and the message.
fn finding(daemon: &TestDaemon) -> (String, String) {
    let reply = daemon.client("s").ask_json(kind::CHECK, &json!({}));
    let all = reply["findings"].as_array().unwrap();
    let found = all.iter().find(|one| one["subject"] == "confinement").unwrap();
    let text = |field: &str| found[field].as_str().unwrap().to_owned();
    (text("severity"), text("message"))
}

/// Returns true if the kernel can confine a process; otherwise prints that the test is skipped.
fn can_confine(daemon: &TestDaemon) -> bool {
    let (severity, message) = finding(daemon);
    if message.contains("the kernel has no Landlock") {
        assert_eq!(severity, "note");
        eprintln!("skipped: {message}");
        return false;
    }
    true
}

/// A folder that is not below a folder for temporary files, if the tests are not built in one.
fn outside() -> Option<tempfile::TempDir> {
    let built = binaries::editd().parent().unwrap().canonicalize().unwrap();
    let temporary = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()];
    if temporary.iter().any(|folder| built.starts_with(folder)) {
        eprintln!("skipped: the tests are built in a folder for temporary files");
        return None;
    }
    Some(tempfile::Builder::new().prefix("editd-outside-").tempdir_in(built).unwrap())
}

/// A hook that makes a file in each folder that the content names, one per line, and reports those where it could not.
const HOOK: &str = r#"
[[after_write]]
name = "try"
files = ["*.txt"]
command = ["sh", "-c", "while read -r place; do echo x >\"$place/made\" || bad=1; done <\"$1\"; exit $bad", "sh", "{path}"]
"#;

/// A hook that runs a script with an argument.
fn hook(script: &str, argument: &str) -> String {
    let command = json!(["sh", "-c", script, "sh", argument]);
    format!("[[after_write]]\nname = \"script\"\nfiles = [\"*.txt\"]\ncommand = {command}\n")
}

/// Runs the hook for these folders. Returns, for each, whether it could make a file there, and the warnings.
fn try_each(daemon: &TestDaemon, places: &[&Path]) -> (Vec<bool>, String) {
    let text: String = places.iter().map(|place| format!("{}\n", place.display())).collect();
    daemon.put("a.txt", "");
    let reply = daemon.client("s").ask_json(kind::EDIT, &jobs::write("a.txt", &text));
    jobs::applied(&reply);
    let made = places.iter().map(|place| fs::remove_file(place.join("made")).is_ok()).collect();
    (made, reply["hooks"].to_string())
}

#[test]
fn a_command_can_write_to_the_workspace_and_to_named_folders_alone() {
    let (Some(elsewhere), Some(named)) = (outside(), outside()) else { return };
    let temporary = tempfile::tempdir().unwrap();
    let mut daemon = TestDaemon::trusted(HOOK);
    if !can_confine(&daemon) {
        return;
    }
    assert_eq!(finding(&daemon).0, "ok", "{:?}", finding(&daemon));
    fs::create_dir(daemon.workspace().join("sub")).unwrap();
    let sub = daemon.workspace().join("sub");
    let places = [elsewhere.path(), named.path(), temporary.path(), &sub];
    let (made, told) = try_each(&daemon, &places);
    assert_eq!(made, [false, false, false, true], "{told}");
    assert!(told.contains("Permission denied") && told.contains("`write` in .editd.toml"), "{told}");

    // The daemon has restricted itself at its start, and nothing can undo that.
    let named_path = named.path().to_str().unwrap();
    daemon.put(".editd.toml", format!("{HOOK}write = [{named_path:?}, \"~/absent\"]\n"));
    daemon.trust();
    let listed = daemon.client("s").ask_json(kind::TRUST, &json!({}));
    assert_eq!(listed["commands"][0]["write"], json!([named_path, "~/absent"]));
    assert_eq!(try_each(&daemon, &places).0, [false, false, false, true]);
    let (severity, message) = finding(&daemon);
    assert!(
        severity == "note" && message.contains(named_path) && message.contains("editctl stop"),
        "{message}"
    );
    daemon.stop();
    daemon.start();
    assert_eq!(try_each(&daemon, &places).0, [false, true, false, true]);
    let (severity, message) = finding(&daemon);
    assert!(
        severity == "note" && !message.contains(named_path) && message.contains("home/absent"),
        "{message}"
    );

    // What is not trusted permits nothing.
    daemon.client("s").ask_json(kind::TRUST, &json!({ "revoke": true }));
    daemon.stop();
    daemon.start();
    daemon.trust();
    assert_eq!(try_each(&daemon, &places).0, [false, false, false, true]);
}

#[test]
fn a_command_has_a_folder_for_temporary_files_until_it_ends() {
    let hook = hook(r#"made=$(mktemp) && echo x >"$made" && echo "$made" >name.out"#, "{path}");
    let daemon = TestDaemon::trusted(&hook);
    if !can_confine(&daemon) {
        return;
    }
    let reply = daemon.client("s").ask_json(kind::EDIT, &jobs::write("a.txt", "a\n"));
    jobs::applied(&reply);
    assert_eq!(reply["hooks"], json!(null), "{reply}");
    let made = PathBuf::from(String::from_utf8(daemon.get("name.out")).unwrap().trim());
    let folder = made.parent().unwrap();
    assert!(folder.file_name().unwrap().to_str().unwrap().starts_with("editd-run-"), "{made:?}");
    assert!(!folder.exists(), "{folder:?}");
}

#[test]
fn the_temporary_folder_of_a_killed_daemon_is_removed_by_the_next_one() {
    let hook = hook(r#"echo "$TMPDIR" >name.new; mv name.new name.out; sleep 60"#, "{path}");
    let mut daemon = TestDaemon::trusted(&hook);
    if !can_confine(&daemon) {
        return;
    }
    let mut client = daemon.client("s");
    client.send(kind::EDIT, &jobs::write("a.txt", "a\n")).unwrap();
    let name = daemon.workspace().join("name.out");
    wait::until("the hook runs", wait::LONG, || name.exists().then_some(()));
    let folder = PathBuf::from(String::from_utf8(daemon.get("name.out")).unwrap().trim());
    assert!(folder.is_dir(), "{folder:?}");
    daemon.kill();
    assert!(folder.is_dir(), "{folder:?}");
    daemon.start();
    assert!(!folder.exists(), "{folder:?}");
}

#[test]
fn a_running_hook_follows_no_link_out_of_the_workspace() {
    let hook = hook(r#"touch begun; until test -e go; do sleep 0.02; done; echo changed >"$1""#, "{file}");
    let daemon = TestDaemon::trusted(&hook);
    if !can_confine(&daemon) {
        return;
    }
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.txt"), "foreign\n").unwrap();
    let workspace = daemon.workspace();
    daemon.put("sub/kept", "");
    let reply = std::thread::scope(|scope| {
        let job = scope.spawn(|| daemon.client("s").ask_json(kind::EDIT, &jobs::write("sub/a.txt", "own\n")));
        wait::until("the hook runs", wait::LONG, || workspace.join("begun").exists().then_some(()));
        fs::rename(workspace.join("sub"), workspace.join("moved")).unwrap();
        std::os::unix::fs::symlink(outside.path(), workspace.join("sub")).unwrap();
        daemon.put("go", "");
        job.join().unwrap()
    });
    assert_eq!(fs::read_to_string(outside.path().join("a.txt")).unwrap(), "foreign\n", "{reply}");
    assert_eq!(daemon.get("moved/a.txt"), b"own\n");
}

#[test]
fn confinement_can_be_turned_off_by_the_user_alone() {
    let Some(elsewhere) = outside() else { return };
    let mut daemon = TestDaemon::trusted(HOOK);
    if !can_confine(&daemon) {
        return;
    }
    daemon.put(".editd.toml", format!("confine = \"off\"\n{HOOK}"));
    daemon.stop();
    daemon.start();
    assert_eq!(finding(&daemon).0, "ok", "the file is not trusted");
    daemon.trust();
    assert_eq!(try_each(&daemon, &[elsewhere.path()]).0, [false]);
    daemon.stop();
    daemon.start();
    let (severity, message) = finding(&daemon);
    assert!(severity == "note" && message.contains("confine = \"off\""), "{message}");
    let (made, told) = try_each(&daemon, &[elsewhere.path()]);
    assert!(made == [true] && told == "null", "{told}");

    daemon.put(".editd.toml", HOOK);
    daemon.stop();
    let mut daemon = daemon.with_options(&["--no-confine"]);
    daemon.start();
    daemon.trust();
    assert_eq!(finding(&daemon).0, "note");
    assert_eq!(try_each(&daemon, &[elsewhere.path()]).0, [true]);
}

#[test]
fn every_thread_of_the_daemon_gains_no_privileges() {
    let daemon = TestDaemon::started();
    if !can_confine(&daemon) {
        return;
    }
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::write("a.txt", "1\n")));
    let mut threads = 0;
    for thread in fs::read_dir(format!("/proc/{}/task", daemon.pid())).unwrap() {
        // A thread may end meanwhile.
        let Ok(text) = fs::read_to_string(thread.unwrap().path().join("status")) else { continue };
        assert!(text.lines().any(|line| line.split_whitespace().eq(["NoNewPrivs:", "1"])), "{text}");
        threads += 1;
    }
    assert!(threads > 2, "{threads}");
}

#[test]
fn a_mount_inside_the_workspace_belongs_to_it_also_a_later_one() {
    let (Some(elsewhere), Some(top)) = (outside(), outside()) else { return };
    let mut daemon = TestDaemon::at(top.path());
    daemon.start();
    daemon.put("mount/.keep", "");
    let point = daemon.workspace().join("mount");
    let mount = Command::new("mount").arg("--bind").args([elsewhere.path(), &point]).output();
    if !mount.is_ok_and(|done| done.status.success()) {
        eprintln!("skipped: this user cannot mount");
        return;
    }
    let edits = [
        jobs::one("mount/a", json!({ "op": "create", "text": "one\n" })),
        jobs::one("mount/a", json!({ "op": "replace", "old": "one", "new": "two" })),
        jobs::one("mount/a", json!({ "op": "rename", "to": "mount/sub/b" })),
        jobs::one("mount/sub/b", json!({ "op": "rename", "to": "c" })),
    ];
    let replies: Vec<_> = edits.iter().map(|edit| daemon.client("s").ask_json(kind::EDIT, edit)).collect();
    let undone: Vec<_> = edits.iter().map(|_| daemon.client("s").ask_json(kind::UNDO, &json!({}))).collect();
    let is_left = ["a", "sub/b", "c"].iter().any(|name| point.join(name).exists());
    // The daemon may still be settling the last job there.
    wait::until("nobody has a file there open", wait::LONG, || {
        Command::new("umount").arg(&point).status().unwrap().success().then_some(())
    });
    replies.iter().chain(&undone).for_each(jobs::applied);
    assert!(!is_left);
}

#[test]
fn a_daemon_whose_folders_are_in_unrelated_places_works() {
    let (Some(top), Some(state), Some(socket)) = (outside(), outside(), outside()) else { return };
    let daemon = TestDaemon::at(top.path());
    let (state, socket) = (state.path().join("deep/state"), socket.path().join("s.sock"));
    let places = ["--state".as_ref(), state.as_os_str(), "--socket".as_ref(), socket.as_os_str()];
    for _ in 0..2 {
        let mut child = daemon.command(binaries::editd()).args(places).arg("--workspace=.").spawn().unwrap();
        let run = |words: &[&str]| {
            let mut command = daemon.editctl();
            command
                .env("EDITCTL_SESSION", "s")
                .args(["--no-spawn", "--workspace=.", "--socket"])
                .arg(&socket)
                .args(words)
                .output()
                .unwrap()
        };
        wait::until("the daemon listens", wait::LONG, || run(&["status"]).status.success().then_some(()));
        // The content of the file after each command; the tests may be built in a repository, which is not the workspace.
        let each: &[(&[&str], Option<&str>)] = &[
            (&["create", "sub/a", "one\n"], Some("one\n")),
            (&["replace", "sub/a", "one", "two"], Some("two\n")),
            (&["undo"], Some("one\n")),
            (&["undo"], None),
            (&["stop"], None),
        ];
        let file = daemon.workspace().join("sub/a");
        for (words, content) in each {
            let done = run(words);
            assert!(done.status.success(), "{words:?} {done:?}");
            assert_eq!(fs::read_to_string(&file).ok().as_deref(), *content, "{words:?}");
        }
        assert!(child.wait().unwrap().success());
        assert!(!socket.exists(), "the socket is removed at the end");
    }
}
