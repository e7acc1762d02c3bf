//! Finds the lines over which a change can be shifted without a different result. It moves no change.
//!
//! Adding a line beside an equal one, or removing one of several equal lines, has the same result at more than one
//! place, and a comparison selects one of these places by chance. So two changes are separate only if all of their
//! possible places are.

use std::ops::Range;

use crate::cut::Cut;
use crate::diff::ChangedRun;

/// Returns the bytes of `before` in which each change can lie, in the order of the changes. No range goes beyond the
/// next change of the same side, so that every line is compared a bounded number of times.
pub(super) fn reaches(changes: &[ChangedRun], before: &[u8], after: &[u8]) -> Vec<Range<usize>> {
    let mut reaches = Vec::with_capacity(changes.len());
    let mut from = (0, 0);
    for (i, change) in changes.iter().enumerate() {
        let to = changes
            .get(i + 1)
            .map_or((before.len(), after.len()), |next| (next.before.start(), next.after.start()));
        let (old, new) = (change.before.range(), change.after.range());
        // Removed and added lines can be shifted independently.
        let up = up(before, from.0, &old).max(up(after, from.1, &new));
        let down = down(before, &old, to.0).max(down(after, &new, to.1));
        reaches.push(old.start - up..old.end + down);
        from = (old.end, new.end);
    }
    reaches
}

/// Returns the number of bytes above a block, down from `from`, whose lines could be lines of the block instead.
fn up(text: &[u8], from: usize, block: &Range<usize>) -> usize {
    let lines = |range| text.cut(range).split_inclusive(|byte| *byte == b'\n').rev();
    elsewhere(block.len(), lines(from..block.start), lines(from..block.end))
}

/// Returns the number of bytes below a block, up to `to`, whose lines could be lines of the block instead.
fn down(text: &[u8], block: &Range<usize>, to: usize) -> usize {
    let lines = |range| text.cut(range).split_inclusive(|byte| *byte == b'\n');
    elsewhere(block.len(), lines(block.end..to), lines(block.start..to))
}

/// Returns the number of bytes of the kept lines that occur again, in their order, at an earlier place in `all`, which
/// has `ahead` more bytes and then the kept lines. From the first line that does not occur again, each line has only
/// one place.
fn elsewhere<'t>(
    ahead: usize,
    kept: impl Iterator<Item = &'t [u8]>,
    mut all: impl Iterator<Item = &'t [u8]>,
) -> usize {
    let (mut bytes, mut passed) = (0, 0);
    for line in kept {
        for found in all.by_ref() {
            passed += found.len();
            if found == line {
                break;
            }
        }
        if passed >= ahead + bytes + line.len() {
            break;
        }
        bytes += line.len();
    }
    bytes
}
