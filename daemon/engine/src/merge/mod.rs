//! Applies the edits that a session made on an older content to the current content: a three-way merge by lines. It
//! never resolves a conflict, and never changes what others changed.
//!
//! *Calling sequence*: [`merge`] for one content; [`rebase`] for the files of a plan whose contents have changed since
//! it was made: each edit is first located again by its quotation, and merged by lines if the quotation does not give
//! a certain place.
//!
//! *Invariants*: changes that share a line, or stand on neighbouring lines, conflict unless they are equal, as
//! they do in git. The same holds for changes beside equal lines, which a diff could also place at such lines. A line
//! that others changed is kept byte for byte. The session's own changes are known exactly, since they are splices;
//! only the changes of others are found by comparing.
//!
//! *Limitations*: others' changes of more than `limits::DIFF_LINES` lines count as one. `similar::TextMerge` is
//! not used: it would compute both sides by a diff, and returns a text although a plan needs splices.

mod again;
mod each;
mod onto;
mod plan;
mod region;
mod slide;
mod three;

pub use again::{BothContents, same_lines};
pub use plan::{StaleFiles, rebase};
pub use three::merge;

#[cfg(test)]
mod tests;
