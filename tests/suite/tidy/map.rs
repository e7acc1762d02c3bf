//! The files at the top of the tree, and the manifests.

use std::collections::BTreeSet;

use editd_tests::checkout::Checkout;

use super::{none, one, tree};

/// The files and folders at the top.
const TOP: &[&str] = &[
    ".cargo",
    ".ci",
    ".clippy.toml",
    ".gitattributes",
    ".github",
    ".gitignore",
    ".rustfmt.toml",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "client",
    "daemon",
    "proto",
    "systemd",
    "tests",
];
fn top(tree: &Checkout) -> Vec<String> {
    let names: BTreeSet<&str> = tree.all().filter_map(|(name, _)| name.split('/').next()).collect();
    let extra = names.iter().filter(|n| !TOP.contains(n));
    let missing = TOP.iter().filter(|n| !names.contains(*n));
    extra
        .map(|n| format!("{n}: does not belong at the top"))
        .chain(missing.map(|n| format!("{n}: is missing at the top")))
        .collect()
}

/// Complains about each crate of the workspace that does not inherit its lints.
fn lints(tree: &Checkout) -> Vec<String> {
    tree.all()
        .filter(|(name, _)| name.ends_with("/Cargo.toml") && !name.starts_with("tests/fuzz/"))
        .filter(|(_, text)| !text.replace(' ', "").contains("[lints]\nworkspace=true"))
        .map(|(name, _)| format!("{name}: is not under the workspace's lints"))
        .collect()
}

/// The texts of the licences.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Complains about crates that are published without the licences, and about copies that differ. The copies are no links:
/// a checkout on Windows turns links into files that contain a path, and cargo would pack these.
fn licences(tree: &Checkout) -> Vec<String> {
    let manifests = tree.all().filter(|(name, _)| name.ends_with("/Cargo.toml"));
    let published = manifests.filter(|(_, text)| !text.lines().any(|line| line.starts_with("publish")));
    let folders = published.filter_map(|(name, _)| name.strip_suffix("Cargo.toml"));
    let wanted = folders.flat_map(|folder| LICENCES.map(|licence| format!("{folder}{licence}")));
    let missing = wanted.filter(|name| tree.get(name).is_none());
    let missing = missing.map(|name| format!("{name}: is missing; copy it from the top"));
    let copies = tree.all().filter_map(|(name, text)| Some((name, text, name.rsplit_once('/')?.1)));
    let copies = copies.filter(|(_, _, file)| LICENCES.contains(file));
    let differing = copies.filter(|(_, text, file)| tree.get(file) != Some(*text));
    missing.chain(differing.map(|(name, ..)| format!("{name}: differs from the one at the top"))).collect()
}

#[test]
fn published_crates_have_the_licences() {
    none(licences(&tree()));
    let sample = |files: &[(&str, &str)]| {
        let top = [("LICENSE-MIT", "a"), ("LICENSE-APACHE", "b"), ("c/Cargo.toml", "publish = false")];
        licences(&Checkout::sample(&[&top, files].concat()))
    };
    let published = ("d/Cargo.toml", "[package]");
    none(sample(&[published, ("d/LICENSE-MIT", "a"), ("d/LICENSE-APACHE", "b")]));
    one(&sample(&[published, ("d/LICENSE-MIT", "a")]), "d/LICENSE-APACHE: is missing");
    one(&sample(&[("e/LICENSE-MIT", "../LICENSE-MIT")]), "e/LICENSE-MIT: differs");
}

#[test]
fn the_top_folder_holds_only_listed_entries() {
    none(top(&tree()));
    let mut sample: Vec<(&str, &str)> = TOP.iter().map(|name| (*name, "")).collect();
    none(top(&Checkout::sample(&sample)));
    sample.push(("notes.txt", ""));
    one(&top(&Checkout::sample(&sample)), "notes.txt: does not belong");
    sample.pop();
    sample.retain(|(name, _)| *name != "README.md");
    one(&top(&Checkout::sample(&sample)), "README.md: is missing");
}

#[test]
fn every_crate_is_under_the_lints() {
    none(lints(&tree()));
    one(&lints(&Checkout::sample(&[("a/Cargo.toml", "[package]\n[lints.rust]\n")])), "a/Cargo.toml");
    none(lints(&Checkout::sample(&[("a/Cargo.toml", "[lints]\nworkspace = true\n"), ("Cargo.toml", "")])));
}
