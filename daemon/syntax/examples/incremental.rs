//! Compares the results of a cache of trees with those of whole parses, after random edits of files. Changes no file.
//!
//! `find DIR -type f | cargo run --release -p editd-syntax --example incremental -- FILES EDITS SEED` edits so many files
//! of each language so many times, and prints for each language the number of edits, of those that introduced errors,
//! and of differences. It exits with status 1 if there are differences.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a program that reads files and tells")]

use std::collections::BTreeMap;
use std::io::BufRead;
use std::process::ExitCode;

use editd_syntax::Language;

#[path = "../tests/kit/edited.rs"]
mod edited;

/// Maximum size of a file in bytes.
const BYTES: usize = 60_000;

/// Maximum number of differences that are printed per language.
const SHOWN: usize = 5;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>().unwrap_or(1));
    let mut next = || numbers.next().unwrap_or(1);
    let (files, edits, seed) = (next(), next(), next());
    let mut found: BTreeMap<Language, Vec<(String, String)>> = BTreeMap::new();
    for path in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let language = Language::of(path.as_bytes(), &text).filter(|language| language.is_known());
        if let Some(language) = language.filter(|_| text.len() <= BYTES) {
            found.entry(language).or_default().push((path, text));
        }
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut same = true;
    for (language, mut texts) in found {
        random.shuffle(&mut texts);
        texts.truncate(usize::try_from(files).unwrap_or(usize::MAX));
        let (mut made, mut broken, mut different) = (0, 0, Vec::new());
        for (path, text) in &texts {
            let other = random.choice(&texts).map_or("", |(_, text)| text);
            let edits = usize::try_from(edits).unwrap_or(usize::MAX);
            let counts = edited::compare(language, path, (text, other), edits, &mut random);
            made += counts.edits;
            broken += counts.broken;
            different.extend(counts.different);
        }
        let name = language.name();
        println!(
            "{name}: {} files, {made} edits, {broken} broken, {} different",
            texts.len(),
            different.len()
        );
        for (old, new, why) in different.iter().take(SHOWN) {
            let at = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
            let around = new.floor_char_boundary(at.saturating_sub(60))
                ..new.floor_char_boundary((at + 60).min(new.len()));
            println!("  {:?}: {why}", new.get(around).unwrap_or_default());
        }
        same &= different.is_empty();
    }
    if same { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
