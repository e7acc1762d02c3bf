//! Byte splices: trims them, checks them for overlap, assembles, applies and reverts them. It knows no edit kinds.
//!
//! *Calling sequence*: make one [`Place`] for each place that an edit changes. [`arrange`] sorts the places and
//! returns those that conflict. [`complete`] drops line breaks that are not needed then. [`assemble()`] turns the places
//! into splices.
//!
//! *Invariants*: the splices of a file are sorted, with at least one unchanged byte between two of them.

mod apply;
mod assemble;
mod between;
mod compared;
mod compose;
mod land;
mod overlap;
mod place;
mod quoted;
mod trim;
mod windows;

pub use apply::{apply, invert};
pub use between::splices_between;

pub(crate) use apply::{apply_hashed, size_after};
pub(crate) use assemble::{SpliceWriter, assemble, complete};
pub(crate) use between::changed_lines;
pub(crate) use compose::compose;
pub(crate) use land::land;
pub(crate) use overlap::arrange;
pub(crate) use place::{InsertionKind, Place};
pub(crate) use quoted::{touched_lines, whole_lines};
pub(crate) use trim::{differing, shared_end, shared_start};

#[cfg(test)]
mod tests;
