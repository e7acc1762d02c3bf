//! Computes the splices between two contents by a line diff within a work budget.

use std::ops::Range;

use super::compared::ComparedLines;
use super::trim::{differing, shared_start, shared_tail};
use super::windows::{WINDOWS, by_windows};
use crate::Splice;
use crate::cut::Cut;
use crate::limits;
use crate::text::LineBreak;

/// Returns the splices that turn one content into another: the changed lines, without the bytes that both contents
/// share at their ends. They split no character and no code unit of UTF-16. Returns one splice if the contents differ in
/// their byte order, and one for the rest where `limits::DIFF_WORK` or a single change of tens of thousands of lines ends
/// the comparison.
pub fn splices_between(before: &[u8], after: &[u8]) -> Vec<Splice> {
    let Some(kind) = LineBreak::of_all([before, after]) else {
        return vec![Splice { at: 0, old: before.to_vec(), new: after.to_vec() }];
    };
    changed_ranges(kind, before, after)
        .into_iter()
        .filter_map(|(old, new)| {
            let (removed, added) = differing(kind, before.cut(old.clone()), after.cut(new.clone()));
            let splice = Splice {
                at: (old.start + removed.start) as u64,
                old: before.cut(old.start + removed.start..old.start + removed.end).to_vec(),
                new: after.cut(new.start + added.start..new.start + added.end).to_vec(),
            };
            (splice.old != splice.new).then_some(splice)
        })
        .collect()
}

/// Returns the ranges of whole lines that differ, sorted, in both texts. A lone carriage return ends no line.
pub(crate) fn changed_lines(before: &[u8], after: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    changed_ranges(LineBreak::Byte(b'\n'), before, after)
}

/// Returns the ranges of whole lines that differ, sorted, in both contents.
fn changed_ranges(kind: LineBreak, before: &[u8], after: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    let start = kind.last_end(before.cut(0..shared_start(before, after))).unwrap_or(0);
    let (old, new) = (before.cut(start..before.len()), after.cut(start..after.len()));
    let tail = line_tail(kind, old, new);
    let (old, new) = (old.cut(0..old.len() - tail), new.cut(0..new.len() - tail));
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let whole = (start..start + old.len(), start..start + new.len());
    if old.is_empty() || new.is_empty() {
        return vec![whole];
    }
    let count = |bytes: &[u8]| usize::try_from(kind.count(bytes)).unwrap_or(usize::MAX).saturating_add(1);
    let single = |bytes: &[u8]| kind.first_end(bytes).is_none_or(|end| end == bytes.len());
    let is_long = count(old).saturating_add(count(new)) > limits::DIFF_LINES;
    // A single line, however long, is not looked for among many.
    if (single(old) && single(new)) || (is_long && (single(old) || single(new))) {
        return vec![whole];
    }
    if is_long {
        return by_windows(kind, start, (old, new), &WINDOWS);
    }
    let (lines, mut changed) = (ComparedLines::new(kind, (start, start), (old, new)), Vec::new());
    lines.changed(lines.steps(), &mut changed);
    changed
}

/// Returns the size of the whole lines at the end that two contents share, in bytes.
fn line_tail(kind: LineBreak, old: &[u8], new: &[u8]) -> usize {
    let tail = shared_tail(kind, (old, new), 0);
    let starts_line = |bytes: &[u8]| {
        let above = bytes.cut(0..bytes.len() - tail);
        above.is_empty() || kind.ends(above)
    };
    if starts_line(old) && starts_line(new) {
        return tail;
    }
    kind.first_end(old.cut(old.len() - tail..old.len())).map_or(0, |end| tail - end)
}
