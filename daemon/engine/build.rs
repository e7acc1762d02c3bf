//! Makes each file in `cases/KIND/` a named test. It only lists names; `tests/cases` reads and runs them.

#![expect(clippy::disallowed_methods, reason = "a build script lists the cases")]

use std::io::{Error, Result};
use std::path::Path;

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=cases");
    let variable = |name: &str| std::env::var(name).map_err(Error::other);
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("cases");
    let mut kinds = String::new();
    let mut names = Vec::new();
    for kind in listed(&folder)? {
        let cases: Vec<String> = listed(&folder.join(&kind))?
            .iter()
            .filter_map(|name| Some(format!("{kind}/{}", name.strip_suffix(".toml")?)))
            .collect();
        let tests: String = cases.iter().map(|case| test(&kind, case)).collect();
        kinds.push_str(&format!("mod {} {{\nuse super::run;\n{tests}}}\n", identifier(&kind)));
        names.extend(cases);
    }
    let list = format!("{kinds}const CASES: &[&str] = &{names:?};\n");
    std::fs::write(Path::new(&variable("OUT_DIR")?).join("cases.rs"), list)
}

/// Returns the names in a folder, sorted.
fn listed(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Returns the test of a case of a kind.
fn test(kind: &str, case: &str) -> String {
    let name = case.get(kind.len() + 1..).unwrap_or(case);
    format!("#[test]\nfn {}() {{\n    run({case:?});\n}}\n", identifier(name))
}

fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
