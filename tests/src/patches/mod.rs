//! Diffs of real files as git and GNU diff print them, damaged as people and models damage them, applied by editd, by
//! `git apply` and by GNU `patch` to a file that others may have changed, and judged by a merge. Nothing outside of a
//! temporary folder is written.
//!
//! *Judged*: what editd writes must be what the clean three-way merge (`git merge-file`) of the file, the file that the
//! diff was made of and the author's file gives, or what one of the other tools writes. Where the merge conflicts, since
//! the changes touch each other, each hunk must replace the only place in the file that has just its lines.
//!
//! *Listed*: [`DiffResult`] names each class of differences; only [`DiffResult::Wrong`] is a fault.

mod change;
mod damage;
mod judge;
mod tools;
mod trees;

pub use change::changed;
pub use damage::{DAMAGES, DiffDamage, HunkText, PatchText};
pub use judge::{DiffResult, DiffTrial, judge, planned};
pub use tools::{DiffTools, missing_tools};
pub use trees::{TreeDiff, TreeTrial};
