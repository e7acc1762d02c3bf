//! Power cuts on real file systems: a disk whose every write and flush is recorded, and images of what it may hold if
//! the power goes at any of them. It needs root, FUSE, loop devices and the programs that make the file system.
//!
//! *Calling sequence*: [`absent`] says what is missing; [`Recording::begin`] makes a file system and mounts it;
//! [`Recording::tape`] tells how far it came while others work on it; [`Recording::end`] gives the [`Tape`], whose
//! [`Tape::cut`] is what a disk may hold then; [`mounted`] mounts that in the place of the first.
//!
//! A disk keeps what it was told to flush. Of what came behind it may have written anything in any order, in whole
//! sectors of 4096 bytes; CrashMonkey (Mohan et al., OSDI 2018) tries file
//! systems alike.

mod device;
mod recorder;
mod tape;

pub use device::{FileSystem, Mounted, Position, Recording, absent, mounted};
pub use tape::Tape;
