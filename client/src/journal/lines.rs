//! Compares two contents line by line. A line ends with a line feed, so that a carriage return is part of its line.

use std::time::Duration;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline, group_diff_ops};

use crate::machine;

/// The time limit for one comparison; after it the diff is right, but larger than necessary.
const PATIENCE: Duration = Duration::from_secs(1);

/// The number of equal lines around a change.
const CONTEXT: usize = 3;

/// Two contents as lines, and the steps from one to the other.
#[derive(Debug)]
pub struct LineDiff<'a> {
    /// The lines before.
    pub old: Vec<&'a [u8]>,
    /// The lines after.
    pub new: Vec<&'a [u8]>,
    /// The steps, which cover all lines.
    pub steps: Vec<DiffOp>,
}

/// Splits a content into lines, each with its line feed.
pub fn split(content: &[u8]) -> Vec<&[u8]> {
    content.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns true if a content is shown as lines: it has no NUL.
pub fn is_text(content: &[u8]) -> bool {
    !content.contains(&0)
}

/// Returns the steps from one sequence of lines, or of words, to another one.
pub fn steps(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    capture_diff_slices_deadline(Algorithm::Myers, old, new, machine::tick().checked_add(PATIENCE))
}

impl<'a> LineDiff<'a> {
    /// Compares two contents.
    pub fn between(old: &'a [u8], new: &'a [u8]) -> Self {
        let (old, new) = (split(old), split(new));
        let steps = steps(&old, &new);
        Self { old, new, steps }
    }

    /// Returns the hunks: steps that are near each other, with equal lines around them.
    pub fn hunks(&self) -> Vec<Vec<DiffOp>> {
        if self.steps.iter().all(|step| step.tag() == DiffTag::Equal) {
            return Vec::new();
        }
        group_diff_ops(self.steps.clone(), CONTEXT)
    }

    /// Returns the numbers of added and removed lines.
    pub fn counts(&self) -> (u64, u64) {
        let changed = self.steps.iter().filter(|step| step.tag() != DiffTag::Equal);
        changed.fold((0, 0), |(added, removed), step| {
            (added + step.new_range().len() as u64, removed + step.old_range().len() as u64)
        })
    }
}
