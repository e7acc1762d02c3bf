//! Outlines every source file of some folders and checks the invariants of the outlines. Changes no file.
//!
//! `cargo run --release -p editd-syntax --example real -- FOLDER…` prints for each language the number of files,
//! symbols and broken files, and the speed. It lists violated invariants and then exits with status 1.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a program that reads files and tells")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use editd_syntax::{Language, ParseBudget, ParseError, outline};

#[path = "../tests/kit/faults.rs"]
mod faults;

/// Maximum number of violations that are printed per language.
const SHOWN: usize = 10;

/// The totals of all files of a language.
#[derive(Default)]
struct Met {
    files: usize,
    bytes: usize,
    lines: usize,
    symbols: usize,
    broken: Vec<PathBuf>,
    too_large: usize,
    spent: Vec<PathBuf>,
    faults: Vec<String>,
    took: Duration,
    /// The longest time per thousand lines among files that have at least as many.
    slowest: (Duration, PathBuf),
}

fn main() -> ExitCode {
    editd_syntax::count_parser_memory();
    let (paths, flags): (Vec<_>, Vec<_>) = std::env::args_os().skip(1).partition(|one| one != "--broken");
    let mut met: BTreeMap<Language, Met> = BTreeMap::new();
    for folder in paths {
        for path in files(Path::new(&folder)) {
            look_at(&path, &mut met);
        }
    }
    for (language, met) in &met {
        tell(*language, met, !flags.is_empty());
    }
    if met.values().any(|met| !met.faults.is_empty()) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn files(top: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

fn look_at(path: &Path, met: &mut BTreeMap<Language, Met>) {
    let Some(text) = std::fs::read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else { return };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let known = |language: &Language| language.is_known();
    let Some(language) = Language::of(path.as_os_str().as_encoded_bytes(), text).filter(known) else {
        return;
    };
    let met = met.entry(language).or_default();
    met.files += 1;
    met.bytes += text.len();
    let lines = text.lines().count();
    met.lines += lines;
    let start = Instant::now();
    let outlined = outline(language, text, &ParseBudget::default());
    let took = start.elapsed();
    met.took += took;
    if lines >= 1000 {
        let for_a_thousand = took.mul_f64(1000.0 / lines as f64);
        if for_a_thousand > met.slowest.0 {
            met.slowest = (for_a_thousand, path.to_owned());
        }
    }
    match outlined {
        Ok(outline) => {
            met.symbols += outline.symbols.len();
            if outline.broken {
                met.broken.push(path.to_owned());
            }
            let faults = faults::faults(text, &outline);
            met.faults.extend(faults.into_iter().map(|fault| format!("{}: {fault}", path.display())));
        }
        Err(ParseError::TooLarge { .. }) => met.too_large += 1,
        Err(_) => met.spent.push(path.to_owned()),
    }
}

fn tell(language: Language, met: &Met, with_broken: bool) {
    let seconds = met.took.as_secs_f64();
    println!(
        "{}: {} files, {} lines, {} symbols, {} broken, {} too large, {} given up; {:.1} MB/s, {:.2} ms for 1,000 lines",
        language.name(),
        met.files,
        met.lines,
        met.symbols,
        met.broken.len(),
        met.too_large,
        met.spent.len(),
        met.bytes as f64 / 1e6 / seconds,
        seconds * 1e6 / met.lines as f64,
    );
    println!("  at most {:?} for 1,000 lines: {}", met.slowest.0, met.slowest.1.display());
    for path in &met.spent {
        println!("  given up: {}", path.display());
    }
    for path in met.broken.iter().filter(|_| with_broken) {
        println!("  broken: {}", path.display());
    }
    for fault in met.faults.iter().take(SHOWN) {
        println!("  FAULT {fault}");
    }
    println!("  {} faults", met.faults.len());
}
