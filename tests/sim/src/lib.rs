//! A simulated machine: an [`editd::testing::Os`] in memory that can be stopped after any effect, can fail at any call, is
//! shared with other processes, and can lose its power. It never touches a real file.
//!
//! *Calling sequence*: make a [`SimMachine`], prepare its files through [`SimMachine::outside`], run the code under
//! test on a clone of it, then call [`SimMachine::kill`] (the process ends) or [`SimMachine::power_cut`] (a state of
//! the disk afterwards). [`SimMachine::fork`] copies a state.
//!
//! *Rules of the disk*: a flush of a file makes its bytes and length durable and orders nothing else. Unflushed bytes
//! are there, or not, or in part (by 512 bytes); a file that grew may show zeros. Names and metadata persist in the
//! order in which they were changed, up to some moment; the flush of a folder moves that moment at least to its last
//! change, `sync_all` of a file to its creation and last change of metadata. (With [`SystemFeatures::ordered_names`] off, a
//! flush forces only the folder's own names and the changes that they need, and the rest persists or not in any
//! combination. This is stricter than known file systems; it finds folders that were not flushed.) After a failed flush
//! of a file, later flushes report success and do not flush the blocks that the failed one should have, until they are
//! written again (as Linux does with the pages that failed).
//!
//! *Invariants*: the same calls and the same seed give the same states. Inode numbers are reused as soon as they are
//! free; birth times are unique.
//!
//! *Limitations*: permissions are not checked, and a folder has only the time of its last change. An outside process
//! that opens a leased file breaks the lease and does not wait for its release.

#![expect(clippy::indexing_slicing, reason = "a test fails by panicking, and so does what it stands on")]

mod call;
mod choose;
mod file;
mod interruptions;
mod machine;
mod order;
mod os;
mod outside;
mod snapshot;
mod sparse_bytes;
mod system;
#[cfg(test)]
mod tests;
mod tree;

pub use call::{EACCES, EIO, EMFILE, ENOSPC, EROFS, Fault, FaultDuration, HookTiming, OsCall, is_dead};
pub use choose::{ChoicePoint, CutChooser, SeededRandom, StateEnumerator};
pub use interruptions::{InterruptedRun, Interruption, crashes, faults};
pub use machine::{SimMachine, SystemFeatures};
pub use outside::{OutsideFile, OutsideProcess};
pub use snapshot::{MachineSnapshot, SnapshotNode};
