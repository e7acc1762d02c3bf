//! The only room that touches workspace files: finding a place, looking at it, staging new bytes beside it,
//! exchanging them with it, and dropping what was displaced. It decides nothing: what to put where, and what
//! a displaced file means for the job, is `job`'s and `journal`'s.
//!
//! *Calling sequence*: [`Disk::resolve`] → [`Disk::look`] → [`Disk::stage`] → (the intent is flushed)
//! → [`Disk::put`] → [`Disk::flush_file`], [`Disk::flush_folders`] → [`Disk::drop_slot`]; [`Disk::withdraw`]
//! takes a put back, and the same flushes follow.
//!
//! *Invariants*: **nothing is unlinked that was not looked at**; a displaced file that shows other bytes than
//! those judged goes back to where it was; bytes that are nobody's in the journal are handed to the caller
//! (`RescuedBytes`) before they are moved again.
//!
//! *Limitations*: two windows of microseconds stay open. One is around the exchange back of a displaced file that
//! somebody has open for writing: what is written between the last asking for a lease and the exchange (without
//! leases, between the last look and it) is lost if another program overwrites it before the look behind. The other
//! is between another process's look-up of a name and its open. Where the file system cannot exchange, the displaced file is held by a link made just before the rename, and another process's replacing
//! between the two is lost. A file with several hard links is rewritten in place, where a reader can see the
//! middle and a write by another process between the last look and the rewriting is lost; if it or the file's name
//! is changed by others in that moment and the daemon is killed in the next, the file stays as that left it, and the journal
//! has what stood there before.

pub mod beside;
mod changed;
pub mod doubt;
pub mod drop;
pub mod flush;
pub mod folders;
pub mod in_place;
mod interrupted;
pub mod lost;
pub mod observation;
pub mod place;
pub mod put;
mod returning;
pub mod scratch;
pub mod stage;
mod standing;
pub mod withdraw;

pub use folders::Disk;
pub use lost::SetAsideFile;
pub use observation::{FileSnapshot, Observation};
pub use place::{ResolveError, ResolvedPath};
pub use standing::RootError;
