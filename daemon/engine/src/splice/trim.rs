//! Finds the common start and end of an old and a new text. It never splits a character or a `\r\n`.

use std::ops::Range;

use crate::cut::Cut;
use crate::text::{LineBreak, Text};

/// Returns the number of bytes that two contents share at the start.
pub(crate) fn shared_start(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 64;
    let whole = a.chunks_exact(STEP).zip(b.chunks_exact(STEP)).take_while(|(x, y)| x == y).count() * STEP;
    let rest = a.cut(whole..a.len()).iter().zip(b.cut(whole..b.len()));
    whole + rest.take_while(|(x, y)| x == y).count()
}

/// Returns the number of bytes that two contents share at the end.
pub(crate) fn shared_end(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 64;
    let whole = a.rchunks_exact(STEP).zip(b.rchunks_exact(STEP)).take_while(|(x, y)| x == y).count() * STEP;
    let (left, right) = (a.len() - whole, b.len() - whole);
    let rest = a.cut(0..left).iter().rev().zip(b.cut(0..right).iter().rev());
    whole + rest.take_while(|(x, y)| x == y).count()
}

/// Returns the ranges of `old` and `new` that differ, on boundaries of both. Both start at a character.
pub(crate) fn differing(kind: LineBreak, old: &[u8], new: &[u8]) -> (Range<usize>, Range<usize>) {
    let mut start = shared_start(old, new);
    while start > 0 && (kind.splits(old, start) || kind.splits(new, start)) {
        start -= 1;
    }
    let tail = shared_tail(kind, (old, new), start);
    (start..old.len() - tail, start..new.len() - tail)
}

/// Returns the number of bytes behind `start` that two contents share at the end, from a boundary of both on. Both start at
/// a character.
pub(crate) fn shared_tail(kind: LineBreak, (old, new): (&[u8], &[u8]), start: usize) -> usize {
    let mut tail = shared_end(old.cut(start..old.len()), new.cut(start..new.len()));
    while tail > 0 && (kind.splits(old, old.len() - tail) || kind.splits(new, new.len() - tail)) {
        tail -= 1;
    }
    tail
}

/// Returns the part of a matched range that `new` changes, and the part of `new` that replaces it.
pub(crate) fn minimise(text: &Text<'_>, matched: &Range<usize>, new: &str) -> (Range<usize>, Range<usize>) {
    let old = text.content.cut(matched.clone());
    let (old_range, new_range) =
        differing(LineBreak::Byte(text.breaks.stop()), old.as_bytes(), new.as_bytes());
    let mut removed = matched.start + old_range.start..matched.start + old_range.end;
    let mut part = new_range;
    // A match may end before a `\n` whose `\r` it covers: the common part must not end between them.
    if removed.start > matched.start && text.splits_break(removed.start) {
        removed.start -= 1;
        part.start -= 1;
    }
    (removed, part)
}
