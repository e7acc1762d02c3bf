//! Finds the lines of a text that edits quote, or replace, whole. After the job, its session knows all text of them.

use super::Place;
use crate::text::Text;

/// Returns the lines, 1-based and inclusive, that one of some places matches whole, apart from white space at the ends of
/// the match. They are sorted and joined.
pub(crate) fn quoted_lines<'p>(text: &Text<'_>, places: impl Iterator<Item = &'p Place>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    let mut last_match = None;
    for matched in places.map(|place| place.matched.range()) {
        if matched.is_empty() || last_match.replace(matched.clone()) == Some(matched.clone()) {
            continue;
        }
        let (opens, closes) = (opens_line(text, matched.start), closes_line(text, matched.end));
        let bytes = text.content.as_bytes().get(matched.clone()).unwrap_or_default();
        if !(opens && closes) && memchr::memchr(text.breaks.stop(), bytes).is_none() {
            continue;
        }
        let (first, last) = text.lines_of(matched);
        let range = (first + u64::from(!opens), last.saturating_sub(u64::from(!closes)));
        if range.0 <= range.1 {
            ranges.push(range);
        }
    }
    ranges.sort_unstable();
    ranges.dedup_by(|next, range| {
        let joins = next.0 <= range.1 + 1;
        if joins {
            range.1 = range.1.max(next.1);
        }
        joins
    });
    ranges
}

/// Returns true if only white space stands between the start of a line and an offset.
fn opens_line(text: &Text<'_>, at: usize) -> bool {
    let above = text.content.as_bytes().get(..at).unwrap_or_default();
    let stop = |byte: &u8| *byte == text.breaks.stop();
    above.iter().rev().find(|byte| stop(byte) || !byte.is_ascii_whitespace()).is_none_or(stop)
}

/// Returns true if only white space stands between an offset and the end of the line of the byte before it.
fn closes_line(text: &Text<'_>, at: usize) -> bool {
    let stop = |byte: &u8| *byte == text.breaks.stop();
    let bytes = text.content.as_bytes();
    let below = bytes.get(at.saturating_sub(1)..).unwrap_or_default();
    let (byte, rest) = (below.first(), below.get(1..).unwrap_or_default());
    byte.is_some_and(stop)
        || rest.iter().find(|byte| stop(byte) || !byte.is_ascii_whitespace()).is_none_or(stop)
}
