//! Where a text that comes is no code: in strings, heredocs and comments. Nothing is changed here.

use std::ops::Range;

use editd_syntax::{Aside, Language, Unparsed};

use crate::limits;
use crate::locate::lines;
use crate::plan::Budget;
use crate::text::Breaks;

/// How texts are looked at.
#[derive(Clone, Copy)]
pub(super) struct Quotes<'q> {
    pub(super) language: Language,
    pub(super) budget: &'q Budget,
}

/// What may begin a string of several lines.
const MARKS: [char; 7] = ['"', '\'', '`', '<', '\\', '?', '/'];

impl Quotes<'_> {
    /// For each line whether it begins in a string whose white space counts; `None` where that cannot be told.
    pub(super) fn lines(&self, text: &str, breaks: Breaks) -> Option<Vec<bool>> {
        let lines = lines(text, breaks);
        let mut inside = vec![false; lines.len()];
        if lines.len() < 2 || !text.contains(MARKS) {
            return Some(inside);
        }
        let mut strings = self.asides(text)?.into_iter().filter(|(_, is)| *is == Aside::String).peekable();
        let mut from = 0;
        for ((line, ending), inside) in lines.iter().zip(&mut inside) {
            while strings.next_if(|(range, _)| range.end <= from).is_some() {}
            *inside = strings.peek().is_some_and(|(range, _)| range.start < from);
            from += line.len() + ending.len();
        }
        Some(inside)
    }

    /// Whether a text is one block: its first brace goes with its last.
    pub(super) fn is_block(&self, text: &str) -> bool {
        let text = text.trim();
        if text.len() < 2 || !text.starts_with('{') || !text.ends_with('}') {
            return false;
        }
        let mut asides = self.asides(text).unwrap_or_default().into_iter().map(|(range, _)| range).peekable();
        let mut open = 0_usize;
        for (at, byte) in text.bytes().enumerate() {
            while asides.next_if(|range| range.end <= at).is_some() {}
            if asides.peek().is_some_and(|range| range.start <= at) {
                continue;
            }
            match byte {
                b'{' => open += 1,
                b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return at + 1 == text.len();
            }
        }
        // In branches of a preprocessor more may be opened than closed.
        true
    }

    /// Strings and comments; `None` where the text cannot be parsed.
    pub(super) fn asides(&self, text: &str) -> Option<Vec<(Range<usize>, Aside)>> {
        self.parsed(text, editd_syntax::asides)
    }

    fn parsed<T>(
        &self,
        text: &str,
        parse: fn(Language, &str, &editd_syntax::Budget) -> Result<T, Unparsed>,
    ) -> Option<T> {
        let steps = limits::PART_STEPS + text.len() as u64 / limits::PARSE_BYTES_PER_STEP;
        let usual = editd_syntax::Budget::default();
        let budget = editd_syntax::Budget { steps: steps.min(usual.steps), ..usual };
        self.budget.parse(text.len()).then(|| parse(self.language, text, &budget).ok()).flatten()
    }
}
