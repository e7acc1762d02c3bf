//! Judges real-looking edits of real files in every dialect and prints how they ended. It touches no file.
//!
//! `cargo run -p editd-tests --example edits` judges 100,000; `EDITS`, `SEED`, `ONLY` (a part of the name of a
//! way, such as `search`) and `FILE` (a part of the path of the files) choose others, `SHOW=1` also shows refusals that should not have been. It fails where any
//! edit was applied wrongly, or too few were applied.

use std::process::ExitCode;

use editd_tests::generator::{Corpus, RunExtent, run};

/// Files that a corpus must have for the table to say something.
const FILES: usize = 2_000;

/// The least share of undisturbed edits with one right place that must be applied, and of disturbed ones.
const SHARES: (f64, f64) = (0.995, 0.95);

fn main() -> ExitCode {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let corpus = Corpus::find();
    if corpus.len() < FILES {
        println!(
            "cargo's registry folder has {} files to edit and {FILES} are needed; skipped",
            corpus.len()
        );
        return ExitCode::SUCCESS;
    }
    let request = RunExtent {
        edits: usize::try_from(number("EDITS").unwrap_or(100_000)).unwrap_or(usize::MAX),
        seed: number("SEED").unwrap_or(1),
        only: std::env::var("ONLY").unwrap_or_default(),
        file: std::env::var("FILE").unwrap_or_default(),
    };
    let table = run(&corpus, &request);
    if std::env::var_os("SHOW").is_some() {
        table.though().for_each(|text| println!("== refused though\n{text}"));
    }
    table.wrong().iter().for_each(|text| println!("== applied wrongly\n{text}"));
    println!("{table}");
    if table.passes(SHARES) {
        return ExitCode::SUCCESS;
    }
    println!("Wrong edits, or too few applied.");
    ExitCode::FAILURE
}
