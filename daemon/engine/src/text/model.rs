//! The text of a file and its lines. UTF-8 is never copied, and lines are counted only when needed.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::encoding::{Encoding, detect};
use super::index::LineIndex;
use crate::Refusal;
use crate::cut::Cut;

/// The kind of line ending that a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Breaks {
    /// `\n`, alone or after `\r`.
    Lf,
    /// A lone `\r`: the content has no `\n`.
    Cr,
    /// The content has no line break.
    None,
}

impl Breaks {
    /// Returns the kind of line ending of a content.
    pub(crate) fn of(content: &str) -> Self {
        if memchr::memchr(b'\n', content.as_bytes()).is_some() {
            Self::Lf
        } else if memchr::memchr(b'\r', content.as_bytes()).is_some() {
            Self::Cr
        } else {
            Self::None
        }
    }

    /// Returns the byte that ends a line.
    pub(crate) fn stop(self) -> u8 {
        if self == Self::Cr { b'\r' } else { b'\n' }
    }
}

/// The content with `\n` for every line break, and the mapping of its offsets to those of the content.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    /// The folded content.
    pub(crate) content: String,
    /// Offsets in `content` of the breaks that lost a `\r`, in ascending order.
    lost: Vec<u32>,
}

impl Folded {
    /// Returns the offset in the content of the file for an offset in the folded content. A break maps to its
    /// start.
    pub(crate) fn original(&self, offset: usize) -> usize {
        offset + self.lost.partition_point(|at| (*at as usize) < offset)
    }
}

impl Folded {
    /// Returns the offset in the folded content for an offset in the content of the file that does not split a
    /// break.
    pub(crate) fn folded(&self, original: usize) -> usize {
        let (mut low, mut high) = (0, self.lost.len());
        while low < high {
            let middle = low.midpoint(high);
            // Each `\r` that was removed before the offset shifts it by one.
            match self.lost.get(middle).is_some_and(|at| *at as usize + middle < original) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        original.saturating_sub(low)
    }
}

/// The decoded text of a file.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    /// The encoding of the file.
    pub(crate) encoding: Encoding,
    /// The length of the BOM, in bytes.
    pub(crate) bom: usize,
    /// The kind of line ending.
    pub(crate) breaks: Breaks,
    /// The decoded text, without BOM.
    pub(crate) content: Cow<'a, str>,
    index: LineIndex,
    folded: OnceCell<Option<Folded>>,
}

impl<'a> Text<'a> {
    /// Decodes a file. `label` is the encoding that the configuration names for it.
    ///
    /// # Errors
    /// `binary` if the file has NUL bytes near the start, `encoding` if it cannot be decoded exactly.
    pub(crate) fn read(bytes: &'a [u8], label: Option<&str>) -> Result<Self, Refusal> {
        let (encoding, bom) = detect(bytes, label)?;
        let content = encoding.decode(bytes.cut(bom..bytes.len()))?;
        let breaks = Breaks::of(&content);
        let index = LineIndex::new(breaks.stop());
        Ok(Self { encoding, bom, breaks, content, index, folded: OnceCell::new() })
    }

    /// Returns a range of whole lines as a text of its own.
    pub(crate) fn part(&self, bytes: std::ops::Range<usize>) -> Text<'_> {
        Text {
            encoding: self.encoding,
            bom: 0,
            breaks: self.breaks,
            content: Cow::Borrowed(self.content.cut(bytes)),
            index: LineIndex::new(self.breaks.stop()),
            folded: OnceCell::new(),
        }
    }

    /// Returns the size of the content in bytes.
    pub(crate) fn len(&self) -> usize {
        self.content.len()
    }

    /// Returns the number of lines; 0 for an empty file.
    pub(crate) fn lines(&self) -> usize {
        self.index.total(self.content.as_bytes())
            + usize::from(!self.ends_with_break() && !self.content.is_empty())
    }

    /// Returns true if the last line ends with a line break.
    pub(crate) fn ends_with_break(&self) -> bool {
        self.breaks != Breaks::None && self.content.as_bytes().last() == Some(&self.breaks.stop())
    }

    /// Returns the 1-based line of an offset. Directly after the last break, it is one more than the last line.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.index.rank(self.content.as_bytes(), offset) + 1
    }

    /// Returns the first and the last line of a range; for an empty range, the line that contains it.
    pub(crate) fn lines_of(&self, range: std::ops::Range<usize>) -> (u64, u64) {
        let first = self.line_of(range.start);
        let last = if range.is_empty() { first } else { self.line_of(range.end - 1) };
        (first as u64, last as u64)
    }

    /// Returns the offset of the start of a 1-based line; the end of the content for lines beyond the last.
    pub(crate) fn line_start(&self, line: usize) -> usize {
        if line <= 1 {
            return 0;
        }
        self.index.after(self.content.as_bytes(), line - 1).unwrap_or(self.len())
    }

    /// Returns true if a line starts at an offset.
    pub(crate) fn starts_line(&self, offset: usize) -> bool {
        let before = offset.checked_sub(1).and_then(|at| self.content.as_bytes().get(at));
        before.is_none_or(|byte| *byte == self.breaks.stop())
    }

    /// Returns the 1-based column of an offset, in Unicode scalar values.
    pub(crate) fn column_of(&self, offset: usize) -> usize {
        self.content.cut(self.line_start(self.line_of(offset))..offset).chars().count() + 1
    }

    /// Returns a line without its line break.
    pub(crate) fn line(&self, line: usize) -> &str {
        let whole = self.content.cut(self.line_start(line)..self.line_start(line + 1));
        super::split_final_break(whole, self.breaks).0
    }

    /// Returns the line ending for text that is inserted at `offset` beside no match: that of the line there, or
    /// else of the line above. Returns `None` in a file without any line break.
    pub(crate) fn ending_at(&self, offset: usize) -> Option<&str> {
        let bytes = self.content.as_bytes();
        let passed = self.index.rank(bytes, offset);
        let end = self.index.after(bytes, passed + 1).or_else(|| self.index.after(bytes, passed))?;
        let start = end - 1;
        let start = if bytes.get(start) == Some(&b'\n') && start > 0 && bytes.get(start - 1) == Some(&b'\r') {
            start - 1
        } else {
            start
        };
        Some(self.content.cut(start..end))
    }

    /// Returns true if an offset lies between `\r` and `\n`.
    pub(crate) fn splits_break(&self, offset: usize) -> bool {
        let bytes = self.content.as_bytes();
        offset > 0 && bytes.get(offset - 1) == Some(&b'\r') && bytes.get(offset) == Some(&b'\n')
    }

    /// Returns the range of bytes of whole lines, 1-based and inclusive. Lines beyond the last are empty.
    pub(crate) fn line_range(&self, (first, last): (u64, u64)) -> std::ops::Range<usize> {
        let start = |line: u64| self.line_start(usize::try_from(line).unwrap_or(usize::MAX));
        start(first)..start(last.saturating_add(1))
    }

    /// Returns the size of the line break that starts at an offset; 0 if there is none.
    pub(crate) fn break_at(&self, offset: usize) -> usize {
        let rest = self.content.as_bytes().get(offset..).unwrap_or(&[]);
        match (self.breaks, rest) {
            (Breaks::Lf, [b'\r', b'\n', ..]) => 2,
            (Breaks::Lf, [b'\n', ..]) | (Breaks::Cr, [b'\r', ..]) => 1,
            _ => 0,
        }
    }

    /// Returns true if a line ends with `\r\n`.
    pub(crate) fn has_crlf(&self) -> bool {
        self.breaks == Breaks::Lf && memchr::memmem::find(self.content.as_bytes(), b"\r\n").is_some()
    }

    /// Returns the content with `\n` for every line break, or `None` if it has no other line breaks.
    pub(crate) fn folded(&self) -> Option<&Folded> {
        self.folded.get_or_init(|| fold(&self.content, self.breaks)).as_ref()
    }

    /// Returns the same content for a single use, without keeping it.
    pub(crate) fn folded_once(&self) -> Option<Cow<'_, Folded>> {
        match self.folded.get() {
            Some(kept) => kept.as_ref().map(Cow::Borrowed),
            None => fold(&self.content, self.breaks).map(Cow::Owned),
        }
    }

    /// Frees the content that [`Text::folded`] keeps, which is as large as the file.
    pub(crate) fn forget_folded(&mut self) {
        self.folded.take();
    }

    /// Returns the name of the line ending: `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub(crate) fn ending_name(&self) -> &'static str {
        match self.breaks {
            Breaks::None => "none",
            Breaks::Cr => "cr",
            Breaks::Lf => {
                let crlf = memchr::memmem::find_iter(self.content.as_bytes(), b"\r\n").count();
                match crlf {
                    0 => "lf",
                    n if n == self.index.total(self.content.as_bytes()) => "crlf",
                    _ => "mixed",
                }
            }
        }
    }
}

fn fold(content: &str, breaks: Breaks) -> Option<Folded> {
    match breaks {
        Breaks::None => None,
        Breaks::Cr => Some(Folded { content: content.replace('\r', "\n"), lost: Vec::new() }),
        Breaks::Lf => {
            let mut folded = Folded { content: String::new(), lost: Vec::new() };
            let mut from = 0;
            for at in memchr::memmem::find_iter(content.as_bytes(), b"\r\n") {
                if folded.content.capacity() == 0 {
                    folded.content.reserve_exact(content.len());
                }
                folded.content.push_str(content.cut(from..at));
                folded.lost.push(u32::try_from(folded.content.len()).unwrap_or(u32::MAX));
                from = at + 1;
            }
            folded.content.push_str(content.cut(from..content.len()));
            (!folded.lost.is_empty()).then_some(folded)
        }
    }
}
