//! The table of rungs and the walk down it. It knows no rung's folding.

use std::ops::{ControlFlow, Range};

use editd_types::{ErrorCode, RequestError};

use super::choose::Tally;
use super::quoted::{AdaptableText, Hit, Quote, ReadingConflict, UnfitPlace};
use super::{Haystack, edge, eol, exact, fuzzy, indent, keep_shared, numbered, trailing, typographic};
use crate::Refusal;
use crate::cut::Span;
use crate::limits;
use crate::refusal::spent;
use crate::text::Text;

/// A rung's name, in the order of the ladder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Rung {
    /// The same bytes.
    Exact,
    /// The same after treating `\r\n` as `\n`.
    Eol,
    /// White space at line ends dropped.
    Trailing,
    /// A consistent mapping of indentation.
    Indent,
    /// Line numbers in front dropped.
    Numbered,
    /// Typographic characters folded.
    Typographic,
    /// A line too many at either end.
    Edge,
    /// Similar enough.
    Fuzzy,
}

/// Visits every candidate in file order; `overlapping` includes those that overlap an earlier one. The ranges exclude
/// the last line's break if the quote is of whole lines; otherwise, they include it exactly if `old` ends in one.
///
/// # Errors
/// `limit` if the job's work budget runs out.
pub(crate) type Search = fn(
    &Haystack<'_>,
    &Quote<'_>,
    overlapping: bool,
    &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal>;

/// Fits the new text to the only place that a rung found. `None` if that is not possible: the rung fails, and the
/// next one is tried.
type PlainAdapter = fn(&Haystack<'_>, &Quote<'_>, &Range<usize>) -> Option<Adapted>;

/// The same for a rung that maps indentation, which may be possible in several ways.
type IndentAdapter = fn(&Haystack<'_>, &Quote<'_>, &Range<usize>) -> Result<Option<Adapted>, ReadingConflict>;

/// The part of a rung that fits the new text to its place.
#[derive(Clone, Copy)]
enum TextAdapter {
    /// In one way, or not at all.
    Plain(PlainAdapter),
    /// In one way, in several, or not at all.
    Mapped(IndentAdapter),
}

/// One rung of the ladder.
#[derive(Clone, Copy)]
pub(super) struct LadderStep {
    pub(super) rung: Rung,
    name: &'static str,
    pub(super) search: Search,
    adapter: TextAdapter,
    /// Returns the line that the quotation gives for its place, for a rung that reads such a line from it.
    hint: fn(&Text<'_>, &Quote<'_>) -> Option<u64>,
    /// The reason for which the new text may not fit to a place of this rung, and the advice.
    unfit: &'static str,
}

/// The reasons for which a new text cannot be fitted.
const INDENTED: &str =
    "the new lines cannot be indented as the lines there are; indent old and new text as the file does";
const NUMBERS: &str = "only some of the new lines bear numbers; give all of them numbers, or none";
const CUTS: &str =
    "the lines that old and new text share can be cut in two ways; quote only the present text";
const ALIKE: &str = "the quotation may begin or end inside a line there, or the new lines cannot be indented as the lines there are; quote whole lines, and indent as the file does";

/// The ladder, in the order of [`Rung`].
const LADDER: &[LadderStep] = &[
    LadderStep::new(Rung::Exact, "exact", exact::search, as_given),
    LadderStep::new(Rung::Eol, "eol", eol::search, as_given),
    LadderStep::new(Rung::Trailing, "trailing", trailing::search, keeping_shared),
    LadderStep::new(Rung::Indent, "indent", indent::search, as_given).or(INDENTED).mapped(indent::adapt),
    LadderStep {
        hint: numbered::hint,
        ..LadderStep::new(Rung::Numbered, "numbered", numbered::search, numbered::adapt).or(NUMBERS)
    },
    LadderStep::new(Rung::Typographic, "typographic", typographic::search, keeping_shared),
    LadderStep::new(Rung::Edge, "edge", edge::search, edge::adapt).or(CUTS),
    LadderStep::new(Rung::Fuzzy, "fuzzy", fuzzy::search, as_given).or(ALIKE).mapped(fuzzy::adapt),
];

impl LadderStep {
    const fn new(rung: Rung, name: &'static str, search: Search, adapt: PlainAdapter) -> Self {
        Self { rung, name, search, adapter: TextAdapter::Plain(adapt), hint: no_hint, unfit: INDENTED }
    }

    const fn or(self, unfit: &'static str) -> Self {
        Self { unfit, ..self }
    }

    const fn mapped(self, adapt: IndentAdapter) -> Self {
        Self { adapter: TextAdapter::Mapped(adapt), ..self }
    }

    /// Returns the new text as the rung fits it to a place; `None` if it cannot.
    fn adapt(
        &self,
        hay: &Haystack<'_>,
        quote: &Quote<'_>,
        range: &Range<usize>,
    ) -> Result<Option<Adapted>, ReadingConflict> {
        match self.adapter {
            TextAdapter::Plain(adapt) => Ok(adapt(hay, quote, range)),
            TextAdapter::Mapped(adapt) => adapt(hay, quote, range),
        }
    }

    /// Returns true if a quote permits this rung: all rungs up to the loosest one. `edge` is permitted only if it is
    /// the loosest one and there is a new text from which a line can be cut too.
    fn serves(&self, quote: &Quote<'_>) -> bool {
        let cuttable = matches!(quote.new_text, AdaptableText::Instead(_)) && !quote.whole_lines;
        match self.rung {
            Rung::Edge => quote.loosest == Rung::Edge && cuttable,
            rung => rung <= quote.loosest,
        }
    }

    /// Returns the rung that finds the places of `exact` and those with other line breaks, if a file with mixed breaks may have
    /// such places: a reader of the file does not see the difference. The lines of a diff may be about breaks.
    fn folds_more(&self, hay: &Haystack<'_>, quote: &Quote<'_>) -> Option<Self> {
        let may = self.rung == Rung::Exact && quote.loosest >= Rung::Eol && !quote.whole_lines;
        (may && eol::has_other_breaks(hay.text, quote.old)).then(|| Rung::Eol.step()).flatten()
    }

    /// Returns true if the new text can be fitted to a place, in one way or in several.
    pub(super) fn adapts(&self, hay: &Haystack<'_>, quote: &Quote<'_>, range: &Range<usize>) -> bool {
        self.adapt(hay, quote, range).map_or(true, |adapted| adapted.is_some())
    }
}

fn no_hint(_: &Text<'_>, _: &Quote<'_>) -> Option<u64> {
    None
}

/// Returns the new text as it was given.
#[expect(clippy::unnecessary_wraps, reason = "the type of a rung's adaptation")]
fn as_given(_: &Haystack<'_>, _: &Quote<'_>, _: &Range<usize>) -> Option<Adapted> {
    Some(Adapted::default())
}

/// Returns the new text, in which the lines that it shares with the quoted text are those of the file.
fn keeping_shared(hay: &Haystack<'_>, quote: &Quote<'_>, range: &Range<usize>) -> Option<Adapted> {
    let AdaptableText::Instead(new) = quote.new_text else { return Some(Adapted::default()) };
    let kept = keep_shared(hay.text, quote, (quote.old, new), range, |_, line| Some(line.to_owned()))?;
    Some(Adapted { new: Some(kept), ..Adapted::default() })
}

/// The new text as a rung fitted it to a place.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Adapted {
    /// The new text, if it differs from the given one: it was mapped, stripped or cut. The lines that old and new
    /// text share at either end are those of the file.
    pub(crate) new: Option<String>,
    /// The similarity, at the fuzzy rung.
    pub(crate) score: Option<f64>,
    /// True if the new text has the file's indentation. The lines that stay are then found by the lines of the file,
    /// not by the quoted ones.
    pub(crate) as_file: bool,
}

impl Rung {
    /// Returns the rung with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        LADDER.iter().find(|step| step.name == name).map(|step| step.rung)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        self.step().map_or("exact", |step| step.name)
    }

    fn step(self) -> Option<LadderStep> {
        LADDER.iter().copied().find(|step| step.rung == self)
    }

    /// Returns the names of all rungs, for messages.
    pub(crate) fn names() -> String {
        LADDER.iter().map(|step| step.name).collect::<Vec<_>>().join(", ")
    }
}

/// The only place; otherwise, the place that was found but does not fit, if there is one.
pub(crate) type SearchResult = Result<Hit, Option<UnfitPlace>>;

/// Returns the rungs that a quote permits, from the strictest.
pub(super) fn rungs(quote: &Quote<'_>) -> impl Iterator<Item = LadderStep> {
    LADDER.iter().copied().filter(|step| step.serves(quote))
}

/// Returns the names of the rungs that are tried for a quote.
pub(crate) fn tried(quote: &Quote<'_>) -> Vec<String> {
    rungs(quote).map(|step| step.name.to_owned()).collect()
}

/// The relation of a candidate to the other facts that an edit has about its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CandidateFit {
    /// It is not a place of the edit.
    Out,
    /// It may be the place of the edit.
    May,
    /// It may be the place of the edit. It is chosen over the others if no other candidate has this value.
    Meant,
}

/// Returns the only place of a quote, by the first rung that finds one. In a file with mixed breaks, the places with all
/// breaks count.
///
/// # Errors
/// `ambiguous` with at most five candidates and the number of all; `limit`.
pub(crate) fn one(hay: &Haystack<'_>, quote: &Quote<'_>) -> Result<SearchResult, Refusal> {
    one_where(hay, quote, &|_| CandidateFit::May)
}

/// Finds a place as [`one`] does, among the candidates that an edit does not exclude.
///
/// # Errors
/// As [`one`].
pub(crate) fn one_where(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    fit: &dyn Fn(&Range<usize>) -> CandidateFit,
) -> Result<SearchResult, Refusal> {
    // A quotation that stands on its `near` line needs no search: there may be many of lines that occur everywhere.
    if let Some(range) = exact::on_line(hay.text, quote).filter(|range| fit(range) != CandidateFit::Out) {
        return Ok(Ok(Hit { range, rung: Rung::Exact, moved: Some(0), adapted: Adapted::default() }));
    }
    let mut unfit = None;
    for step in rungs(quote) {
        let near = quote.near.or_else(|| (step.hint)(hay.text, quote));
        let quote = &Quote { near, ..quote.clone() };
        let mut step = step;
        let (mut tally, mut meant) = tallied(&step, hay, quote, fit)?;
        if tally.total() == 0 {
            continue;
        }
        if let Some(folding) = step.folds_more(hay, quote) {
            let (all, all_meant) = tallied(&folding, hay, quote, fit)?;
            if all.total() > tally.total() {
                (step, tally, meant) = (folding, all, all_meant);
            }
        }
        let (range, moved) = match tally.choose(hay.text, quote) {
            Err(_) if meant.total() == 1 => meant.choose(hay.text, quote)?,
            chosen => chosen?,
        };
        let adapted = step.adapt(hay, quote, &range).map_err(|conflict| conflict.refusal(hay.text))?;
        if let Some(adapted) = adapted {
            return Ok(Ok(Hit { range, rung: step.rung, moved, adapted }));
        }
        unfit.get_or_insert(UnfitPlace { at: range.start, rung: step.rung, reason: step.unfit });
    }
    Ok(Err(unfit))
}

/// Counts the candidates of a rung that an edit does not exclude: all of them, and those that are meant.
fn tallied(
    step: &LadderStep,
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    fit: &dyn Fn(&Range<usize>) -> CandidateFit,
) -> Result<(Tally, Tally), Refusal> {
    let (mut all, mut meant) = (Tally::new(hay.text, quote), Tally::new(hay.text, quote));
    (step.search)(hay, quote, true, &mut |range| {
        let fit = fit(&range);
        if fit == CandidateFit::Meant {
            meant.add(range.clone());
        }
        if fit != CandidateFit::Out {
            all.add(range);
        }
        ControlFlow::Continue(())
    })?;
    Ok((all, meant))
}

/// Visits the candidates of one rung alone, for an edit that judges candidates and walks the rungs itself.
///
/// # Errors
/// `limit` if the job's work budget runs out.
pub(crate) fn candidates(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    rung: Rung,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal> {
    rung.step().map_or(Ok(()), |step| (step.search)(hay, quote, true, visit))
}

/// Fits the new text to a candidate of [`candidates`] at a rung; `None` fails the rung.
///
/// # Errors
/// A conflict if the new text could be indented in several ways.
pub(crate) fn adapt(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    rung: Rung,
    range: &Range<usize>,
) -> Result<Option<Adapted>, ReadingConflict> {
    rung.step().map_or(Ok(None), |step| step.adapt(hay, quote, range))
}

/// Returns the first rung looser than those of [`every`] that finds a place.
///
/// # Errors
/// `limit`.
pub(crate) fn looser(hay: &Haystack<'_>, quote: &Quote<'_>) -> Result<Option<Rung>, Refusal> {
    for step in rungs(quote).filter(|step| step.rung > EVERY) {
        let mut found = false;
        (step.search)(hay, quote, true, &mut |_| {
            found = true;
            ControlFlow::Break(())
        })?;
        if found {
            return Ok(Some(step.rung));
        }
    }
    Ok(None)
}

/// The loosest rung for replacing all places of a text.
pub(crate) const EVERY: Rung = Rung::Eol;

/// Returns every place of a quote that does not overlap an earlier one, at `exact` or `eol`; at both in a file with mixed
/// breaks.
///
/// # Errors
/// `limit` above `limits::PLACES`.
pub(crate) fn every(hay: &Haystack<'_>, quote: &Quote<'_>) -> Result<(Vec<Span>, Rung), Refusal> {
    for step in rungs(quote).filter(|step| step.rung <= EVERY) {
        let found = places(&step, hay, quote)?;
        if found.is_empty() {
            continue;
        }
        if let Some(folding) = step.folds_more(hay, quote) {
            let all = places(&folding, hay, quote)?;
            if all.len() > found.len() {
                return Ok((all, folding.rung));
            }
        }
        return Ok((found, step.rung));
    }
    Ok((Vec::new(), Rung::Exact))
}

/// Returns the places of a rung that do not overlap an earlier one.
fn places(step: &LadderStep, hay: &Haystack<'_>, quote: &Quote<'_>) -> Result<Vec<Span>, Refusal> {
    let mut found = Vec::new();
    (step.search)(hay, quote, false, &mut |range| {
        found.push(Span::new(range));
        if found.len() > limits::PLACES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if found.len() > limits::PLACES { Err(too_many_places()) } else { Ok(found) }
}

/// Creates the refusal of more places than the edits of one file entry may change.
pub(crate) fn too_many_places() -> Refusal {
    let limit = limits::PLACES as u64;
    spent(format!("more than {limit} places would change; narrow the edit down"), limit)
}

/// Creates the refusal of more work than the literal searches of a job may take.
pub(crate) fn searched_too_much() -> Refusal {
    spent("this job searches more text than a job may; send it as several jobs", limits::SEARCH_WORK)
}

/// Creates an `ambiguous` error without candidates.
pub(crate) fn ambiguous(message: String, found: u64) -> Refusal {
    let mut error = RequestError::new(ErrorCode::Ambiguous, message);
    error.found = Some(found);
    Box::new(error)
}
