//! Chooses among the places of a hunk by the other hunks of its entry: a diff lists hunks from the top, and lines that
//! were added or removed above move everything below by the same number. No new place is searched.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use editd_types::ErrorCode;

use super::choice::HunkChoice;
use super::edit::HunkEdit;
use super::order::{HunkStarts, rooms};
use crate::Refusal;
use crate::limits;
use crate::locate::{self, CandidateFit, Hit, Quote, Rung, SearchResult, Standing};
use crate::op::EditContext;
use crate::refusal::{on_line, refuse};

/// Lines around the expected one within which a hunk counts as standing there.
pub(super) const AROUND: u64 = 3;

/// The hunks of an entry that quote something.
pub(crate) struct Neighbours<'o> {
    hunks: Vec<(u32, &'o HunkEdit)>,
    known: OnceCell<HashMap<u32, HunkPlacement>>,
    /// True if each hunk that names a line stands exactly there.
    on_lines: OnceCell<bool>,
}

/// The facts about a hunk that the other hunks of its entry decide.
pub(super) struct HunkPlacement {
    /// The rung that finds its places.
    pub(super) rung: Rung,
    /// The lines at which it may start so that the hunks stay in order, as far as that is asked.
    pub(super) room: (u64, u64),
    /// The number of its places in that room; `None` if it has too many to be listed.
    left: Option<u64>,
    /// The line, if only one is left.
    only: Option<u64>,
    /// The number of lines by which the hunks with only one place stand below the line that they name: the nearest
    /// above and below this one.
    offsets: [Option<i64>; 2],
    /// The hunk that it should stand below, if it has no place there.
    misplaced: Option<u32>,
    /// The line of the hunk before it, and of the one after it, if that has only one place and the two are `in_order`.
    beside: [Option<u64>; 2],
}

impl<'o> Neighbours<'o> {
    /// Registers these hunks, by their index in the entry. Nothing is searched yet.
    pub(crate) fn new(hunks: impl Iterator<Item = (u32, &'o HunkEdit)>) -> Self {
        let hunks = hunks.filter(|(_, hunk)| hunk.has_block()).collect();
        Self { hunks, known: OnceCell::new(), on_lines: OnceCell::new() }
    }

    /// Returns true if each hunk that names a line stands just there, so that the numbers of the entry can be
    /// trusted.
    pub(super) fn stand_on_their_lines(&self, scene: &EditContext<'_>) -> bool {
        let stands = |hunk: &HunkEdit| hunk.near().is_none() || hunk.stands_on_line(scene);
        *self.on_lines.get_or_init(|| self.hunks.iter().all(|(_, hunk)| stands(hunk)))
    }

    fn known(&self, scene: &EditContext<'_>) -> &HashMap<u32, HunkPlacement> {
        if let Some(known) = self.known.get() {
            return known;
        }
        let known = self.look_up(scene);
        self.known.get_or_init(|| known)
    }

    fn look_up(&self, scene: &EditContext<'_>) -> HashMap<u32, HunkPlacement> {
        // If each hunk stands on the line in its header, the diff was made for this content.
        if self.hunks.len() < 2 || self.hunks.iter().all(|(_, hunk)| hunk.stands_on_line(scene)) {
            return HashMap::new();
        }
        let mut left = limits::PLACES;
        // A hunk whose search fails is left out here; its own edit is refused for that.
        let standing: Vec<Option<Standing>> = self
            .hunks
            .iter()
            .map(|(_, hunk)| {
                let standing = hunk.standing(scene, left.clamp(1, limits::HUNK_PLACES)).ok().flatten()?;
                left = left.saturating_sub(standing.places.len());
                Some(standing)
            })
            .collect();
        let mut known: HashMap<u32, HunkPlacement> = HashMap::new();
        let mut chain: Vec<(u32, &HunkEdit, HunkStarts)> = Vec::new();
        for ((edit, hunk), standing) in self.hunks.iter().zip(&standing) {
            if !hunk.in_order {
                settle(&mut chain, &mut known);
            }
            let Some(Standing { rung, places, complete }) = standing else { continue };
            let line = |range: &Range<usize>| scene.text.line_of(range.start) as u64;
            let starts: Vec<u64> = places.iter().map(line).collect();
            let count = starts.len() as u64;
            let only = starts.first().copied().filter(|_| *complete && count == 1);
            let (room, offsets, beside) = ((0, u64::MAX), [None, None], [None, None]);
            let left = complete.then_some(count);
            let misplaced = None;
            known.insert(*edit, HunkPlacement { rung: *rung, room, left, only, offsets, misplaced, beside });
            if *complete {
                let (lines, head, tail) = hunk.shape(scene.text.breaks);
                let near = hunk.near();
                chain.push((*edit, hunk, HunkStarts { starts, lines, head, tail, near }));
            }
        }
        settle(&mut chain, &mut known);
        self.compare_offsets(&mut known);
        for pair in self.hunks.windows(2) {
            if let [(first, _), (second, hunk)] = pair
                && hunk.in_order
            {
                let only = |edit: &u32| known.get(edit).and_then(|placement| placement.only);
                let (above, below) = (only(first), only(second));
                known.entry(*first).and_modify(|placement| placement.beside[1] = below);
                known.entry(*second).and_modify(|placement| placement.beside[0] = above);
            }
        }
        known
    }

    /// Tells each hunk how far those beside it have moved.
    fn compare_offsets(&self, known: &mut HashMap<u32, HunkPlacement>) {
        let signed = |line: u64| i64::try_from(line).unwrap_or(0);
        let mut anchors: Vec<(u64, i64)> = self
            .hunks
            .iter()
            .filter_map(|(edit, hunk)| {
                let (near, line) = (hunk.near()?, known.get(edit)?.only?);
                Some((near, signed(line) - signed(near)))
            })
            .collect();
        anchors.sort_by_key(|(near, _)| *near);
        let offset = |at: Option<usize>| anchors.get(at?).map(|(_, offset)| *offset);
        for (edit, hunk) in &self.hunks {
            if let (Some(near), Some(placement)) = (hunk.near(), known.get_mut(edit)) {
                let below = anchors.partition_point(|anchor| anchor.0 < near);
                let behind = anchors.partition_point(|anchor| anchor.0 <= near);
                placement.offsets = [offset(below.checked_sub(1)), offset(Some(behind))];
            }
        }
    }

    /// Returns the place of a hunk. Of several places, it is the only one that keeps the hunks in order and agrees
    /// with the neighbouring hunks. If there is a place at the line that the hunk names and a neighbour suggests
    /// another, neither is certain.
    ///
    /// # Errors
    /// `ambiguous` if no place is certain; `not_found` if its only place is above that of a hunk before it; `limit`.
    pub(super) fn choose(
        &self,
        scene: &EditContext<'_>,
        quote: &Quote<'_>,
        fit: &dyn Fn(&Range<usize>) -> CandidateFit,
    ) -> Result<SearchResult, Refusal> {
        let choice = HunkChoice { scene, quote, fit };
        let Some(near) = quote.near else {
            // Most hunks stand at one place only, and need no neighbours.
            return match choice.plain(quote.near) {
                Err(refusal) if refusal.code == ErrorCode::Ambiguous => {
                    let only = self.only(&choice)?;
                    only.map_or(Err(refusal), |hit| Ok(Ok(Hit { moved: None, ..hit })))
                }
                Ok(Ok(hit)) => self.check_order(&choice, &hit).map(|()| Ok(hit)),
                found => found,
            };
        };
        let found = self.near(&choice, near)?;
        match &found {
            Ok(hit) => self.check_expected(scene, near, hit).map(|()| found),
            Err(_) => Ok(found),
        }
    }

    /// Chooses the place of a hunk that names a line.
    fn near(&self, choice: &HunkChoice<'_, '_>, near: u64) -> Result<SearchResult, Refusal> {
        let scene = choice.scene;
        let Some(placement) = self.known(scene).get(&scene.edit) else { return choice.plain(Some(near)) };
        if let Some(other) = placement.misplaced {
            return Err(self.misplaced(scene, other));
        }
        if placement.left == Some(1) {
            let found = self.only(choice)?;
            return found.map_or_else(|| choice.plain(Some(near)), |hit| Ok(Ok(moved(scene, hit, near))));
        }
        let none = placement.offsets == [None, None] && placement.room == (0, u64::MAX);
        if none {
            return choice.plain(Some(near));
        }
        let around = |line: u64| (line.saturating_sub(AROUND), line.saturating_add(AROUND));
        let own = choice.on_line(placement, near)?;
        let mut chosen: Option<Hit> = own.clone();
        let [above, below] = placement.offsets;
        let offsets = [above.map(|offset| (offset, true)), below.map(|offset| (offset, false))];
        for (offset, is_above) in offsets.into_iter().flatten() {
            let shifted = near.saturating_add_signed(offset).max(1);
            let exact = choice.on_line(placement, shifted)?;
            let suggested = match (exact, &own) {
                (Some(hit), _) => Some(hit),
                (None, None) => choice.around(placement, shifted),
                // Lines were added or removed above: with another place near the shifted line, the place on its own
                // line is uncertain.
                (None, Some(own)) if is_above && choice.stands_between(placement, around(shifted), own) => {
                    return choice.plain(None);
                }
                (None, Some(_)) => None,
            };
            let Some(hit) = suggested else { continue };
            if chosen.as_ref().is_some_and(|other| other.range != hit.range) {
                return choice.plain(None);
            }
            chosen = Some(hit);
        }
        // Lines may have been added or removed above and below, so any place between the two shifted lines counts.
        let shift = |offset: Option<i64>| near.saturating_add_signed(offset.unwrap_or(0)).max(1);
        let (first, last) = (shift(above), shift(below.or(above)));
        let between = (first.min(last), first.max(last));
        match chosen {
            Some(hit) if own.is_some() || !choice.stands_between(placement, between, &hit) => {
                Ok(Ok(moved(scene, hit, near)))
            }
            _ => choice.plain(None),
        }
    }

    /// Refuses a place on the wrong side of the hunk before or after it in the diff if the lines stand on the right side,
    /// too, even if a looser rung is needed for that. If they do not, the hunks are not in order.
    fn check_order(&self, choice: &HunkChoice<'_, '_>, hit: &Hit) -> Result<(), Refusal> {
        let scene = choice.scene;
        let line_of = |start: usize| scene.text.line_of(start) as u64;
        let line = line_of(hit.range.start);
        let Some(placement) = self.known(scene).get(&scene.edit) else { return Ok(()) };
        let [above, below] = placement.beside;
        let is_between =
            |line: u64| above.is_none_or(|above| line > above) && below.is_none_or(|below| line < below);
        if is_between(line) {
            return Ok(());
        }
        let ordered = |range: &Range<usize>| {
            if is_between(line_of(range.start)) { (choice.fit)(range) } else { CandidateFit::Out }
        };
        let other = match locate::one_where(scene.hay, choice.quote, &ordered) {
            Ok(Ok(other)) => line_of(other.range.start),
            Err(refusal) if refusal.code == ErrorCode::Ambiguous => {
                refusal.candidates.first().map_or(line, |place| place.line)
            }
            Ok(Err(_)) => return Ok(()),
            Err(refusal) => return Err(refusal),
        };
        let message = format!(
            "the hunk matches at line {line}, against the order of the diff, and less exactly in order, at line {other}; \
             quote more lines, as they are in the file"
        );
        let mut error = locate::ambiguous(message, 2);
        let start = |line: u64| scene.text.line_start(usize::try_from(line).unwrap_or(usize::MAX));
        error.candidates = [line, other].map(|line| locate::candidate(scene.text, start(line))).to_vec();
        Err(error)
    }

    /// Refuses a place away from the expected line if the lines stand at that line, too, except for some context.
    fn check_expected(&self, scene: &EditContext<'_>, near: u64, hit: &Hit) -> Result<(), Refusal> {
        let line = scene.text.line_of(hit.range.start) as u64;
        if line == near {
            return Ok(());
        }
        let Some((_, hunk)) = self.hunks.iter().find(|(edit, _)| *edit == scene.edit) else { return Ok(()) };
        let offsets = self.known(scene).get(&scene.edit).map_or([None, None], |placement| placement.offsets);
        let mut expected: Vec<u64> =
            offsets.into_iter().flatten().map(|offset| near.saturating_add_signed(offset)).collect();
        let is_expected = expected.iter().any(|expected| expected.abs_diff(line) <= AROUND);
        expected.push(near);
        // The hunk's own line is stronger evidence than the offsets of its neighbours.
        let candidates = if is_expected { std::slice::from_ref(&near) } else { expected.as_slice() };
        if let Some(there) = candidates.iter().find_map(|near| hunk.stands_applied(scene.text, *near, line)) {
            let message = format!(
                "the change is there already, at line {there}, and its old lines are at line {line}; leave the hunk out, or correct the line in its header"
            );
            let mut error = on_line(there, refuse(ErrorCode::NotFound, message));
            error.cause = Some(format!("the new text is already in the file, at line {there}"));
            return Err(error);
        }
        if is_expected {
            return Ok(());
        }
        match expected.into_iter().find_map(|expected| hunk.nearly_stands(scene.text, expected)) {
            None => match offsets {
                [Some(above), Some(below)] => super::expected::check_between(near, line, (above, below)),
                _ => Ok(()),
            },
            Some(other) => {
                let message = format!(
                    "the hunk matches at line {line}; at the expected line {other}, its context differs; quote the lines there"
                );
                let mut error = on_line(other, locate::ambiguous(message, 2));
                let start = |line: u64| scene.text.line_start(usize::try_from(line).unwrap_or(usize::MAX));
                error.candidates =
                    [other, line].map(|line| locate::candidate(scene.text, start(line))).to_vec();
                Err(error)
            }
        }
    }

    /// Returns the only place that keeps the hunks in order, if there is exactly one.
    fn only(&self, choice: &HunkChoice<'_, '_>) -> Result<Option<Hit>, Refusal> {
        let known = self.known(choice.scene).get(&choice.scene.edit);
        let Some((placement, line)) = known.and_then(|placement| Some((placement, placement.only?))) else {
            return Ok(None);
        };
        choice.on_line(placement, line)
    }

    fn misplaced(&self, scene: &EditContext<'_>, other: u32) -> Refusal {
        let above = self.known(scene).get(&other).and_then(|placement| placement.only);
        let place = above.map_or_else(String::new, |line| format!(", at line {line}"));
        let message = format!(
            "the lines are only above those of edit {}{place}, or across them, and the diff has them below; quote the present text",
            u64::from(other) + 1
        );
        let mut error = refuse(ErrorCode::NotFound, message);
        error.other_edit = Some(u64::from(other) + 1);
        error
    }
}

/// Ends a run of hunks that stand one below the other, and narrows the room of each.
fn settle(chain: &mut Vec<(u32, &HunkEdit, HunkStarts)>, known: &mut HashMap<u32, HunkPlacement>) {
    let run = std::mem::take(chain);
    let slots: Vec<HunkStarts> = run.iter().map(|(.., slot)| slot.clone()).collect();
    match rooms(&slots) {
        Ok(rooms) => {
            for ((edit, _, slot), room) in run.iter().zip(rooms) {
                let from = slot.starts.partition_point(|start| *start < room.0);
                let to = slot.starts.partition_point(|start| *start <= room.1);
                if let Some(placement) = known.get_mut(edit) {
                    placement.room = room;
                    placement.left = Some(to.saturating_sub(from) as u64);
                    placement.only = slot.starts.get(from).copied().filter(|_| to == from + 1);
                }
            }
        }
        // The order of two hunks is certain only if their headers name lines in that order. Otherwise, it excludes no
        // place.
        Err(index) => {
            let pair = index.checked_sub(1).and_then(|above| Some((run.get(above)?, run.get(index)?)));
            if let Some(((above, first, _), (edit, second, _))) = pair
                && first.near().zip(second.near()).is_some_and(|(first, second)| first < second)
                && let Some(placement) = known.get_mut(edit)
            {
                placement.misplaced = Some(*above);
            }
        }
    }
}

/// Returns the place with its distance below the line that the hunk names, in lines.
fn moved(scene: &EditContext<'_>, hit: Hit, near: u64) -> Hit {
    let line = i64::try_from(scene.text.line_of(hit.range.start)).ok();
    let moved = line.zip(i64::try_from(near).ok()).map(|(line, near)| line - near);
    Hit { moved, ..hit }
}
