//! Formats a diff of the hunks that are nearest to some lines, and reports the lines that it shows.

use editd_types::FilePath;

use super::changes::Delta;
use super::name::header;
use super::render::{Sketch, sketches};
use super::states::content;
use crate::FileState;
use crate::text::has_nul;

/// A diff of a few hunks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NearbyDiff {
    /// The diff; empty if no hunk fits.
    pub text: String,
    /// The number of hunks that it leaves out.
    pub omitted: u64,
    /// The lines of the new content that it shows, 1-based and inclusive, in ascending order.
    pub shown: Vec<(u64, u64)>,
}

/// Returns a unified diff of two contents, of at most `room` bytes, with the hunks nearest to some lines of the new
/// content, or with the first hunks if no lines are given. With `only`, it has no hunk that is further away than that
/// many lines.
pub fn nearby_diff(
    path: &FilePath,
    before: &FileState,
    after: &FileState,
    near: &[(u64, u64)],
    (room, only): (usize, Option<u64>),
) -> NearbyDiff {
    let (old, new) = (content(before), content(after));
    if *old == *new || has_nul(&old) || has_nul(&new) {
        return NearbyDiff::default();
    }
    let delta = Delta::between(&old, &new);
    let all = sketches(&old, &delta);
    let total = all.len() as u64;
    let distance = |hunk: &Sketch<'_>| {
        let gap = |(first, last): &(u64, u64)| {
            let (first, last) = (*first, (*last).max(*first));
            hunk.lines.0.saturating_sub(last).max(first.saturating_sub(hunk.lines.1))
        };
        near.iter().map(gap).min().unwrap_or(0)
    };
    let mut ranked: Vec<(u64, usize)> = all.iter().map(distance).zip(0..).collect();
    ranked.retain(|(away, _)| only.is_none_or(|most| *away <= most));
    ranked.sort_unstable();
    let head = format!("--- {}\n+++ {}\n", header('a', path), header('b', path));
    let mut left = room.saturating_sub(head.len());
    let mut kept: Vec<(usize, Vec<u8>)> = Vec::new();
    for hunk in ranked.iter().filter_map(|(_, at)| Some((*at, all.get(*at)?))) {
        if hunk.1.size > left {
            // A nearer hunk is never left out in favour of a hunk that is further away.
            break;
        }
        let mut text = Vec::new();
        hunk.1.write(&mut text, &old, &new);
        left = left.saturating_sub(text.len());
        kept.push((hunk.0, text));
    }
    if kept.is_empty() {
        return NearbyDiff { omitted: total, ..NearbyDiff::default() };
    }
    kept.sort_unstable_by_key(|(at, _)| *at);
    let shown = kept.iter().filter_map(|(at, _)| all.get(*at)).map(|hunk| hunk.lines);
    let shown = shown.filter(|(first, last)| first <= last).collect();
    let omitted = total - kept.len() as u64;
    let texts: Vec<u8> = kept.into_iter().flat_map(|(_, text)| text).collect();
    NearbyDiff { text: head + &String::from_utf8_lossy(&texts), omitted, shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(changed: &[usize]) -> FileState {
        let line = |n: usize| match changed.contains(&n) {
            true => format!("changed {n}\n"),
            false => format!("line {n}\n"),
        };
        let text: String = (1..=100).map(line).collect();
        FileState::File { bytes: text.into_bytes().into(), mode: 0o644 }
    }

    #[test]
    fn the_hunks_nearest_to_the_lines_are_kept_and_the_rest_is_counted() {
        let (before, after) = (numbered(&[]), numbered(&[5, 50, 95]));
        let path = "a.txt".into();
        let near = |lines, room| nearby_diff(&path, &before, &after, &[lines], (room, None));
        let diff = near((60, 60), 200);
        assert!(diff.text.contains("+changed 50\n") && !diff.text.contains("changed 5\n"), "{}", diff.text);
        assert_eq!((diff.omitted, diff.shown), (2, vec![(47, 53)]));
        assert_eq!(near((90, 90), 100_000).shown, [(2, 8), (47, 53), (92, 98)]);
        assert_eq!(near((90, 90), 20), NearbyDiff { omitted: 3, ..NearbyDiff::default() });
        let only = nearby_diff(&path, &before, &after, &[(52, 52)], (100_000, Some(3)));
        assert_eq!(only.shown, [(47, 53)]);
    }
}
