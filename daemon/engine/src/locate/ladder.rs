//! The table of rungs and the walk down it. It knows no rung's folding.

use std::ops::{ControlFlow, Range};

use editd_proto::error::{Code, WireError};

use super::choose::Tally;
use super::{Haystack, eol, exact};
use crate::Refusal;
use crate::cut::Span;
use crate::limits;
use crate::refusal::spent;
use crate::text::{Breaks, split_final_break};

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

/// Visits every candidate in file order; `overlapping` asks for those that overlap an earlier one too.
pub(crate) type Search =
    fn(&Haystack<'_>, &Quote<'_>, overlapping: bool, &mut dyn FnMut(Range<usize>) -> ControlFlow<()>);

/// The ladder. A rung without a search is accepted by name and finds nothing yet: that only refuses more.
const LADDER: [(Rung, &str, Option<Search>); 8] = [
    (Rung::Exact, "exact", Some(exact::search)),
    (Rung::Eol, "eol", Some(eol::search)),
    (Rung::Trailing, "trailing", None),
    (Rung::Indent, "indent", None),
    (Rung::Numbered, "numbered", None),
    (Rung::Typographic, "typographic", None),
    (Rung::Edge, "edge", None),
    (Rung::Fuzzy, "fuzzy", None),
];

impl Quote<'_> {
    /// What the first rung looks up.
    pub(crate) fn needle(&self, breaks: Breaks) -> &str {
        if self.whole_lines { split_final_break(self.old, breaks).0 } else { self.old }
    }
}

impl Rung {
    /// The rung with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        LADDER.iter().find(|(_, known, _)| *known == name).map(|(rung, ..)| *rung)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        LADDER.iter().find(|(rung, ..)| *rung == self).map_or("exact", |(_, name, _)| name)
    }

    /// Every name, for messages.
    pub(crate) fn names() -> String {
        LADDER.map(|(_, name, _)| name).join(", ")
    }
}

/// What is looked for, and how.
#[derive(Clone, Debug)]
pub(crate) struct Quote<'a> {
    /// The quoted text, not empty.
    pub(crate) old: &'a str,
    /// Only whole lines; `old` is a list of lines then.
    pub(crate) whole_lines: bool,
    /// The 1-based line where it should start.
    pub(crate) near: Option<u64>,
    /// Lines either way within which the only candidate is accepted.
    pub(crate) window: u64,
    /// The loosest rung allowed.
    pub(crate) loosest: Rung,
}

/// A place that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Hit {
    /// Where; with `whole_lines`, without the last line's break.
    pub(crate) range: Range<usize>,
    /// By which rung.
    pub(crate) rung: Rung,
    /// By how many lines it was away from `near`.
    pub(crate) moved: Option<i64>,
}

fn rungs(loosest: Rung) -> impl Iterator<Item = (Rung, Search)> {
    LADDER
        .into_iter()
        .filter(move |(rung, ..)| *rung <= loosest)
        .filter_map(|(rung, _, search)| search.map(|search| (rung, search)))
}

/// The names of the rungs that a quote lets the ladder try.
pub(crate) fn tried(loosest: Rung) -> Vec<String> {
    rungs(loosest).map(|(rung, _)| rung.name().to_owned()).collect()
}

/// The one place of a quote; `None` where no rung finds any.
///
/// # Errors
/// `ambiguous` with at most five candidates and the number of all.
pub(crate) fn one(hay: &Haystack<'_>, quote: &Quote<'_>) -> Result<Option<Hit>, Refusal> {
    for (rung, search) in rungs(quote.loosest) {
        let mut tally = Tally::new(hay.text, quote);
        search(hay, quote, true, &mut |range| {
            tally.add(range);
            ControlFlow::Continue(())
        });
        if tally.total() > 0 {
            return tally.choose(hay.text, quote, rung).map(Some);
        }
    }
    Ok(None)
}

/// Every place of a quote that does not overlap an earlier one, at `exact` or `eol`.
///
/// # Errors
/// `limit` above `limits::PLACES`.
pub(crate) fn every(hay: &Haystack<'_>, quote: &Quote<'_>) -> Result<(Vec<Span>, Rung), Refusal> {
    for (rung, search) in rungs(quote.loosest.min(Rung::Eol)) {
        let mut found = Vec::new();
        search(hay, quote, false, &mut |range| {
            found.push(Span::new(range));
            if found.len() > limits::PLACES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if found.len() > limits::PLACES {
            return Err(too_many_places());
        }
        if !found.is_empty() {
            return Ok((found, rung));
        }
    }
    Ok((Vec::new(), Rung::Exact))
}

/// More places than one file entry may touch.
pub(crate) fn too_many_places() -> Refusal {
    let limit = limits::PLACES as u64;
    spent(format!("more than {limit} places would change; narrow the edit down"), limit)
}

/// An `ambiguous` error before its candidates are filled in.
pub(crate) fn ambiguous(message: String, found: u64) -> Refusal {
    let mut error = WireError::new(Code::Ambiguous, message);
    error.found = Some(found);
    Box::new(error)
}
