//! The official client of the protocol for Python.

use std::fs;

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;

use super::GREET;

/// Runs a script with the official SDK for Python on the server and the workspace, and returns its output; `None` if the SDK
/// is not installed.
pub(super) fn official_python_client(daemon: &TestDaemon, script: &str) -> Option<String> {
    let script = binaries::top().join("tests/python").join(script);
    let python = |words: &[&str]| {
        let home = std::env::var_os("HOME").unwrap_or_default();
        daemon.command("python3").env("HOME", home).args(words).output()
    };
    if !python(&["-c", "from mcp import Client"]).is_ok_and(|found| found.status.success()) {
        println!("skipped: python3 or version 2 of its package mcp is not installed");
        return None;
    }
    let server = binaries::editctl_mcp().to_str().unwrap();
    let done = python(&[script.to_str().unwrap(), server, daemon.workspace().to_str().unwrap()]).unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(String::from_utf8(done.stdout).unwrap())
}

#[test]
fn the_official_python_client_is_served() {
    let daemon = TestDaemon::started();
    daemon.put("greet.py", GREET);
    let Some(said) = official_python_client(&daemon, "mcp_test.py") else { return };
    assert!(fs::read_to_string(daemon.workspace().join("greet.py")).unwrap().contains("Goodbye"), "{said}");
}

#[test]
fn the_official_python_client_is_served_in_each_era() {
    let daemon = TestDaemon::started();
    let Some(said) = official_python_client(&daemon, "mcp_eras.py") else { return };
    for era in ["2026-07-28", "legacy", "auto"] {
        assert_eq!(
            fs::read_to_string(daemon.workspace().join(format!("{era}.txt"))).unwrap(),
            "new\n",
            "{said}"
        );
    }
}
