//! What a session wanted of an older content, done to what is there now: a three-way merge by lines. It never
//! resolves a conflict, and never changes what others changed.
//!
//! *Calling sequence*: [`merge`] for one content; [`rebase`] for the files of a plan that was made on contents
//! that are no longer there: there each edit is first located again by what it quotes, and merged by lines where that
//! gives no certain place.
//!
//! *Invariants*: changes that share a line, or stand on neighbouring lines, conflict unless they are the same, as
//! they do for git, and so do changes that could as well be told at such lines, beside equal ones; a line that
//! others changed is left byte for byte; what was wanted is known exactly, since it comes as splices, and only
//! what others did is found by comparing.
//!
//! *Limitations*: others' changes of more than `limits::DIFF_LINES` lines count as one. `similar::TextMerge` is
//! not used: it would guess at both sides, and gives a text where a plan needs splices.

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
