//! Access to the workspace's files: resolving a path, observing it, staging new bytes beside it, exchanging them, and
//! dropping what was displaced. No other module touches these files. It decides nothing: `transaction` and `journal` decide
//! what to put in place, and what a displaced file means for the job.
//!
//! *Calling sequence*: [`Disk::resolve`] → [`Disk::observe`] → [`Disk::stage`] → (the intent is flushed) →
//! [`Disk::put`] → [`Disk::flush_file`], [`Disk::flush_folders`] → [`Disk::drop_staged`]; [`Disk::withdraw`] rolls a
//! put back, and the same flushes follow.
//!
//! *Invariants*: **nothing is unlinked before it was observed**; **a put is done only if the staged file, and no other,
//! went in**; a displaced file whose bytes differ from the checked
//! ones goes back to its place; bytes that the journal does not have are passed to the caller (`RescuedBytes`) before
//! they are moved again.
//!
//! *Limitations*: two windows of microseconds remain. The first is around putting back a displaced file that a
//! process has open for writing: bytes written between the last request for a lease and the exchange (without leases:
//! between the last observation and it) are lost if another program overwrites them before the observation
//! afterwards. The second is between another process's look-up of a name and its open. If the file system cannot
//! exchange, the displaced file is kept by a link made just before the rename, and a file by which another process
//! replaces it between the two is lost. A file with several hard links is rewritten in place: a reader can see an
//! intermediate state, and a write by another process between the last observation and the rewriting is lost. If
//! another process changes it or its name in that moment and the daemon is killed in the next, the file stays as that
//! process left it, and the journal has the content before.

pub mod alias;
pub mod beside;
#[cfg(windows)]
mod busy_folders;
mod changed;
pub mod doubt;
pub mod drop;
pub mod flush;
pub mod folders;
pub mod hashing;
pub mod in_place;
mod interrupted;
pub mod linked;
pub mod lost;
mod names;
pub mod observation;
mod own;
pub mod place;
pub mod put;
mod reserved;
pub mod restore;
mod returning;
pub mod scratch;
pub mod stage;
mod staged;
mod standing;
pub mod withdraw;

pub use folders::Disk;
pub use observation::{FileSnapshot, Observation};
pub use place::{ResolveError, ResolvedPath, inconsistent_folder};
pub use standing::RootError;
