//! The tests of the TypeScript library with the binaries of this build, under Node and Bun. If one of them or the installed
//! packages are absent, the test prints that it is skipped.

use std::path::Path;
use std::process::Command;

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;

/// The oldest version of Node that the library supports.
const NODE: u32 = 20;

#[test]
fn the_typescript_library_passes_its_tests() {
    let folder = binaries::top().join("client/typescript");
    match node_version() {
        None => return println!("skipped: node is not installed"),
        Some(version) if version < NODE => return println!("skipped: node {version} is older than {NODE}"),
        Some(_) => {}
    }
    for package in ["typescript", "@types/node", "@msgpack/msgpack"] {
        if !folder.join("node_modules").join(package).is_dir() {
            return println!("skipped: {package} is not installed; run `npm ci` in client/typescript");
        }
    }
    passes(&folder, Path::new("node"));
    // One after the other, since both build the library in the same folder.
    match &*binaries::top().join("tests/node/node_modules/@oven/bun-linux-x64/bin/bun") {
        bun if bun.is_file() => passes(&folder, bun),
        _ => println!("skipped: bun is not installed; run `npm ci` in tests/node"),
    }
}

/// Runs the tests of the library.
fn passes(folder: &Path, runtime: &Path) {
    // Each test starts daemons in folders of its own; this one has the environment of a user without settings.
    let user = TestDaemon::new();
    let mut tests = user.command(runtime);
    tests.arg(folder.join("test/run.mjs")).current_dir(folder);
    tests.env("EDITD_BIN", binaries::editd()).env("EDITCTL_BIN", binaries::editctl());
    let done = tests.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}: {said}", runtime.display());
    println!("{said}");
}

/// Returns the first number of the version of Node, or `None` if it is absent.
fn node_version() -> Option<u32> {
    let output =
        Command::new("node").arg("--version").output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}
