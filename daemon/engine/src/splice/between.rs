//! Computes the splices between two contents by a line diff within a work budget.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::trim::{differing, shared_end, shared_start};
use crate::Splice;
use crate::cut::Cut;
use crate::limits;

/// Returns the splices that turn one content into another: the changed lines, without the bytes that both contents
/// share at their ends. Returns one splice if the contents differ in more than `limits::DIFF_LINES` lines between their
/// common start and end.
pub fn splices_between(before: &[u8], after: &[u8]) -> Vec<Splice> {
    changed_lines(before, after)
        .into_iter()
        .filter_map(|(old, new)| {
            let (removed, added) = differing(before.cut(old.clone()), after.cut(new.clone()));
            let splice = Splice {
                at: (old.start + removed.start) as u64,
                old: before.cut(old.start + removed.start..old.start + removed.end).to_vec(),
                new: after.cut(new.start + added.start..new.start + added.end).to_vec(),
            };
            (splice.old != splice.new).then_some(splice)
        })
        .collect()
}

/// Returns the ranges of whole lines that differ, sorted, in both contents.
pub(crate) fn changed_lines(before: &[u8], after: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    let start = line_floor(before, shared_start(before, after));
    let (old, new) = (before.cut(start..before.len()), after.cut(start..after.len()));
    let tail = line_tail(old, new, shared_end(old, new));
    let (old, new) = (old.cut(0..old.len() - tail), new.cut(0..new.len() - tail));
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let whole = (start..start + old.len(), start..start + new.len());
    if old.is_empty() || new.is_empty() {
        return vec![whole];
    }
    let count = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count() + 1;
    let single = |bytes: &[u8]| memchr::memchr(b'\n', bytes).is_none_or(|stop| stop + 1 == bytes.len());
    if (single(old) && single(new)) || count(old) + count(new) > limits::DIFF_LINES {
        return vec![whole];
    }
    by_lines(start, old, new)
}

fn by_lines(base: usize, old: &[u8], new: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    let (a, b): (Vec<&[u8]>, Vec<&[u8]>) =
        (old.split_inclusive(|c| *c == b'\n').collect(), new.split_inclusive(|c| *c == b'\n').collect());
    let (starts, new_starts) = (offsets(base, &a), offsets(base, &b));
    let place = |list: &[usize], range: Range<usize>| {
        let at = |i: usize| list.get(i).or(list.last()).copied().unwrap_or(base);
        at(range.start)..at(range.end)
    };
    let mut changed: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &a, &b) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (from, to) = (place(&starts, op.old_range()), place(&new_starts, op.new_range()));
        match changed.last_mut() {
            Some(last) if last.0.end == from.start && last.1.end == to.start => {
                last.0.end = from.end;
                last.1.end = to.end;
            }
            _ => changed.push((from, to)),
        }
    }
    changed
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

/// Returns the offset at which the line of an offset starts.
fn line_floor(bytes: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', bytes.cut(0..at)).map_or(0, |stop| stop + 1)
}

/// Returns the size of the whole lines at the end that two contents share, in bytes.
fn line_tail(old: &[u8], new: &[u8], tail: usize) -> usize {
    let starts_line = |bytes: &[u8]| {
        let cut = bytes.len() - tail;
        cut == 0 || bytes.get(cut - 1) == Some(&b'\n')
    };
    if starts_line(old) && starts_line(new) {
        return tail;
    }
    let shared = old.cut(old.len() - tail..old.len());
    memchr::memchr(b'\n', shared).map_or(0, |stop| tail - stop - 1)
}
