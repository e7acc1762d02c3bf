//! Tests of the rungs that compare whole lines: hostile sizes, and many quotations against each alone. They apply no
//! edit.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::limits;
use crate::plan::Budget;
use crate::text::Text;
use editd_types::ErrorCode;

fn anywhere(text: &str) -> Needle<'_> {
    Needle { text, extent: Extent::Anywhere }
}

fn quote(old: &str, loosest: Rung) -> Quote<'_> {
    let new_text = AdaptableText::Instead("x\n");
    Quote { old, whole_lines: true, near: None, window: 40, loosest, threshold: 1.0, new_text }
}

/// Looks up one quotation in a file, with a budget that allows so many lines to be compared one by one.
fn alone(
    content: &str,
    old: &str,
    loosest: Rung,
    lines: u64,
) -> Result<Result<Hit, Option<UnfitPlace>>, crate::Refusal> {
    let text = Text::read(content.as_bytes(), None).unwrap();
    let budget = Budget::new();
    assert!(budget.compare(usize::try_from(limits::COMPARE_WORK - lines).unwrap()));
    one(&Haystack::new(&text, &budget, vec![anywhere(old)]), &quote(old, loosest))
}

#[test]
fn equal_lines_are_compared_once_for_each_place() {
    let content = "  a \n".repeat(10_000);
    let none = alone(&content, &"  a\n".repeat(40), Rung::Indent, 0);
    assert_eq!(none.unwrap_err().found, Some(9_961), "`trailing` compares no line by itself");
    let each = alone(&content, &"a\n".repeat(40), Rung::Indent, 9_961 * 40);
    assert_eq!(each.unwrap_err().found, Some(9_961));
}

#[test]
fn windows_that_say_the_same_are_compared_once() {
    let content = "    let value = compute(1);\n".repeat(5_000);
    let each = alone(&content, &"  let value = compute(1);\n".repeat(300), Rung::Indent, 100_000);
    assert_eq!(each.unwrap_err().found, Some(4_701));
}

#[test]
fn a_quotation_that_could_stand_anywhere_is_a_limit() {
    let content = "  a\n".repeat(100_000);
    let error = alone(&content, &"a\n".repeat(50_000), Rung::Indent, 200_000).unwrap_err();
    assert_eq!((error.code, error.limit), (ErrorCode::Limit, Some(limits::COMPARE_WORK)));
}

#[test]
fn one_long_line_is_read_once() {
    let content = format!("{}\n", "a ".repeat(200_000));
    for old in ["a", "  a a\n", "a \na", "1 | a\n2 | a"] {
        assert_eq!(alone(&content, old, Rung::Indent, 0).unwrap(), Err(None), "{old:?}");
    }
}

/// A quotation of two lines that only one rung finds, by its number modulo 4.
fn disturbed(i: usize) -> (String, Rung) {
    let (first, second) = (format!("let a{i} = {i};"), format!("  use(a{i});"));
    match i % 4 {
        0 => (format!("    {first} \n    {second}\t\n"), Rung::Trailing),
        1 => (format!("{first}\n{second}\n"), Rung::Indent),
        2 => (format!("{} |     {first}\n{} |     {second}\n", i * 2 + 1, i * 2 + 2), Rung::Numbered),
        _ => (format!("    {first}\n      use(b{i});\n"), Rung::Fuzzy),
    }
}

#[test]
fn many_quotations_at_looser_rungs_are_found_as_each_alone_in_one_pass() {
    let content: String = (0..900).map(|i| format!("    let a{i} = {i};\r\n      use(a{i});\r\n")).collect();
    let text = Text::read(content.as_bytes(), None).unwrap();
    let olds: Vec<(String, Rung)> = (0..900).map(disturbed).collect();
    let spent = Budget::new();
    assert!(spent.search(usize::try_from(limits::SEARCH_WORK).unwrap()));
    let budget = Budget::new();
    let bulk = Haystack::new(&text, &spent, olds.iter().map(|(old, _)| anywhere(old)).collect());
    for (i, (old, rung)) in olds.iter().enumerate() {
        let quote = quote(old, Rung::Numbered);
        // Nothing is left to pay with, so whatever is read again would be a limit.
        let found = one(&bulk, &quote).unwrap();
        assert_eq!(found.as_ref().map_or(Rung::Fuzzy, |hit| hit.rung), *rung, "{old}");
        if i % 50 < 4 {
            assert_eq!(
                found,
                one(&Haystack::new(&text, &budget, vec![anywhere(old)]), &quote).unwrap(),
                "{old}"
            );
        }
    }
    let unknown = one(&bulk, &quote("not expected\n", Rung::Trailing)).unwrap_err();
    assert_eq!((unknown.code, unknown.limit), (ErrorCode::Limit, Some(limits::SEARCH_WORK)));
}
