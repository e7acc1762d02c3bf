//! A real source tree to work on: a copy of the sources of the crates in cargo's registry folder, which is only read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Copies whole crates, in the order of their names, until `to` holds at least `files` regular files; modes
/// are kept, links left out. Returns how many there are, which is less where the registry holds less.
///
/// # Panics
/// Where a file cannot be copied, or where there is no registry folder.
pub fn copy_real_tree(to: &Path, files: usize) -> usize {
    let mut crates: Vec<PathBuf> = registries().iter().flat_map(|folder| listed(folder)).collect();
    crates.sort();
    assert!(!crates.is_empty(), "no sources in cargo's registry folder");
    let mut copied = 0;
    for one in crates {
        if copied >= files {
            break;
        }
        let name = one.file_name().expect("a listed folder has a name");
        copied += copy(&one, &to.join(name));
    }
    copied
}

/// The folders of the registries in cargo's home. `cargo publish --dry-run` unpacks the packages of this workspace beside
/// them, in a folder that begins with `-`: they have files with deliberate errors, and are left out.
pub fn registries() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?;
        Some(PathBuf::from(home).join(".cargo"))
    });
    let all = home.map(|home| listed(&home.join("registry").join("src"))).unwrap_or_default();
    let is_real =
        |folder: &PathBuf| !folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"-"));
    all.into_iter().filter(is_real).collect()
}

/// The folders of the crates that the lock files of this workspace and of the fuzz targets name, in cargo's registry folder.
/// The other crates there differ between machines.
///
/// # Panics
/// If a lock file cannot be read.
pub fn locked_crates() -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let locks = [tests.join("../Cargo.lock"), tests.join("fuzz/Cargo.lock")];
    let mut named = BTreeSet::new();
    for lock in locks {
        let lock: toml::Table = fs::read_to_string(lock).expect("a lock file").parse().expect("TOML");
        for package in lock["package"].as_array().expect("the packages") {
            let of = |key: &str| package[key].as_str().expect("a text");
            named.insert(format!("{}-{}", of("name"), of("version")));
        }
    }
    let is_named = |folder: &PathBuf| {
        folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| named.contains(name))
    };
    registries().iter().flat_map(|folder| listed(folder)).filter(is_named).collect()
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).map(|all| all.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
}

fn copy(from: &Path, to: &Path) -> usize {
    let about = fs::symlink_metadata(from).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
    if about.is_file() {
        fs::copy(from, to).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
        return 1;
    }
    if !about.is_dir() {
        return 0;
    }
    fs::create_dir_all(to).unwrap_or_else(|e| panic!("{}: {e}", to.display()));
    listed(from)
        .iter()
        .map(|one| copy(one, &to.join(one.file_name().expect("a listed path has a name"))))
        .sum()
}
