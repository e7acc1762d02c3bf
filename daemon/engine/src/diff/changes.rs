//! Which lines a set of splices changes. It compares only lines that a splice touches.

use std::ops::Range;

use crate::Splice;
use crate::cut::Cut;
use crate::splice::changed_lines;

/// A run of whole lines that differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    /// Bytes in the content before.
    pub(crate) before: Range<usize>,
    /// Bytes in the content after.
    pub(crate) after: Range<usize>,
    /// Lines before it, in the content before.
    pub(crate) line: usize,
    /// Lines before it, in the content after.
    pub(crate) new_line: usize,
    /// Lines removed.
    pub(crate) removed: usize,
    /// Lines added.
    pub(crate) added: usize,
}

/// All of them, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delta {
    /// The runs.
    pub(crate) changes: Vec<Change>,
}

impl Delta {
    /// What splices of `before` that give `after` change. `known` is an offset at or before the first splice
    /// in its line and the newlines before it, where they were counted already.
    pub(crate) fn of_splices(
        before: &[u8],
        after: &[u8],
        splices: &[Splice],
        known: Option<(usize, usize)>,
    ) -> Self {
        let mut runs = Vec::new();
        for (old, new) in blocks(before, after, splices) {
            for (a, b) in changed_lines(before.cut(old.clone()), after.cut(new.clone())) {
                runs.push((old.start + a.start..old.start + a.end, new.start + b.start..new.start + b.end));
            }
        }
        Self::numbered(before, after, runs, known)
    }

    /// What differs between two contents.
    pub(crate) fn between(before: &[u8], after: &[u8]) -> Self {
        Self::numbered(before, after, changed_lines(before, after), None)
    }

    /// Lines added and removed.
    pub(crate) fn totals(&self) -> (u64, u64) {
        let added: usize = self.changes.iter().map(|change| change.added).sum();
        let removed: usize = self.changes.iter().map(|change| change.removed).sum();
        (added as u64, removed as u64)
    }

    fn numbered(
        before: &[u8],
        after: &[u8],
        runs: Vec<(Range<usize>, Range<usize>)>,
        known: Option<(usize, usize)>,
    ) -> Self {
        let (mut from, mut line) = known.unwrap_or((0, 0));
        let mut new_line = line;
        let mut changes = Vec::with_capacity(runs.len());
        for (old, new) in runs {
            let kept = memchr::memchr_iter(b'\n', before.cut(from..old.start)).count();
            line += kept;
            new_line += kept;
            from = old.end;
            let (removed, added) =
                (count_lines(before.cut(old.clone())), count_lines(after.cut(new.clone())));
            changes.push(Change { before: old, after: new, line, new_line, removed, added });
            line += removed;
            new_line += added;
        }
        Self { changes }
    }
}

/// Lines of a stretch that starts at a line; an unfinished last line counts.
fn count_lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count() + usize::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

/// Stretches of whole lines around the splices, in both contents; those that share a line are one.
fn blocks(before: &[u8], after: &[u8], splices: &[Splice]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut blocks: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut shift = 0isize;
    for (i, splice) in splices.iter().enumerate() {
        let at = splice.at as usize;
        let end = at + splice.old.len();
        let floor = blocks.last().map_or(0, |(old, _)| old.end);
        let start = match memchr::memrchr(b'\n', before.cut(floor.min(at)..at)) {
            Some(stop) => floor + stop + 1,
            None => floor.min(at),
        };
        let joins = blocks.last().is_some_and(|(old, _)| {
            start == old.end && start > 0 && before.get(start - 1) != Some(&b'\n') || at < old.end
        });
        let to = |offset: usize| offset.saturating_add_signed(shift);
        if !joins {
            blocks.push((start..start, to(start)..to(start)));
        }
        shift += splice.new.len() as isize - splice.old.len() as isize;
        let new_end = end.saturating_add_signed(shift);
        // The rest of the line, but not beyond the next splice: it will join.
        let limit = splices.get(i + 1).map_or(before.len(), |next| (next.at as usize).max(end));
        let rest = if closed(before, end) && closed(after, new_end) {
            0
        } else {
            let line = before.cut(end..limit);
            memchr::memchr(b'\n', line).map_or(line.len(), |stop| stop + 1)
        };
        if let Some((old, new)) = blocks.last_mut() {
            old.end = end + rest;
            new.end = new_end + rest;
        }
    }
    blocks
}

/// Whether an offset lies between lines.
fn closed(bytes: &[u8], at: usize) -> bool {
    at == 0 || at >= bytes.len() || bytes.get(at - 1) == Some(&b'\n')
}
