//! Outlines source files of published crates, as they are and damaged. Uses a bounded sample; the example `real` covers
//! whole folders.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test reads its sources, and says what it left out"
)]

use editd_syntax::{ParseBudget, outline};

#[path = "kit/damaged.rs"]
mod damage;
#[path = "kit/faults.rs"]
mod faults;
#[path = "kit/sources.rs"]
mod sources;

/// Maximum number of files per language.
const FILES: usize = 150;

/// Maximum size of a file in bytes. Larger files are covered by the example.
const BYTES: u64 = 48 * 1024;

/// Number of damaged variants of each file.
const DAMAGES: u64 = 2;

#[test]
fn outlines_of_real_files_keep_their_promises_whole_and_damaged() {
    let mut faulty = Vec::new();
    for (language, files) in sources::sources(BYTES) {
        let step = files.len().div_ceil(FILES).max(1);
        let taken = files.iter().step_by(step).filter_map(|path| std::fs::read_to_string(path).ok());
        let mut count = 0;
        for (at, text) in taken.enumerate() {
            count = at + 1;
            let seeds = (0..DAMAGES).map(|seed| damage::damaged(&text, seed));
            for text in std::iter::once(text.clone()).chain(seeds) {
                let outline = outline(language, &text, &ParseBudget::default());
                let faults =
                    outline.map_or_else(|e| vec![e.to_string()], |outline| faults::faults(&text, &outline));
                faulty.extend(faults.into_iter().map(|fault| format!("{} {at}: {fault}", language.name())));
            }
        }
        if files.len() < FILES {
            eprintln!("only {count} files of {} in cargo's registry folder", language.name());
        }
    }
    assert!(faulty.is_empty(), "{faulty:#?}");
}
