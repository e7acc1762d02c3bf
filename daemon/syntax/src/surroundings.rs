//! Collects comments and attributes and finds those that belong to a definition. Only offsets are used, since grammars
//! differ in the parent that they give a comment.

use std::ops::Range;

/// Maximum number of comments that are checked at the end of a definition.
const TRAILING: usize = 256;

/// Maximum number of bytes of a line that count as its indentation.
const COLUMN: usize = 256;

/// The comments and attributes of a text, in the order of the text.
pub(crate) struct Surroundings<'s> {
    text: &'s str,
    pieces: Vec<TextPiece>,
}

struct TextPiece {
    range: Range<usize>,
    is_comment: bool,
}

impl<'s> Surroundings<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        Self { text, pieces: Vec::new() }
    }

    /// Adds a comment. The range is trimmed at the end, since some grammars include the line break.
    pub(crate) fn comment(&mut self, range: Range<usize>) {
        let inside = self.text.get(range.clone()).unwrap_or_default();
        let end = range.start + inside.trim_end().len();
        self.pieces.push(TextPiece { range: range.start..end, is_comment: true });
    }

    /// Adds an attribute.
    pub(crate) fn attribute(&mut self, range: Range<usize>) {
        self.pieces.push(TextPiece { range, is_comment: false });
    }

    /// Returns the range of a definition with everything that belongs to it, within `limits`. In front of it these are
    /// attributes, comments on its own line, and comments on the lines directly above that have the same indentation.
    /// Behind it these are the `;` (or the `,` in a list) and a comment that ends its last line.
    pub(crate) fn extent(
        &self,
        definition: &Range<usize>,
        limits: Range<usize>,
        listed: bool,
        file_comments: &[&str],
    ) -> Range<usize> {
        let start = self.front(definition.start, limits.start, file_comments);
        start..self.back(definition.end, limits.end, listed)
    }

    /// Returns the end of a definition without trailing comments that its grammar includes only because nothing else
    /// ends the definition. These comments are at the end and indented no deeper than the definition. Those directly
    /// below its other lines stay part of it, unless the next code follows them without a blank line.
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

    /// Returns the number of line breaks in a range of white space, or `None` if it contains anything else.
    fn blank(&self, range: Range<usize>) -> Option<usize> {
        let gap = self.text.get(range)?;
        gap.chars().all(char::is_whitespace).then(|| gap.matches('\n').count())
    }

    /// Returns the number of bytes between the start of the line and an offset, up to [`COLUMN`].
    fn column(&self, at: usize) -> usize {
        let line = self.text.as_bytes().get(at.saturating_sub(COLUMN)..at).unwrap_or_default();
        line.iter().rev().take_while(|byte| **byte != b'\n').count()
    }

    fn front(&self, definition: usize, floor: usize, file_comments: &[&str]) -> usize {
        let count = self.pieces.partition_point(|piece| piece.range.start < definition);
        let mut start = definition;
        // Start of the piece that was checked last. A piece belongs to the definition only if everything between them
        // does.
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
            let is_file_comment = file_comments.iter().any(|prefix| self.says(piece).starts_with(prefix));
            if breaks > 1 || is_file_comment {
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

    /// Returns the offset of the comma in front of an offset, if only white space and comments are between them.
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

    fn says(&self, piece: &TextPiece) -> &'s str {
        self.text.get(piece.range.clone()).unwrap_or_default()
    }

    /// Returns the white space in front of an offset, or `None` if its line has other text in front of it.
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
