//! The seventh rung, tried only if the edit permits it: a line that old and new text share at one end, or at both, is
//! cut from both. The rest matches whole lines at `exact` or `eol`. It never cuts a line from one of them alone.

use std::ops::{ControlFlow, Range};

use super::ladder::{Adapted, searched_too_much};
use super::quoted::{AdaptableText, Quote};
use super::{Haystack, eol, exact, fold_breaks, lines};
use crate::Refusal;
use crate::cut::Cut;
use crate::text::{Breaks, Text};

/// Visits the places of the rest after a cut at one end; if there are none, after a cut at both ends.
pub(crate) fn search(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    overlapping: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal> {
    for mut level in cuts(quote, hay.text.breaks) {
        level.dedup_by_key(|trimmed| trimmed.old);
        let mut found = false;
        for trimmed in level {
            if !hay.budget.search(hay.text.len()) {
                return Err(searched_too_much());
            }
            let part = Quote { old: trimmed.old, ..quote.clone() };
            // `eol` finds nothing if there is no line break to fold.
            let plain =
                hay.text.folded().is_none() && fold_breaks(trimmed.old, hay.text.breaks) == trimmed.old;
            let search = if plain { exact::search } else { eol::search };
            search(hay, &part, overlapping, &mut |range| {
                if !stands_alone(hay.text, &range) {
                    return ControlFlow::Continue(());
                }
                found = true;
                visit(range)
            })?;
        }
        if found {
            break;
        }
    }
    Ok(())
}

/// Returns the new text without the lines that were cut; `None` if two cuts fit the place with different results.
pub(crate) fn adapt(hay: &Haystack<'_>, quote: &Quote<'_>, range: &Range<usize>) -> Option<Adapted> {
    let breaks = hay.text.breaks;
    let there = fold_breaks(hay.text.content.cut(range.clone()), breaks);
    let fits = |trimmed: &TrimmedTexts<'_>| {
        fold_breaks(trimmed.old, breaks) == there && stands_alone(hay.text, range)
    };
    let level = cuts(quote, breaks).into_iter().find(|level| level.iter().any(fits))?;
    let mut news = level.into_iter().filter(fits).map(|trimmed| trimmed.new);
    let new = news.next()?;
    news.all(|other| other == new).then(|| Adapted { new: Some(new.to_owned()), score: None, as_file: false })
}

/// The old and the new text after a cut.
struct TrimmedTexts<'q> {
    old: &'q str,
    new: &'q str,
}

/// Returns true if a range consists of whole lines; the break of the last one may be missing. A part of a line is not
/// enough evidence: it may be the end of another word.
fn stands_alone(text: &Text<'_>, range: &Range<usize>) -> bool {
    let begins = |at: usize| at == 0 || text.content.as_bytes().get(at - 1) == Some(&text.breaks.stop());
    let ends = range.end == text.len() || begins(range.end) || text.break_at(range.end) > 0;
    begins(range.start) && ends
}

/// Returns the texts after a cut at one end, and after a cut at both ends.
fn cuts<'q>(quote: &Quote<'q>, breaks: Breaks) -> [Vec<TrimmedTexts<'q>>; 2] {
    let AdaptableText::Instead(new) = quote.new_text else {
        return [Vec::new(), Vec::new()];
    };
    let (olds, news) = (lines(quote.old, breaks), lines(new, breaks));
    let same = |a: Option<&(&str, &str)>, b: Option<&(&str, &str)>| {
        a.zip(b).is_some_and(|(a, b)| a.0 == b.0 && a.1.is_empty() == b.1.is_empty())
    };
    let first = same(olds.first(), news.first());
    let last = same(olds.last(), news.last());
    let size = |line: Option<&(&str, &str)>| line.map_or(0, |line| line.0.len() + line.1.len());
    let trim = |head: bool, tail: bool| {
        let cut = |whole: &'q str, list: &[(&str, &str)]| {
            let from = if head { size(list.first()) } else { 0 };
            let to = whole.len() - if tail { size(list.last()) } else { 0 };
            whole.cut(from..to)
        };
        let trimmed = TrimmedTexts { old: cut(quote.old, &olds), new: cut(new, &news) };
        // Brackets and blank lines occur everywhere: only the line that was cut identified them.
        trimmed.old.contains(char::is_alphanumeric).then_some(trimmed)
    };
    let one = [first.then(|| trim(true, false)), last.then(|| trim(false, true))];
    let both = (first && last && olds.len() > 2 && news.len() > 1).then(|| trim(true, true));
    [one.into_iter().flatten().flatten().collect(), both.into_iter().flatten().collect()]
}
