//! Makes each file in `cases/` a named test. It only lists names; `tests/cases` reads and runs them.

#![expect(clippy::disallowed_methods, reason = "a build script lists the cases")]

use std::io::{Error, Result};
use std::path::Path;

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=cases");
    let variable = |name: &str| std::env::var(name).map_err(Error::other);
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("cases");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".toml") {
            names.push(stem.to_owned());
        }
    }
    names.sort();
    let tests: String = names
        .iter()
        .map(|name| {
            let test: String =
                name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            format!("#[test]\nfn {test}() {{\n    run({name:?});\n}}\n")
        })
        .collect();
    let list = format!("{tests}const CASES: &[&str] = &{names:?};\n");
    std::fs::write(Path::new(&variable("OUT_DIR")?).join("cases.rs"), list)
}
