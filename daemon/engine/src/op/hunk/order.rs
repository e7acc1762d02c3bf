//! Finds the places of hunks that are in order: of the places of each hunk, those that leave a place for all others.
//! It handles line numbers only, and reads no text.

/// A hunk, and the lines at which its block may start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HunkStarts {
    /// From the top; not empty.
    pub(super) starts: Vec<u64>,
    /// Lines of its block.
    pub(super) lines: u64,
    /// The number of them that stay at the top.
    pub(super) head: u64,
    /// The number of them that stay at the bottom.
    pub(super) tail: u64,
    /// The line that the hunk names.
    pub(super) near: Option<u64>,
}

impl HunkStarts {
    /// Returns true if it removes lines.
    fn removes(&self) -> bool {
        self.lines > self.head + self.tail
    }

    /// Returns the least number of lines by which `below` starts below this hunk: hunks share context, but no change.
    /// If their line numbers show that they share nothing, no line that one of them removes is context of the other.
    fn least_step(&self, below: &Self) -> u64 {
        let named = self.near.zip(below.near);
        let apart = named.is_some_and(|(near, below)| near.saturating_add(self.lines) <= below);
        let tail = if apart && below.removes() { 0 } else { self.tail };
        let head = if apart && self.removes() { 0 } else { below.head };
        (self.lines.saturating_sub(self.tail).saturating_sub(head))
            .max(self.lines.saturating_sub(tail).saturating_sub(below.head))
            .max(1)
    }

    /// Returns the first line at which `below` may start if this hunk starts at a line.
    fn next(&self, start: u64, below: &Self) -> u64 {
        start.saturating_add(self.least_step(below))
    }

    /// Returns the last line at which this hunk may start if `below` starts at a line.
    fn previous(&self, below: &Self, start: u64) -> Option<u64> {
        start.checked_sub(self.least_step(below))
    }
}

/// Returns the first and last line at which each hunk may start so that there is a place for all others.
///
/// # Errors
/// The index of a hunk that has no place below those before it.
pub(super) fn rooms(slots: &[HunkStarts]) -> Result<Vec<(u64, u64)>, usize> {
    let mut rooms = Vec::with_capacity(slots.len());
    let mut above: Option<(&HunkStarts, u64)> = None;
    for (index, slot) in slots.iter().enumerate() {
        let least = above.map_or(0, |(above, start)| above.next(start, slot));
        let first = slot.starts.partition_point(|start| *start < least);
        let start = *slot.starts.get(first).ok_or(index)?;
        rooms.push((least, u64::MAX));
        above = Some((slot, start));
    }
    let mut below: Option<(&HunkStarts, u64)> = None;
    for (index, (slot, room)) in slots.iter().zip(&mut rooms).enumerate().rev() {
        room.1 = match below {
            Some((below, start)) => slot.previous(below, start).ok_or(index)?,
            None => u64::MAX,
        };
        let last = slot.starts.partition_point(|start| *start <= room.1);
        let start = last.checked_sub(1).and_then(|last| slot.starts.get(last)).ok_or(index)?;
        below = Some((slot, *start));
    }
    Ok(rooms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(starts: &[u64], (lines, head, tail): (u64, u64, u64)) -> HunkStarts {
        HunkStarts { starts: starts.to_vec(), lines, head, tail, near: None }
    }

    /// All assignments, by trying every one.
    fn tried(slots: &[HunkStarts], chosen: &mut Vec<u64>, all: &mut Vec<Vec<u64>>) {
        let Some(slot) = slots.get(chosen.len()) else {
            all.push(chosen.clone());
            return;
        };
        for start in &slot.starts {
            let above = chosen.len().checked_sub(1).and_then(|at| Some((slots.get(at)?, *chosen.get(at)?)));
            let fits = above.is_none_or(|(above, line)| {
                *start > line && start + slot.head >= line + above.lines - above.tail
            });
            if fits {
                chosen.push(*start);
                tried(slots, chosen, all);
                chosen.pop();
            }
        }
    }

    #[test]
    fn numbers_that_are_apart_keep_removed_lines_out_of_context() {
        let named = |starts: &[u64], near| HunkStarts { near: Some(near), ..slot(starts, (3, 1, 1)) };
        let rooms = |near| rooms(&[named(&[1], 1), named(&[2, 3, 4], near)]).ok();
        assert_eq!(rooms(3), Some(vec![(0, 3), (2, u64::MAX)]));
        assert_eq!(rooms(4), Some(vec![(0, 2), (3, u64::MAX)]));
    }

    #[test]
    fn a_room_holds_just_the_places_of_all_assignments() {
        let shapes = [(1, 0, 0), (3, 1, 1), (2, 2, 0), (2, 0, 2)];
        let mut seed = 7u64;
        for _ in 0..2_000 {
            let mut next = |below: u64| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 33) % below
            };
            let slots: Vec<HunkStarts> = (0..1 + next(4))
                .map(|_| {
                    let starts: Vec<u64> = (1..12).filter(|_| next(4) == 0).collect();
                    let shape = shapes.get(usize::try_from(next(4)).unwrap_or(0)).copied();
                    slot(if starts.is_empty() { &[5] } else { &starts }, shape.unwrap_or((1, 0, 0)))
                })
                .collect();
            let mut all = Vec::new();
            tried(&slots, &mut Vec::new(), &mut all);
            let Ok(rooms) = rooms(&slots) else {
                assert!(all.is_empty(), "{slots:?}");
                continue;
            };
            for (index, (slot, room)) in slots.iter().zip(&rooms).enumerate() {
                for start in &slot.starts {
                    let assigned = all.iter().any(|chosen| chosen.get(index) == Some(start));
                    assert_eq!((room.0..=room.1).contains(start), assigned, "{slots:?} {index} {start}");
                }
            }
        }
    }
}
