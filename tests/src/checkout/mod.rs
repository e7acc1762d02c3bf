//! The files of this checkout as text, for checks and measurements of the sources. It skips what git ignores.

pub mod language;
pub mod rust;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every text file of a source tree, by its path from the top.
pub struct Checkout {
    files: BTreeMap<String, String>,
}

impl Checkout {
    /// Reads the checkout that this crate was built from.
    pub fn of_this_crate() -> Checkout {
        let top = top();
        let names = tracked(&top).unwrap_or_else(|| walked(&top));
        let files = names
            .into_iter()
            .filter_map(|name| {
                let text = String::from_utf8(std::fs::read(top.join(&name)).ok()?).ok()?;
                Some((name, text))
            })
            .collect();
        Checkout { files }
    }

    /// Returns a tree of these paths and texts, to test a check with.
    pub fn sample(files: &[(&str, &str)]) -> Checkout {
        Checkout { files: files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect() }
    }

    /// Path and text of every file.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Path and text of every Rust file, without the inputs of tests.
    pub fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_case =
            |name: &str| ["/cases/rust/", "/tests/errors/"].iter().any(|folder| name.contains(folder));
        self.all().filter(move |(name, _)| name.ends_with(".rs") && !is_case(name))
    }

    /// The text of one file.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// The folder of the crate that a file belongs to: the nearest one with a `Cargo.toml`, `""` if there is none.
    pub fn crate_of<'n>(&self, name: &'n str) -> &'n str {
        let folders = name.rmatch_indices('/').map(|(at, _)| &name[..at]);
        folders.into_iter().find(|folder| self.get(&format!("{folder}/Cargo.toml")).is_some()).unwrap_or("")
    }
}

/// The top of the checkout that this crate was built from.
pub fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns true if the file has only tests: a module of unit tests, or a part of a folder of tests.
pub fn is_test(name: &str) -> bool {
    name.starts_with("tests/") || name.contains("/tests/") || is_unit_test(name)
}

/// Returns true if the file is a module of unit tests beside the code.
pub fn is_unit_test(name: &str) -> bool {
    name.ends_with("/tests.rs")
        || name.contains("/src/") && name.contains("/tests/")
        || name.ends_with("_tests.rs")
}

/// Returns a path in which `unix` and `windows`, and all below them, are the same, so that a type that each platform
/// declares is found once.
pub fn without_platform(name: &str) -> String {
    let at = ["/unix", "/windows"].iter().find_map(|system| {
        let at = name.find(system)?;
        name[at + system.len()..].starts_with(['/', '.']).then_some(at)
    });
    at.map_or(name.to_owned(), |at| format!("{}/<platform>", &name[..at]))
}

/// Returns the paths that git tracks or would add; `None` outside a checkout.
fn tracked(top: &Path) -> Option<Vec<String>> {
    let mut git = Command::new("git");
    git.arg("-C").arg(top).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = git.output().ok().filter(|out| out.status.success())?.stdout;
    let names: Vec<String> =
        listed.split(|b| *b == 0).filter_map(|n| String::from_utf8(n.to_vec()).ok()).collect();
    names.iter().any(|n| n == "Cargo.toml").then_some(names.into_iter().filter(|n| !n.is_empty()).collect())
}

/// Returns the paths of all files below the top, except those that a build makes.
fn walked(top: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(top.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let is_made = |name: &str| {
                [".git", "target", ".editd", "__pycache__", "node_modules", "dist", "dist-test"]
                    .contains(&name)
            };
            if name.to_str().is_none_or(is_made) {
                continue;
            }
            let path = folder.join(&name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(_) => found.extend(path.to_str().map(str::to_owned)),
                Err(_) => {}
            }
        }
    }
    found
}
