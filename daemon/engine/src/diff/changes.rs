//! Finds the lines that a set of splices changes. Only lines that a splice touches are compared.

use std::ops::Range;

use editd_types::limits::PLACES_LISTED;
use editd_types::{FileOutcome, LineRanges};

use crate::Splice;
use crate::cut::{Cut, Span};
use crate::splice::changed_lines;
use crate::text::count_byte;

/// A run of changed lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ChangedRun {
    /// The range in the content before, in bytes.
    pub(crate) before: Span,
    /// The range in the content after, in bytes.
    pub(crate) after: Span,
    line: u32,
    new_line: u32,
    removed: u32,
    added: u32,
}

impl ChangedRun {
    /// Returns the number of lines above the run, in the content before.
    pub(crate) fn line(&self) -> usize {
        self.line as usize
    }

    /// Returns the number of lines above the run, in the content after.
    pub(crate) fn new_line(&self) -> usize {
        self.new_line as usize
    }

    /// Returns the number of removed lines.
    pub(crate) fn removed(&self) -> usize {
        self.removed as usize
    }

    /// Returns the number of added lines.
    pub(crate) fn added(&self) -> usize {
        self.added as usize
    }
}

/// All runs of changed lines, in order, with at least one unchanged line between two runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delta {
    /// The runs.
    pub(crate) changes: Vec<ChangedRun>,
}

impl Delta {
    /// Returns the lines that splices change, which turn `before` into `after`. `known` is an offset in the line
    /// of the first splice, at or before the splice, with the number of newlines before that offset, if it was
    /// counted already.
    pub(crate) fn of_splices(
        before: &[u8],
        after: &[u8],
        splices: &[Splice],
        known: Option<(usize, usize)>,
    ) -> Self {
        let mut runs = FoundRuns::new(before, after, known);
        each_block(before, after, splices, &mut |old, new| {
            for (a, b) in changed_lines(before.cut(old.clone()), after.cut(new.clone())) {
                runs.push(old.start + a.start..old.start + a.end, new.start + b.start..new.start + b.end);
            }
        });
        Self { changes: runs.changes }
    }

    /// Returns the lines that differ between two contents.
    pub(crate) fn between(before: &[u8], after: &[u8]) -> Self {
        let mut runs = FoundRuns::new(before, after, None);
        for (old, new) in changed_lines(before, after) {
            runs.push(old, new);
        }
        Self { changes: runs.changes }
    }

    /// Writes the changed lines of a file into its outcome.
    pub(crate) fn describe(&self, outcome: &mut FileOutcome) {
        (outcome.added, outcome.removed) = self.totals();
        let range = |change: &ChangedRun| {
            let above = change.new_line() as u64;
            (above + 1, above + change.added() as u64)
        };
        outcome.lines = LineRanges(self.changes.iter().take(PLACES_LISTED).map(range).collect());
        outcome.places = (self.changes.len() > PLACES_LISTED).then_some(self.changes.len() as u64);
    }

    /// Returns the numbers of added and removed lines.
    pub(crate) fn totals(&self) -> (u64, u64) {
        let added: usize = self.changes.iter().map(ChangedRun::added).sum();
        let removed: usize = self.changes.iter().map(ChangedRun::removed).sum();
        (added as u64, removed as u64)
    }
}

/// The runs that were found, with the lines counted up to the last run.
struct FoundRuns<'c> {
    before: &'c [u8],
    after: &'c [u8],
    from: usize,
    line: usize,
    new_line: usize,
    changes: Vec<ChangedRun>,
}

impl<'c> FoundRuns<'c> {
    fn new(before: &'c [u8], after: &'c [u8], known: Option<(usize, usize)>) -> Self {
        let (from, line) = known.unwrap_or((0, 0));
        Self { before, after, from, line, new_line: line, changes: Vec::new() }
    }

    fn push(&mut self, old: Range<usize>, new: Range<usize>) {
        let kept = count_byte(b'\n', self.before.cut(self.from..old.start));
        self.line += kept;
        self.new_line += kept;
        self.from = old.end;
        let removed = count_lines(self.before.cut(old.clone()));
        let added = count_lines(self.after.cut(new.clone()));
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        match self.changes.last_mut() {
            // A run of changed lines is one piece: first the removed lines, then the added ones.
            Some(last) if last.before.end() == old.start && last.after.end() == new.start => {
                last.before = Span::new(last.before.start()..old.end);
                last.after = Span::new(last.after.start()..new.end);
                last.removed += small(removed);
                last.added += small(added);
            }
            _ => self.changes.push(ChangedRun {
                before: Span::new(old),
                after: Span::new(new),
                line: small(self.line),
                new_line: small(self.new_line),
                removed: small(removed),
                added: small(added),
            }),
        }
        self.line += removed;
        self.new_line += added;
    }
}

/// Returns the number of lines of a range that starts at a line. A last line without a break counts.
fn count_lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count() + usize::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

/// Visits the ranges of whole lines around the splices, in both contents. Ranges that share a line are joined.
fn each_block(
    before: &[u8],
    after: &[u8],
    splices: &[Splice],
    visit: &mut dyn FnMut(Range<usize>, Range<usize>),
) {
    let mut open: Option<(Range<usize>, Range<usize>)> = None;
    let mut shift = 0isize;
    for (i, splice) in splices.iter().enumerate() {
        let at = splice.at as usize;
        let end = at + splice.old.len();
        let floor = open.as_ref().map_or(0, |(old, _)| old.end).min(at);
        let start = memchr::memrchr(b'\n', before.cut(floor..at)).map_or(floor, |stop| floor + stop + 1);
        let inside = start > 0 && before.get(start - 1) != Some(&b'\n');
        let (old_start, new_start) = match open.take() {
            Some((old, new)) if start == old.end && inside => (old.start, new.start),
            other => {
                if let Some((old, new)) = other {
                    visit(old, new);
                }
                (start, start.saturating_add_signed(shift))
            }
        };
        shift += splice.new.len() as isize - splice.old.len() as isize;
        let new_end = end.saturating_add_signed(shift);
        // Extends the range to the end of the line, but not beyond the next splice, which is joined then.
        let limit = splices.get(i + 1).map_or(before.len(), |next| (next.at as usize).max(end));
        let rest = if closed(before, end) && closed(after, new_end) {
            0
        } else {
            let line = before.cut(end..limit);
            memchr::memchr(b'\n', line).map_or(line.len(), |stop| stop + 1)
        };
        open = Some((old_start..end + rest, new_start..new_end + rest));
    }
    if let Some((old, new)) = open {
        visit(old, new);
    }
}

/// Returns true if an offset lies between two lines, or at the start or end of the content.
fn closed(bytes: &[u8], at: usize) -> bool {
    at == 0 || at >= bytes.len() || bytes.get(at - 1) == Some(&b'\n')
}
