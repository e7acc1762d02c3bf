//! A place that an edit changes: the match, the change, and the range that other edits may not touch.

use std::ops::Range;
use std::rc::Rc;

use super::trim::minimise;
use crate::cut::{Cut, Span};
use crate::text::Text;

/// A part of a text, which many places may share.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    whole: Rc<str>,
    part: Span,
}

impl Piece {
    /// Returns the text of the piece.
    pub(crate) fn as_str(&self) -> &str {
        self.whole.cut(self.part.range())
    }
}

/// The kind of an insertion, in the order in which insertions at one offset stand in the result. Those of one kind
/// stand in the order of the request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum InsertionKind {
    /// At the start of the file.
    Start,
    /// After a line, an anchor or a symbol that ends there.
    After,
    /// Between quoted lines, or not an insertion.
    Between,
    /// Before a line, an anchor or a symbol that begins there.
    Before,
    /// At the end of the file.
    End,
}

/// A place of an edit, in offsets of the decoded content.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The index of the edit in its entry.
    pub(crate) edit: u32,
    /// The range that the edit matched; empty for an insertion.
    pub(crate) matched: Span,
    /// The range that is removed.
    pub(crate) removed: Span,
    /// The text that is inserted instead.
    pub(crate) piece: Piece,
    /// The order among insertions at one offset.
    pub(crate) kind: InsertionKind,
    /// The size of the line break at the start of the piece that completes the line above, in bytes; 0 if there is
    /// none.
    pub(crate) lead: u8,
    /// True if no other edit may touch any part of the match.
    pub(crate) owning: bool,
}

impl Place {
    /// Creates a replacement. Other edits may not touch the bytes that it changes.
    pub(crate) fn replacing(text: &Text<'_>, edit: u32, matched: Range<usize>, new: &Rc<str>) -> Self {
        Self::replacing_by(text, edit, matched, new, 0..new.len())
    }

    /// Creates such a replacement by a part of a text that many places share.
    pub(crate) fn replacing_by(
        text: &Text<'_>,
        edit: u32,
        matched: Range<usize>,
        whole: &Rc<str>,
        new: Range<usize>,
    ) -> Self {
        let (removed, part) = minimise(text, &matched, whole.cut(new.clone()));
        let part = Span::new(new.start + part.start..new.start + part.end);
        let piece = Piece { whole: Rc::clone(whole), part };
        let (matched, removed) = (Span::new(matched), Span::new(removed));
        Self { edit, matched, removed, piece, kind: InsertionKind::Between, lead: 0, owning: false }
    }

    /// Creates a replacement of whole lines. Other edits may not touch its whole range.
    pub(crate) fn owning(text: &Text<'_>, edit: u32, matched: Range<usize>, new: &Rc<str>) -> Self {
        Self { owning: true, ..Self::replacing(text, edit, matched, new) }
    }

    /// Returns the places that make a new whole content: one for each range of lines that differs.
    pub(crate) fn rewriting(text: &Text<'_>, edit: u32, new: &Rc<str>) -> Vec<Self> {
        let (old, bytes) = (text.content.as_bytes(), new.as_bytes());
        let place = |(old_range, new_range): (Range<usize>, Range<usize>)| {
            let (removed, part) = minimise(text, &old_range, new.cut(new_range.clone()));
            let part = new_range.start + part.start..new_range.start + part.end;
            let piece = Piece { whole: Rc::clone(new), part: Span::new(part) };
            let removed = Span::new(removed);
            Self {
                edit,
                matched: Span::new(0..old.len()),
                removed,
                piece,
                kind: InsertionKind::Between,
                lead: 0,
                owning: false,
            }
        };
        super::changed_lines(old, bytes).into_iter().map(place).collect()
    }

    /// Creates an insertion.
    pub(crate) fn inserting(edit: u32, at: usize, new: &Rc<str>, kind: InsertionKind) -> Self {
        let here = Span::new(at..at);
        let piece = Piece { whole: Rc::clone(new), part: Span::new(0..new.len()) };
        Self { edit, matched: here, removed: here, piece, kind, lead: 0, owning: false }
    }

    /// Removes the line break that completes the line above.
    pub(crate) fn drop_lead(&mut self) {
        let part = self.piece.part.range();
        self.piece.part = Span::new((part.start + usize::from(self.lead)).min(part.end)..part.end);
        self.lead = 0;
    }

    /// Returns the range that no other edit may touch.
    pub(crate) fn guard(&self) -> Span {
        if self.owning { self.matched } else { self.removed }
    }

    /// Returns true if the place changes nothing.
    pub(crate) fn is_idle(&self) -> bool {
        self.removed.is_empty() && self.piece.as_str().is_empty()
    }
}
