//! Lists the sources of the published crates in cargo's registry folder. Reads none of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use editd_syntax::Language;

/// Returns the files of each supported language of at most so many bytes, sorted by name.
pub(crate) fn sources(bytes: u64) -> BTreeMap<Language, Vec<PathBuf>> {
    let mut sources: BTreeMap<Language, Vec<PathBuf>> = Language::all()
        .filter(|language| language.is_known())
        .map(|language| (language, Vec::new()))
        .collect();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?;
        Some(Path::new(&home).join(".cargo"))
    });
    let mut folders: Vec<PathBuf> = home.map(|home| home.join("registry").join("src")).into_iter().collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, about) = (entry.path(), entry.metadata());
            let Ok(about) = about else { continue };
            if about.is_dir() {
                folders.push(path);
            } else if about.is_file() && about.len() <= bytes {
                let language = Language::of(path.as_os_str().as_encoded_bytes(), "");
                if let Some(files) = language.and_then(|language| sources.get_mut(&language)) {
                    files.push(path);
                }
            }
        }
    }
    sources.values_mut().for_each(|files| files.sort());
    sources
}
