//! Compares long contents by windows of lines, from the top. Its memory is that of one window, and its time grows with the
//! differences, not with the lines: lines that are equal where the last window ended are skipped by their bytes.
//!
//! *Limitations*: where two whole windows have no equal lines in their second halves, all of the rest is one change.

use super::compared::{ComparedLines, Differing, first_lines};
use super::trim::shared_start;
use crate::cut::Cut;
use crate::limits;
use crate::text::LineBreak;

/// The sizes of the windows.
pub(super) struct WindowSizes {
    /// Number of lines of the first window of each side.
    first: usize,
    /// Maximum number of lines of a window of each side.
    most: usize,
    /// Number of equal lines in a row after which a window smaller than `most` is trusted.
    run: usize,
    /// Maximum work, in the unit of [`limits::DIFF_WORK`].
    work: u64,
}

/// The sizes for contents of any length.
pub(super) const WINDOWS: WindowSizes =
    WindowSizes { first: 1024, most: limits::DIFF_LINES / 2, run: 64, work: limits::DIFF_WORK };

/// Returns the ranges of whole lines that differ, sorted, in two parts that begin at the same offset of their contents.
pub(super) fn by_windows(
    kind: LineBreak,
    base: usize,
    (old, new): (&[u8], &[u8]),
    sizes: &WindowSizes,
) -> Vec<Differing> {
    let (mut at, mut changed, mut work) = ((0, 0), Vec::new(), sizes.work);
    loop {
        let rest = (old.cut(at.0..old.len()), new.cut(at.1..new.len()));
        let equal = kind.last_end(rest.0.cut(0..shared_start(rest.0, rest.1))).unwrap_or(0);
        at = (at.0 + equal, at.1 + equal);
        let rest = (old.cut(at.0..old.len()), new.cut(at.1..new.len()));
        let from = (base + at.0, base + at.1);
        let compared = if rest.0.is_empty() || rest.1.is_empty() {
            None
        } else {
            window(kind, from, rest, sizes, &mut work)
        };
        let Some((lines, until)) = compared else {
            if !rest.0.is_empty() || !rest.1.is_empty() {
                changed.push((from.0..base + old.len(), from.1..base + new.len()));
            }
            return changed;
        };
        lines.changed(lines.steps().get(..=until).unwrap_or_default(), &mut changed);
        let Some(end) = lines.end(until) else { return changed };
        at = (end.0 - base, end.1 - base);
    }
}

/// Returns the smallest window at the start of two parts that can be trusted, and the last of its steps that counts; `None`
/// if there is none, or if the work is used up.
fn window(
    kind: LineBreak,
    from: (usize, usize),
    rest: (&[u8], &[u8]),
    sizes: &WindowSizes,
    work: &mut u64,
) -> Option<(ComparedLines, usize)> {
    let mut size = sizes.first.min(sizes.most);
    while *work > 0 {
        let parts = (first_lines(kind, rest.0, size), first_lines(kind, rest.1, size));
        let lines = ComparedLines::new(kind, from, parts);
        *work = work.saturating_sub(work_of(&lines));
        let is_last = (parts.0.len(), parts.1.len()) == (rest.0.len(), rest.1.len());
        let until = match is_last {
            true => lines.steps().len().checked_sub(1),
            false => lines.agreement(if size < sizes.most { sizes.run } else { 1 }),
        };
        if let Some(until) = until {
            return Some((lines, until));
        }
        if size >= sizes.most {
            return None;
        }
        size = size.saturating_mul(4).min(sizes.most);
    }
    None
}

/// Returns the work of comparing the lines of a window.
fn work_of(lines: &ComparedLines) -> u64 {
    let differences = lines.differences() as u64;
    differences.saturating_mul(differences) + (lines.count() as u64).saturating_mul(limits::DIFF_LINE_WORK)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;
    use crate::splices_between;

    const KIND: LineBreak = LineBreak::Byte(b'\n');

    fn numbered(count: usize) -> Vec<String> {
        (0..count).map(|i| format!("line {i}\n")).collect()
    }

    /// Returns the number of splices, and the numbers of the lines that they remove and add.
    fn counts(old: &[String], new: &[String]) -> (usize, u64, u64) {
        let (old, new) = (old.concat(), new.concat());
        let splices = splices_between(old.as_bytes(), new.as_bytes());
        assert_eq!(crate::apply(old.as_bytes(), &splices).unwrap(), new.as_bytes());
        let lines = by_windows(KIND, 0, (old.as_bytes(), new.as_bytes()), &WINDOWS);
        let (mut removed, mut added) = (0, 0);
        for (from, to) in lines {
            removed += KIND.count(old.as_bytes().cut(from));
            added += KIND.count(new.as_bytes().cut(to));
        }
        (splices.len(), removed, added)
    }

    #[test]
    fn few_changes_are_found_at_any_distance() {
        for count in [50_018, 400_000] {
            for equal in [false, true] {
                let old = if equal { vec!["a\n".to_owned(); count] } else { numbered(count) };
                let mut new = old.clone();
                new[10] = "X\n".to_owned();
                new[count - 10] = "Y\n".to_owned();
                assert_eq!(counts(&old, &new), (2, 2, 2));
            }
        }
        let old = numbered(200_000);
        let mut new = old.clone();
        new.splice(150_000..150_000, (0..20_000).map(|i| format!("more {i}\n")));
        new.drain(90_000..95_000);
        new[5] = "X\n".to_owned();
        assert_eq!(counts(&old, &new), (3, 5_001, 20_001));
    }

    #[test]
    fn many_changes_are_counted() {
        let old = numbered(100_000);
        let half: Vec<String> = old.iter().step_by(2).cloned().collect();
        assert_eq!(counts(&old, &half), (50_000, 50_000, 0));
        let mut tenth = old.clone();
        tenth.iter_mut().step_by(10).for_each(|line| line.insert(0, 'x'));
        assert_eq!(counts(&old, &tenth), (10_000, 10_000, 10_000));
    }

    /// Without the limit of the work, each window of the first pair would be compared with all of its differences.
    #[test]
    fn contents_without_order_end_in_one_change() {
        let old: Vec<String> = (0..600_000u64).map(|i| format!("{}\n", i.wrapping_mul(i) % 7)).collect();
        let new: Vec<String> =
            (0..600_000u64).map(|i| format!("{}\n", (i / 3).wrapping_mul(i) % 7)).collect();
        let (splices, removed, added) = counts(&old, &new);
        assert!(splices > 1 && removed > 400_000 && added > 400_000, "the rest is one change");
        let reversed: Vec<String> = numbered(150_000).into_iter().rev().collect();
        assert_eq!(counts(&numbered(150_000), &reversed).0, 1);
    }

    proptest! {
        #[test]
        fn the_lines_between_the_changes_are_equal(
            old in "([ab]\n){0,60}[ab]{0,2}",
            new in "([ab]\n){0,60}[ab]{0,2}",
            first in 1usize..8,
            most in 1usize..20,
            run in 1usize..6,
            work in 0u64..100_000,
        ) {
            let sizes = WindowSizes { first, most, run, work };
            let mut made = String::new();
            let mut end = (0, 0);
            for (from, to) in by_windows(KIND, 0, (old.as_bytes(), new.as_bytes()), &sizes) {
                prop_assert!(end == (0, 0) || (from.start > end.0 && to.start > end.1));
                made.push_str(&old[end.0..from.start]);
                made.push_str(&new[to.clone()]);
                prop_assert_eq!(made.len(), to.end);
                end = (from.end, to.end);
            }
            made.push_str(&old[end.0..]);
            prop_assert_eq!(made, new);
        }
    }
}
