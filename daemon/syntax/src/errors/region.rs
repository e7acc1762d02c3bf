//! The part of a text in which faults are sought: all of it, or only what an edit of a text without faults changed.

use std::ops::Range;

/// The part of a text in which faults are sought.
pub(super) struct Region(Option<Vec<Range<usize>>>);

impl Region {
    /// Returns the region of changed ranges, extended to whole lines with those before and after; without ranges, the
    /// whole text.
    pub(super) fn of(text: &str, changed: Option<Vec<Range<usize>>>) -> Self {
        let Some(mut ranges) = changed else { return Self(None) };
        for range in &mut ranges {
            let start = text.floor_char_boundary(range.start);
            let end = text.ceil_char_boundary(range.end);
            *range = line_before(text, line_before(text, start))..line_behind(text, line_behind(text, end));
        }
        ranges.sort_unstable_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut().filter(|last| range.start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => joined.push(range),
            }
        }
        Self(Some(joined))
    }

    /// Returns true if a range is in the region, or beside it.
    pub(super) fn touches(&self, range: &Range<usize>) -> bool {
        let Some(ranges) = &self.0 else { return true };
        let at = ranges.partition_point(|known| known.end < range.start);
        ranges.get(at).is_some_and(|known| known.start <= range.end)
    }
}

/// Returns the start of the last line that has some text in front of an offset.
fn line_before(text: &str, at: usize) -> usize {
    let front = text.get(..at).unwrap_or_default().trim_end();
    front.rfind('\n').map_or(0, |newline| newline + 1)
}

/// Returns the end of the first line that has some text behind an offset.
fn line_behind(text: &str, at: usize) -> usize {
    let behind = text.get(at..).unwrap_or_default();
    let start = at + (behind.len() - behind.trim_start().len());
    let line = text.get(start..).unwrap_or_default();
    line.find('\n').map_or(text.len(), |newline| start + newline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_has_the_lines_around_a_change() {
        let text = "one\ntwo\n\nthree\nfour\nfive\nsix\n";
        let region = Region::of(text, Some(vec![17..18, 18..18]));
        assert!(!region.touches(&(0..8)));
        assert!(region.touches(&(0..9)), "beside it");
        assert!(region.touches(&(0..text.len())));
        assert!(region.touches(&(9..14)) && region.touches(&(24..25)));
        assert!(!region.touches(&(25..28)));
        let none = Region::of(text, Some(Vec::new()));
        assert!(!none.touches(&(0..text.len())));
        assert!(Region::of(text, None).touches(&(0..0)));
        let several = Region::of(text, Some(vec![29..29, 0..1]));
        assert!(several.touches(&(0..1)) && !several.touches(&(10..16)) && several.touches(&(25..26)));
    }
}
