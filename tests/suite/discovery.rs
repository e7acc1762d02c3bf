//! Tests that a client finds the daemon of its workspace if their environments differ.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::process::{Output, Stdio};
use std::time::Duration;

use editd_tests::test_daemon::TestDaemon;
use editd_tests::{binaries, wait};

fn told(output: &Output) -> (Option<i32>, String) {
    let said = [&output.stdout[..], &output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// `editctl` with another `XDG_RUNTIME_DIR` than the daemon's; it starts none.
fn from_elsewhere(daemon: &TestDaemon, words: &[&str]) -> (Option<i32>, String) {
    let run = daemon.folder("run-of-another");
    // It may be there already.
    let _ = fs::DirBuilder::new().mode(0o700).create(&run);
    let mut command = daemon.editctl();
    told(&command.env("XDG_RUNTIME_DIR", run).arg("--no-spawn").args(words).output().unwrap())
}

#[test]
fn a_daemon_with_another_runtime_folder_is_found_by_its_file_in_the_workspace() {
    let mut daemon = TestDaemon::started();
    daemon.put("a", "one\n");
    assert_eq!(from_elsewhere(&daemon, &["read", "a"]), (Some(0), "one\n".into()));
    let (status, said) = from_elsewhere(&daemon, &["replace", "a", "one", "two"]);
    assert_eq!((status, daemon.get("a")), (Some(0), b"two\n".to_vec()), "{said}");
    // What is left of one that was killed leads nowhere.
    daemon.kill();
    let (status, said) = from_elsewhere(&daemon, &["read", "a"]);
    assert_eq!(status, Some(4), "{said}");
}

#[test]
fn a_workspace_is_not_edited_through_the_daemon_of_another() {
    let (served, daemon) = (TestDaemon::started(), TestDaemon::new());
    for (one, text) in [(&served, "theirs\n"), (&daemon, "ours\n")] {
        one.put("a", text);
    }
    let own = daemon.workspace().join(".editd");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("lock"), served.socket().to_str().unwrap()).unwrap();
    let (status, said) = from_elsewhere(&daemon, &["replace", "a", "theirs", "changed"]);
    assert_eq!((status, served.get("a")), (Some(4), b"theirs\n".to_vec()), "{said}");
    assert!(said.contains("no daemon serves"), "{said}");
    // Nor is it waited for, where the name is that of no file or of no socket.
    for address in ["", "relative", "/nowhere/at/all", "/dev/null"] {
        fs::write(own.join("lock"), address).unwrap();
        assert_eq!(from_elsewhere(&daemon, &["read", "a"]).0, Some(4), "{address}");
    }
}

#[test]
fn a_named_socket_is_used_for_its_own_workspace_only() {
    let (served, daemon) = (TestDaemon::started(), TestDaemon::started());
    for (one, text) in [(&served, "one\n"), (&daemon, "one\n")] {
        one.put("a", text);
    }
    let socket = served.socket();
    let words = ["--socket", socket.to_str().unwrap(), "replace", "a", "one", "two"];
    let (status, said) = told(&daemon.editctl().args(words).output().unwrap());
    assert_eq!((status, served.get("a")), (Some(4), b"one\n".to_vec()), "{said}");
    assert!(said.contains("serves") && said.contains("leave out --socket"), "{said}");
    assert_eq!(told(&served.editctl().args(words).output().unwrap()).0, Some(0));
    assert_eq!((served.get("a"), daemon.get("a")), (b"two\n".to_vec(), b"one\n".to_vec()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_workspace_whose_path_is_no_text_is_found_by_its_file() {
    let top = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"w\xff");
    let workspace = top.path().join(name);
    fs::create_dir(&workspace).unwrap();
    let daemon = TestDaemon::new();
    fs::write(workspace.join("a"), "one\n").unwrap();
    let mut command = daemon.command(binaries::editd());
    let mut started = command.arg("--workspace").arg(&workspace).stderr(Stdio::null()).spawn().unwrap();
    let run = daemon.folder("run-of-another");
    fs::DirBuilder::new().mode(0o700).create(&run).unwrap();
    let read = || {
        let mut command = daemon.editctl();
        command.env("XDG_RUNTIME_DIR", &run).current_dir(&workspace);
        told(&command.args(["--no-spawn", "read", "a"]).output().unwrap())
    };
    wait::until("the daemon serves", Duration::from_secs(20), || {
        (read() == (Some(0), "one\n".into())).then_some(())
    });
    started.kill().unwrap();
    started.wait().unwrap();
}

#[test]
fn a_client_in_a_container_of_its_own_reaches_the_daemon_outside() {
    let daemon = TestDaemon::started();
    daemon.put("a", "one\n");
    let words = ["--fork", "--pid", "--mount-proc", "--kill-child"];
    let mut tried = daemon.command("unshare");
    if !tried.args(words).arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        return eprintln!("skipped: no container can be made");
    }
    let mut command = daemon.command("unshare");
    command.args(words).arg(binaries::editctl()).args(["--no-spawn", "--session", "s", "read", "a"]);
    assert_eq!(told(&command.output().unwrap()), (Some(0), "one\n".into()));
}
