//! Searches for the place of one hunk, within what the other hunks of its entry leave to it.

use std::ops::Range;

use editd_types::ErrorCode;

use super::neighbours::HunkPlacement;
use crate::Refusal;
use crate::locate::{self, CandidateFit, Hit, Quote, SearchResult};
use crate::op::EditContext;

/// The search for the place of one hunk.
pub(super) struct HunkChoice<'c, 's> {
    pub(super) scene: &'c EditContext<'s>,
    pub(super) quote: &'c Quote<'c>,
    pub(super) fit: &'c dyn Fn(&Range<usize>) -> CandidateFit,
}

impl HunkChoice<'_, '_> {
    /// Searches without regard to the neighbours.
    pub(super) fn plain(&self, near: Option<u64>) -> Result<SearchResult, Refusal> {
        locate::one_where(self.scene.hay, &Quote { near, ..self.quote.clone() }, self.fit)
    }

    /// Returns the place of a hunk that starts at a line and keeps the hunks in order.
    pub(super) fn on_line(&self, placement: &HunkPlacement, line: u64) -> Result<Option<Hit>, Refusal> {
        if !(placement.room.0..=placement.room.1).contains(&line) {
            return Ok(None);
        }
        let start = self.scene.text.line_start(usize::try_from(line).unwrap_or(usize::MAX));
        let there =
            |range: &Range<usize>| if range.start == start { (self.fit)(range) } else { CandidateFit::Out };
        // A looser rung must not find a place that the neighbours exclude at this rung.
        let quote = Quote { near: Some(line), loosest: placement.rung, ..self.quote.clone() };
        match locate::one_where(self.scene.hay, &quote, &there) {
            Ok(found) => Ok(found.ok()),
            Err(refusal) if refusal.code == ErrorCode::Ambiguous => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }

    /// Returns true if a place other than `own` starts on some lines and leaves the hunks in order.
    pub(super) fn stands_between(&self, placement: &HunkPlacement, lines: (u64, u64), own: &Hit) -> bool {
        let (first, last) = (lines.0.max(placement.room.0), lines.1.min(placement.room.1));
        let other = |range: &Range<usize>| {
            let line = self.scene.text.line_of(range.start) as u64;
            if range.start != own.range.start && (first..=last).contains(&line) {
                (self.fit)(range)
            } else {
                CandidateFit::Out
            }
        };
        let quote = Quote { near: None, loosest: placement.rung, ..self.quote.clone() };
        match locate::one_where(self.scene.hay, &quote, &other) {
            Ok(found) => found.is_ok(),
            Err(refusal) => refusal.code == ErrorCode::Ambiguous,
        }
    }

    /// Returns the only place near a line that keeps the hunks in order.
    pub(super) fn around(&self, placement: &HunkPlacement, line: u64) -> Option<Hit> {
        let roomy = |range: &Range<usize>| {
            let line = self.scene.text.line_of(range.start) as u64;
            if (placement.room.0..=placement.room.1).contains(&line) {
                (self.fit)(range)
            } else {
                CandidateFit::Out
            }
        };
        let quote = Quote { near: Some(line), loosest: placement.rung, ..self.quote.clone() };
        locate::one_where(self.scene.hay, &quote, &roomy).ok()?.ok()
    }
}
