//! Makes each file in `cases/LANGUAGE/` a named test. It only lists names; `tests/cases.rs` reads and runs them.

#![expect(clippy::disallowed_methods, reason = "a build script lists the cases")]

use std::io::{Error, Result};
use std::path::Path;

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=cases");
    let variable = |name: &str| std::env::var(name).map_err(Error::other);
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("cases");
    let mut cases = Vec::new();
    for language in names(&folder)? {
        let inside = names(&folder.join(&language))?;
        let sources = inside.into_iter().filter(|name| !name.ends_with(".outline"));
        cases.extend(sources.map(|name| format!("{language}/{name}")));
    }
    let tests: String = cases
        .iter()
        .map(|case| {
            let test: String =
                case.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            format!("#[test]\nfn {test}() {{\n    run({case:?});\n}}\n")
        })
        .collect();
    std::fs::write(Path::new(&variable("OUT_DIR")?).join("cases.rs"), tests)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
