//! Tests of looking up: small inputs exhaustively, bulk against single look-ups. They apply no edit.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use super::*;
use crate::plan::Budget;
use crate::text::Text;

fn anywhere(text: &str) -> Needle<'_> {
    Needle { text, extent: Extent::Anywhere }
}

fn quote(old: &str) -> Quote<'_> {
    let (loosest, new_text) = (Rung::Eol, AdaptableText::Nothing);
    Quote { old, whole_lines: false, near: None, window: 40, loosest, threshold: 1.0, new_text }
}

fn hits(haystack: &str, needle: &str, overlapping: bool) -> Vec<usize> {
    let mut found = Vec::new();
    let end = each_hit(haystack.as_bytes(), needle.as_bytes(), overlapping, &mut |at| {
        found.push(at);
        ControlFlow::Continue(())
    });
    assert!(end.is_continue());
    found
}

#[test]
fn overlapping_hits_are_those_of_a_naive_search() {
    // Long enough that the search without restarts takes over.
    for unit in ["a", "ab", "aab", "abaab", "aba"] {
        let haystack = unit.repeat(100);
        for needle in ["a", "aa", "aba", "abaaba", "ba", "b", "aab", "abaabab", "c"] {
            let naive: Vec<usize> =
                (0..haystack.len()).filter(|at| haystack[*at..].starts_with(needle)).collect();
            assert_eq!(hits(&haystack, needle, true), naive, "{needle} in {unit}…");
            let mut free = 0;
            let apart: Vec<usize> = naive
                .into_iter()
                .filter(|at| {
                    let keep = *at >= free;
                    if keep {
                        free = at + needle.len();
                    }
                    keep
                })
                .collect();
            assert_eq!(hits(&haystack, needle, false), apart);
        }
    }
}

#[test]
fn many_quotations_are_found_as_each_alone() {
    let content: String = (0..4_000).map(|i| format!("line {} of many\r\n", i % 3_500)).collect();
    let text = Text::read(content.as_bytes(), None).unwrap();
    let needles: Vec<String> = (0..401)
        .map(|i| match i % 4 {
            0 => format!("line {} of", i * 5),
            1 => format!("line {} of many\nline {} of", i * 5, i * 5 + 1),
            2 => format!("no line {i}"),
            _ => "of many".to_owned(),
        })
        .collect();
    let budget = Budget::new();
    let bulk = Haystack::new(&text, &budget, needles.iter().map(|needle| anywhere(needle)).collect());
    assert!(!bulk.reads_again(anywhere(&needles[0])), "the one pass must be taken");
    for needle in &needles {
        let quote = quote(needle);
        let alone = Haystack::new(&text, &budget, vec![anywhere(needle)]);
        let (a, b) = (one(&bulk, &quote), one(&alone, &quote));
        assert_eq!(a.is_err(), b.is_err(), "{needle}");
        if let (Ok(a), Ok(b)) = (a, b) {
            assert_eq!(a, b, "{needle}");
        }
        assert_eq!(every(&bulk, &quote).unwrap(), every(&alone, &quote).unwrap(), "{needle}");
    }
}

#[test]
fn needles_within_needles_do_not_stop_the_search() {
    let content = "a".repeat(300_000);
    let text = Text::read(content.as_bytes(), None).unwrap();
    let needles: Vec<String> = (1..200).map(|n| "a".repeat(n)).collect();
    let budget = Budget::new();
    let hay = Haystack::new(&text, &budget, needles.iter().map(|needle| anywhere(needle)).collect());
    let quote = quote(&needles[100]);
    assert_eq!(one(&hay, &quote).unwrap_err().found, Some(300_000 - 100));
}

#[test]
fn a_line_that_many_lines_begin_with_is_not_frequent() {
    let content: String = (0..70_000).map(|i| format!("l{i}\r\n")).collect();
    let text = Text::read(content.as_bytes(), None).unwrap();
    let olds: Vec<String> = (0..1_000).map(|i| format!("l{i} \n")).collect();
    let quotes: Vec<Quote<'_>> = olds.iter().map(|old| Quote { whole_lines: true, ..quote(old) }).collect();
    let spent = Budget::new();
    assert!(spent.search(usize::try_from(crate::limits::SEARCH_WORK).unwrap()));
    let hay = Haystack::new(&text, &spent, quotes.iter().map(|quote| quote.needle(text.breaks)).collect());
    for quote in &quotes {
        // Nothing is left to pay with, so whatever is read again would be a limit.
        assert!(!hay.reads_again(quote.needle(text.breaks)));
        let quote = Quote { loosest: Rung::Indent, ..quote.clone() };
        assert_eq!(one(&hay, &quote).unwrap().map(|hit| hit.rung), Ok(Rung::Trailing));
    }
}

#[test]
fn frequent_needles_are_paid_for_by_their_cost() {
    let content = "a\n".repeat(1_000_000);
    let text = Text::read(content.as_bytes(), None).unwrap();
    let needles: Vec<String> = (1..20).map(|n| "a\n".repeat(n)).collect();
    let budget = Budget::new();
    let left = content.len() * crate::limits::FREQUENT_PASSES;
    assert!(budget.search(usize::try_from(crate::limits::SEARCH_WORK).unwrap() - left));
    let hay = Haystack::new(&text, &budget, needles.iter().map(|needle| anywhere(needle)).collect());
    assert!(hay.reads_again(anywhere(&needles[0])));
    assert!(hay.pay_again().is_ok());
    assert_eq!(hay.pay_again().unwrap_err().code, editd_types::ErrorCode::Limit);
}

#[test]
fn few_long_quotations_make_no_automaton_that_dwarfs_them() {
    let line = "    let value = compute(1);\n";
    let batch: Vec<std::borrow::Cow<'_, str>> = (2..60).map(|n| line.repeat(n).into()).collect();
    let bytes: usize = batch.iter().map(|needle| needle.len()).sum();
    // Needles that are prefixes of one another share their states; a table of all transitions would not be that small.
    let made = haystack::automaton(&batch).unwrap().memory_usage();
    assert!(made <= bytes, "{made} bytes for {bytes}");
}

#[test]
fn an_excerpt_is_short_and_shows_the_place() {
    let line = format!("{}needle{}", "é".repeat(400), "x".repeat(400));
    let shown = excerpt(&line, 800);
    assert!(shown.contains("needle") && shown.starts_with('…') && shown.ends_with('…'));
    assert!(shown.len() <= crate::limits::EXCERPT + 6);
    assert_eq!(excerpt("short", 99), "short");
}

#[test]
fn likeness_is_never_above_its_bound() {
    let long = "é".repeat(score::CHARS * 2);
    let lines =
        ["let a = 1;", "let b = 2;", "", "    x", "return foo(bar);", "retrun foo(baz);", "été", &long];
    for a in lines {
        for b in lines {
            let (alike, bound) =
                (score::alike(a, b), score::LetterCounts::of(a).likeness(&score::LetterCounts::of(b)));
            assert!(alike <= bound + 1e-9, "{a:?} {b:?}: {alike} > {bound}");
            let by_length = score::LetterCounts::of(a).likeness_of_length(b);
            assert!(bound <= by_length, "{a:?} {b:?}: {bound} > {by_length}");
            assert!((0.0..=1.0).contains(&alike));
        }
    }
    assert_eq!(score::alike("  kitten", "sitting"), 1.0 - 3.0 / 7.0);
}

#[test]
fn a_refusal_is_bounded_whatever_the_file_holds() {
    use editd_types::limits::{NEAR_MISS_LINES, NEAR_MISSES};
    let line = |unseen: usize| format!("let value = compute();{}\n", "\u{200b}".repeat(unseen));
    let content = line(5_000).repeat(100);
    let text = Text::read(content.as_bytes(), None).unwrap();
    let old = line(4_999).repeat(50);
    let error = not_found(
        &text,
        &quote(&old),
        &Miss { new: None, elsewhere: None, beside: false, unfit: None, look: true },
    );
    assert!((1..=NEAR_MISSES).contains(&error.near_misses.len()));
    for near in &error.near_misses {
        assert!(near.text.contains("\\u{200b}") && near.text.lines().count() <= NEAR_MISS_LINES);
        // A number, and an excerpt with each byte written out.
        assert!(
            near.text.len() <= NEAR_MISS_LINES * (20 + crate::limits::EXCERPT * 8),
            "{}",
            near.text.len()
        );
    }
    assert!(error.message.len() < 1_000);
}
