//! The tests of the Python package in `client/python`, with the daemons that the package starts. If python3 or its `msgpack`
//! is absent, the test prints that it is skipped.

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;

#[test]
fn the_python_package_passes_its_tests() {
    // Only its folders and its environment are used.
    let user = TestDaemon::new();
    let package = binaries::top().join("client/python");
    // The user's own packages are found by the user's own folder, not by that of the test.
    let python = |words: &[&str]| {
        let mut command = user.command("python3");
        command
            .current_dir(&package)
            .env("HOME", std::env::var_os("HOME").unwrap_or_default())
            .env("PYTHONPATH", package.join("src"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("EDITD_BIN", binaries::editd())
            .env("EDITCTL_BIN", binaries::editctl())
            .args(words);
        command.output()
    };
    match python(&["-c", "import sys, msgpack; sys.exit(sys.version_info < (3, 9))"]) {
        Ok(found) if found.status.success() => {}
        _ => {
            println!("skipped: python3 (from 3.9 on) or its msgpack is not installed");
            return;
        }
    }
    let done = python(&["-m", "unittest", "discover", "-s", "tests", "-t", "."]).unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    println!("{said}");
}
