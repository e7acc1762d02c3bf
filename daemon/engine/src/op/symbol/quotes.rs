//! Finds the parts of a new text that are not code: strings, heredocs and comments.

use std::ops::Range;

use editd_syntax::{Language, NonCode, ParseError, SymbolKind};

use crate::cut::Cut;
use crate::limits;
use crate::locate::{LineParts, lines};
use crate::plan::Budget;
use crate::text::Breaks;

/// A finder of strings and comments in texts of one language.
#[derive(Clone, Copy)]
pub(super) struct Quotes<'q> {
    pub(super) language: Language,
    pub(super) budget: &'q Budget,
}

/// The braces around a block: `{}`, in Bash also `()`.
pub(super) type Braces = &'static [u8; 2];

/// Returns true if a text begins and ends with these braces.
pub(super) fn has_braces(text: &str, [first, last]: Braces) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 1 && bytes.first() == Some(first) && bytes.last() == Some(last)
}

/// Characters that may begin a string of several lines, or a comment.
const MARKS: [char; 8] = ['"', '\'', '`', '<', '\\', '?', '/', '#'];

/// The ranges of a text that are not code.
#[derive(Default)]
pub(super) struct NonCodeRanges {
    /// Strings and comments, in the order of the text.
    pub(super) all: Vec<Range<usize>>,
    /// The ranges whose white space counts; the flag is true if that of the line at which the range begins counts, too.
    fixed: Vec<(Range<usize>, bool)>,
}

impl NonCodeRanges {
    /// Returns for each line of the text true if its white space counts because it begins in a string.
    pub(super) fn quoted(&self, lines: &[LineParts<'_>]) -> Vec<bool> {
        let mut fixed = self.fixed.iter().peekable();
        let mut from = 0;
        let mut quoted = Vec::with_capacity(lines.len());
        for (line, ending) in lines {
            while fixed.next_if(|(range, _)| range.end <= from).is_some() {}
            let is_in =
                |(range, first): &&(Range<usize>, bool)| range.start < from || *first && range.start == from;
            quoted.push(fixed.peek().is_some_and(is_in));
            from += line.len() + ending.len();
        }
        quoted
    }
}

/// A comment of Ruby, which must begin at the start of a line.
const COLUMN_ONE: &str = "=begin";

impl Quotes<'_> {
    /// Returns, for each line, true if it begins in a string whose white space counts; `None` if the text
    /// cannot be parsed.
    pub(super) fn lines(&self, text: &str, breaks: Breaks) -> Option<Vec<bool>> {
        Some(self.of_lines(text)?.quoted(&lines(text, breaks)))
    }

    /// Returns the ranges that are not code, as far as they affect whole lines, or `None` if the text cannot be
    /// parsed.
    pub(super) fn of_lines(&self, text: &str) -> Option<NonCodeRanges> {
        if !text.contains(['\n', '\r']) || !text.contains(MARKS) && !text.contains(COLUMN_ONE) {
            return Some(NonCodeRanges::default());
        }
        let found = self.non_code(text)?;
        let in_column_one = |range: &Range<usize>| {
            self.language == Language::Ruby && text.cut(range.clone()).starts_with(COLUMN_ONE)
        };
        let fixed =
            found.iter().map(|(range, is)| (range.clone(), *is == NonCode::String, in_column_one(range)));
        let fixed = fixed.filter(|(_, string, first)| *string || *first);
        let fixed = fixed.map(|(range, _, first)| (range, first)).collect();
        Some(NonCodeRanges { fixed, all: found.into_iter().map(|(range, _)| range).collect() })
    }

    /// Returns true if a text is one block, that is, if its first brace matches its last.
    pub(super) fn is_block(&self, text: &str, braces: Braces) -> bool {
        let text = text.trim();
        if !has_braces(text, braces) {
            return false;
        }
        let [first, last] = *braces;
        let mut non_code =
            self.non_code(text).unwrap_or_default().into_iter().map(|(range, _)| range).peekable();
        let mut open = 0_usize;
        for (at, byte) in text.bytes().enumerate() {
            while non_code.next_if(|range| range.end <= at).is_some() {}
            if non_code.peek().is_some_and(|range| range.start <= at) {
                continue;
            }
            if byte == first {
                open += 1;
            } else if byte == last {
                open = open.saturating_sub(1);
            }
            if open == 0 {
                return at + 1 == text.len();
            }
        }
        // The branches of a preprocessor may open more braces than they close.
        true
    }

    /// Returns the end of the code of a text, and true if a comment behind it extends to the end of its line.
    pub(super) fn code_end(&self, text: &str) -> (usize, bool) {
        let mut end = text.trim_end().len();
        let comments = self.non_code(text).unwrap_or_default().into_iter();
        let mut to_line_end = None;
        for (range, _) in comments.rev().take_while(|(_, is)| *is == NonCode::Comment) {
            if range.end < end {
                break;
            }
            let says = text.cut(range.start..end);
            to_line_end = to_line_end.or(Some(!says.starts_with("/*") && !says.starts_with("<!--")));
            end = text.cut(0..range.start).trim_end().len();
        }
        (end, to_line_end.unwrap_or(false))
    }

    /// Strings and comments; `None` if the text cannot be parsed.
    pub(super) fn non_code(&self, text: &str) -> Option<Vec<(Range<usize>, NonCode)>> {
        self.parsed(text, editd_syntax::non_code)
    }

    /// Returns true if the lines in front of a text's definition have a comment; `None` if there are no such lines.
    pub(super) fn front(&self, text: &str) -> Option<bool> {
        let comments: Vec<Range<usize>> = self
            .non_code(text)?
            .into_iter()
            .filter(|(_, is)| *is == NonCode::Comment)
            .map(|(range, _)| range)
            .collect();
        let start = text.len() - text.trim_start().len();
        let starts_with_comment = comments.first().is_some_and(|first| first.start == start);
        let outline = self.parsed(text, editd_syntax::outline)?;
        let first = outline.symbols.first().filter(|first| first.extent.start == start);
        // Without its class, a member may not parse as a definition. A comment is recognised anywhere.
        let Some(first) = first else { return starts_with_comment.then_some(true) };
        let front = start..first.definition.start;
        let has_comment = comments.iter().any(|comment| comment.start < front.end);
        (!front.is_empty()).then_some(has_comment)
    }

    /// Returns true if a text begins with a key outside of brackets.
    pub(super) fn is_mapping(&self, text: &str) -> bool {
        let outline = self.parsed(text, editd_syntax::outline);
        let first = outline.and_then(|outline| outline.symbols.into_iter().next());
        first.is_some_and(|first| {
            first.kind == SymbolKind::Key && !first.listed && first.definition.start == 0
        })
    }

    /// Returns the offset of the first thing in the front of a definition that is not a comment.
    pub(super) fn behind_comments(&self, front: &str) -> Option<usize> {
        let mut at = front.len() - front.trim_start().len();
        for (range, is) in self.non_code(front)? {
            if is != NonCode::Comment || range.start > at {
                break;
            }
            let rest = front.cut(range.end.min(front.len())..front.len());
            at = front.len() - rest.trim_start().len();
        }
        (at < front.len()).then_some(at)
    }

    fn parsed<T>(
        &self,
        text: &str,
        parse: fn(Language, &str, &editd_syntax::ParseBudget) -> Result<T, ParseError>,
    ) -> Option<T> {
        let steps = limits::PART_STEPS + text.len() as u64 / limits::PARSE_BYTES_PER_STEP;
        let usual = editd_syntax::ParseBudget::default();
        let budget = editd_syntax::ParseBudget { steps: steps.min(usual.steps), ..usual };
        self.budget.parse(text.len()).then(|| parse(self.language, text, &budget).ok()).flatten()
    }
}
