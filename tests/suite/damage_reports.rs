//! Damage of the log that a request finds is reported like damage that the background check finds: `status` has it at
//! once, subscribers get one event, and the daemon's log has one line.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use editd_proto::message::kind;
use editd_tests::client::Client;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::wait;
use serde_json::{Value, json};

/// A daemon with three entries of a file. The record of each is damaged by [`damage`].
fn three_entries() -> (TestDaemon, Client) {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    for text in ["line 1\n", "line 2\n", "line 3\n"] {
        let edit = if text == "line 1\n" { jobs::write("a.txt", text) } else { jobs::append("a.txt", text) };
        jobs::applied(&client.ask_json(kind::EDIT, &edit));
    }
    (daemon, client)
}

/// Flips a bit at the only place of the log that has a text.
fn damage(client: &mut Client, text: &str) {
    let state: PathBuf = client.ask_json(kind::STATUS, &json!({}))["state"].as_str().unwrap().into();
    let path = state.join("log/0000000000000001.log");
    let bytes = fs::read(&path).unwrap();
    let at = bytes.windows(text.len()).position(|part| part == text.as_bytes()).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().write_at(&[bytes[at] ^ 1], at as u64).unwrap();
}

fn event_of(watcher: &mut Client, is_it: impl Fn(&Value) -> bool) -> Value {
    loop {
        let event: Value = watcher.receive().unwrap().body().unwrap();
        if is_it(&event) {
            return event;
        }
    }
}

/// Checks that `status`, one event and one line of the daemon's log report the damage of entry 2.
fn reported_once(daemon: &TestDaemon, client: &mut Client, watcher: &mut Client, find: impl Fn(&mut Client)) {
    find(client);
    let status = client.ask_json(kind::STATUS, &json!({}));
    let damage = status["damage"].as_str().unwrap_or_else(|| panic!("{status}"));
    assert!(damage.contains("editctl salvage"), "{damage}");
    let event = event_of(watcher, |event| event["change"] == "damage");
    let message = event["message"].as_str().unwrap_or_else(|| panic!("{event}"));
    assert_eq!(event["change"], "damage", "{event}");
    assert!(message.contains("these entries cannot be shown or undone: 2."), "{message}");
    assert_eq!(client.ask_json(kind::STATUS, &json!({}))["damage"], event["message"]);
    // Nothing is reported a second time.
    find(client);
    client.ask_json(kind::CHECK, &json!({}));
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("b.txt", "later\n")));
    event_of(watcher, |event| {
        assert_ne!(event["change"], "damage", "{event}");
        event["path"] == "b.txt"
    });
    let lines = || daemon.said().lines().filter(|line| line.contains("the log is damaged")).count();
    wait::until("the log has the damage", wait::LONG, || (lines() > 0).then_some(()));
    assert_eq!(lines(), 1, "{}", daemon.said());
}

#[test]
fn damage_that_doctor_finds_is_reported_once() {
    let (daemon, mut client) = three_entries();
    let mut watcher = daemon.client("watcher");
    watcher.ask_json(kind::SUBSCRIBE, &json!({ "globs": ["**"] }));
    damage(&mut client, "line 2\n");
    reported_once(&daemon, &mut client, &mut watcher, |client| {
        let found = client.ask_json(kind::CHECK, &json!({}));
        assert!(found["findings"].to_string().contains("the log is damaged"), "{found}");
    });
}

#[test]
fn damage_that_no_request_finds_is_reported_by_the_background_check() {
    let (mut daemon, mut client) = three_entries();
    damage(&mut client, "line 2\n");
    drop(client);
    // Its first check is some seconds after the start.
    assert!(daemon.stop().success());
    daemon.start();
    let mut client = daemon.client("s");
    let mut watcher = daemon.client("watcher");
    watcher.ask_json(kind::SUBSCRIBE, &json!({ "globs": ["**"] }));
    reported_once(&daemon, &mut client, &mut watcher, |client| {
        wait::until("the check finds the damage", wait::LONG, || {
            client.ask_json(kind::STATUS, &json!({}))["damage"].as_str().map(drop)
        });
    });
}

#[test]
fn damage_that_other_requests_find_is_reported_once() {
    for (kind, request) in [
        (kind::SHOW, json!({ "job": 2 })),
        (kind::UNDO, json!({ "jobs": [2] })),
        (kind::CONTENT, json!({ "job": 2, "path": "a.txt", "side": "before" })),
    ] {
        let (daemon, mut client) = three_entries();
        let mut watcher = daemon.client("watcher");
        watcher.ask_json(kind::SUBSCRIBE, &json!({ "globs": ["**"] }));
        damage(&mut client, "line 2\n");
        reported_once(&daemon, &mut client, &mut watcher, |client| {
            let told = client.ask_json(kind, &request).to_string();
            assert!(told.contains("damaged"), "{kind}: {told}");
        });
    }
}

/// The log cannot be opened, and nothing about it is known to be damaged.
#[cfg(target_os = "linux")]
#[test]
fn a_check_without_file_descriptors_reports_no_damage() {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

    let (daemon, mut client) = three_entries();
    let pid = Pid::from_raw(i32::try_from(daemon.pid()).unwrap());
    let limited = Rlimit { current: Some(3), ..getrlimit(Resource::Nofile) };
    let usual = prlimit(pid, Resource::Nofile, limited).unwrap();
    let found = client.ask_json(kind::CHECK, &json!({}))["findings"].to_string();
    prlimit(pid, Resource::Nofile, usual).unwrap();
    assert!(found.contains("ulimit -n"), "{found}");
    assert!(!found.contains("damaged") && !found.contains("salvage"), "{found}");
    let found = client.ask_json(kind::CHECK, &json!({}));
    assert!(!found["findings"].to_string().contains("\"bad\""), "{found}");
    assert_eq!(client.ask_json(kind::STATUS, &json!({}))["damage"], Value::Null);
}
