//! The quotation of a change as a caller makes it: the replaced lines, lines around them, a line number. A quotation
//! from here equals the file word for word; errors are added later.

use std::ops::Range;

use fastrand::Rng;

use super::change::ChangeSite;
use super::printers::{ContextPlace, FormProperties};
use super::source::SourceFile;

/// Lines of context on either side that a caller would add to make a quotation unique.
const CONTEXT: usize = 8;

/// An edit as it is quoted.
#[derive(Clone, Debug)]
pub(super) struct QuotedEdit {
    /// The first quoted line, counted from 0.
    pub(super) start: usize,
    /// Bytes of that line before the quotation, where it is a part of a line.
    pub(super) column: usize,
    /// Context before.
    pub(super) before: Vec<String>,
    /// The lines that give way.
    pub(super) old: Vec<String>,
    /// The lines that replace them.
    pub(super) new: Vec<String>,
    /// Context after.
    pub(super) after: Vec<String>,
    /// The contexts as the new text repeats them, where not as they are quoted.
    pub(super) repeated: Option<(Vec<String>, Vec<String>)>,
    /// The line that the caller names, 1-based.
    pub(super) hint: Option<u64>,
    /// True if the quoted text ends in a break.
    pub(super) closed: bool,
    /// Instead of lines, a part of one: old and new.
    pub(super) phrase: Option<(String, String)>,
    /// True if exactly one place is left; otherwise a refusal is permitted, too.
    pub(super) sure: bool,
}

impl QuotedEdit {
    /// Every quoted line.
    pub(super) fn quoted(&self) -> Vec<String> {
        [&*self.before, &*self.old, &*self.after].concat()
    }

    /// The new lines with the contexts around them.
    pub(super) fn with_context(&self) -> Vec<String> {
        let (before, after) = match &self.repeated {
            Some((before, after)) => (before, after),
            None => (&self.before, &self.after),
        };
        [&**before, &*self.new, &**after].concat()
    }

    /// Old and new as texts with these breaks, contexts merged in.
    pub(super) fn texts(&self, eol: &str) -> (String, String) {
        if let Some((old, new)) = &self.phrase {
            return (old.clone(), new.clone());
        }
        let text = |lines: &[String]| {
            let mut text = lines.join(eol);
            if self.closed && !lines.is_empty() {
                text.push_str(eol);
            }
            text
        };
        (text(&self.quoted()), text(&self.with_context()))
    }

    /// The quoted lines as a range of the file's.
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.before.len() + self.old.len() + self.after.len()
    }
}

/// The number of occurrences that a quotation may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QuoteCount {
    /// Once: context is added until it does.
    Once,
    /// As often as it happens to.
    Any,
}

/// Quotes a change. `room` are the lines that may be quoted. `None` where that cannot be done in this way.
pub(super) fn quote(
    source: &SourceFile,
    site: &ChangeSite,
    ways: &FormProperties,
    times: QuoteCount,
    room: &Range<usize>,
    rng: &mut Rng,
) -> Option<QuotedEdit> {
    if let Some(phrase) = site.phrase.as_ref().filter(|_| ways.phrases) {
        let text = &source.lines[site.first].text;
        let parts = (text[phrase.at.clone()].to_owned(), phrase.new.clone());
        let said =
            QuotedEdit { phrase: Some(parts), column: phrase.at.start, ..around(source, site, (0, 0)) };
        let found = exact_at(source, &said, ways);
        return (times == QuoteCount::Any || found.len() == 1).then_some(said);
    }
    if ways.insertions && site.removed > 0 {
        return None;
    }
    let most = |near: usize| near.min(CONTEXT);
    let (above, below) =
        (most(site.first - room.start), most(room.end.saturating_sub(site.first + site.removed)));
    let (above, below) = match (ways.insertions && times == QuoteCount::Once, rng.bool()) {
        (true, true) => (above, 0),
        (true, false) => (0, below),
        _ => (above, below),
    };
    let least = |most: usize, rng: &mut Rng| {
        let more = if rng.bool() { 0 } else { rng.usize(0..=2) };
        (ways.context_lines + more).min(most)
    };
    let mut counts = if times == QuoteCount::Any {
        (0, usize::from(site.removed == 0))
    } else {
        (least(above, rng), least(below, rng))
    };
    loop {
        let mut said = around(source, site, counts);
        said.closed = closed(source, &said, ways, rng)?;
        let quoted = said.quoted();
        let says = quoted.iter().any(|line| !line.trim().is_empty());
        if times == QuoteCount::Any && !says {
            return None;
        }
        if says && (times == QuoteCount::Any || exact_at(source, &said, ways).len() == 1) {
            return Some(said);
        }
        counts = match counts {
            (a, b) if a < above && (a <= b || b == below) => (a + 1, b),
            (a, b) if b < below => (a, b + 1),
            _ => return None,
        };
    }
}

fn around(source: &SourceFile, site: &ChangeSite, (above, below): (usize, usize)) -> QuotedEdit {
    let end = site.first + site.removed;
    QuotedEdit {
        start: site.first - above,
        column: 0,
        before: source.texts(site.first - above..site.first),
        old: source.texts(site.range()),
        new: site.new.clone(),
        after: source.texts(end..end + below),
        repeated: None,
        hint: None,
        closed: false,
        phrase: None,
        sure: true,
    }
}

/// Returns true if the texts end in a break; `None` if neither form is unambiguous.
fn closed(source: &SourceFile, said: &QuotedEdit, ways: &FormProperties, rng: &mut Rng) -> Option<bool> {
    let at_open_end = source.is_open() && said.span().end == source.lines.len();
    // Without a break at its end, a text whose last line is empty is read as one line less.
    let empty = |lines: &[String]| lines.last().is_none_or(|line| line.trim().is_empty());
    let must = empty(&said.with_context()) || empty(&said.quoted());
    match (must, at_open_end) {
        (true, true) => None,
        (_, true) => Some(false),
        (true, _) => Some(true),
        _ => Some(!ways.anywhere || rng.bool()),
    }
}

/// Returns the places where a quotation occurs word for word, as offsets in the file's text with `\n`.
pub(super) fn exact_at(source: &SourceFile, said: &QuotedEdit, ways: &FormProperties) -> Vec<usize> {
    if said.phrase.is_some() || ways.anywhere {
        let (old, _) = said.texts("\n");
        return overlapping(&source.lf, &old);
    }
    let quoted = said.quoted();
    let Some(first) = quoted.first() else { return Vec::new() };
    let candidates = source.lines.iter().enumerate().filter(|(_, line)| line.text == *first);
    candidates
        .map(|(at, _)| at)
        .filter(|at| at + quoted.len() <= source.lines.len())
        .filter(|at| source.lines[*at..at + quoted.len()].iter().map(|line| &line.text).eq(&quoted))
        .map(|at| source.starts[at])
        .collect()
}

/// Returns the places where a text occurs, also those that overlap.
pub(super) fn overlapping(text: &str, part: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).filter(|_| !part.is_empty()).and_then(|rest| rest.find(part)) {
        found.push(from + at);
        from += at + text[from + at..].chars().next().map_or(1, char::len_utf8);
    }
    found
}

/// Returns true if the new text of a printer repeats the context lines.
pub(super) fn is_merged(said: &QuotedEdit, ways: &FormProperties) -> bool {
    said.phrase.is_none() && ways.context == ContextPlace::Merged
}
