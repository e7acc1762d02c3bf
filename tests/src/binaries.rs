//! The paths of the built `editd` and `editctl`. They are built on first use, with the profile of the tests, so that
//! no test runs an old one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The daemon's binary: `EDITD_BIN`, else the one that belongs to this build.
pub fn editd() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| found("EDITD_BIN", "editd"))
}

/// The client's binary: `EDITCTL_BIN`, else the one that belongs to this build.
pub fn editctl() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| found("EDITCTL_BIN", "editctl"))
}

/// The binary of the MCP server: `EDITCTL_MCP_BIN`, else the one that belongs to this build.
pub fn editctl_mcp() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| found("EDITCTL_MCP_BIN", "editctl-mcp"))
}

/// The binary that configures runtimes: `EDITCTL_SETUP_BIN`, else the one that belongs to this build.
pub fn editctl_setup() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| found("EDITCTL_SETUP_BIN", "editctl-setup"))
}

/// The binary that shows history: `EDITCTL_HISTORY_BIN`, else the one that belongs to this build.
pub fn editctl_history() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| found("EDITCTL_HISTORY_BIN", "editctl-history"))
}

/// The binary that answers hooks of runtimes: `EDITCTL_HOOK_BIN`, else the one that belongs to this build.
pub fn editctl_hook() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| found("EDITCTL_HOOK_BIN", "editctl-hook"))
}

/// The top of the checkout.
pub fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate lies in the checkout")
}

fn found(variable: &str, name: &str) -> PathBuf {
    if let Some(path) = std::env::var_os(variable) {
        return PathBuf::from(path);
    }
    let path = built().join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} was not built; set {variable} to a binary", path.display());
    path
}

/// The smallest test program of the workspace.
const SMALL_TEST: &str = "errors";

/// Builds all programs once; returns their folder.
fn built() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let test = std::env::current_exe().expect("a test knows where it is");
        let folder = test.parent().and_then(Path::parent).expect("a test lies in target/PROFILE/deps");
        let target = folder.parent().expect("a profile's folder lies in the target folder");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build
            .current_dir(top())
            .args(["build", "--quiet", "--workspace", "--bins"])
            .arg("--target-dir")
            .arg(target);
        // What cargo told this test about its own package is not about those.
        for (name, _) in std::env::vars_os() {
            if name
                .to_str()
                .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
            {
                build.env_remove(name);
            }
        }
        if folder.ends_with("release") {
            // In the same folder: benchmarks measure what packages contain.
            build.args(["--profile", "bench"]);
        } else {
            // With a test among the targets, cargo chooses the features of dependencies as for `cargo test`: without it, most of
            // the workspace would be compiled twice.
            build.args(["--test", SMALL_TEST]);
        }
        let done = build.output().expect("cargo runs");
        assert!(
            done.status.success(),
            "the binaries do not build:\n{}",
            String::from_utf8_lossy(&done.stderr)
        );
        folder.to_owned()
    })
}
