//! Counts the lines of raw contents by the file's own line breaks, and finds the whole lines that splices change.
//! Pure.

use editd_engine::{LineBreak, Splice};

/// A run of lines that is replaced by others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineShift {
    /// Its first line in the content before, 1-based; with `removed` = 0, the new lines are inserted before that
    /// line.
    pub at: u64,
    /// The number of lines that are changed or removed.
    pub removed: u64,
    /// The number of lines in their place.
    pub added: u64,
}

/// Returns the number of the last line of a content: the empty one after the last break, if the content ends in a
/// break.
pub fn last_line(content: &[u8]) -> u64 {
    LineBreak::of(content).count(content) + 1
}

/// Returns the bytes of some lines, 1-based and inclusive, as far as the content has them.
pub fn cut_lines(content: &[u8], (first, last): (u64, u64)) -> &[u8] {
    let kind = LineBreak::of(content);
    let step = kind.width();
    let (mut line, mut start, mut end) = (1_u64, 0, content.len());
    let mut begun = first <= 1;
    for at in (0..content.len()).step_by(step) {
        let Some(part) = content.get(at..at + step) else { break };
        if !kind.ends(part) {
            continue;
        }
        line += 1;
        if !begun && line == first {
            (begun, start) = (true, at + step);
        }
        if line > last {
            end = at + step;
            break;
        }
    }
    if begun && start <= end { content.get(start..end).unwrap_or_default() } else { &[] }
}

/// A content and sorted splices of it. The lines before the first splice are counted once.
#[derive(Clone, Copy, Debug)]
pub struct SplicedContent<'c> {
    /// The content.
    pub bytes: &'c [u8],
    /// Its splices.
    pub splices: &'c [Splice],
    kind: LineBreak,
    /// The offset of the first splice, and its line.
    start: (usize, u64),
}

impl<'c> SplicedContent<'c> {
    /// Counts the lines before the first splice.
    pub fn new(bytes: &'c [u8], splices: &'c [Splice]) -> Self {
        let kind = LineBreak::of(bytes);
        let mut lines = LineCounter { bytes, kind, at: 0, line: 1 };
        if let Some(first) = splices.first() {
            lines.line_at(first.at);
        }
        Self { bytes, splices, kind, start: (lines.at, lines.line) }
    }

    /// Returns a counter that is at the line of the first splice.
    pub(super) const fn lines(&self) -> LineCounter<'c> {
        let &Self { bytes, kind, start: (at, line), .. } = self;
        LineCounter { bytes, kind, at, line }
    }

    /// Returns true if the lines of another content end in different breaks, so that a line of one is none of the other.
    pub(super) fn breaks_differ(&self, other: &[u8]) -> bool {
        self.kind != LineBreak::of(other)
    }
}

/// Returns the runs of lines that splices of a content change. A line next to an insertion is not changed.
pub fn line_shifts(content: &SplicedContent<'_>) -> Vec<LineShift> {
    let &SplicedContent { bytes: before, splices, kind, .. } = content;
    let mut lines = content.lines();
    let mut shifts: Vec<LineShift> = Vec::with_capacity(splices.len());
    for splice in splices {
        let first = lines.line_at(splice.at);
        let start = usize::try_from(splice.at).unwrap_or(usize::MAX).min(before.len());
        let end = start.saturating_add(splice.old.len()).min(before.len());
        let (head, tail) = (before.get(..start).unwrap_or_default(), before.get(end..).unwrap_or_default());
        let (gone, come) = (kind.count(&splice.old), kind.count(&splice.new));
        let whole = |text: &[u8]| text.is_empty() || kind.ends(text);
        let behind = |text: &[u8]| text.is_empty() || kind.starts(text);
        let shift = if (head.is_empty() || kind.ends(head)) && whole(&splice.old) && whole(&splice.new) {
            LineShift { at: first, removed: gone, added: come }
        } else if behind(&splice.old) && behind(&splice.new) && behind(tail) {
            LineShift { at: first + 1, removed: gone, added: come }
        } else {
            LineShift { at: first, removed: gone + 1, added: come + 1 }
        };
        match shifts.last_mut() {
            // Two splices of one line.
            Some(last) if last.at + last.removed > shift.at => {
                // Lines that are inserted before the line that both change share none with the first splice.
                let shared = u64::from(shift.removed > 0);
                last.removed += shift.removed - shared;
                last.added += shift.added.saturating_sub(shared);
            }
            _ => shifts.push(shift),
        }
    }
    shifts
}

/// Returns the lines after a change that stand where some lines stood before it, with all lines that replace one of them.
pub fn lines_after((first, last): (u64, u64), shifts: &[LineShift]) -> (u64, u64) {
    let (mut start, mut end) = (first, last);
    for shift in shifts {
        let moved = |line: u64| (line + shift.added).saturating_sub(shift.removed);
        let behind = shift.at + shift.removed;
        if behind <= first {
            (start, end) = (moved(start), moved(end));
        } else if shift.at <= last {
            // The lines before the shift have moved by what the earlier shifts did, as `start` and `end` have.
            start -= first.saturating_sub(shift.at).min(start);
            end = moved(end.saturating_add(behind.saturating_sub(last + 1)));
        }
    }
    (start.max(1), end.max(start).max(1))
}

/// Counts the lines of ascending offsets in one pass, and looks at the text around an offset.
pub(super) struct LineCounter<'a> {
    bytes: &'a [u8],
    kind: LineBreak,
    at: usize,
    line: u64,
}

impl<'a> LineCounter<'a> {
    /// Returns true if a line starts at an offset.
    pub(super) fn starts_line(&self, at: u64) -> bool {
        let above = self.part((0, at));
        above.is_empty() || self.kind.ends(above)
    }

    /// Returns the number of breaks in a text of this content.
    pub(super) fn breaks(&self, text: &[u8]) -> u64 {
        self.kind.count(text)
    }

    /// Returns true if there is text that is not white space between the offset `at` and the start of its line, or the
    /// offset `from` if that is nearer.
    pub(super) fn has_text_before(&self, (from, at): (u64, u64)) -> bool {
        let mark: u64 = match self.bytes {
            [0xef, 0xbb, 0xbf, ..] => 3,
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => 2,
            _ => 0,
        };
        let units = self.part((from.max(mark), at)).rchunks(self.kind.width());
        self.first_is_text(units)
    }

    /// Returns true if there is text that is not white space between the offset `at` and the end of its line, or the
    /// offset `to` if that is nearer.
    pub(super) fn has_text_behind(&self, range: (u64, u64)) -> bool {
        self.first_is_text(self.part(range).chunks(self.kind.width()))
    }

    /// Returns true if the first of some units that is not white space within a line is no break.
    fn first_is_text(&self, mut units: impl Iterator<Item = &'a [u8]>) -> bool {
        let found = units.find(|unit| self.kind.ends(unit) || !self.kind.is_white(unit));
        found.is_some_and(|unit| !self.kind.ends(unit))
    }

    /// Returns the bytes between two offsets, as far as the content has them.
    fn part(&self, (from, to): (u64, u64)) -> &'a [u8] {
        let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(self.bytes.len());
        self.bytes.get(offset(from)..offset(to)).unwrap_or_default()
    }

    pub(super) fn line_at(&mut self, offset: u64) -> u64 {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(self.bytes.len());
        // The last byte of a unit belongs to the line of its first one.
        let offset = offset - offset % self.kind.width();
        if offset < self.at {
            self.at = 0;
            self.line = 1;
        }
        self.line += self.kind.count(self.bytes.get(self.at..offset).unwrap_or_default());
        self.at = offset;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_after_a_change_before_in_and_behind_them() {
        let shift = |at, removed, added| LineShift { at, removed, added };
        assert_eq!(lines_after((5, 6), &[]), (5, 6));
        assert_eq!(lines_after((5, 6), &[shift(1, 0, 3), shift(8, 1, 0)]), (8, 9));
        assert_eq!(lines_after((5, 6), &[shift(5, 2, 2)]), (5, 6));
        assert_eq!(lines_after((5, 6), &[shift(2, 2, 1), shift(6, 1, 4)]), (4, 8));
        assert_eq!(lines_after((5, 6), &[shift(4, 2, 1)]), (4, 5));
        assert_eq!(lines_after((5, 6), &[shift(4, 9, 2)]), (4, 5));
        assert_eq!(lines_after((5, 6), &[shift(1, 9, 0)]), (1, 1));
        assert_eq!(lines_after((5, 6), &[shift(6, 0, 2)]), (5, 8));
    }

    fn shift(before: &str, at: u64, old: &str, new: &str) -> Option<(u64, u64, u64)> {
        let splice = Splice { at, old: old.into(), new: new.into() };
        let shifts = line_shifts(&SplicedContent::new(before.as_bytes(), &[splice]));
        shifts.first().map(|shift| (shift.at, shift.removed, shift.added))
    }

    #[test]
    fn only_lines_whose_text_changes_are_touched() {
        let text = "a\nb\nc\n";
        assert_eq!(shift(text, 2, "b", "B"), Some((2, 1, 1)), "a change inside a line");
        assert_eq!(shift(text, 2, "", "x\ny\n"), Some((2, 0, 2)), "lines put before a line");
        assert_eq!(shift(text, 3, "", "\nx"), Some((3, 0, 1)), "lines put behind a line");
        assert_eq!(shift(text, 2, "b\n", ""), Some((2, 1, 0)), "a line removed with its break");
        assert_eq!(shift(text, 1, "\nb", ""), Some((2, 1, 0)), "a line removed with the break before it");
        assert_eq!(shift(text, 1, "\n", ""), Some((1, 2, 1)), "two lines joined");
        assert_eq!(shift(text, 2, "", "x"), Some((2, 1, 1)), "a line that begins otherwise");
        assert_eq!(shift(text, 6, "", "d\n"), Some((4, 0, 1)), "lines added at the end");
        assert_eq!(shift("a\r\nb\r\n", 1, "", "\r\nx"), Some((2, 0, 1)), "a break of two bytes");
        assert_eq!(shift("a\rb\r", 2, "b", "B"), Some((2, 1, 1)), "a file with lone carriage returns");
    }

    #[test]
    fn two_splices_of_one_line_are_one_run() {
        let splices = [
            Splice { at: 2, old: b"b".to_vec(), new: b"B".to_vec() },
            Splice { at: 4, old: b"d\nx".to_vec(), new: b"D".to_vec() },
        ];
        assert_eq!(
            line_shifts(&SplicedContent::new(b"a\nb d\nx y\n", &splices)),
            [LineShift { at: 2, removed: 2, added: 1 }]
        );
    }

    #[test]
    fn a_line_put_directly_behind_a_removed_break_is_counted() {
        let splices = [
            Splice { at: 1, old: b"\n".to_vec(), new: b" ".to_vec() },
            Splice { at: 2, old: Vec::new(), new: b"x\n".to_vec() },
        ];
        assert_eq!(
            line_shifts(&SplicedContent::new(b"a\nb\n", &splices)),
            [LineShift { at: 1, removed: 2, added: 2 }]
        );
    }

    #[test]
    fn units_of_utf_16_are_not_taken_for_bytes() {
        let content: Vec<u8> = "\u{feff}a\u{10a}\nb\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(last_line(&content), 3);
        assert_eq!(cut_lines(&content, (2, 2)), b"b\0\n\0");
    }

    #[test]
    fn lines_are_cut_with_their_breaks() {
        assert_eq!(cut_lines(b"a\nb\nc", (2, 3)), b"b\nc");
        assert_eq!(cut_lines(b"a\nb\n", (1, 1)), b"a\n");
        assert_eq!(cut_lines(b"a\nb\n", (3, 3)), b"");
        assert_eq!(cut_lines(b"a\nb\n", (4, 9)), b"");
        assert_eq!(last_line(b"a\nb"), 2);
    }
}
