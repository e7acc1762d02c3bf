//! Edits the symbols of real files in every way and prints how they fared. It writes no file.
//!
//! `cargo run --release -p editd-tests --example symbols -- FOLDER…` takes other folders than cargo's registry;
//! `LANGUAGE=python` takes one language, `FILES` and `SYMBOLS` say how many files and symbols of each. It fails where a
//! body that is sent back changes its file, or a change cannot be taken back.

use std::path::PathBuf;
use std::process::ExitCode;

use editd_tests::symbols::{SymbolResults, files};

fn main() -> ExitCode {
    let number = |name: &str, usual: usize| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let only = std::env::var("LANGUAGE").ok();
    let all = files(&folders, only.as_deref());
    let step = all.len().div_ceil(number("FILES", 1_000)).max(1);
    let mut judged = SymbolResults::default();
    for (path, language) in all.iter().step_by(step) {
        judged.judge(path, *language, number("SYMBOLS", 20));
    }
    println!("{judged}");
    if judged.faults().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
