//! Measures the time of an outline, and the share of the parser in it. Changes no file.
//!
//! `cargo run --release -p editd-syntax --example speed -- FILE…` repeats the text of each file until it has 10,000
//! lines, and prints the best of several runs, since other processes only make a run slower.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a program that measures and tells")]

use std::time::{Duration, Instant};

use editd_syntax::{Language, ParseBudget, outline};
use tree_sitter::Parser;

/// Number of lines of the text that is outlined.
const LINES: usize = 10_000;

/// Number of runs, of which the best is printed.
const RUNS: usize = 15;

fn main() {
    for path in std::env::args().skip(1) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Some((language, grammar)) = Language::of(path.as_bytes(), &text).and_then(known) else {
            continue;
        };
        let most = ParseBudget::default().bytes;
        let mut bytes = 0;
        let fits = |line: &&str| {
            bytes += line.len() + 1;
            bytes <= most
        };
        let lines: Vec<&str> = text.lines().cycle().take(LINES).take_while(fits).collect();
        if lines.len() < LINES {
            println!("{path}: its lines are too long: 10,000 of them are no file that is outlined");
            continue;
        }
        let text = lines.join("\n");
        let mut parser = Parser::new();
        if parser.set_language(&grammar).is_err() {
            continue;
        }
        let parsed = best(|| parser.parse(&text, None).is_some());
        let mut symbols = 0;
        let outlined = best(|| {
            let outline = outline(language, &text, &ParseBudget::default());
            symbols = outline.as_ref().map_or(0, |outline| outline.symbols.len());
            outline.is_ok()
        });
        println!(
            "{}: {} KB, {symbols} symbols: {outlined:.1?}, of which {parsed:.1?} parsing  ({path})",
            language.name(),
            text.len() / 1000,
        );
    }
}

fn known(language: Language) -> Option<(Language, tree_sitter::Language)> {
    let grammar = match language {
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        _ => return None,
    };
    Some((language, grammar))
}

fn best(mut run: impl FnMut() -> bool) -> Duration {
    let mut once = || {
        let start = Started::now();
        let done = run();
        assert!(done, "it gave up");
        start.took()
    };
    (0..RUNS).map(|_| once()).min().unwrap_or_default()
}

/// The processor time of the thread if the system reports it, since other processes may use the machine, else the
/// elapsed time.
struct Started(Instant, Option<Duration>);

impl Started {
    fn now() -> Self {
        Self(Instant::now(), own_time())
    }

    fn took(self) -> Duration {
        let own = own_time().zip(self.1).map(|(now, then)| now.saturating_sub(then));
        own.unwrap_or_else(|| self.0.elapsed())
    }
}

fn own_time() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
