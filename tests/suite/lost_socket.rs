//! A daemon whose socket is removed or replaced under it: it stops, and leaves the socket of the next daemon alone.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// Returns the output of a command that succeeded.
#[track_caller]
fn done(daemon: &TestDaemon, words: &[&str]) -> String {
    let output = daemon.editctl().args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn pid(daemon: &TestDaemon) -> u64 {
    let status: Value = serde_json::from_str(&done(daemon, &["status", "--json"])).unwrap();
    status["pid"].as_u64().unwrap()
}

/// Removes a folder and makes an empty one at its path.
fn make_again(folder: &Path) {
    fs::remove_dir_all(folder).unwrap();
    DirBuilder::new().mode(0o700).create(folder).unwrap();
}

#[test]
fn the_next_command_starts_a_daemon_if_the_socket_was_removed() {
    let removals: [fn(&TestDaemon); 3] = [
        // As a cleaner of old files does.
        |daemon| fs::remove_file(daemon.socket()).unwrap(),
        // As the end of the last login session does.
        |daemon| make_again(&daemon.folder("run")),
        |daemon| fs::rename(daemon.socket(), daemon.folder("run").join("elsewhere")).unwrap(),
    ];
    for remove in removals {
        let mut daemon = TestDaemon::started();
        daemon.put("a.txt", "one\n");
        let mut idle = daemon.client("idle");
        let old = idle.ask_json(kind::STATUS, &json!({}))["pid"].as_u64().unwrap();
        remove(&daemon);
        done(&daemon, &["replace", "a.txt", "one", "two"]);
        assert_eq!(daemon.get("a.txt"), b"two\n");
        assert_eq!(daemon.wait().code(), Some(0), "{}", daemon.said());
        assert!(daemon.said().contains("was removed or replaced; stopping"), "{}", daemon.said());
        let new = pid(&daemon);
        assert_ne!(new, old);
        done(&daemon, &["stop"]);
        assert!(!daemon.socket().exists());
    }
}

#[test]
fn a_daemon_that_was_replaced_leaves_the_socket_of_its_successor() {
    let mut daemon = TestDaemon::started();
    for folder in ["workspace", "run", "state"] {
        make_again(&daemon.folder(folder));
    }
    daemon.put("a.txt", "one\n");
    let new = pid(&daemon);
    assert_ne!(new, u64::from(daemon.pid()));
    assert_eq!(daemon.wait().code(), Some(0), "{}", daemon.said());
    assert_eq!(pid(&daemon), new);
    done(&daemon, &["--no-spawn", "replace", "a.txt", "one", "two"]);
    assert_eq!(daemon.get("a.txt"), b"two\n");
    done(&daemon, &["stop"]);
    assert!(!daemon.socket().exists());
}
