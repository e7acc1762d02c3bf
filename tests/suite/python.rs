//! A client in Python, written from `proto/WIRE.md` alone, with a real daemon. If python3 or its `msgpack` is absent,
//! the test prints that it is skipped.

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;

#[test]
fn a_python_client_is_served() {
    let daemon = TestDaemon::started();
    let script = binaries::top().join("tests/python/wire_test.py");
    // The user's own packages are found by the user's own folder, not by that of the test.
    let has = |words: &[&str]| {
        let home = std::env::var_os("HOME").unwrap_or_default();
        daemon.command("python3").env("HOME", home).args(words).output()
    };
    match has(&["-c", "import msgpack"]) {
        Ok(found) if found.status.success() => {}
        _ => {
            println!("skipped: python3 or its msgpack is not installed");
            return;
        }
    }
    let socket = daemon.socket();
    let done = has(&[script.to_str().unwrap(), socket.to_str().unwrap()]).unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    println!("{said}");
}
