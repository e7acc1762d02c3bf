//! A simulated machine: an [`editd::os::Os`] wholly in memory that can be stopped after any effect, made to
//! fail at any call, shared with outside actors, and cut from its power; it never touches a real file.
//!
//! *Calling sequence*: make a [`SimMachine`], prepare its files through [`SimMachine::outside`], run the
//! code under test on a clone of it, then [`SimMachine::kill`] (the process ends) or
//! [`SimMachine::power_cut`] (what the disk may show afterwards). [`SimMachine::fork`] copies a state.
//!
//! *The disk's rules*: a flush of a file makes its bytes and length durable and orders nothing else. Bytes
//! that were not flushed are there, or not, or in part (by 512 bytes); a lengthened file may show zeros.
//! Names and metadata persist in the order in which they were done, up to some moment; the flush of a folder
//! moves that moment at least to its last change, `sync_all` of a file to its creation and last change of
//! metadata. (With [`Abilities::ordered_names`] off, a flush forces only the folder's own names and what
//! these need, and the rest persists or not in any combination: stricter than known file systems, it finds
//! the folder that nobody flushed.) After a failed flush of a file, later ones report success and do not flush what that
//! one should have, block by block, until it is written again (as Linux does with the pages that failed).
//!
//! *Invariants*: the same calls and the same seed give the same states. Numbers of files are reused as soon
//! as they are free; birth times are unique.
//!
//! *Limitations*: no permission is checked, and of its times a folder keeps that of its last change alone. An outside process that opens a leased
//! file breaks the lease and does not wait for its release.

mod call;
mod choose;
mod data;
mod file;
mod lens;
mod machine;
mod order;
mod os;
mod outside;
mod snapshot;
#[cfg(test)]
mod tests;
mod tree;
mod world;

pub use call::{EACCES, EIO, EMFILE, ENOSPC, EROFS, Fault, Lasting, Op, When, is_dead};
pub use choose::{Chooser, Enumerated, Point, Seeded};
pub use lens::{Interruption, Struck, crashes, faults};
pub use machine::{Abilities, SimMachine};
pub use outside::{Outside, OutsideFile};
pub use snapshot::{Snapshot, SnapshotNode};
