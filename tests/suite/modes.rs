//! Changes of a file's mode by other programs: the journal has each of them once, however the daemon learns of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use editd_proto::message::kind;
use editd_tests::client::Client;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

fn set(file: &Path, mode: u32) {
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(daemon: &TestDaemon, path: &str) -> u32 {
    fs::metadata(daemon.workspace().join(path)).unwrap().permissions().mode() & 0o777
}

/// The number of changes of a path by other programs that the journal has.
fn outside(client: &mut Client, path: &str) -> usize {
    let log = client.ask_json(kind::HISTORY, &json!({ "path": path }));
    let entries = log["entries"].as_array().unwrap();
    entries.iter().filter(|entry| entry["kind"] == "external").count()
}

/// Asks the daemon for a file for the first time since it was started.
fn contact(client: &mut Client, with: &str) {
    let reply = match with {
        "read" => client.ask_json(kind::READ, &json!({ "path": "a.txt" })),
        "edit" => client.ask_json(kind::EDIT, &jobs::append("a.txt", "more\n")),
        "copy" => client.ask_json(kind::EDIT, &jobs::one("a.txt", json!({ "op": "copy", "to": "b.txt" }))),
        _ => client.ask_json(kind::NOTE, &json!({ "phase": "begin", "paths": ["a.txt"] })),
    };
    assert_eq!(jobs::code(&reply), None, "{with}: {reply}");
}

#[test]
fn a_mode_that_was_changed_while_no_daemon_ran_is_journaled_at_the_first_contact() {
    for with in ["read", "edit", "copy", "note"] {
        for killed in [false, true] {
            let mut daemon = TestDaemon::started();
            let mut client = daemon.client("s");
            jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "text\n")));
            client.ask_json(kind::MARK, &json!({ "name": "before" }));
            drop(client);
            if killed {
                daemon.kill();
            } else {
                assert!(daemon.stop().success());
            }
            set(&daemon.workspace().join("a.txt"), 0o755);
            daemon.start();
            let mut client = daemon.client("s");
            contact(&mut client, with);
            assert_eq!(outside(&mut client, "a.txt"), 1, "{with}, killed: {killed}");
            jobs::applied(&client.ask_json(kind::UNDO, &json!({ "to": "before" })));
            assert_eq!(mode(&daemon, "a.txt"), 0o644, "{with}, killed: {killed}");
            assert_eq!(daemon.get("a.txt"), b"text\n");
        }
    }
}

#[test]
fn a_changed_mode_is_journaled_once_over_kills() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "text\n")));
    set(&daemon.workspace().join("a.txt"), 0o755);
    contact(&mut client, "read");
    assert_eq!(outside(&mut client, "a.txt"), 1);
    for with in ["read", "note", "copy"] {
        drop(client);
        daemon.kill_and_start();
        client = daemon.client("s");
        contact(&mut client, with);
        client.ask_json(kind::MARK, &json!({ "name": with }));
        assert_eq!(outside(&mut client, "a.txt"), 1, "{with}");
    }
    assert_eq!(mode(&daemon, "b.txt"), 0o755, "a copy has the mode of its source");
}
