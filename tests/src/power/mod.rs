//! Power cuts on real file systems: a disk whose every write and flush is recorded, and images of what it may hold if
//! the power goes at any of them. It needs root, FUSE, loop devices and the programs that make the file system.
//!
//! *Calling sequence*: [`absent`] says what is missing; [`Recording::begin`] makes a file system and mounts it;
//! [`Recording::log`] tells how far it came while others work on it; [`Recording::end`] gives the [`OperationLog`], of
//! which [`mounted`] mounts a disk as a cut may leave it.
//! [`Recording::faults`] lets calls of the disk fail; [`flip_stored_bit`] changes a bit of a stored block.
//!
//! A disk keeps what it was told to flush. Of what came behind it may have written anything in any order, in whole
//! sectors of 4096 bytes; CrashMonkey (Mohan et al., OSDI 2018) tries file
//! systems alike.

mod bit_rot;
mod device;
mod faults;
mod operation_log;
mod recorder;

pub use bit_rot::flip_stored_bit;
pub use device::{FileSystem, LogPosition, LoopMount, Recording, absent, mounted};
pub use faults::{DiskFault, DiskFaults, FailingCalls};
pub use operation_log::OperationLog;
