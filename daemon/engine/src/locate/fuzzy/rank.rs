//! Compares the windows that are left, the most promising first, until no other can matter. It keeps those that are
//! as good as the best.

use std::ops::Range;

use rapidfuzz::distance::levenshtein::{Args, BatchComparator};

use super::super::indent::IndentMapping;
use super::shape::{FuzzyTarget, file_lines, push_line};
use super::sieve::LineWindow;
use crate::Refusal;
use crate::cut::{Cut, Span};
use crate::limits;
use crate::plan::Budget;
use crate::refusal::spent;
use crate::text::Text;

/// The tolerance for rounding errors of a similarity.
pub(super) const SLACK: f64 = 1e-9;

/// A text that is compared with many others.
pub(super) struct Ruler<'r> {
    target: &'r FuzzyTarget,
    letters: BatchComparator<char>,
    there: String,
}

impl<'r> Ruler<'r> {
    /// Creates a ruler for a text.
    pub(super) fn new(target: &'r FuzzyTarget) -> Self {
        Self { target, letters: BatchComparator::new(target.text.chars()), there: String::new() }
    }

    /// Returns the similarity of a stretch of a file; `None` if it is below `least`.
    ///
    /// # Errors
    /// `limit` where `budget` runs out.
    pub(super) fn similarity(
        &mut self,
        stretch: &str,
        text: &Text<'_>,
        least: f64,
        budget: &Budget,
    ) -> Result<Option<f64>, Refusal> {
        self.there.clear();
        for (i, line) in file_lines(stretch, text.breaks).enumerate() {
            if i > 0 {
                self.there.push('\n');
            }
            push_line(line, &mut self.there);
        }
        let (here, there) = (self.target.chars, self.there.chars().count());
        let longer = here.max(there).max(1) as f64;
        let most = ((1.0 - least) * longer + SLACK) as usize;
        let band = (here / 64 + 1).min(2 * most / 64 + 2);
        pay(budget, band.saturating_mul(there).saturating_add(stretch.len().saturating_mul(4)))?;
        let args = Args::default().score_cutoff(most);
        let distance = self.letters.distance_with_args(self.there.chars(), &args);
        Ok(distance.map(|distance| 1.0 - distance as f64 / longer).filter(|score| score + SLACK >= least))
    }

    /// Returns true if the stretch that was compared last is nearer to the text without its first character, if
    /// `at_start` is set, or without its last one, if `at_end` is set: the text may begin or end inside a line.
    pub(super) fn is_exceeded(&self, at_start: bool, at_end: bool) -> bool {
        let there = self.there.trim_start();
        let letters = BatchComparator::new(self.target.text.trim_start().chars());
        let nearer = |part: &str| letters.distance(part.chars()) < letters.distance(there.chars());
        let (mut behind, mut ahead) = (there.chars(), there.chars());
        (at_start && behind.next().is_some() && nearer(behind.as_str()))
            || (at_end && ahead.next_back().is_some() && nearer(ahead.as_str()))
    }

    /// Returns the mapping of indentation from the text to a stretch of a file. It is derived from the lines that
    /// differ only in indentation; if there are none, from all lines.
    pub(super) fn mapping(&self, stretch: &str, text: &Text<'_>) -> Option<IndentMapping> {
        let (mut equal, mut all) = (Vec::new(), Vec::new());
        let mut shaped = String::new();
        let pairs = self.target.each_line().zip(file_lines(stretch, text.breaks));
        for ((quoted, counts), there) in pairs {
            shaped.clear();
            push_line(there, &mut shaped);
            if shaped.is_empty() || counts.is_empty() {
                continue;
            }
            all.push((quoted, there));
            if shaped.trim_start() == counts.trim_start() {
                equal.push((quoted, there));
            }
        }
        IndentMapping::between(if equal.is_empty() { &all } else { &equal })
    }

    /// Returns the best windows in the order of the file: the best one and those within `limits::FUZZY_TIE` of it
    /// that share no line with it. Of two equally good windows, both are returned.
    ///
    /// # Errors
    /// `limit` where `budget` runs out.
    pub(super) fn best(
        &mut self,
        text: &Text<'_>,
        mut windows: Vec<LineWindow>,
        threshold: f64,
        budget: &Budget,
    ) -> Result<Vec<Range<usize>>, Refusal> {
        windows
            .sort_unstable_by(|a, b| b.bound.total_cmp(&a.bound).then(a.span.start().cmp(&b.span.start())));
        let (mut top, mut least) = (0.0_f64, threshold);
        let mut found: Vec<(f64, Span)> = Vec::new();
        // Many windows of a repetitive file have the same text.
        let mut last: Option<(&str, Option<f64>)> = None;
        for window in windows {
            if window.bound + SLACK < least {
                break;
            }
            let stretch = text.content.cut(window.span.range());
            let score = match last {
                Some((same, score)) if same == stretch => score,
                _ => {
                    let score = self.similarity(stretch, text, least, budget)?;
                    score.filter(|_| self.mapping(stretch, text).is_some())
                }
            };
            last = Some((stretch, score));
            if let Some(score) = score.filter(|score| score + SLACK >= least) {
                top = top.max(score);
                least = least.max(top - limits::FUZZY_TIE);
                found.push((score, window.span));
            }
        }
        Ok(meant(found, top))
    }
}

fn meant(mut found: Vec<(f64, Span)>, top: f64) -> Vec<Range<usize>> {
    found.retain(|(score, _)| score + SLACK >= top - limits::FUZZY_TIE);
    found.sort_unstable_by_key(|(_, span)| span.start());
    let is_best = |score: f64| score + SLACK >= top;
    let Some(best) = found.iter().find(|(score, _)| is_best(*score)).map(|(_, span)| *span) else {
        return Vec::new();
    };
    let apart = |span: Span| span.start() > best.end() || span.end() < best.start();
    let kept = found.into_iter().filter(|(score, span)| is_best(*score) || apart(*span));
    kept.map(|(_, span)| span.range()).collect()
}

/// Pays for steps.
pub(super) fn pay(budget: &Budget, steps: usize) -> Result<(), Refusal> {
    if budget.likeness(steps) {
        return Ok(());
    }
    Err(spent(
        "looking for similar text costs more than a job may; quote exactly, raise `threshold`, or send several jobs",
        limits::LIKENESS_WORK,
    ))
}
