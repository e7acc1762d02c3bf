//! The lines of two parts of contents, compared with each other. The parts must be small: the memory for a line is many
//! times that of a short one.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::cut::Cut;
use crate::text::LineBreak;

/// The ranges that differ, in bytes of the content before and of the content after.
pub(super) type Differing = (Range<usize>, Range<usize>);

/// The steps from the lines of one part to those of another one.
pub(super) struct ComparedLines {
    /// The offsets of the lines of each side, and that of its end.
    starts: (Vec<usize>, Vec<usize>),
    steps: Vec<DiffOp>,
}

impl ComparedLines {
    /// Compares two parts, which begin at these offsets of their contents.
    pub(super) fn new(kind: LineBreak, bases: (usize, usize), parts: (&[u8], &[u8])) -> Self {
        let (old, new) = (lines(kind, parts.0), lines(kind, parts.1));
        let steps = capture_diff_slices(Algorithm::Myers, &old, &new);
        Self { starts: (offsets(bases.0, &old), offsets(bases.1, &new)), steps }
    }

    /// Returns the steps.
    pub(super) fn steps(&self) -> &[DiffOp] {
        &self.steps
    }

    /// Returns the number of lines of both sides.
    pub(super) fn count(&self) -> usize {
        self.starts.0.len() + self.starts.1.len() - 2
    }

    /// Returns the number of lines of both sides that have no equal.
    pub(super) fn differences(&self) -> usize {
        let changed = self.steps.iter().filter(|step| !matches!(step, DiffOp::Equal { .. }));
        changed.map(|step| step.old_range().len() + step.new_range().len()).sum()
    }

    /// Returns the index of the longest run of equal lines that ends in the second half of a side, and has at least so many
    /// lines. Lines at the end of a part may have their equal outside of it, so that a short run there may be chance.
    pub(super) fn agreement(&self, least: usize) -> Option<usize> {
        let late = |range: Range<usize>, starts: &[usize]| 2 * range.end >= starts.len() - 1;
        let fits = |step: &DiffOp| {
            matches!(step, DiffOp::Equal { len, .. } if *len >= least)
                && (late(step.old_range(), &self.starts.0) || late(step.new_range(), &self.starts.1))
        };
        let runs = self.steps.iter().enumerate().filter(|(_, step)| fits(step));
        runs.max_by_key(|(_, step)| step.old_range().len()).map(|(at, _)| at)
    }

    /// Returns the offsets behind a step.
    pub(super) fn end(&self, step: usize) -> Option<(usize, usize)> {
        let step = self.steps.get(step)?;
        Some((place(&self.starts.0, step.old_range())?.end, place(&self.starts.1, step.new_range())?.end))
    }

    /// Adds the ranges that differ by some of the steps, in order. Ranges that touch are joined.
    pub(super) fn changed(&self, steps: &[DiffOp], changed: &mut Vec<Differing>) {
        for step in steps.iter().filter(|step| !matches!(step, DiffOp::Equal { .. })) {
            let old = place(&self.starts.0, step.old_range());
            let Some((from, to)) = old.zip(place(&self.starts.1, step.new_range())) else { continue };
            match changed.last_mut() {
                Some(last) if last.0.end == from.start && last.1.end == to.start => {
                    last.0.end = from.end;
                    last.1.end = to.end;
                }
                _ => changed.push((from, to)),
            }
        }
    }
}

/// Returns the range of some lines in bytes.
fn place(starts: &[usize], lines: Range<usize>) -> Option<Range<usize>> {
    Some(*starts.get(lines.start)?..*starts.get(lines.end)?)
}

/// Returns the first lines of a part, at most so many.
pub(super) fn first_lines(kind: LineBreak, part: &[u8], most: usize) -> &[u8] {
    let mut end = 0;
    for _ in 0..most {
        match kind.first_end(part.cut(end..part.len())) {
            Some(line) => end += line,
            None => return part,
        }
    }
    part.cut(0..end)
}

/// Splits a content behind its breaks.
fn lines(kind: LineBreak, mut content: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    while !content.is_empty() {
        let (line, rest) = content.split_at(kind.first_end(content).unwrap_or(content.len()));
        lines.push(line);
        content = rest;
    }
    lines
}

fn offsets(base: usize, lines: &[&[u8]]) -> Vec<usize> {
    let mut at = base;
    let mut list = Vec::with_capacity(lines.len() + 1);
    list.push(at);
    list.extend(lines.iter().map(|line| {
        at += line.len();
        at
    }));
    list
}
