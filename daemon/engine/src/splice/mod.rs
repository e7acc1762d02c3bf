//! Byte splices: trimmed, checked for overlap, assembled, applied and reverted. No edit kind is known here.
//!
//! *Calling sequence*: one [`Place`] for each place that an edit touches; [`arrange`] sorts them and names
//! those that conflict; [`complete`] drops line breaks that are not needed then; [`assemble`] turns the rest into
//! splices.
//!
//! *Invariants*: the splices of a file are sorted, and at least one unchanged byte lies between two of them.

mod apply;
mod assemble;
mod between;
mod compose;
mod land;
mod overlap;
mod place;
mod trim;

pub use apply::{apply, invert};
pub use between::splices_between;

pub(crate) use apply::{apply_shared, size_after};
pub(crate) use assemble::{assemble, complete};
pub(crate) use between::changed_lines;
pub(crate) use compose::compose;
pub(crate) use land::land;
pub(crate) use overlap::arrange;
pub(crate) use place::Place;
pub(crate) use trim::differing;

#[cfg(test)]
mod tests;
