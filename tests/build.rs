//! Makes each case file a named test: `cases.rs` with one `scenario!` for each. It never reads what they say.

#![expect(clippy::panic, reason = "a build that cannot go on ends with a sentence")]

use std::path::Path;

fn main() {
    let folder = Path::new("cases");
    println!("cargo::rerun-if-changed=cases");
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("tests/cases: {e}"));
    let mut names: Vec<String> = entries
        .map(|entry| {
            let entry = entry.unwrap_or_else(|e| panic!("tests/cases: {e}"));
            let file =
                entry.file_name().into_string().unwrap_or_else(|odd| panic!("tests/cases/{odd:?}: not text"));
            let Some(name) = file.strip_suffix(".toml") else {
                panic!("tests/cases/{file}: not a case file")
            };
            let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            assert!(
                plain && name.starts_with(|c: char| c.is_ascii_lowercase()),
                "tests/cases/{file}: small letters, digits and `_` only"
            );
            name.to_owned()
        })
        .collect();
    names.sort();
    let list: String = names.iter().map(|name| format!("scenario!({name});\n")).collect();
    let out = std::env::var_os("OUT_DIR").unwrap_or_else(|| panic!("cargo names a folder for what is made"));
    std::fs::write(Path::new(&out).join("cases.rs"), list).unwrap_or_else(|e| panic!("cases.rs: {e}"));
}
