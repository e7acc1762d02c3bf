//! Chooses among the candidates of a rung: the only one, or the one that `near` points at. It never guesses.

use std::ops::Range;

use editd_types::limits;

use super::ladder::ambiguous;
use super::quoted::Quote;
use super::report::candidate;
use crate::Refusal;
use crate::text::Text;

/// The candidates of one rung. All are counted, and a few are kept.
pub(crate) struct Tally {
    all: CandidateList,
    on_line: CandidateList,
    within: CandidateList,
    line_zone: Range<usize>,
    window_zone: Range<usize>,
}

#[derive(Default)]
struct CandidateList {
    count: u64,
    kept: Vec<Range<usize>>,
}

impl CandidateList {
    fn add(&mut self, range: &Range<usize>) {
        self.count += 1;
        if self.kept.len() < limits::CANDIDATES {
            self.kept.push(range.clone());
        }
    }

    fn only(&self) -> Option<&Range<usize>> {
        if self.count == 1 { self.kept.first() } else { None }
    }
}

impl Tally {
    /// Creates an empty tally for a quote.
    pub(crate) fn new(text: &Text<'_>, quote: &Quote<'_>) -> Self {
        let (mut line_zone, mut window_zone) = (0..0, 0..0);
        if let Some(near) = quote.near {
            let start = |line: u64| text.line_start(usize::try_from(line).unwrap_or(usize::MAX));
            line_zone = start(near)..start(near.saturating_add(1));
            let last = near.saturating_add(quote.window);
            window_zone = start(near.saturating_sub(quote.window))..start(last.saturating_add(1));
        }
        Self {
            all: CandidateList::default(),
            on_line: CandidateList::default(),
            within: CandidateList::default(),
            line_zone,
            window_zone,
        }
    }

    /// Takes a candidate.
    pub(crate) fn add(&mut self, range: Range<usize>) {
        self.all.add(&range);
        if self.line_zone.contains(&range.start) {
            self.on_line.add(&range);
        }
        if self.window_zone.contains(&range.start) {
            self.within.add(&range);
        }
    }

    /// Returns the number of candidates.
    pub(crate) fn total(&self) -> u64 {
        self.all.count
    }

    /// Returns the chosen candidate, and its distance in lines from `near`.
    ///
    /// # Errors
    /// `ambiguous` if the choice is not certain.
    pub(crate) fn choose(
        &self,
        text: &Text<'_>,
        quote: &Quote<'_>,
    ) -> Result<(Range<usize>, Option<i64>), Refusal> {
        let meant = match quote.near {
            Some(_) if self.on_line.count > 1 => None,
            Some(_) => self.on_line.only().or(self.within.only()).or(self.all.only()),
            None => self.all.only(),
        };
        match meant {
            Some(range) => Ok((range.clone(), moved(text, quote, range.start))),
            None => Err(self.refusal(text, quote)),
        }
    }

    fn refusal(&self, text: &Text<'_>, quote: &Quote<'_>) -> Refusal {
        let close = [&self.on_line, &self.within].into_iter().find(|list| list.count > 1);
        let shown = close.unwrap_or(&self.all);
        let total = self.all.count;
        let message = match (quote.near, close) {
            (Some(near), Some(list)) => format!(
                "the text occurs at {total} places, {} of them near line {near}; quote more lines around the one you mean",
                list.count
            ),
            (Some(near), None) => format!(
                "the text occurs at {total} places and none near line {near}; give the line where it starts, or quote more"
            ),
            (None, _) => {
                format!(
                    "the text occurs at {total} places; quote more lines around the one you mean, or give `near`"
                )
            }
        };
        let mut error = ambiguous(message, total);
        error.candidates = shown.kept.iter().map(|range| candidate(text, range.start)).collect();
        error
    }
}

fn moved(text: &Text<'_>, quote: &Quote<'_>, start: usize) -> Option<i64> {
    let near = i64::try_from(quote.near?).ok()?;
    let line = i64::try_from(text.line_of(start)).ok()?;
    line.checked_sub(near)
}
