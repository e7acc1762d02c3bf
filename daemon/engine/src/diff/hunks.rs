//! Compares one file before and after by lines: counts the lines, formats the diff, and divides it into numbered
//! hunks. All use the same comparison, so that the counts of an entry match its diff. It reads no file.

use std::borrow::Cow;

use editd_types::{FileOutcome, FilePath};

use super::changes::Delta;
use super::render::{CONTEXT, extent};
use super::states::{content, entry_diff};
use crate::cut::Cut;
use crate::text::has_nul;
use crate::{FileState, Splice};

/// A change of a file, compared by lines.
#[derive(Debug)]
pub struct LineChange<'s> {
    states: (&'s FileState, &'s FileState),
    before: Cow<'s, [u8]>,
    after: Cow<'s, [u8]>,
    delta: Delta,
    /// The number of changes in each hunk.
    hunks: Vec<usize>,
}

/// A hunk of a diff that shows the whole change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HunkExtent {
    /// The 1-based line of the new content at which the changed lines begin.
    pub line: u64,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
}

impl<'s> LineChange<'s> {
    /// Compares two states of a file. `splices` turn one into the other, and may cover more than the difference.
    pub fn new(before: &'s FileState, after: &'s FileState, splices: &[Splice]) -> Self {
        let (old, new) = (content(before), content(after));
        let raw = matches!((&old, &new), (Cow::Borrowed(_), Cow::Borrowed(_)));
        let delta =
            if raw { Delta::of_splices(&old, &new, splices, None) } else { Delta::between(&old, &new) };
        let mut hunks = Vec::new();
        // The hunks of a content that is decoded for its diff do not correspond to its bytes.
        if raw && !has_nul(&old) && !has_nul(&new) {
            let mut rest = delta.changes.as_slice();
            while !rest.is_empty() {
                let used = extent(rest, CONTEXT);
                hunks.push(used);
                rest = rest.get(used..).unwrap_or(&[]);
            }
        }
        Self { states: (before, after), before: old, after: new, delta, hunks }
    }

    /// Returns the numbers of added and removed lines.
    pub fn totals(&self) -> (u64, u64) {
        self.delta.totals()
    }

    /// Writes the changed lines and their counts into an outcome, unless the content is not shown as text.
    pub fn describe(&self, outcome: &mut FileOutcome) {
        if !has_nul(&self.before) && !has_nul(&self.after) {
            self.delta.describe(outcome);
        }
    }

    /// Returns the unified diff, of at most `limits::DIFF` bytes, and the number of hunks that are left out.
    pub fn diff(&self, path: &FilePath) -> (String, u64) {
        entry_diff(path, self.states.0, self.states.1, None, Some(&self.delta))
    }

    /// Returns the hunks of the diff, in its order, or none if the diff does not show the bytes of the content.
    pub fn hunks(&self) -> Vec<HunkExtent> {
        let mut rest = self.delta.changes.iter();
        let hunk = |&used: &usize| {
            let (mut first, mut added, mut removed) = (None, 0, 0);
            for change in rest.by_ref().take(used) {
                first.get_or_insert(change.new_line());
                added += change.added() as u64;
                removed += change.removed() as u64;
            }
            HunkExtent { line: first.unwrap_or(0) as u64 + 1, added, removed }
        };
        self.hunks.iter().map(hunk).collect()
    }

    /// Returns the content after, in which the hunks for whose 1-based number `back` returns true are reverted.
    pub fn without(&self, back: &dyn Fn(u64) -> bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.after.len().max(self.before.len()));
        let (mut rest, mut from) = (self.delta.changes.iter(), 0);
        for (number, used) in (1..).zip(&self.hunks) {
            let taken = back(number);
            for change in rest.by_ref().take(*used) {
                out.extend_from_slice(self.before.cut(from..change.before.start()));
                out.extend_from_slice(if taken {
                    self.before.cut(change.before.range())
                } else {
                    self.after.cut(change.after.range())
                });
                from = change.before.end();
            }
        }
        out.extend_from_slice(self.before.cut(from..self.before.len()));
        out
    }
}
