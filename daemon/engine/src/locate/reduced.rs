//! A file's content without the white space at the ends of its lines, and the way back to the file: line `n` of
//! one is line `n` of the other. It compares whole lines only, and white space is spaces and tabs.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use super::haystack::{Extent, look_up};
use super::indent::BLANKS;
use super::whole::{self, LineEnd};
use super::{Haystack, Quote, each_hit, fold_breaks, numbered, seeded};
use crate::Refusal;
use crate::cut::{Cut, Span};
use crate::text::{Breaks, LineIndex, Text, split_final_break};

/// Bytes that the way back walks line by line; farther ones are looked up in the index of lines.
const WALK: usize = 16 * 1024;
/// The number of bytes of lists of lines in one pass. It is smaller than elsewhere, since the automaton is kept in
/// memory beside the content.
const BATCH: usize = 64 * 1024;

/// The white space that is left out of every line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineTrim {
    /// White space at the end.
    Trimmed,
    /// White space at both ends.
    Bare,
}

impl LineTrim {
    /// Returns the rest of a line.
    pub(super) fn kept(self, line: &str) -> &str {
        match self {
            Self::Trimmed => line.trim_end_matches(BLANKS),
            Self::Bare => line.trim_matches(BLANKS),
        }
    }

    /// Returns a text whose breaks are all `\n` in this form; `None` if it has this form already.
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

    /// Returns a text without that white space, with `\n` for each line break.
    pub(crate) fn of(self, text: &str, breaks: Breaks) -> Cow<'_, str> {
        let folded = fold_breaks(text, breaks);
        match self.strip(&folded) {
            Some(stripped) => Cow::Owned(stripped),
            None => folded,
        }
    }
}

/// All places in the file of each run of whole lines.
type RunPlaces<'q> = HashMap<Cow<'q, str>, Vec<Span>>;

/// Looks up lists of lines in one form. The reduced content is built for each pass and never kept: it takes as much
/// memory as the file.
pub(crate) struct Reduced<'h> {
    form: LineTrim,
    known: OnceCell<RunPlaces<'h>>,
}

impl<'h> Reduced<'h> {
    /// Creates a look-up that has not read the haystack's text yet.
    pub(crate) fn new(form: LineTrim) -> Self {
        Self { form, known: OnceCell::new() }
    }

    /// Visits the runs of lines that equal these in this form, overlapping ones too. The list of lines and the ranges
    /// of the file are without the last line's break.
    ///
    /// # Errors
    /// `limit` if the job may not read the content once more.
    pub(crate) fn each(
        &self,
        hay: &Haystack<'h>,
        list: &str,
        visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        let lines = self.form.of(list, hay.text.breaks);
        let known = self.known.get_or_init(|| self.look_up(hay));
        let stopped = if let Some(spans) = known.get(&*lines) {
            spans.iter().try_for_each(|span| visit(span.range()))
        } else {
            hay.pay_again()?;
            match seeded::runs(hay.text, self.form, &lines) {
                Some(runs) => runs.into_iter().try_for_each(visit),
                None => self.whole(hay.text, &lines, visit),
            }
        };
        let (ControlFlow::Continue(()) | ControlFlow::Break(())) = stopped;
        Ok(())
    }

    /// Visits the runs of lines that equal these, which have this form, in the whole content in this form.
    pub(super) fn whole(
        &self,
        text: &Text<'_>,
        lines: &str,
        visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.reduce(text, |reduced| {
            let hits = |lines: &str, check: whole::VisitHit<'_>| {
                each_hit(reduced.content.as_bytes(), lines.as_bytes(), true, check)
            };
            reduced.each(lines, hits, visit)
        })
    }

    fn reduce<T>(&self, text: &Text<'_>, look: impl FnOnce(&ReducedContent<'_>) -> T) -> T {
        let folded = text.folded().map_or(&*text.content, |folded| &folded.content);
        let stripped = self.form.strip(folded);
        let content = stripped.as_deref().unwrap_or(folded);
        look(&ReducedContent { text, content, index: LineIndex::new(b'\n') })
    }

    /// Looks up all quotations in one pass, if that is cheaper.
    fn look_up(&self, hay: &Haystack<'h>) -> RunPlaces<'h> {
        if !hay.in_bulk() {
            return RunPlaces::new();
        }
        self.reduce(hay.text, |reduced| {
            let mut runs = RunPlaces::new();
            for (lines, hits) in look_up(reduced.content, self.keys(hay), BATCH, Extent::Lines) {
                let mut spans = Vec::new();
                let each =
                    |_: &str, check: whole::VisitHit<'_>| hits.iter().try_for_each(|at| check(*at as usize));
                let (ControlFlow::Continue(()) | ControlFlow::Break(())) =
                    reduced.each(&lines, each, &mut |run| {
                        spans.push(Span::new(run));
                        ControlFlow::Continue(())
                    });
                runs.insert(lines, spans);
            }
            runs
        })
    }

    /// Returns the lists of lines that the quotations ask for.
    fn keys(&self, hay: &Haystack<'h>) -> Vec<Cow<'h, str>> {
        let breaks = hay.text.breaks;
        let mut keys = Vec::new();
        for needle in hay.needles() {
            // Only the edit knows if the last line break belongs to the list of lines: both forms are keys.
            let lines = split_final_break(needle, breaks).0;
            keys.push(self.form.of(lines, breaks));
            if lines.len() < needle.len() {
                keys.push(self.form.of(needle, breaks));
            }
            if let Some(stripped) =
                numbered::stripped(lines, breaks).filter(|_| self.form == LineTrim::Trimmed)
            {
                keys.push(Cow::Owned(self.form.of(&stripped, breaks).into_owned()));
            }
        }
        keys
    }
}

/// The content in one form, for as long as somebody looks.
struct ReducedContent<'p> {
    text: &'p Text<'p>,
    content: &'p str,
    index: LineIndex,
}

impl ReducedContent<'_> {
    /// Visits the runs of whole lines of the file among the hits of these lines.
    fn each(
        &self,
        lines: &str,
        hits: impl FnOnce(&str, whole::VisitHit<'_>) -> ControlFlow<()>,
        visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let closed = format!("{lines}\n");
        let (mut first, mut last) = (LineCursor::default(), LineCursor::default());
        let mut back = |run: Range<usize>| {
            let start = first.to(self, run.start);
            let end = if run.end < self.content.len() {
                let next = last.to(self, run.end + 1);
                split_final_break(self.text.content.cut(0..next), self.text.breaks).0.len()
            } else {
                self.text.len()
            };
            visit(start..end)
        };
        whole::each(self.content, LineEnd::FOLDED, (&closed, Breaks::Lf), true, &mut back, hits)
    }
}

/// A line's start in the reduced content and in the file. Going on to a line close behind walks there, so that many
/// places cost one walk.
#[derive(Default)]
struct LineCursor {
    reduced: usize,
    file: usize,
}

impl LineCursor {
    /// Returns the offset in the file of the line that starts at `at` in the reduced content.
    fn to(&mut self, reduced: &ReducedContent<'_>, at: usize) -> usize {
        let (file, content) = (reduced.text.content.as_bytes(), reduced.content.as_bytes());
        if at < self.reduced || at - self.reduced > WALK {
            self.file = reduced.text.line_start(reduced.index.rank(content, at) + 1);
        } else {
            let lines = memchr::memchr_iter(b'\n', content.cut(self.reduced..at)).count();
            let mut stops = memchr::memchr_iter(reduced.text.breaks.stop(), file.cut(self.file..file.len()));
            if let Some(last) = lines.checked_sub(1) {
                self.file = stops.nth(last).map_or(file.len(), |stop| self.file + stop + 1);
            }
        }
        self.reduced = at;
        self.file
    }
}

/// Returns the range that a quote covers of a run of lines that was found for it. It includes the last break if the
/// quote ends in one and is not a list of lines.
pub(crate) fn covered(text: &Text<'_>, quote: &Quote<'_>, lines: Range<usize>) -> Range<usize> {
    let ends = !split_final_break(quote.old, text.breaks).1.is_empty();
    if quote.whole_lines || !ends {
        return lines;
    }
    lines.start..lines.end + text.break_at(lines.end)
}

/// Returns the list of lines that a quote looks for, without the break of the last one.
pub(crate) fn list<'q>(text: &Text<'_>, quote: &Quote<'q>) -> &'q str {
    split_final_break(quote.old, text.breaks).0
}
