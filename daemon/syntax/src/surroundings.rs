//! Comments and attributes, and which of them belong to a definition. It goes by places in the text alone, since
//! grammars do not agree on what a comment's parent is.

use std::ops::Range;

/// Comments at the end of a definition that are looked at.
const TRAILING: usize = 256;

/// Bytes of a line that count as indentation.
const COLUMN: usize = 256;

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

    /// A definition with what belongs to it: attributes in front, comments on the lines directly above it that are
    /// indented as it is, or on its own line in front; behind it the `;`, in a list the `,`, and a comment that ends its
    /// last line. Never anything outside `limits`.
    pub(crate) fn extent(
        &self,
        definition: &Range<usize>,
        limits: Range<usize>,
        listed: bool,
        aloof: &[&str],
    ) -> Range<usize> {
        let start = self.front(definition.start, limits.start, aloof);
        start..self.back(definition.end, limits.end, listed)
    }

    /// Where a definition ends without the comments that its grammar only counts into it, since nothing but what comes
    /// next ends it: those at its end that are indented no deeper than it is. Those directly below the rest of it stay,
    /// unless what comes next follows directly.
    pub(crate) fn end(&self, definition: &Range<usize>) -> usize {
        let count = self.pieces.partition_point(|piece| piece.range.start < definition.end);
        let mut end = definition.end;
        let mut first = count;
        for piece in self.pieces.iter().take(count).rev().take(TRAILING) {
            let blank = self.blank(piece.range.end..end);
            let begins_line = piece.is_comment && self.indentation(piece.range.start).is_some();
            let is_outside = begins_line && self.column(piece.range.start) <= self.column(definition.start);
            if blank.is_none() || !is_outside || piece.range.start <= definition.start {
                break;
            }
            end = piece.range.start;
            first -= 1;
        }
        let content = self.text.get(..end).unwrap_or_default().trim_end().len();
        if first == count {
            return definition.end;
        }
        let mut kept = content;
        for piece in self.pieces.get(first..count).unwrap_or_default() {
            if self.blank(kept..piece.range.start).is_none_or(|breaks| breaks > 1) {
                return kept;
            }
            kept = piece.range.end;
        }
        let behind = self.text.get(kept..).unwrap_or_default();
        let gap = behind.len() - behind.trim_start().len();
        let follows = gap < behind.len() && self.blank(kept..kept + gap).is_some_and(|breaks| breaks <= 1);
        if follows { content } else { kept }
    }

    /// How many lines end in what is only white space.
    fn blank(&self, range: Range<usize>) -> Option<usize> {
        let gap = self.text.get(range)?;
        gap.chars().all(char::is_whitespace).then(|| gap.matches('\n').count())
    }

    /// Bytes in front of a place on its line, as far as that matters.
    fn column(&self, at: usize) -> usize {
        let line = self.text.as_bytes().get(at.saturating_sub(COLUMN)..at).unwrap_or_default();
        line.iter().rev().take_while(|byte| **byte != b'\n').count()
    }

    fn front(&self, definition: usize, floor: usize, aloof: &[&str]) -> usize {
        let count = self.pieces.partition_point(|piece| piece.range.start < definition);
        let mut start = definition;
        // What is looked at may belong to it only if what stands before that does.
        let mut reached = definition;
        for piece in self.pieces.iter().take(count).rev() {
            let gap = self.text.get(piece.range.end..reached).unwrap_or("-");
            if piece.range.start < floor || !gap.chars().all(char::is_whitespace) {
                break;
            }
            if !piece.is_comment {
                (start, reached) = (piece.range.start, piece.range.start);
                continue;
            }
            let breaks = gap.matches('\n').count();
            let is_aloof = aloof.iter().any(|prefix| self.says(piece).starts_with(prefix));
            if breaks > 1 || is_aloof {
                break;
            }
            let own = self.indentation(piece.range.start);
            let beside = breaks == 0 && reached == start;
            if beside || own.is_some() && own == self.indentation(start) {
                start = piece.range.start;
            } else if own.is_some() {
                break;
            }
            reached = piece.range.start;
        }
        start
    }

    /// The comma in front of a place, with nothing but white space and comments between.
    pub(crate) fn comma(&self, at: usize) -> Option<usize> {
        let count = self.pieces.partition_point(|piece| piece.range.start < at);
        let mut comments = self.pieces.iter().take(count).rev();
        let mut front = self.text.get(..at)?.trim_end();
        while let Some(comment) =
            comments.next().filter(|piece| piece.is_comment && piece.range.end == front.len())
        {
            front = self.text.get(..comment.range.start)?.trim_end();
        }
        front.strip_suffix(',').map(str::len)
    }

    fn says(&self, piece: &Piece) -> &'s str {
        self.text.get(piece.range.clone()).unwrap_or_default()
    }

    /// The white space in front of a place, where nothing else stands before it on its line.
    fn indentation(&self, at: usize) -> Option<&'s str> {
        let before = self.text.get(..at)?;
        let line = before.trim_end_matches(|letter: char| letter != '\n' && letter.is_whitespace());
        (line.is_empty() || line.ends_with('\n')).then(|| before.get(line.len()..)).flatten()
    }

    fn back(&self, definition: usize, ceiling: usize, listed: bool) -> usize {
        let rest = |from: usize| self.text.get(from..ceiling).unwrap_or_default();
        let blanks = |rest: &str| rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let mut end = definition;
        let next = end + blanks(rest(end));
        if rest(next).starts_with(if listed { ',' } else { ';' }) {
            end = next + 1;
        }
        let begin = end + blanks(rest(end));
        let found = self.pieces.partition_point(|piece| piece.range.start < begin);
        let behind = self.pieces.get(found).filter(|piece| piece.is_comment && piece.range.start == begin);
        let Some(comment) = behind.filter(|comment| comment.range.end <= ceiling) else { return end };
        let after = self.text.get(comment.range.end..).unwrap_or_default();
        let after = after.trim_start_matches([' ', '\t', '\r']);
        let ends_line = after.is_empty() || after.starts_with('\n');
        if ends_line && !self.says(comment).contains('\n') { comment.range.end } else { end }
    }
}
