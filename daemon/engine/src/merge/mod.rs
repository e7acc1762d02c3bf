//! Applies edits that are based on an older content to the current content: a three-way merge by lines. It never
//! resolves a conflict, and never changes lines that others changed.
//!
//! *Calling sequence*: [`merge`] merges one content. [`rebase`] merges the files of a plan whose contents have changed
//! since: it locates each edit again by its quotation, and merges it by lines if the quotation does not give a certain
//! place.
//!
//! *Invariants*: changes of the same line or of neighbouring lines conflict unless they are equal, as in git. So do
//! changes beside equal lines, which a diff could also place at such lines. A line that others changed is kept byte
//! for byte. The changes of the session are known exactly, since they are splices; only the changes of others are
//! found by a comparison.
//!
//! *Limitations*: changes by others that exceed `limits::DIFF_WORK` count as one change. `similar::TextMerge` is not used,
//! since it would compute the changes of both sides by a diff and returns a text, but a plan needs splices.

mod again;
mod each;
mod joined;
mod plan;
mod region;
mod slide;
mod three;

pub use again::{BothContents, LineMap};
pub use plan::{StaleFiles, rebase};
pub use three::merge;

#[cfg(test)]
mod tests;
