//! Measures the time of an outline and of a check, of a text alone and after an edit of a kept one. Changes no file.
//!
//! `cargo run --release -p editd-syntax --example speed -- FILE…` repeats the text of each file until it has 5, 11 and 374
//! KB and 10,000 lines, and prints the best of several runs, since other processes only make a run slower. An edit adds a
//! letter to a word in the middle. On Linux, times are those of the processor.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a program that measures and tells")]

use std::time::Duration;

use editd_syntax::{Language, ParseBudget, TextChange, TreeCache, errors, introduced_errors, outline};

/// The sizes of the texts, in bytes: a small file, a usual one, and the largest that agents edit.
const SIZES: [usize; 3] = [5_000, 11_000, 374_000];

/// Number of lines of the last text.
const LINES: usize = 10_000;

/// Number of runs, of which the best is printed.
const RUNS: usize = 15;

fn main() {
    println!(
        "language    size  lines | check: alone, by the kept tree     ratio | outline: cold, after an edit     ratio"
    );
    for path in std::env::args().skip(1) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let known = |language: &Language| language.is_known();
        let Some(language) = Language::of(path.as_bytes(), &text).filter(known) else { continue };
        for size in SIZES {
            if let Some(text) = sized(language, &path, &text, size, usize::MAX) {
                measure(language, &path, &text);
            }
        }
        if let Some(text) = sized(language, &path, &text, ParseBudget::default().bytes, LINES) {
            measure(language, &path, &text);
        }
    }
}

/// Repeats a text up to a number of bytes and lines, and leaves lines at the end out until it is correct.
fn sized(language: Language, path: &str, text: &str, bytes: usize, lines: usize) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().cycle().take(lines.min(bytes)).collect();
    let mut size = 0;
    let fits = lines.iter().take_while(|line| {
        size += line.len() + 1;
        size <= bytes
    });
    let fitting = fits.count();
    lines.truncate(fitting);
    let budget = ParseBudget::default();
    for _ in 0..400 {
        let text = lines.join("\n") + "\n";
        if errors(language, path.as_bytes(), &text, &budget).is_ok_and(|errors| errors.is_empty()) {
            return Some(text);
        }
        lines.pop()?;
    }
    None
}

fn measure(language: Language, path: &str, text: &str) {
    let budget = ParseBudget::default();
    let Some(at) = word(language, path, text) else { return };
    let mut texts = vec![text.to_owned()];
    for _ in 0..RUNS {
        let mut next = texts.last().cloned().unwrap_or_default();
        next.insert(at, 'x');
        texts.push(next);
    }
    let mut edits: Vec<(&String, &String)> = texts.iter().zip(texts.iter().skip(1)).collect();
    edits.reverse();
    let mut turns = edits.iter().rev();
    let alone = best(|| {
        let Some((old, new)) = turns.next() else { return false };
        introduced_errors(language, path.as_bytes(), Some(old), new, &budget).is_ok()
    });
    let trees = TreeCache::new(usize::MAX);
    let cold = best(|| outline(language, text, &budget).is_ok());
    let (mut kept, mut warm) = (Duration::MAX, Duration::MAX);
    let _ = (
        trees.outline(language, text, &budget),
        trees.introduced_errors(language, path.as_bytes(), change(None, text), &budget),
    );
    for (old, new) in edits.into_iter().rev() {
        kept = kept.min(took(|| {
            trees.introduced_errors(language, path.as_bytes(), change(Some(old), new), &budget).is_ok()
        }));
        warm = warm.min(took(|| trees.outline(language, new, &budget).is_ok()));
    }
    let ratio = |slow: Duration, fast: Duration| slow.as_secs_f64() / fast.as_secs_f64();
    println!(
        "{:<10} {:>3} KB {:>6} | {alone:>12.1?} {kept:>12.1?} {:>14.1} | {cold:>12.1?} {warm:>12.1?} {:>13.1}",
        language.name(),
        text.len() / 1000,
        text.lines().count(),
        ratio(alone, kept),
        ratio(cold, warm),
    );
}

fn change<'t>(old: Option<&'t str>, new: &'t str) -> TextChange<'t> {
    TextChange { old, new, ..TextChange::default() }
}

/// Returns the end of a word in the middle of the text that may have more letters.
fn word(language: Language, path: &str, text: &str) -> Option<usize> {
    let middle = text.floor_char_boundary(text.len() / 2);
    let budget = ParseBudget::default();
    let mut ends = text.char_indices().zip(text.chars().skip(1)).filter_map(|((at, letter), next)| {
        let ends = at >= middle && letter.is_ascii_alphanumeric() && !next.is_alphanumeric() && next != '_';
        ends.then_some(at + 1)
    });
    ends.find(|end| {
        let mut new = text.to_owned();
        new.insert_str(*end, "xx");
        errors(language, path.as_bytes(), &new, &budget).is_ok_and(|errors| errors.is_empty())
    })
}

fn best(mut run: impl FnMut() -> bool) -> Duration {
    (0..RUNS).map(|_| took(&mut run)).min().unwrap_or_default()
}

fn took(run: impl FnOnce() -> bool) -> Duration {
    let start = now();
    let done = run();
    let took = now().saturating_sub(start);
    assert!(done, "it gave up");
    took
}

/// Returns the processor time of the thread, since other processes may use the machine.
#[cfg(target_os = "linux")]
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    #[expect(unsafe_code, reason = "the standard library has no clock of the processor")]
    // SAFETY: the pointer is that of a local variable.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(done, 0, "the system has no such clock");
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs().try_into().unwrap_or(0))
}

/// Returns the time.
#[cfg(not(target_os = "linux"))]
fn now() -> Duration {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
}
