//! Every Rust file is reached from the root of a crate by `mod`. No other check notices a file that is not compiled.

use std::collections::BTreeSet;

use editd_tests::checkout::{Checkout, rust};

use super::{none, one, tree};

/// Returns true if the file is the root of a crate.
fn is_root(name: &str) -> bool {
    let in_folder = |folder: &str| {
        name.rsplit_once('/').is_some_and(|(parent, _)| parent.ends_with(folder) || parent == &folder[1..])
    };
    ["lib.rs", "main.rs", "build.rs"].iter().any(|root| name.rsplit('/').next() == Some(root))
        || ["/benches", "/examples", "/fuzz_targets", "/src/bin", "engine/tests", "syntax/tests"]
            .iter()
            .any(|folder| in_folder(folder))
}

fn forgotten(tree: &Checkout) -> Vec<String> {
    let mut reached: BTreeSet<String> = BTreeSet::new();
    let mut next: Vec<String> =
        tree.rust().map(|(name, _)| name.to_owned()).filter(|name| is_root(name)).collect();
    while let Some(name) = next.pop() {
        let Some(text) = tree.get(&name).filter(|_| reached.insert(name.clone())) else { continue };
        next.extend(children(&name, text).into_iter().filter(|child| tree.get(child).is_some()));
    }
    tree.rust()
        .map(|(name, _)| name)
        .filter(|name| !reached.contains(*name))
        .map(|name| format!("{name}: no `mod` reaches it, so it is never compiled"))
        .collect()
}

/// Returns the paths at which the modules that a file declares may be.
fn children(name: &str, text: &str) -> Vec<String> {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let home = if is_root(name) || file == "mod.rs" {
        folder.to_owned()
    } else {
        format!("{folder}/{}", file.trim_end_matches(".rs"))
    };
    let code = rust::code(text);
    let mut found = Vec::new();
    for line in code.lines() {
        let Some(before) = line.trim().strip_suffix(';') else { continue };
        let Some(module) = before.split_whitespace().skip_while(|w| *w != "mod").nth(1) else { continue };
        found.push(format!("{home}/{module}.rs"));
        found.push(format!("{home}/{module}/mod.rs"));
    }
    // `#[path = "…"]` is a literal, so it is looked for in the text itself.
    for (at, _) in text.match_indices("#[path = \"") {
        let rest = &text[at + 10..];
        found.extend(rest.split('"').next().map(|path| format!("{folder}/{path}")));
    }
    found
}

#[test]
fn every_source_is_reached() {
    none(forgotten(&tree()));
    let sample = [
        ("a/src/lib.rs", "mod one;\npub mod two;\n// mod three;\n"),
        ("a/src/one.rs", "#[cfg(test)]\nmod tests;\n"),
        ("a/src/one/tests.rs", ""),
        ("a/src/two/mod.rs", "#[path = \"odd.rs\"]\nmod even;\n"),
        ("a/src/two/odd.rs", ""),
    ];
    none(forgotten(&Checkout::sample(&sample)));
    let more = [sample.as_slice(), &[("a/src/three.rs", "")]].concat();
    one(&forgotten(&Checkout::sample(&more)), "a/src/three.rs");
}
