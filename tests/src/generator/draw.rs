//! Draws one payload: a way of saying, a disturbance, the changes, their quotations, and what is right. It never
//! asks the engine.

use std::ops::Range;

use fastrand::Rng;

use super::change::{self, ChangeSite, changed_phrase, words};
use super::disturb::{self, Disturbance};
use super::expected::{ExpectedContents, IntendedEdit};
use super::fragments;
use super::oracle::{self, PermittedResult, SIMILAR};
use super::printers::{FormProperties, PRINTERS, PrintTask, PrintedRequest, UnquotedEdits};
use super::quoting::{QuoteCount, QuotedEdit, exact_at, quote};
use super::source::{LineEndings, SourceFile};
use super::spoil::spoil;

/// The permitted results of a whole payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExpectedOutcome {
    /// Each edit has one right place.
    Applied,
    /// Some edit has none.
    Refused,
    /// Either.
    Either,
}

/// A payload, and what is right.
#[derive(Debug)]
pub(super) struct PayloadTask {
    pub(super) way: usize,
    pub(super) how: Disturbance,
    pub(super) verdict: ExpectedOutcome,
    pub(super) expected: ExpectedContents,
    pub(super) sent: PrintedRequest,
    pub(super) threshold: Option<f64>,
}

/// The result of drawing.
pub(super) enum DrawnPayload {
    /// A payload.
    Task(Box<PayloadTask>),
    /// A disturbed quotation that quotes another place word for word.
    Elsewhere,
    /// Nothing: the way, the disturbance and the file do not go together.
    Nothing,
}

/// Draws a payload. `only` is a part of the names of the ways that are wanted.
pub(super) fn draw(source: &SourceFile, only: &str, rng: &mut Rng) -> DrawnPayload {
    let way = weighted(PRINTERS.iter().map(|(_, weight)| *weight), rng);
    let (printer, _) = PRINTERS[way];
    let ways = printer.ways();
    let (how, _) = disturb::ALL[weighted(disturb::ALL.iter().map(|(_, weight)| *weight), rng)];
    if !how.can_disturb(&ways) || !ways.name.contains(only) {
        return DrawnPayload::Nothing;
    }
    if how.is_none() && how != Disturbance::None {
        return sweeping(source, way, how, rng)
            .map_or(DrawnPayload::Nothing, |task| DrawnPayload::Task(Box::new(task)));
    }
    let Some(mut edits) = meant(source, &ways, how, rng) else { return DrawnPayload::Nothing };
    edits.sort_by_key(|meant| meant.site.first);
    for meant in &mut edits {
        match oracle::right(source, &meant.truth, &meant.said, &ways, meant.how) {
            Some(right) => meant.right = right,
            None => return DrawnPayload::Elsewhere,
        }
    }
    let threshold = (how == Disturbance::TypoSimilar).then_some(SIMILAR);
    let said: Vec<QuotedEdit> = edits.iter().map(|meant| meant.said.clone()).collect();
    let lines: Vec<(usize, usize)> =
        edits.iter().map(|meant| (meant.site.first, meant.site.removed)).collect();
    let eol = breaks(source, how, rng);
    let ask = PrintTask { source, edits: &said, lines: &lines, eol, threshold };
    let Some(sent) = printer.print(&ask, rng) else { return DrawnPayload::Nothing };
    let any = |right: PermittedResult| edits.iter().any(|meant| meant.right == right);
    // A search that is not looked up folds a `\n` only.
    let folds = ways.looks || !ways.quotes || how != Disturbance::Endings || eol == "\n";
    let verdict = match (any(PermittedResult::Refused), any(PermittedResult::Either) || !folds) {
        (true, _) => ExpectedOutcome::Refused,
        (false, true) => ExpectedOutcome::Either,
        (false, false) => ExpectedOutcome::Applied,
    };
    let expected = ExpectedContents::after(source, &edits, &ways);
    DrawnPayload::Task(Box::new(PayloadTask { way, how, verdict, expected, sent, threshold }))
}

/// A payload that quotes no place.
fn sweeping(source: &SourceFile, way: usize, how: Disturbance, rng: &mut Rng) -> Option<PayloadTask> {
    let bom = if source.bom { "\u{feff}" } else { "" };
    let before: String = source.lines.iter().flat_map(|line| [line.text.as_str(), line.ending]).collect();
    let own = if source.endings == LineEndings::Same("\r\n") { "\r\n" } else { "\n" };
    let lines = |rng: &mut Rng| -> String {
        fragments::made(source, "", rng).iter().flat_map(|line| [line, "\n"]).collect()
    };
    let (edit, after) = match how {
        Disturbance::Everywhere => {
            let text = &source.lines[rng.usize(0..source.lines.len())].text;
            let found: Vec<Range<usize>> = words(text).collect();
            let old = text[found.get(rng.usize(0..found.len().max(1)))?.clone()].to_owned();
            let new = fragments::word(rng);
            let after = before.replace(&old, &new);
            (UnquotedEdits::Everywhere { old, new }, after)
        }
        Disturbance::Ends if source.endings == LineEndings::Mixed => return None,
        Disturbance::Ends => {
            let text = lines(rng);
            let there = text.replace('\n', own);
            if rng.bool() {
                (UnquotedEdits::Start(text), there + &before)
            } else {
                (UnquotedEdits::End(text), before + &there)
            }
        }
        _ => {
            let text = lines(rng) + &before;
            (UnquotedEdits::Whole(text.clone()), text)
        }
    };
    let sent = PRINTERS[way].0.sweep(&source.path, &edit)?;
    let expected = ExpectedContents::exactly([bom, &after].concat().as_bytes());
    Some(PayloadTask { way, how, verdict: ExpectedOutcome::Applied, expected, sent, threshold: None })
}

fn weighted(weights: impl Iterator<Item = usize> + Clone, rng: &mut Rng) -> usize {
    let mut at = rng.usize(0..weights.clone().sum());
    weights
        .take_while(|weight| {
            let beyond = at >= *weight;
            at = at.saturating_sub(*weight);
            beyond
        })
        .count()
}

/// The breaks that a caller writes.
fn breaks(source: &SourceFile, how: Disturbance, rng: &mut Rng) -> &'static str {
    match (source.endings, how) {
        (LineEndings::Same("\r\n"), Disturbance::Endings) | (LineEndings::Mixed, _) => "\n",
        (_, Disturbance::Endings) => "\r\n",
        (LineEndings::Same(own), Disturbance::None) => own,
        (LineEndings::Same(own), _) => {
            if rng.bool() {
                own
            } else {
                "\n"
            }
        }
    }
}

/// Changes of a file, as they are said.
fn meant(
    source: &SourceFile,
    ways: &FormProperties,
    how: Disturbance,
    rng: &mut Rng,
) -> Option<Vec<IntendedEdit>> {
    let twice = matches!(how, Disturbance::Twice | Disturbance::TwiceHinted);
    let count = match rng.usize(0..20) {
        _ if !ways.many || twice => 1,
        0..12 => 1,
        12..16 => 2,
        16..19 => 3,
        _ => rng.usize(4..=7),
    };
    let mut found: Vec<(ChangeSite, QuotedEdit)> = Vec::new();
    for _ in 0..count * 3 {
        if found.len() < count
            && let Some(site) = if twice { repeated(source, ways, rng) } else { site(source, ways, rng) }
            && let Some(room) = room(source, &site, &found)
            && let Some(said) =
                quote(source, &site, ways, if twice { QuoteCount::Any } else { QuoteCount::Once }, &room, rng)
        {
            found.push((site, said));
        }
    }
    if found.is_empty() || (twice && exact_at(source, &found[0].1, ways).len() < 2) {
        return None;
    }
    let one = rng.usize(0..found.len());
    let mut any = false;
    let made = found.into_iter().enumerate().map(|(at, (site, mut truth))| {
        let hinted = ways.always_hints || (ways.hints && !twice && rng.usize(0..4) == 0);
        truth.hint = hinted.then_some(truth.start as u64 + 1);
        let mut said = truth.clone();
        let spoils = !how.is_of_one() || at == one;
        let spoiled = spoils && spoil(how, source, &mut said, rng);
        any |= spoiled;
        let (said, how) = if spoiled { (said, how) } else { (truth.clone(), Disturbance::None) };
        IntendedEdit { site, how, truth, said, right: PermittedResult::Refused }
    });
    let made: Vec<IntendedEdit> = made.collect();
    any.then_some(made)
}

fn site(source: &SourceFile, ways: &FormProperties, rng: &mut Rng) -> Option<ChangeSite> {
    if ways.insertions {
        return change::insertion(source, rng);
    }
    if ways.phrases && rng.usize(0..3) == 0 {
        change::phrase(source, rng)
    } else {
        change::lines(source, rng)
    }
}

/// A change of something that stands more than once.
fn repeated(source: &SourceFile, ways: &FormProperties, rng: &mut Rng) -> Option<ChangeSite> {
    let first = rng.usize(0..source.lines.len());
    let text = &source.lines[first].text;
    if text.trim().is_empty() {
        return None;
    }
    if ways.phrases && rng.bool() {
        let found: Vec<Range<usize>> = words(text).collect();
        let at = found.get(rng.usize(0..found.len().max(1)))?.clone();
        return changed_phrase(source, first, at, rng);
    }
    if source.lines.iter().filter(|line| line.text == *text).count() < 2 {
        return None;
    }
    let mut site = change::insertion(source, rng)?;
    site.first = first;
    site.removed = usize::from(!ways.insertions);
    Some(site)
}

/// The lines around a change that no other edit quotes, with a line between; `None` where the change itself meets one.
fn room(source: &SourceFile, site: &ChangeSite, found: &[(ChangeSite, QuotedEdit)]) -> Option<Range<usize>> {
    let mut room = 0..source.lines.len();
    let own = site.range();
    for (_, said) in found {
        let other = said.span();
        if other.end < own.start {
            room.start = room.start.max(other.end + 1);
        } else if other.start > own.end {
            room.end = room.end.min(other.start - 1);
        } else {
            return None;
        }
    }
    Some(room)
}
