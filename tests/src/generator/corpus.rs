//! The real files that edits are drawn from: the sources of the locked crates in cargo's registry folder. It only reads
//! there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use super::versions::later_versions;
use crate::sources::locked_crates;

/// Bytes of a file that is taken: what a person would edit by hand.
const SIZES: std::ops::RangeInclusive<u64> = 120..=96 * 1024;

/// The language of a file, by its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Language {
    /// Rust.
    Rust,
    /// C and C++.
    C,
    /// Python.
    Python,
    /// JavaScript and TypeScript.
    JavaScript,
    /// Markdown.
    Markdown,
    /// TOML.
    Toml,
    /// JSON and YAML.
    Data,
}

/// The share of each language among the drawn files, of a hundred. The registry is nearly all Rust, so the shares
/// differ from those there.
const WEIGHTS: [(Language, usize); 7] = [
    (Language::Rust, 48),
    (Language::C, 16),
    (Language::Markdown, 14),
    (Language::Toml, 10),
    (Language::Data, 5),
    (Language::Python, 4),
    (Language::JavaScript, 3),
];

impl Language {
    /// The language of a file name.
    fn of(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "rs" => Self::Rust,
            "c" | "h" | "cpp" | "hpp" | "cc" => Self::C,
            "py" => Self::Python,
            "js" | "mjs" | "ts" => Self::JavaScript,
            "md" => Self::Markdown,
            "toml" | "orig" => Self::Toml,
            "json" | "yml" | "yaml" => Self::Data,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::C => "C and C++",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::Markdown => "Markdown",
            Self::Toml => "TOML",
            Self::Data => "JSON and YAML",
        }
    }
}

/// Real files by language, in the order of their paths.
#[derive(Debug)]
pub struct Corpus {
    files: BTreeMap<Language, Vec<PathBuf>>,
    /// Files that are otherwise in a later version of their crate.
    changed: Vec<ChangedFile>,
}

/// A file, and the same in a later version.
#[derive(Debug)]
struct ChangedFile {
    path: PathBuf,
    language: Language,
    later: PathBuf,
}

/// A file that was drawn.
pub(super) struct DrawnFile<'c> {
    pub(super) path: &'c Path,
    pub(super) language: Language,
    /// The same file in a later version of its crate.
    pub(super) later: Option<&'c Path>,
}

/// The percentage of files drawn that have a later version.
const CHANGED: usize = 25;

impl Corpus {
    /// Lists the files that can be drawn, in the crates that the lock files name: the draw is the same on every machine.
    pub fn find() -> Self {
        let mut files: BTreeMap<Language, Vec<PathBuf>> = BTreeMap::new();
        let mut folders = locked_crates();
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file()
                    && let Some(language) = Language::of(&path)
                    && entry.metadata().is_ok_and(|about| SIZES.contains(&about.len()))
                {
                    files.entry(language).or_default().push(path);
                }
            }
        }
        files.values_mut().for_each(|paths| paths.sort());
        let changed = changed(&files);
        Self { files, changed }
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.values().map(Vec::len).sum()
    }

    /// Returns true if there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the number of files of each language.
    pub fn counts(&self) -> impl Iterator<Item = (Language, usize)> {
        self.files.iter().map(|(language, paths)| (*language, paths.len()))
    }

    /// Draws a file, or one of which a later version is there.
    pub(super) fn draw_changed(&self, rng: &mut Rng) -> DrawnFile<'_> {
        if !self.changed.is_empty() && rng.usize(0..100) < CHANGED {
            let ChangedFile { path, language, later } = &self.changed[rng.usize(0..self.changed.len())];
            return DrawnFile { path, language: *language, later: Some(later) };
        }
        let (path, language) = self.draw(rng);
        DrawnFile { path, language, later: None }
    }

    /// A file, and its language.
    pub fn draw(&self, rng: &mut Rng) -> (&Path, Language) {
        loop {
            let mut at = rng.usize(0..100);
            let drawn = WEIGHTS.iter().find(|(_, weight)| {
                let here = at < *weight;
                at = at.saturating_sub(*weight);
                here
            });
            let Some((language, _)) = drawn else { continue };
            if let Some(paths) = self.files.get(language).filter(|paths| !paths.is_empty()) {
                return (&paths[rng.usize(0..paths.len())], *language);
            }
        }
    }
}

/// The files that differ in a later version of their crate.
fn changed(files: &BTreeMap<Language, Vec<PathBuf>>) -> Vec<ChangedFile> {
    let later = later_versions(&locked_crates());
    let mut found = Vec::new();
    for (language, paths) in files {
        for path in paths {
            let Some((old, new)) = path.ancestors().find_map(|folder| later.get_key_value(folder)) else {
                continue;
            };
            let Ok(inside) = path.strip_prefix(old) else { continue };
            let later = new.join(inside);
            if let (Ok(was), Ok(is)) = (fs::read(path), fs::read(&later))
                && was != is
            {
                found.push(ChangedFile { path: path.clone(), language: *language, later });
            }
        }
    }
    found
}
