//! Explains why a chunk was not found: the places where a part of it stands, and the check that failed at each. It
//! serves a message only, within a budget, and accepts no place.

use std::ops::{ControlFlow, Range};

use editd_types::error::{ErrorCode, RejectedPlace};
use editd_types::limits as shown;

use super::ChunkCheck;
use super::edit::{Chunk, RUNGS};
use super::region::Region;
use super::window::{LineCounts, after_lines, part};
use crate::Refusal;
use crate::cut::Cut;
use crate::limits;
use crate::locate::{AdaptableText, Quote, excerpt};
use crate::op::EditContext;
use crate::text::split_final_break;

/// A place and the check that it fails.
struct FailedPlace {
    /// The line at which the window would start.
    line: u64,
    /// The count of the window's lines that stand there.
    equal: usize,
    check: ChunkCheck,
    reason: String,
}

/// Returns the refusal of a chunk that is not found in its region, or found only where its new lines do not fit:
/// `unmapped`.
pub(super) fn explain(
    chunk: &Chunk,
    scene: &EditContext<'_>,
    region: &Region,
    unmapped: Option<Range<usize>>,
) -> Refusal {
    let view = FailedSearch { chunk, scene, region, counts: chunk.window.counts(scene.text.breaks) };
    let (first, last) = region.lines;
    let mut error = scene.missed(&chunk.window.quote(&chunk.new), Some(&chunk.new), None);
    error.tried.retain(|name| RUNGS.iter().any(|rung| rung.name() == name));
    error.near_misses.retain(|near| (first..=last).contains(&near.line));
    error.searched = (last > 0).then_some((first, last));
    let known = match unmapped {
        Some(range) => Some(vec![view.unmapped(&range)]),
        None => view.falls(),
    };
    let looked = known.is_some();
    let mut falls = known.unwrap_or_default();
    falls.sort_by(|a, b| b.equal.cmp(&a.equal).then(a.line.cmp(&b.line)));
    falls.truncate(shown::CANDIDATES);
    let advice = match &error.cause {
        Some(cause) => cause.clone(),
        None => "read the file again and quote the present text".to_owned(),
    };
    let best = falls.first();
    let check = best.map_or_else(|| view.nowhere(), |fall| fall.check);
    (error.code, error.message) = match (check, best) {
        (ChunkCheck::Boundary | ChunkCheck::EndOfSymbol, Some(fall)) => {
            (ErrorCode::OutOfRange, format!("{}; name a wider range, or quote less", fall.reason))
        }
        (_, Some(fall)) => {
            let (line, reason) = (fall.line, &fall.reason);
            (
                ErrorCode::NotFound,
                format!("the lines fit at no place; closest is line {line}, but {reason}: {advice}"),
            )
        }
        (_, None) => {
            let what = match check {
                _ if !looked => "chunk",
                ChunkCheck::Position => "context",
                _ => "text of the old lines",
            };
            let area =
                if last == 0 { "the empty file".to_owned() } else { format!("lines {first} to {last}") };
            (ErrorCode::NotFound, format!("the {what} does not occur in {area}; {advice}"))
        }
    };
    error.fallen = falls.into_iter().map(FailedPlace::shown).collect();
    check.refuses(error)
}

impl FailedPlace {
    fn shown(self) -> RejectedPlace {
        RejectedPlace { line: self.line, check: self.check.name().to_owned(), reason: self.reason }
    }
}

/// A chunk and the region in which it was not found.
struct FailedSearch<'v, 's> {
    chunk: &'v Chunk,
    scene: &'v EditContext<'s>,
    region: &'v Region,
    counts: LineCounts,
}

impl FailedSearch<'_, '_> {
    /// Returns the rejected places, or `None` if the budget is used up.
    fn falls(&self) -> Option<Vec<FailedPlace>> {
        let outside = self.outside()?;
        if outside.is_empty() { self.inside() } else { Some(outside) }
    }

    /// Returns the rejection of a window that was found, but whose indentation the new lines cannot have.
    fn unmapped(&self, range: &Range<usize>) -> FailedPlace {
        let line = self.scene.text.line_of(range.start) as u64;
        let reason = "the new lines cannot be indented as the lines there are".to_owned();
        let check = if self.counts.old == 0 { ChunkCheck::Insertion } else { ChunkCheck::Content };
        FailedPlace { line, equal: 0, check, reason }
    }

    /// Returns the windows that are in the file, but not in the region.
    fn outside(&self) -> Option<Vec<FailedPlace>> {
        let (text, window) = (self.scene.text, &self.chunk.window);
        let whole = Region::whole(text);
        if whole.bytes == self.region.bytes {
            return Some(Vec::new());
        }
        let (first, last) = self.region.lines;
        let fall = |range: Range<usize>| {
            let from = text.line_of(range.start) as u64;
            let to =
                from + (self.counts.before + self.counts.old + self.counts.after).saturating_sub(1) as u64;
            let old = window.old_lines(text, &range);
            let bytes = &self.region.bytes;
            let begins = bytes.start <= range.start && range.start <= bytes.end;
            let check =
                if begins && old.end <= bytes.end { ChunkCheck::EndOfSymbol } else { ChunkCheck::Boundary };
            let reason = format!("the lines are at {from} to {to}, not inside lines {first} to {last}");
            FailedPlace { line: from, equal: 0, check, reason }
        };
        let quote = window.quote(&self.chunk.new);
        let places = self.places(&whole, &quote)?;
        Some(places.into_iter().filter(|range| !self.region.holds(range)).map(fall).collect())
    }

    /// Returns the places in the region of the first part of the window that occurs there.
    fn inside(&self) -> Option<Vec<FailedPlace>> {
        let (window, counts) = (&self.chunk.window, self.counts);
        let parts =
            [(&window.before, 0), (&window.old, counts.before), (&window.after, counts.before + counts.old)];
        let target = window.lines(self.scene.text.breaks);
        for (lines, above) in parts.into_iter().filter(|(lines, _)| !lines.is_empty()) {
            let places = self.places(self.region, &part(lines, AdaptableText::Nothing))?;
            if !places.is_empty() {
                let failed =
                    places.into_iter().map_while(|place| self.failed_place(&target, place.start, above));
                return Some(failed.collect::<Vec<_>>()).filter(|falls| !falls.is_empty());
            }
        }
        Some(Vec::new())
    }

    /// Returns the failed check if nothing that the chunk quotes is in the file.
    fn nowhere(&self) -> ChunkCheck {
        let bare = self.counts.before + self.counts.after == 0;
        if bare { self.missing_old() } else { ChunkCheck::Position }
    }

    fn missing_old(&self) -> ChunkCheck {
        if self.chunk.new.is_empty() { ChunkCheck::Deletion } else { ChunkCheck::Content }
    }

    /// Returns the failed check for a line of the window that is missing.
    fn check_of(&self, line: usize) -> ChunkCheck {
        let LineCounts { before, old, .. } = self.counts;
        match line {
            _ if line < before => ChunkCheck::Position,
            _ if line < before + old => self.missing_old(),
            _ if old == 0 && before > 0 => ChunkCheck::Insertion,
            _ => ChunkCheck::Position,
        }
    }

    /// Returns the check that a window fails whose line `above` starts at an offset, or `None` if the budget is
    /// used up.
    fn failed_place(&self, target: &[&str], at: usize, above: usize) -> Option<FailedPlace> {
        let text = self.scene.text;
        let anchor = text.line_of(at);
        let Some(start) = anchor.checked_sub(above).filter(|start| *start as u64 >= self.region.lines.0)
        else {
            let reason = format!("{above} lines should come before line {anchor}, where it begins too early");
            return Some(FailedPlace { line: anchor as u64, equal: 0, check: ChunkCheck::Position, reason });
        };
        let line = start as u64;
        let mut from = text.line_start(start);
        let mut loose = None;
        for (k, want) in target.iter().enumerate() {
            let number = start + k;
            let end = after_lines(text, from, 1);
            let there = split_final_break(text.content.cut(from..end), text.breaks).0;
            let fall = |check, reason| Some(FailedPlace { line, equal: k, check, reason });
            if from >= text.len() {
                let reason = format!("the file ends before {:?}", excerpt(want, 0));
                return fall(self.check_of(k), reason);
            }
            if !self.scene.budget.look(there.len() + want.len()) {
                return None;
            }
            if there.trim() != want.trim() {
                let reason = format!("line {number} is {:?}, not {:?}", excerpt(there, 0), excerpt(want, 0));
                return fall(self.check_of(k), reason);
            }
            if number as u64 > self.region.lines.1 {
                let after = k >= self.counts.before + self.counts.old;
                let check = if after { ChunkCheck::EndOfSymbol } else { ChunkCheck::Boundary };
                let last = self.region.lines.1;
                return fall(check, format!("the lines run past line {last}, the last of the range"));
            }
            if loose.is_none() && there.trim_end() != want.trim_end() {
                loose = Some((k, number));
            }
            from = end;
        }
        // The lines differ only in white space that no rung accepts.
        let (k, number) = loose.unwrap_or((0, start));
        let reason = format!("line {number} is indented otherwise than the rest is");
        Some(FailedPlace { line, equal: target.len(), check: self.check_of(k), reason })
    }

    /// Returns the places of a quotation in a region, by the first rung that finds any; not all places of a frequent
    /// quotation. `None` if the budget is spent.
    fn places(&self, region: &Region, quote: &Quote<'_>) -> Option<Vec<Range<usize>>> {
        if !self.scene.budget.look(region.bytes.len()) {
            return None;
        }
        let mut kept = Vec::new();
        let looked = region.look(self.scene, quote.needle(self.scene.text.breaks), |field| {
            for rung in RUNGS {
                field.each(quote, rung, &mut |range| {
                    kept.push(range);
                    if kept.len() < limits::LOOKED_AT {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                })?;
                if !kept.is_empty() {
                    break;
                }
            }
            Ok(())
        });
        // If the budget for searches is used up, the refusal is explained in less detail.
        looked.is_ok().then_some(kept)
    }
}
