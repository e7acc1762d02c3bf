//! A file's content without the white space at the ends of its lines, and the way back to the file: line `n` of
//! one is line `n` of the other. It compares whole lines only, and white space is spaces and tabs.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::{ControlFlow, Range};

use super::haystack::{Places, each_of, look_up};
use super::indent::BLANKS;
use super::ladder::searched_too_much;
use super::whole::{self, LineEnd};
use super::{Haystack, Quote, fold_breaks, numbered};
use crate::Refusal;
use crate::cut::Cut;
use crate::text::{Breaks, LineIndex, Text, split_final_break};

/// Bytes that the way back walks line by line; farther ones are looked up in the index of lines.
const WALK: usize = 16 * 1024;

/// What is left out of every line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// White space at its end.
    Trimmed,
    /// White space at both of its ends.
    Bare,
}

impl Form {
    /// What stays of a line.
    fn kept(self, line: &str) -> &str {
        match self {
            Self::Trimmed => line.trim_end_matches(BLANKS),
            Self::Bare => line.trim_matches(BLANKS),
        }
    }

    /// A text whose breaks are all `\n` in this form; `None` where it is that already.
    fn strip(self, folded: &str) -> Option<String> {
        let mut stripped: Option<String> = None;
        let (mut from, mut start) = (0, 0);
        for line in folded.split('\n') {
            let kept = self.kept(line);
            if kept.len() < line.len() {
                let made = stripped.get_or_insert_with(|| String::with_capacity(folded.len()));
                made.push_str(folded.cut(from..start));
                made.push_str(kept);
                from = start + line.len();
            }
            start += line.len() + 1;
        }
        if let Some(made) = &mut stripped {
            made.push_str(folded.cut(from..folded.len()));
        }
        stripped
    }

    /// A text in this form; each break is `\n`.
    pub(crate) fn of(self, text: &str, breaks: Breaks) -> Cow<'_, str> {
        let folded = fold_breaks(text, breaks);
        match self.strip(&folded) {
            Some(stripped) => Cow::Owned(stripped),
            None => folded,
        }
    }
}

/// A content in one form, made when it is first asked for.
pub(crate) struct Reduced<'h> {
    form: Form,
    /// `None` where the form leaves nothing out.
    content: OnceCell<Option<String>>,
    index: LineIndex,
    places: OnceCell<Places<'h>>,
}

impl<'h> Reduced<'h> {
    /// Of the haystack's text, later.
    pub(crate) fn new(form: Form) -> Self {
        Self { form, content: OnceCell::new(), index: LineIndex::new(b'\n'), places: OnceCell::new() }
    }

    fn content<'t>(&'t self, text: &'t Text<'_>) -> &'t str {
        let folded = text.folded().map_or(&*text.content, |folded| &folded.content);
        self.content.get_or_init(|| self.form.strip(folded)).as_deref().unwrap_or(folded)
    }

    fn places(&self, hay: &Haystack<'h>) -> &Places<'h> {
        self.places.get_or_init(|| {
            if !hay.in_bulk() {
                return Places::new();
            }
            let breaks = hay.text.breaks;
            let mut keys = Vec::new();
            for needle in hay.needles() {
                if let Some(stripped) =
                    numbered::stripped(needle, breaks).filter(|_| self.form == Form::Trimmed)
                {
                    keys.push(Cow::Owned(
                        self.form.of(split_final_break(&stripped, breaks).0, breaks).into_owned(),
                    ));
                }
                // Whether its last break belongs to the list of lines, only its edit knows.
                let lines = split_final_break(needle, breaks).0;
                keys.push(self.form.of(lines, breaks));
                if lines.len() < needle.len() {
                    keys.push(self.form.of(needle, breaks));
                }
            }
            look_up(self.content(hay.text), keys)
        })
    }

    /// Visits the runs of lines that equal the lines of `old` in this form, overlapping ones too; ranges of the file,
    /// without the last line's break.
    ///
    /// # Errors
    /// `limit` where the job may not read the content once more.
    pub(crate) fn each(
        &self,
        hay: &Haystack<'h>,
        old: &str,
        visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        let text = hay.text;
        let mut lines = self.form.of(split_final_break(old, text.breaks).0, text.breaks).into_owned();
        let content = self.content(text);
        let places = self.places(hay);
        if !places.contains_key(lines.as_str()) && !hay.budget.search(content.len()) {
            return Err(searched_too_much());
        }
        lines.push('\n');
        let (mut first, mut last) = (Way::default(), Way::default());
        let mut back = |range: Range<usize>| {
            let start = first.to(self, text, content, range.start);
            let end = if range.end < content.len() {
                before_break(text, last.to(self, text, content, range.end + 1))
            } else {
                text.len()
            };
            visit(start..end)
        };
        let hits = |lines: &str, check: whole::Check<'_>| each_of(places, content, lines, true, check);
        let (ControlFlow::Continue(()) | ControlFlow::Break(())) =
            whole::each(content, LineEnd::FOLDED, (&lines, Breaks::Lf), true, &mut back, hits);
        Ok(())
    }
}

/// The end of the line before the one that starts at an offset.
fn before_break(text: &Text<'_>, start: usize) -> usize {
    split_final_break(text.content.cut(0..start), text.breaks).0.len()
}

/// A line's start in the reduced content and in the file. Going on to a line close behind walks there, so that many
/// places cost one walk.
#[derive(Default)]
struct Way {
    reduced: usize,
    file: usize,
}

impl Way {
    /// Where the line starts in the file that starts at `at` in the reduced content.
    fn to(&mut self, reduced: &Reduced<'_>, text: &Text<'_>, content: &str, at: usize) -> usize {
        let file = text.content.as_bytes();
        if at < self.reduced || at - self.reduced > WALK {
            self.file = text.line_start(reduced.index.rank(content.as_bytes(), at) + 1);
        } else {
            let lines = memchr::memchr_iter(b'\n', content.as_bytes().cut(self.reduced..at)).count();
            let mut stops = memchr::memchr_iter(text.breaks.stop(), file.cut(self.file..file.len()));
            if let Some(last) = lines.checked_sub(1) {
                self.file = stops.nth(last).map_or(file.len(), |stop| self.file + stop + 1);
            }
        }
        self.reduced = at;
        self.file
    }
}

/// What a quote covers of a run of lines that was found for it: the last break too where it ends in one and is
/// no list of lines.
pub(crate) fn covered(text: &Text<'_>, quote: &Quote<'_>, lines: Range<usize>) -> Range<usize> {
    let ends = !split_final_break(quote.old, text.breaks).1.is_empty();
    if quote.whole_lines || !ends {
        return lines;
    }
    lines.start..lines.end + text.break_at(lines.end)
}
