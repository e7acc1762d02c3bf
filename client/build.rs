//! Sets `EDITD_VERSION`, which the programs print for `--version`: the version of the package, with the commit and its
//! date if the sources are a checkout. The daemon has the same script. Never reads the clock, so that equal sources give equal programs.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script asks git, and tells cargo which files to look at"
)]

use std::path::Path;
use std::process::Command;

/// Digits of the commit that are shown.
const DIGITS: usize = 7;

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // From the folder of either package.
    println!("cargo::rerun-if-changed=../client/build.rs");
    let variable = |name| std::env::var(name).unwrap_or_default();
    // The daemon takes long to build; a build for its developers is not repeated for each commit.
    let is_slow = variable("CARGO_PKG_NAME") == "editd" && variable("PROFILE") == "debug";
    let commit = if is_slow { None } else { commit() };
    let commit = commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
    println!("cargo::rustc-env=EDITD_VERSION={version}{commit}");
}

/// Returns the commit and its date; `None` if there is no git, or if the sources only lie in a checkout of something else.
fn commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "."])?;
    let log = git(&["log", "-1", "--format=%H %cs"])?;
    let (hash, date) = log.split_once(' ')?;
    watch_head();
    Some(format!("{} {date}", hash.get(..DIGITS)?))
}

/// Makes cargo run this script again when the commit changes, and only then.
fn watch_head() {
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    let file = |name: &str| git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).is_file());
    // Each new commit and each switch to another one adds a line to this log. A checkout without it is rare.
    let files = match file("logs/HEAD") {
        Some(log) => vec![log],
        None => ["HEAD", branch.as_deref().unwrap_or("HEAD"), "packed-refs"]
            .into_iter()
            .filter_map(file)
            .collect(),
    };
    for file in files {
        println!("cargo::rerun-if-changed={file}");
    }
}

/// Runs git in the folder of the package. Returns what it prints, or `None` if it fails.
fn git(words: &[&str]) -> Option<String> {
    let done = Command::new("git").args(words).output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8(done.stdout).ok()?.trim().to_owned())
}
