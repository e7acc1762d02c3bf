//! Tests of likeness: scores against a naive distance, the sieve against no sieve, hostile texts. They apply no edit.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use proptest::prelude::*;

use super::super::{AdaptableText, Extent, Haystack, Needle, Quote, Rung, one};
use super::rank::Ruler;
use super::shape::{FuzzyTarget, file_lines, push_line};
use super::sieve::Sieve;
use crate::plan::Budget;
use crate::text::Text;

fn anywhere(text: &str) -> Needle<'_> {
    Needle { text, extent: Extent::Anywhere }
}

fn quote(old: &str, threshold: f64) -> Quote<'_> {
    let (loosest, new_text) = (Rung::Fuzzy, AdaptableText::Nothing);
    Quote { old, whole_lines: false, near: None, window: 40, loosest, threshold, new_text }
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for j in 0..b.len() {
            let best = (row[j] + 1).min(row[j + 1] + 1).min(corner + usize::from(b[j] != left));
            corner = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[b.len()]
}

fn shaped(lines: &[&str]) -> String {
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        push_line(line, &mut out);
    }
    out
}

fn naive(old: &str, window: &[&str]) -> f64 {
    let (a, b) = (shaped(&old.lines().collect::<Vec<_>>()), shaped(window));
    1.0 - distance(&a, &b) as f64 / a.chars().count().max(b.chars().count()).max(1) as f64
}

#[test]
fn fuzzy_lines_are_compared_without_indentation_and_typography() {
    assert_eq!(shaped(&["  a  b\t c  \t"]), "  a b c");
    assert_eq!(shaped(&["\u{a0}“a”\u{3000}\u{a0}…", " \t ", ""]), " \"a\" ...\n\n");
    assert!(FuzzyTarget::of(&quote(" \n\t\n", 0.5), crate::text::Breaks::Lf).is_none());
}

fn line() -> impl Strategy<Value = String> {
    "[ab (){};“é…\u{a0}\t]{0,9}"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_score_is_the_naive_one_and_the_sieve_drops_nothing(
        file in prop::collection::vec(line(), 1..12),
        old in prop::collection::vec(line(), 1..4),
        threshold in 0.5..=1.0,
        crlf: bool,
    ) {
        let content = file.join(if crlf { "\r\n" } else { "\n" });
        let text = Text::read(content.as_bytes(), None).unwrap();
        let old = old.join("\n") + "\n";
        let quote = quote(&old, threshold);
        let Some(target) = FuzzyTarget::of(&quote, text.breaks) else { return Ok(()) };
        let kept = Sieve::new(&target, threshold).windows(&text, target.lines).unwrap();
        let lines: Vec<&str> = file_lines(&content, text.breaks).collect();
        let lines = if lines.last() == Some(&"") { &lines[..lines.len() - 1] } else { &lines[..] };
        let budget = Budget::new();
        for window in lines.windows(target.lines) {
            let score = naive(&old, window);
            let start = window[0].as_ptr() as usize - content.as_ptr() as usize;
            let last = window[window.len() - 1];
            let end = last.as_ptr() as usize - content.as_ptr() as usize + last.len();
            let found = kept.iter().find(|kept| kept.span.range() == (start..end));
            if score >= threshold {
                prop_assert!(found.is_some(), "{:?} at {score} was dropped", window);
            }
            if let Some(found) = found {
                prop_assert!(found.bound + 1e-9 >= score, "bound {} of {score}", found.bound);
            }
            let ours = Ruler::new(&target).similarity(&content[start..end], &text, threshold, &budget).unwrap();
            prop_assert_eq!(ours.is_some(), score + 1e-9 >= threshold);
            prop_assert!(ours.is_none_or(|ours| (ours - score).abs() < 1e-9));
        }
    }

    #[test]
    fn the_fuzzy_rung_finds_the_only_best_place(
        file in prop::collection::vec("[ab]{3,6}", 2..14),
        at in any::<prop::sample::Index>(),
        typo in any::<prop::sample::Index>(),
        lines in 1..3_usize,
    ) {
        let content = file.join("\n");
        let text = Text::read(content.as_bytes(), None).unwrap();
        let lines = lines.min(file.len());
        let start = at.index(file.len() - lines + 1);
        let mut old = file[start..start + lines].join("\n");
        let place = typo.index(old.len());
        let place = place - usize::from(old.as_bytes()[place] == b'\n');
        old.replace_range(place..=place, "x");
        let quote = quote(&old, 0.6);
        let budget = Budget::new();
        let hay = Haystack::new(&text, &budget, vec![anywhere(&old)]);
        let all: Vec<&str> = file.iter().map(String::as_str).collect();
        let scores: Vec<f64> = all.windows(lines).map(|window| naive(&old, window)).collect();
        let top = scores.iter().copied().fold(0.0, f64::max);
        match one(&hay, &quote) {
            Ok(Ok(hit)) => {
                let line = text.line_of(hit.range.start) - 1;
                prop_assert_eq!(text.line_start(line + 1), hit.range.start);
                prop_assert!((scores[line] - hit.adapted.score.unwrap()).abs() <= 1.1e-4);
                prop_assert!((scores[line] - top).abs() < 1e-9);
                for (other, score) in scores.iter().enumerate().filter(|(other, _)| *other != line) {
                    let apart = other.abs_diff(line) >= lines;
                    prop_assert!(*score + 1e-9 < top && (!apart || *score < top - 0.02 + 1e-9));
                }
            }
            Ok(Err(_)) => prop_assert!(top + 1e-9 < 0.6),
            Err(error) => prop_assert_eq!(error.code, editd_types::ErrorCode::Ambiguous),
        }
    }
}

/// A search that must end: found, refused or not, but not by trying everything. `left` of the budget is left, so that
/// running out takes no seconds here.
fn end(content: &str, old: &str, threshold: f64, left: u64) -> Option<editd_types::error::ErrorCode> {
    let text = Text::read(content.as_bytes(), None).unwrap();
    let budget = Budget::new();
    assert!(budget.likeness(usize::try_from(crate::limits::LIKENESS_WORK - left).unwrap()));
    let hay = Haystack::new(&text, &budget, vec![anywhere(old)]);
    one(&hay, &quote(old, threshold)).err().map(|error| error.code)
}

#[test]
fn hostile_texts_end() {
    use editd_types::ErrorCode::{Ambiguous, Limit};
    let equal = "    let value = compute(1);\n".repeat(10_000);
    let mut search = "    let value = compute(1);\n".repeat(39);
    search.push_str("    let value = compare(1);\n");
    // Windows with the same text are compared once.
    let read = equal.len() as u64 * 4;
    assert_eq!(end(&equal, &search, 0.9, read + 100_000), Some(Ambiguous));
    let long = "ab ".repeat(400_000);
    assert_eq!(end(&long, &"ab x".repeat(1_000), 0.5, long.len() as u64 * 4), None);
    assert_eq!(end(&long, &"xyz ".repeat(30_000), 0.5, u64::MAX >> 40), Some(Limit), "too much to compare");
    let short = "ab\n".repeat(crate::limits::FUZZY_WINDOWS + 1);
    assert_eq!(end(&short, "ac\n", 0.5, 10_000_000), Some(Limit), "too many windows");
    let alike: String = (0..5_000_u64)
        .map(|i| format!("    let value_{:08x} = compute();\n", i.wrapping_mul(2_654_435_761) & 0xffff_ffff))
        .collect();
    let search: String = (0..400).map(|i| format!("    let value_{i:08} = compare();\n")).collect();
    assert_eq!(end(&alike, &search, 0.5, 10_000_000), Some(Limit), "too many comparisons");
}
