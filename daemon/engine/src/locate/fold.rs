//! The typographic folding: which characters count as which plain ones, and the way back. It never looks for anything.
//!
//! *The table* follows the Unicode Character Database. From `UnicodeData.txt`: characters that decompose
//! as `<noBreak> 0020` (U+00A0, U+2007, U+202F) and `<wide>` (U+3000, U+FF01–FF5E, U+FFE0–FFE6), and the
//! ellipsis (U+2026, `<compat>` three dots). From `PropList.txt`: the dashes U+2010–2015 and U+2212 of `Dash`,
//! and the quotation marks U+2018–201F of `Quotation_Mark`. Nothing else is folded.

use crate::cut::Cut;
use crate::text::Breaks;

/// Folded bytes between two marks of the way back: a mark takes 8 bytes, and a look-up reads a stride.
const STRIDE: usize = 256;
/// The most bytes of a file that fold to [`STRIDE`] bytes: three each, and one more character.
const REACH: usize = STRIDE * 3 + 8;

/// Bytes that are looked at together.
const BLOCK: usize = 128;

/// Returns the plain character for a typographic one, and the number of times that it is repeated.
pub(crate) fn plain(c: char) -> Option<(char, usize)> {
    let one = match c {
        '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{3000}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2026}' => return Some(('.', 3)),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0)?,
        '\u{ffe0}' => '¢',
        '\u{ffe1}' => '£',
        '\u{ffe2}' => '¬',
        '\u{ffe3}' => '¯',
        '\u{ffe4}' => '¦',
        '\u{ffe5}' => '¥',
        '\u{ffe6}' => '₩',
        _ => return None,
    };
    Some((one, 1))
}

/// Returns true if a byte may be the first byte of a character of the table. A test checks this against the table.
fn leads(byte: u8) -> bool {
    matches!(byte, 0xc2 | 0xe2 | 0xe3 | 0xef)
}

/// Returns true if folding changes more of a text than its breaks.
pub(crate) fn is_typographic(text: &str) -> bool {
    let blocks = text.as_bytes().chunks(BLOCK).enumerate().filter(|(_, block)| !block.is_ascii());
    let suspects = blocks.flat_map(|(nth, block)| {
        let leading = block.iter().enumerate().filter(|(_, byte)| leads(**byte));
        leading.map(move |(at, _)| nth * BLOCK + at)
    });
    suspects.filter_map(|at| text.get(at..)?.chars().next()).any(|c| plain(c).is_some())
}

/// Returns the offset of the first byte at which folding may change a text.
fn suspect(bytes: &[u8]) -> Option<usize> {
    let may_change = |byte: &u8| *byte == b'\r' || leads(*byte);
    // All bytes of a block are looked at at once: most blocks have none.
    let is_plain =
        |block: &[u8]| !block.iter().fold(false, |any, byte| any | (*byte == b'\r') | !byte.is_ascii());
    bytes
        .chunks(BLOCK)
        .enumerate()
        .filter(|(_, block)| !is_plain(block))
        .find_map(|(nth, block)| block.iter().position(may_change).map(|at| nth * BLOCK + at))
}

/// A stretch of text that stays, and the characters after it that are replaced.
struct FoldStep<'t> {
    same: &'t str,
    /// The number of bytes that are replaced; 0 at the end of the text.
    gone: usize,
    plain: char,
    times: usize,
}

impl FoldStep<'_> {
    fn width(&self) -> usize {
        self.plain.len_utf8() * self.times
    }
}

/// Returns the first step of folding a text.
fn step(rest: &str, breaks: Breaks) -> FoldStep<'_> {
    let bytes = rest.as_bytes();
    let mut from = 0;
    while let Some(next) = suspect(bytes.cut(from..bytes.len())) {
        let at = from + next;
        let tail = rest.cut(at..rest.len());
        let found = match tail.chars().next() {
            Some('\r') if tail.as_bytes().get(1) == Some(&b'\n') => Some((2, '\n', 1)),
            Some('\r') if breaks == Breaks::Cr => Some((1, '\n', 1)),
            Some(c) => plain(c).map(|(plain, times)| (c.len_utf8(), plain, times)),
            None => None,
        };
        if let Some((gone, plain, times)) = found {
            return FoldStep { same: rest.cut(0..at), gone, plain, times };
        }
        from = at + 1;
    }
    FoldStep { same: rest, gone: 0, plain: ' ', times: 0 }
}

/// Returns a text with every break as `\n` and every character of the table as its plain one.
pub(crate) fn fold(text: &str, breaks: Breaks) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let step = step(rest, breaks);
        folded.push_str(step.same);
        folded.extend(std::iter::repeat_n(step.plain, step.times));
        rest = rest.cut(step.same.len() + step.gone..rest.len());
    }
    folded
}

/// A file's content, folded, and the way back to it.
#[derive(Debug)]
pub(crate) struct Folding {
    /// The folded content.
    pub(crate) content: String,
    breaks: Breaks,
    /// At `i`: the last place at or before folded byte `i * STRIDE` where a character of the file begins, as
    /// an offset in the folded content and in the file's. A map of every character could outgrow the file.
    marks: Vec<(u32, u32)>,
}

impl Folding {
    /// Folds a content; `None` if only breaks would change.
    pub(crate) fn of(content: &str, breaks: Breaks) -> Option<Self> {
        if !is_typographic(content) {
            return None;
        }
        let mut folding = Self { content: String::with_capacity(content.len()), breaks, marks: Vec::new() };
        let mut at = 0;
        while at < content.len() {
            let step = step(content.cut(at..content.len()), breaks);
            folding.mark_same(step.same, at);
            folding.content.push_str(step.same);
            at += step.same.len();
            folding.mark_changed(step.width(), at);
            folding.content.extend(std::iter::repeat_n(step.plain, step.times));
            at += step.gone;
        }
        Some(folding)
    }

    fn next_mark(&self) -> usize {
        self.marks.len() * STRIDE
    }

    /// Marks inside a stretch that stays as it is.
    fn mark_same(&mut self, same: &str, at: usize) {
        let here = self.content.len();
        while self.next_mark() < here + same.len() {
            let step = same.floor_char_boundary(self.next_mark().saturating_sub(here));
            self.push_mark(here + step, at + step);
        }
    }

    /// Marks inside of what one character becomes.
    fn mark_changed(&mut self, width: usize, at: usize) {
        let here = self.content.len();
        while self.next_mark() < here + width {
            self.push_mark(here, at);
        }
    }

    fn push_mark(&mut self, folded: usize, original: usize) {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.marks.push((small(folded), small(original)));
    }

    /// Returns the offset in `content` for an offset in its folded form, or `None` for an offset inside the
    /// replacement of one character.
    pub(crate) fn original(&self, content: &str, offset: usize) -> Option<usize> {
        if offset >= self.content.len() {
            return (offset == self.content.len()).then_some(content.len());
        }
        let (folded, original) = self.marks.get(offset / STRIDE)?;
        let (mut folded, mut at) = (*folded as usize, *original as usize);
        let end = content.floor_char_boundary(at + REACH);
        loop {
            let step = step(content.cut(at..end), self.breaks);
            let changed = folded + step.same.len();
            if offset <= changed {
                return Some(at + (offset - folded));
            }
            if step.gone == 0 || offset < changed + step.width() {
                return None;
            }
            folded = changed + step.width();
            at += step.same.len() + step.gone;
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn every_character_of_the_table_has_a_lead_that_is_looked_at() {
        let folded: Vec<char> = ('\u{80}'..=char::MAX).filter(|c| plain(*c).is_some()).collect();
        assert_eq!(folded.len(), 4 + 7 + 4 + 4 + 1 + 94 + 7);
        for c in folded {
            let mut bytes = [0; 4];
            assert!(leads(*c.encode_utf8(&mut bytes).as_bytes().first().unwrap()), "{c:?}");
            assert!(is_typographic(&format!("x{c}")) && plain(plain(c).unwrap().0).is_none());
        }
        assert!(!is_typographic("plain é \u{b5} 語 \u{2028} \r\n"));
    }

    #[test]
    fn the_way_back_leads_to_the_character_that_was_folded() {
        let units = ["a", "é", "\r\n", "…", "“", "\u{a0}", "￥", "語", "\n", "x", "bc"];
        for breaks in [Breaks::Lf, Breaks::Cr] {
            let mut content = String::from("…");
            let mut seed = 7_usize;
            for _ in 0..2_000 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                content.push_str(units.get((seed >> 33) % units.len()).unwrap());
            }
            let folding = Folding::of(&content, breaks).unwrap();
            assert_eq!(folding.content, fold(&content, breaks));
            let mut starts = vec![None; folding.content.len() + 1];
            let mut at = 0;
            while at < content.len() {
                let rest = content.get(at..).unwrap();
                let width =
                    if rest.starts_with("\r\n") { 2 } else { rest.chars().next().unwrap().len_utf8() };
                *starts.get_mut(fold(content.get(..at).unwrap(), breaks).len()).unwrap() = Some(at);
                at += width;
            }
            *starts.last_mut().unwrap() = Some(content.len());
            for (offset, start) in starts.iter().enumerate() {
                if folding.content.is_char_boundary(offset) {
                    assert_eq!(folding.original(&content, offset), *start, "at {offset}");
                }
            }
        }
    }
}
