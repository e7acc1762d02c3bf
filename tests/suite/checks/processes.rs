//! Checks end with their time and with the daemon, which waits for them only if it has nothing else to do.

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, process, wait};
use serde_json::{Value, json};

use super::{WAIT, check, edit, status};

/// The processes of the script of a check that sleep.
fn sleeping(daemon: &TestDaemon) -> Vec<u32> {
    let mut found = process::in_folder(&daemon.workspace().canonicalize().unwrap());
    let name = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    found.retain(|pid| name(*pid).trim() == "sleep");
    found
}

fn sleeps(daemon: &TestDaemon) {
    let began = daemon.workspace().join("began");
    wait::until("the check", wait::LONG, || (began.exists() && sleeping(daemon).len() == 2).then_some(()));
}

fn nothing_sleeps(daemon: &TestDaemon) {
    wait::until("the end of all processes", wait::LONG, || sleeping(daemon).is_empty().then_some(()));
}

const SLEEP: &str = "touch began; setsid sleep 1000 & sleep 1000";

#[test]
fn no_process_of_a_check_outlives_its_time_or_the_daemon() {
    let mut daemon = TestDaemon::trusted(&check("slow", SLEEP, "timeout = \"300ms\"\nwait = \"30s\""));
    daemon.put("src/a", "one\n");
    let receipt = edit(&mut daemon.client("s"), &jobs::append("src/a", "two\n"));
    assert_eq!(status(&receipt), "timeout");
    assert!(receipt["checks"][0]["message"].as_str().unwrap().contains("0.3 s"), "{receipt}");
    nothing_sleeps(&daemon);
    let _ = std::fs::remove_file(daemon.workspace().join("began"));
    daemon.put(".editd.toml", check("slow", SLEEP, ""));
    daemon.trust();
    edit(&mut daemon.client("s"), &jobs::append("src/a", "three\n"));
    sleeps(&daemon);
    daemon.kill_and_start();
    nothing_sleeps(&daemon);
}

#[test]
fn a_stopping_daemon_ends_checks_and_answers_the_jobs_that_wait_for_them() {
    let mut daemon = TestDaemon::trusted(&check("slow", SLEEP, WAIT));
    daemon.put("src/a", "one\n");
    let mut client = daemon.client("s");
    client.send(kind::EDIT, &jobs::append("src/a", "two\n")).unwrap();
    let mut other = daemon.client("t");
    sleeps(&daemon);
    other.send(kind::CHECKS, &json!({ "timeout_ms": 60_000 })).unwrap();
    let stops = daemon.client("u").ask_json(kind::STOP, &json!({}));
    assert!(stops["pid"].is_number());
    let receipt: Value = client.receive().unwrap().body().unwrap();
    jobs::applied(&receipt);
    assert_eq!(status(&receipt), "running");
    let refused: Value = other.receive().unwrap().body().unwrap();
    assert_eq!(refused["code"], "stopping", "the next daemon can be asked");
    assert!(daemon.wait().success());
    assert!(sleeping(&daemon).is_empty(), "they ended before the daemon");
}

#[test]
fn a_daemon_with_nothing_to_do_waits_for_its_checks() {
    let config = check("slow", "sleep 1.5; touch done", "");
    let mut daemon = TestDaemon::new().with_options(&["--idle-exit", "300ms"]);
    daemon.put(".editd.toml", &config);
    daemon.put("src/a", "one\n");
    daemon.start();
    daemon.trust();
    edit(&mut daemon.client("s"), &jobs::append("src/a", "two\n"));
    assert!(daemon.wait().success());
    assert!(daemon.workspace().join("done").exists());
}
