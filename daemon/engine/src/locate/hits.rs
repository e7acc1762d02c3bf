//! Occurrences of one byte string in another, in linear time also where they overlap. It knows no text.

use std::ops::ControlFlow;

use crate::cut::Cut;

/// Overlapping hits after which the search restarts are given up for a search without restarts.
const PATIENCE: usize = 64;

/// Visits the start of every occurrence; without `overlapping`, of those that do not overlap an earlier one.
pub(crate) fn each_hit(
    haystack: &[u8],
    needle: &[u8],
    overlapping: bool,
    visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if needle.is_empty() || needle.len() > haystack.len() {
        return ControlFlow::Continue(());
    }
    let finder = memchr::memmem::Finder::new(needle);
    if !overlapping {
        for at in finder.find_iter(haystack) {
            visit(at)?;
        }
        return ControlFlow::Continue(());
    }
    let mut from = 0;
    for _ in 0..PATIENCE {
        let Some(step) = finder.find(haystack.cut(from..haystack.len())) else {
            return ControlFlow::Continue(());
        };
        visit(from + step)?;
        from += step + 1;
    }
    without_restarts(haystack, needle, from, visit)
}

/// Finds the matches by the algorithm of Knuth, Morris and Pratt: each byte is read a bounded number of times, however
/// matches overlap.
fn without_restarts(
    haystack: &[u8],
    needle: &[u8],
    from: usize,
    visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let borders = borders(needle);
    let back = |matched: usize| match matched.checked_sub(1) {
        Some(last) => borders.get(last).map_or(0, |border| *border as usize),
        None => 0,
    };
    let mut matched = 0;
    for (at, byte) in haystack.iter().enumerate().skip(from) {
        while matched > 0 && needle.get(matched) != Some(byte) {
            matched = back(matched);
        }
        if needle.get(matched) == Some(byte) {
            matched += 1;
        }
        if matched == needle.len() {
            visit(at + 1 - matched)?;
            matched = back(matched);
        }
    }
    ControlFlow::Continue(())
}

/// Returns for each byte `i` the length of the longest proper prefix of the needle that ends at byte `i`.
fn borders(needle: &[u8]) -> Vec<u32> {
    let mut borders: Vec<u32> = Vec::with_capacity(needle.len());
    borders.push(0);
    let mut matched = 0usize;
    for byte in needle.iter().skip(1) {
        while matched > 0 && needle.get(matched) != Some(byte) {
            matched = borders.get(matched - 1).map_or(0, |border| *border as usize);
        }
        if needle.get(matched) == Some(byte) {
            matched += 1;
        }
        borders.push(u32::try_from(matched).unwrap_or(0));
    }
    borders
}
