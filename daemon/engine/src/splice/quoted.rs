//! Finds the lines of a text that edits quote, whose text their session knows after the job, and those that edits touch.

use std::ops::Range;

use super::Place;
use crate::text::Text;

/// Returns the lines, 1-based and inclusive, that one of some places matches whole, apart from white space at the ends of
/// the match. They are sorted and joined.
pub(crate) fn whole_lines<'p>(text: &Text<'_>, places: impl Iterator<Item = &'p Place>) -> Vec<(u64, u64)> {
    let mut last_match = None;
    let lines = |matched: Range<usize>| {
        if matched.is_empty() || last_match.replace(matched.clone()) == Some(matched.clone()) {
            return None;
        }
        let (opens, closes) = (opens_line(text, matched.start), closes_line(text, matched.end));
        let bytes = text.content.as_bytes().get(matched.clone()).unwrap_or_default();
        if !(opens && closes) && memchr::memchr(text.breaks.stop(), bytes).is_none() {
            return None;
        }
        let (first, last) = text.lines_of(matched);
        let range = (first + u64::from(!opens), last.saturating_sub(u64::from(!closes)));
        (range.0 <= range.1).then_some(range)
    };
    joined(places.map(|place| place.matched.range()).filter_map(lines))
}

/// Returns the lines that some places touch. A place without text at the start of a line is the place before that line: a
/// range that ends before it begins.
pub(crate) fn touched_lines<'p>(text: &Text<'_>, places: impl Iterator<Item = &'p Place>) -> Vec<(u64, u64)> {
    let lines = |place: &'p Place| {
        let ranges = [place.matched.range(), place.removed.range()];
        let some = ranges.into_iter().filter(|range| !range.is_empty()).map(|range| text.lines_of(range));
        let is_empty = some.clone().next().is_none();
        let at = place.matched.range().start;
        let before = is_empty.then(|| {
            let line = text.line_of(at) as u64;
            (line, line - u64::from(text.starts_line(at)))
        });
        some.chain(before)
    };
    joined(places.flat_map(lines))
}

/// Sorts ranges and joins those that overlap or touch; a place before a line joins with that line. Ranges that come in
/// order are joined as they come, so that many places in one line take no memory.
fn joined(ranges: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut joined: Vec<(u64, u64)> = Vec::new();
    let mut in_order = true;
    for range in ranges {
        if joined.last_mut().is_some_and(|last| joins(last, range)) {
            continue;
        }
        in_order &= joined.last().is_none_or(|last| last.0 < range.0);
        joined.push(range);
    }
    if !in_order {
        joined.sort_unstable();
        joined.dedup_by(|next, range| joins(range, *next));
    }
    joined
}

/// Joins a range with one that does not start before it, if they overlap or touch. Returns true if it did.
fn joins(range: &mut (u64, u64), next: (u64, u64)) -> bool {
    let joins = range.0 <= next.0 && next.0 <= range.1 + 1;
    if joins {
        range.1 = range.1.max(next.1);
    }
    joins
}

/// The most bytes of white space beside a match; with more, the line counts as quoted in part. Without a limit, many
/// matches in one long line of spaces would take long.
const MARGIN: usize = 256;

/// Returns true if only white space stands between the start of a line and an offset.
fn opens_line(text: &Text<'_>, at: usize) -> bool {
    let above = text.content.as_bytes().get(..at).unwrap_or_default();
    is_margin(text, above.iter().rev())
}

/// Returns true if only white space stands between an offset and the end of the line of the byte before it.
fn closes_line(text: &Text<'_>, at: usize) -> bool {
    let (above, below) = text.content.as_bytes().split_at_checked(at).unwrap_or_default();
    above.last() == Some(&text.breaks.stop()) || is_margin(text, below.iter())
}

/// Returns true if some bytes begin with white space and the end of a line, or of the content.
fn is_margin<'b>(text: &Text<'_>, bytes: impl Iterator<Item = &'b u8>) -> bool {
    let mut white = 0;
    for byte in bytes.take(MARGIN + 1) {
        if *byte == text.breaks.stop() || !byte.is_ascii_whitespace() {
            return *byte == text.breaks.stop();
        }
        white += 1;
    }
    white <= MARGIN
}
