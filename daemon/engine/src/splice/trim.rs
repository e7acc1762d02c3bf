//! Finds the common start and end of an old and a new text. It never splits a character or a `\r\n`.

use std::ops::Range;

use crate::cut::Cut;
use crate::text::Text;

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

fn inside_character(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80)
}

fn inside_break(bytes: &[u8], at: usize) -> bool {
    at > 0 && bytes.get(at - 1) == Some(&b'\r') && bytes.get(at) == Some(&b'\n')
}

/// Returns the ranges of `old` and `new` that differ, on boundaries of both.
pub(crate) fn differing(old: &[u8], new: &[u8]) -> (Range<usize>, Range<usize>) {
    let mut start = shared_start(old, new);
    while start > 0
        && (inside_character(old, start)
            || inside_character(new, start)
            || inside_break(old, start)
            || inside_break(new, start))
    {
        start -= 1;
    }
    let mut tail = shared_end(old.cut(start..old.len()), new.cut(start..new.len()));
    while tail > 0 {
        let (a, b) = (old.len() - tail, new.len() - tail);
        if !(inside_character(old, a) || inside_break(old, a) || inside_break(new, b)) {
            break;
        }
        tail -= 1;
    }
    (start..old.len() - tail, start..new.len() - tail)
}

/// Returns the part of a matched range that `new` changes, and the part of `new` that replaces it.
pub(crate) fn minimise(text: &Text<'_>, matched: &Range<usize>, new: &str) -> (Range<usize>, Range<usize>) {
    let old = text.content.cut(matched.clone());
    let (old_range, new_range) = differing(old.as_bytes(), new.as_bytes());
    let mut removed = matched.start + old_range.start..matched.start + old_range.end;
    let mut part = new_range;
    // A match may end before a `\n` whose `\r` it covers: the common part must not end between them.
    if removed.start > matched.start && text.splits_break(removed.start) {
        removed.start -= 1;
        part.start -= 1;
    }
    (removed, part)
}
