//! The version that `--version` prints: the commit of a checkout, and none elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A folder of sources with the build script as a program.
struct Sources {
    top: TempDir,
}

impl Sources {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--edition", "2024", "-A", "warnings", "-o"]).arg(top.path().join("script")).arg(&script);
        assert!(rustc.status().unwrap().success());
        let folder = top.path().join("sources/client");
        fs::create_dir_all(&folder).unwrap();
        fs::copy(script, folder.join("build.rs")).unwrap();
        Self { top }
    }

    fn folder(&self) -> PathBuf {
        self.top.path().join("sources")
    }

    fn git(&self, folder: &Path, words: &[&str]) {
        let mut git = self.command("git", folder);
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.logAllRefUpdates=true"]);
        git.env("GIT_COMMITTER_DATE", "2026-11-24T23:30:00-0500").args(words);
        let done = git.output().unwrap();
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn command(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).env("HOME", self.top.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_CEILING_DIRECTORIES", self.top.path());
        command
    }

    /// Runs the script in a checkout. Returns the version, and the files at whose change it runs again.
    fn version(&self, checkout: &Path, path: Option<&str>) -> (String, Vec<String>) {
        self.version_of(("editctl", "debug"), checkout, path)
    }

    /// The same for a package and a profile.
    fn version_of(
        &self,
        (package, profile): (&str, &str),
        checkout: &Path,
        path: Option<&str>,
    ) -> (String, Vec<String>) {
        let script = self.top.path().join("script");
        let mut command = self.command(script.to_str().unwrap(), &checkout.join("client"));
        command.env("CARGO_PKG_VERSION", "0.1.0").env("CARGO_PKG_NAME", package).env("PROFILE", profile);
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let done = command.output().unwrap();
        assert!(done.status.success(), "{done:?}");
        let out = String::from_utf8(done.stdout).unwrap();
        let after = |key: &str| -> Vec<String> {
            out.lines().filter_map(|line| line.strip_prefix(key)).map(str::to_owned).collect()
        };
        let files = after("cargo::rerun-if-changed=");
        (after("cargo::rustc-env=EDITD_VERSION=").concat(), files)
    }
}

/// Returns true for `0.1.0 (0123abc 2026-11-24)`.
fn has_commit(version: &str) -> bool {
    let commit = version.strip_prefix("0.1.0 (").and_then(|rest| rest.strip_suffix(" 2026-11-24)"));
    commit.is_some_and(|commit| commit.len() == 7 && commit.chars().all(|digit| digit.is_ascii_hexdigit()))
}

#[test]
fn the_version_of_a_program_is_that_of_the_library() {
    let done = Command::new(env!("CARGO_BIN_EXE_editctl")).arg("--version").output().unwrap();
    assert_eq!(String::from_utf8(done.stdout).unwrap(), format!("editctl {}\n", editctl::VERSION));
    assert!(editctl::VERSION.starts_with(env!("CARGO_PKG_VERSION")));
}

#[test]
fn without_a_checkout_of_the_sources_the_version_has_no_commit() {
    if Command::new("git").arg("--version").output().is_err() {
        return println!("skipped: git is not installed");
    }
    let sources = Sources::new();
    let folder = sources.folder();
    let plain = ("0.1.0".to_owned(), vec!["../client/build.rs".to_owned()]);
    assert_eq!(sources.version(&folder, None), plain, "no git folder, as in an archive");
    // The sources of an archive, unpacked in somebody's checkout.
    fs::write(folder.join("other"), "").unwrap();
    sources.git(&folder, &["init", "--quiet"]);
    assert_eq!(sources.version(&folder, None), plain, "no commit");
    sources.git(&folder, &["add", "other"]);
    sources.git(&folder, &["commit", "--quiet", "--message", "other"]);
    assert_eq!(sources.version(&folder, None), plain, "the commit is not one of these sources");
    sources.git(&folder, &["add", "."]);
    sources.git(&folder, &["commit", "--quiet", "--message", "all"]);
    assert!(has_commit(&sources.version(&folder, None).0));
    assert_eq!(sources.version(&folder, Some("/nowhere")), plain, "no git program");
}

#[test]
fn the_version_follows_the_commit() {
    if Command::new("git").arg("--version").output().is_err() {
        return println!("skipped: git is not installed");
    }
    let sources = Sources::new();
    let folder = sources.folder();
    for words in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "one"]] {
        sources.git(&folder, words);
    }
    let (first, files) = sources.version(&folder, None);
    assert!(has_commit(&first), "{first}");
    assert!(files.len() == 2 && files[1].ends_with("logs/HEAD"), "{files:?}");
    let log = folder.join("client").join(&files[1]);
    let before = fs::read(&log).unwrap();
    sources.git(&folder, &["commit", "--quiet", "--allow-empty", "--message", "two"]);
    assert_ne!(fs::read(&log).unwrap(), before, "the file changes with the commit");
    let (second, _) = sources.version(&folder, None);
    assert!(has_commit(&second) && second != first, "{second}");

    // The daemon has the same version, except in a build for its developers.
    assert_eq!(sources.version_of(("editd", "release"), &folder, None).0, second);
    assert_eq!(sources.version_of(("editd", "debug"), &folder, None).0, "0.1.0");
    // A shallow clone, and one without the log of HEAD.
    let shallow = sources.top.path().join("shallow");
    let from = format!("file://{}", folder.display());
    sources.git(sources.top.path(), &["clone", "--quiet", "--depth", "1", &from, shallow.to_str().unwrap()]);
    assert_eq!(sources.version(&shallow, None).0, second);
    fs::remove_dir_all(shallow.join(".git/logs")).unwrap();
    let (third, files) = sources.version(&shallow, None);
    assert_eq!(third, second);
    assert!(files.iter().any(|file| file.ends_with(".git/HEAD")), "{files:?}");
    assert!(files.iter().any(|file| file.contains("refs/heads/")), "{files:?}");
}
