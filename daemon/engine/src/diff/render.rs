//! Formats hunks: changed lines with three lines of context, as many as fit. It never splits a hunk.

use std::ops::Range;

use editd_types::limits;

use super::changes::{ChangedRun, Delta};
use crate::Splice;
use crate::cut::Cut;

/// The number of lines of context on each side of a change.
pub(crate) const CONTEXT: usize = 3;

/// The changes of one hunk.
struct Hunk<'d> {
    changes: &'d [ChangedRun],
    /// The range of the content before that the hunk covers, in bytes.
    before: Range<usize>,
    /// The numbers of lines of context before and after the changes.
    lead: usize,
    trail: usize,
}

/// Appends as many hunks as fit into `out`, which may then have `room` bytes in all. Returns the number of hunks that
/// do not fit.
pub(crate) fn hunks(out: &mut Vec<u8>, before: &[u8], after: &[u8], delta: &Delta, context: bool) -> u64 {
    let mut omitted = 0;
    for hunk in each(before, &delta.changes, if context { CONTEXT } else { 0 }) {
        // If a hunk is left out, all hunks behind it are, so that nobody takes the diff for complete up to its
        // end.
        if omitted > 0 || out.len() + size(&hunk, 128) > limits::DIFF {
            omitted += 1;
        } else {
            write(out, before, after, &hunk);
        }
    }
    omitted
}

/// A hunk that is not written yet.
pub(crate) struct Sketch<'d> {
    hunk: Hunk<'d>,
    /// The maximum size of its text, in bytes.
    pub(crate) size: usize,
    /// The lines of the new content that it shows, 1-based and inclusive; `last` < `first` if it shows none.
    pub(crate) lines: (u64, u64),
}

impl Sketch<'_> {
    /// Appends the text of the hunk.
    pub(crate) fn write(&self, out: &mut Vec<u8>, before: &[u8], after: &[u8]) {
        write(out, before, after, &self.hunk);
    }
}

/// Returns all hunks of a diff, with context.
pub(crate) fn sketches<'d>(before: &[u8], delta: &'d Delta) -> Vec<Sketch<'d>> {
    let sketch = |hunk: Hunk<'d>| {
        let first = hunk.changes.first().map_or(0, ChangedRun::new_line) - hunk.lead;
        let last = hunk.changes.last().map_or(0, |last| last.new_line() + last.added()) + hunk.trail;
        Sketch { size: size(&hunk, 40), lines: (first as u64 + 1, last as u64), hunk }
    };
    each(before, &delta.changes, CONTEXT).map(sketch).collect()
}

/// Returns the maximum size of the text of a hunk, in bytes.
fn size(hunk: &Hunk<'_>, head: usize) -> usize {
    let added: usize = hunk.changes.iter().map(|change| change.after.range().len()).sum();
    let lines: usize = hunk.changes.iter().map(|change| change.added() + change.removed()).sum();
    hunk.before.len() + added + lines + 2 * CONTEXT + head
}

/// Returns the hunks of the changes, with at most this many lines of context around each.
fn each<'d>(before: &[u8], mut rest: &'d [ChangedRun], context: usize) -> impl Iterator<Item = Hunk<'d>> {
    std::iter::from_fn(move || {
        let (changes, others) = rest.split_at_checked(extent(rest, context))?;
        let (first, last) = (changes.first()?, changes.last()?);
        rest = others;
        let (lead, from) = back(before, first.before.start(), context);
        let (trail, to) = forward(before, last.before.end(), context);
        Some(Hunk { changes, before: from..to, lead, trail })
    })
}

/// Returns the number of changes, from the first, that one hunk shows. `changes` is not empty.
pub(crate) fn extent(rest: &[ChangedRun], context: usize) -> usize {
    let apart =
        |pair: &[ChangedRun]| !matches!(pair, [a, b] if b.line() - (a.line() + a.removed()) <= 2 * context);
    rest.windows(2).position(|pair| context == 0 || apart(pair)).map_or(rest.len(), |at| at + 1)
}

/// Returns the number of lines before an offset, at most `count`, and the start of the first of them.
fn back(bytes: &[u8], at: usize, count: usize) -> (usize, usize) {
    let (mut lines, mut from) = (0, at);
    while lines < count && from > 0 {
        from = memchr::memrchr(b'\n', bytes.cut(0..from - 1)).map_or(0, |stop| stop + 1);
        lines += 1;
    }
    (lines, from)
}

/// Returns the number of lines after an offset, at most `count`, and the end of the last of them.
fn forward(bytes: &[u8], at: usize, count: usize) -> (usize, usize) {
    let (mut lines, mut to) = (0, at);
    while lines < count && to < bytes.len() {
        to = memchr::memchr(b'\n', bytes.cut(to..bytes.len())).map_or(bytes.len(), |stop| to + stop + 1);
        lines += 1;
    }
    (lines, to)
}

fn write(out: &mut Vec<u8>, before: &[u8], after: &[u8], hunk: &Hunk<'_>) {
    let (Some(first), Some(last)) = (hunk.changes.first(), hunk.changes.last()) else {
        return;
    };
    let old_start = first.line() - hunk.lead;
    let new_start = first.new_line() - hunk.lead;
    let old_count = last.line() + last.removed() + hunk.trail - old_start;
    let new_count = last.new_line() + last.added() + hunk.trail - new_start;
    let side = |start: usize, count: usize| match count {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{count}", start + 1),
    };
    let head = format!("@@ -{} +{} @@\n", side(old_start, old_count), side(new_start, new_count));
    out.extend_from_slice(head.as_bytes());
    let mut from = hunk.before.start;
    for change in hunk.changes {
        lines(out, b' ', before.cut(from..change.before.start()));
        lines(out, b'-', before.cut(change.before.range()));
        lines(out, b'+', after.cut(change.after.range()));
        from = change.before.end();
    }
    lines(out, b' ', before.cut(from..hunk.before.end));
}

/// Appends a splice as a hunk whose line numbers are unknown, if it fits: only the offset of its first byte in the
/// content before is known. Its text may begin and end within a line. Returns false if it does not fit.
pub(crate) fn fragment(out: &mut Vec<u8>, splice: &Splice) -> bool {
    let lines = |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').count();
    let (removed, added) = (lines(&splice.old), lines(&splice.new));
    if out.len() + splice.old.len() + splice.new.len() + removed + added + 160 > limits::DIFF {
        return false;
    }
    let head = format!("@@ -?,{removed} +?,{added} @@ at byte {}\n", splice.at);
    out.extend_from_slice(head.as_bytes());
    for (sign, bytes) in [(b'-', &splice.old), (b'+', &splice.new)] {
        signed(out, sign, bytes, "the line may continue");
    }
    true
}

/// Appends the whole content after a change as a hunk with unknown old lines, if it fits. Returns false if it does not.
pub(crate) fn whole(out: &mut Vec<u8>, after: &[u8]) -> bool {
    let added = after.split_inclusive(|byte| *byte == b'\n').count();
    if out.len() + after.len() + added + 160 > limits::DIFF {
        return false;
    }
    out.extend_from_slice(format!("@@ -?,? +1,{added} @@\n").as_bytes());
    lines(out, b'+', after);
    true
}

fn lines(out: &mut Vec<u8>, sign: u8, bytes: &[u8]) {
    signed(out, sign, bytes, "No newline at end of file");
}

/// Appends lines with their sign, and a note behind a last one without a line break.
fn signed(out: &mut Vec<u8>, sign: u8, bytes: &[u8], note: &str) {
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        out.push(sign);
        out.extend_from_slice(line);
        if line.last() != Some(&b'\n') {
            out.extend_from_slice(format!("\n\\ {note}\n").as_bytes());
        }
    }
}
