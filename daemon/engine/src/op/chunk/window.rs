//! The lines that a chunk quotes, one after the other: context before, old lines, context after. It finds no place.

use std::borrow::Cow;
use std::ops::Range;

use editd_types::limits;

use crate::cut::{Cut, Span};
use crate::locate::{self, AdaptableText, Extent, InsertionPoint, InsertionPoints, Needle, Quote, Rung};
use crate::text::{Breaks, Text, split_final_break};

/// The old lines of a chunk with the context before and after them.
#[derive(Clone, Debug)]
pub(crate) struct ChunkWindow {
    /// The lines directly before; none is no constraint.
    pub(crate) before: String,
    /// The lines that are replaced; none makes an insertion.
    pub(crate) old: String,
    /// The lines directly after; none is no constraint.
    pub(crate) after: String,
    joined: String,
}

/// The count of lines of each part of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LineCounts {
    /// Lines of the context before.
    pub(crate) before: usize,
    /// Old lines.
    pub(crate) old: usize,
    /// Lines of the context after.
    pub(crate) after: usize,
}

impl ChunkWindow {
    /// Creates the window of these lists of lines.
    pub(crate) fn new(before: &str, old: &str, after: &str) -> Self {
        let mut parts = [before, old, after].into_iter().filter(|part| !part.is_empty());
        let joined = match (parts.next(), parts.next()) {
            (None, _) => String::new(),
            (Some(only), None) => (*only).to_owned(),
            (Some(_), Some(_)) => [before, old, after].map(closed).concat(),
        };
        let [before, old, after] = [before, old, after].map(str::to_owned);
        Self { before, old, after, joined }
    }

    /// Returns true if the chunk quotes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.joined.is_empty()
    }

    /// Returns the text that the first rung looks up.
    pub(crate) fn needle(&self, breaks: Breaks) -> Needle<'_> {
        Needle { text: split_final_break(&self.joined, breaks).0, extent: Extent::Lines }
    }

    /// Returns the whole window as a quotation, with the new lines that the rung may map and that are inserted
    /// between its lines.
    pub(crate) fn quote<'q>(&'q self, new: &'q str) -> Quote<'q> {
        let start = closed(&self.before).len().min(self.joined.len());
        let removed = start..(start + closed(&self.old).len()).min(self.joined.len());
        let point = InsertionPoint { removed: Span::new(removed), added: Span::new(0..new.len()) };
        part(&self.joined, AdaptableText::Beside(new, InsertionPoints::One(point)))
    }

    /// Its lines, without their breaks.
    pub(crate) fn lines(&self, breaks: Breaks) -> Vec<&str> {
        locate::lines(&self.joined, breaks).into_iter().map(|(line, _)| line).collect()
    }

    /// Returns the number of lines of each part.
    pub(crate) fn counts(&self, breaks: Breaks) -> LineCounts {
        let count = |part: &str| locate::lines(part, breaks).len();
        LineCounts { before: count(&self.before), old: count(&self.old), after: count(&self.after) }
    }

    /// Returns the range of the old lines with their breaks, for a window at a range of lines; empty for an insertion.
    pub(crate) fn old_lines(&self, text: &Text<'_>, window: &Range<usize>) -> Range<usize> {
        let counts = self.counts(text.breaks);
        let start = after_lines(text, window.start, counts.before);
        start..after_lines(text, start, counts.old)
    }
}

/// Returns one part of a window, as a quotation of whole lines.
pub(crate) fn part<'q>(lines: &'q str, new_text: AdaptableText<'q>) -> Quote<'q> {
    Quote {
        old: lines,
        whole_lines: true,
        near: None,
        window: limits::NEAR_WINDOW,
        loosest: Rung::Typographic,
        threshold: 1.0,
        new_text,
    }
}

/// Returns a list of lines with a line break at the end.
fn closed(lines: &str) -> Cow<'_, str> {
    if lines.is_empty() || lines.ends_with('\n') {
        Cow::Borrowed(lines)
    } else {
        Cow::Owned(format!("{lines}\n"))
    }
}

/// Returns the offset behind this number of lines from the start of a line; the end of the file if there are fewer.
pub(in crate::op) fn after_lines(text: &Text<'_>, start: usize, lines: usize) -> usize {
    let Some(last) = lines.checked_sub(1) else { return start };
    let rest = text.content.as_bytes().cut(start..text.len());
    memchr::memchr_iter(text.breaks.stop(), rest).nth(last).map_or(text.len(), |at| start + at + 1)
}
