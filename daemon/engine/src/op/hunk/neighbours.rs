//! What the hunks of an entry say about each other: a diff lists them from the top, and lines that came or went above
//! have moved all that stands below. It chooses among the places of a hunk, and makes none.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::edit::Hunk;
use crate::Refusal;
use crate::locate::{self, Fit, Found, Hit, Quote, Sole};
use crate::op::Scene;

/// The hunks of an entry that say at which line they stand.
pub(crate) struct Neighbours<'o> {
    hunks: Vec<(u32, u64, &'o Hunk<'o>)>,
    known: OnceCell<Known>,
}

/// What is known of them.
#[derive(Default)]
struct Known {
    /// The hunks that stand at one place only, by the line where they say that they stand.
    anchors: Vec<Anchor>,
    /// How often each of the others stands somewhere, by its index in the entry.
    several: BTreeMap<u32, Sole>,
}

/// A hunk that stands at one place only.
#[derive(Clone, Copy)]
struct Anchor {
    near: u64,
    /// By how many lines it stands below `near`.
    offset: i64,
    /// Where the lowest of the anchors up to this one ends.
    end: usize,
    /// Where the highest of the anchors from this one on starts.
    start: usize,
}

impl<'o> Neighbours<'o> {
    /// Expects these hunks, by their index in the entry. Nothing is looked up yet.
    pub(crate) fn new(hunks: impl Iterator<Item = (u32, &'o Hunk<'o>)>) -> Self {
        let hunks = hunks.filter_map(|(edit, hunk)| Some((edit, hunk.near()?, hunk)));
        Self { hunks: hunks.collect(), known: OnceCell::new() }
    }

    fn known(&self, scene: &Scene<'_>) -> &Known {
        if let Some(known) = self.known.get() {
            return known;
        }
        let known = self.look_up(scene);
        self.known.get_or_init(|| known)
    }

    fn look_up(&self, scene: &Scene<'_>) -> Known {
        let mut known = Known::default();
        // A diff for just this content needs no comparing.
        if self.hunks.len() < 2 || self.hunks.iter().all(|(.., hunk)| hunk.stands_on_line(scene)) {
            return known;
        }
        for (edit, near, hunk) in &self.hunks {
            // What cannot be searched says nothing here; the hunk itself is refused for that.
            match hunk.sole(scene) {
                Ok(Sole::One(range)) => {
                    let line = scene.text.line_of(range.start) as u64;
                    let offset = i64::try_from(line).unwrap_or(0) - i64::try_from(*near).unwrap_or(0);
                    known.anchors.push(Anchor { near: *near, offset, end: range.end, start: range.start });
                }
                Ok(several @ Sole::Several(_)) => drop(known.several.insert(*edit, several)),
                Ok(Sole::None) | Err(_) => {}
            }
        }
        known.anchors.sort_by_key(|anchor| anchor.near);
        known.anchors.iter_mut().fold(0, |end, anchor| {
            anchor.end = anchor.end.max(end);
            anchor.end
        });
        known.anchors.iter_mut().rev().fold(usize::MAX, |start, anchor| {
            anchor.start = anchor.start.min(start);
            anchor.start
        });
        known
    }

    /// The place of a hunk: among several the one that agrees with its neighbours, below those that come before it and
    /// above those that come after.
    ///
    /// # Errors
    /// `ambiguous` where none does, or two; `limit`.
    pub(super) fn choose(
        &self,
        scene: &Scene<'_>,
        quote: &Quote<'_>,
        fit: &dyn Fn(&Range<usize>) -> Fit,
    ) -> Result<Found, Refusal> {
        let plain = |quote: &Quote<'_>| locate::one_where(scene.hay, quote, fit);
        let Some(near) = quote.near else { return plain(quote) };
        let known = self.known(scene);
        let (Some(Sole::Several(rung)), false) = (known.several.get(&scene.edit), known.anchors.is_empty())
        else {
            return plain(quote);
        };
        let below = known.anchors.partition_point(|anchor| anchor.near < near);
        let above = below.checked_sub(1).and_then(|above| known.anchors.get(above));
        let below = known.anchors.get(below);
        let room = above.map_or(0, |anchor| anchor.end)..below.map_or(usize::MAX, |anchor| anchor.start);
        let placed = |range: &Range<usize>| {
            if range.start >= room.start && range.end <= room.end { fit(range) } else { Fit::Out }
        };
        let mut chosen: Option<Hit> = None;
        for anchor in [above, below].into_iter().flatten() {
            let moved = near.saturating_add_signed(anchor.offset).max(1);
            // No looser rung may find a place that a neighbour rules out at this one.
            let shifted = Quote { near: Some(moved), loosest: *rung, ..quote.clone() };
            let Ok(Ok(hit)) = locate::one_where(scene.hay, &shifted, &placed) else { continue };
            if chosen.as_ref().is_some_and(|other| other.range != hit.range) {
                chosen = None;
                break;
            }
            chosen = Some(hit);
        }
        let Some(hit) = chosen else { return plain(&Quote { near: None, ..quote.clone() }) };
        let line = i64::try_from(scene.text.line_of(hit.range.start)).ok();
        let moved = line.zip(i64::try_from(near).ok()).map(|(line, near)| line - near);
        Ok(Ok(Hit { moved, ..hit }))
    }
}
