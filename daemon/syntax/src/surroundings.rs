//! Comments and attributes, and which of them belong to a definition. It goes by places in the text alone, since
//! grammars do not agree on what a comment's parent is.

use std::ops::Range;

/// The comments and attributes of a text, in its order.
pub(crate) struct Surroundings<'s> {
    text: &'s str,
    pieces: Vec<Piece>,
}

struct Piece {
    range: Range<usize>,
    is_comment: bool,
}

impl<'s> Surroundings<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        Self { text, pieces: Vec::new() }
    }

    /// A comment; some grammars count its line break to it.
    pub(crate) fn comment(&mut self, range: Range<usize>) {
        let inside = self.text.get(range.clone()).unwrap_or_default();
        let end = range.start + inside.trim_end().len();
        self.pieces.push(Piece { range: range.start..end, is_comment: true });
    }

    /// An attribute.
    pub(crate) fn attribute(&mut self, range: Range<usize>) {
        self.pieces.push(Piece { range, is_comment: false });
    }

    /// A definition with what belongs to it: attributes directly in front, comments on the lines directly above it
    /// that are indented as it is; behind it the `;` or (in a list) the `,`, and a comment that ends its last line.
    /// Never anything before `floor` or behind `ceiling`.
    pub(crate) fn extent(
        &self,
        definition: &Range<usize>,
        floor: usize,
        ceiling: usize,
        listed: bool,
        aloof: &[&str],
    ) -> Range<usize> {
        let start = self.front(definition.start, floor, aloof);
        start..self.back(definition.end, ceiling, listed)
    }

    fn front(&self, definition: usize, floor: usize, aloof: &[&str]) -> usize {
        let mut start = definition;
        let count = self.pieces.partition_point(|piece| piece.range.start < definition);
        for piece in self.pieces.iter().take(count).rev() {
            if piece.range.start < floor || piece.range.end > start {
                break;
            }
            let gap = self.text.get(piece.range.end..start).unwrap_or("-");
            let says = self.text.get(piece.range.clone()).unwrap_or_default();
            let near = gap.chars().all(char::is_whitespace) && gap.matches('\n').count() <= 1;
            let above = gap.contains('\n');
            let belongs = if piece.is_comment {
                near && !aloof.iter().any(|prefix| says.starts_with(prefix))
                    && self.indentation(piece.range.start).is_some_and(|own| {
                        !above || self.indentation(start).is_some_and(|other| own == other)
                    })
            } else {
                gap.chars().all(char::is_whitespace)
            };
            if !belongs {
                break;
            }
            start = piece.range.start;
        }
        start
    }

    /// The white space in front of a place, where nothing else stands before it on its line.
    fn indentation(&self, at: usize) -> Option<&'s str> {
        let before = self.text.get(..at)?;
        let line = before.get(before.rfind('\n').map_or(0, |newline| newline + 1)..)?;
        line.chars().all(char::is_whitespace).then_some(line)
    }

    fn back(&self, definition: usize, ceiling: usize, listed: bool) -> usize {
        let mut end = definition;
        let rest = self.text.get(end..ceiling).unwrap_or_default();
        let blanks = |rest: &str| rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let gap = blanks(rest);
        let next = rest.get(gap..).unwrap_or_default();
        if next.starts_with(';') || (listed && next.starts_with(',')) {
            end += gap + 1;
        }
        let rest = self.text.get(end..ceiling).unwrap_or_default();
        let begin = end + blanks(rest);
        let found = self.pieces.partition_point(|piece| piece.range.start < begin);
        let behind = self.pieces.get(found).filter(|piece| piece.is_comment && piece.range.start == begin);
        if let Some(comment) = behind.filter(|comment| comment.range.end <= ceiling) {
            let after = self.text.get(comment.range.end..).unwrap_or_default();
            let ends_line =
                after.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) || after.trim().is_empty();
            let one_line = !self.text.get(comment.range.clone()).unwrap_or("\n").contains('\n');
            if ends_line && one_line {
                end = comment.range.end;
            }
        }
        end
    }
}
