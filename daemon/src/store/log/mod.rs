//! The append-only log: the source of truth of the store. It never changes the bytes of an acknowledged block and never
//! skips a damaged record without reporting it.
//!
//! *Calling sequence*: [`recover::open`] scans the segments, cuts the tail and returns a [`Log`]; [`Log::append`]
//! writes a group, [`Log::flush`] makes it durable, [`read::record`] reads one back.
//!
//! *Layout*: `log/<16 hex digits>.log`, numbered without gaps. The first block of a segment is its header
//! ([`header`]); records ([`frame`]) follow at multiples of eight bytes. After a flush the next record starts a new
//! block of 4 KiB. Bytes behind the last record have no meaning: zeros, or the records of an earlier life of the
//! segment. A segment that is no longer written to is packed: [`packed`] has the layout. Every other module sees the
//! same bytes at the same offsets in both forms.
//!
//! *Invariants*
//! * A record is part of the log only if its checksum is valid, it follows the record before it (sequence,
//!   and that record's checksum), and its group is complete.
//! * Every record and header has the position up to which the log was flushed when it was written. If a record
//!   before the highest such position is not valid, the log is damaged. Damage is passed ([`mend`]) and reported if the
//!   records behind it are known to be part of the log; any other damaged log is not opened. The records after that
//!   position are the tail; the first one that is not valid ends the log.
//! * The payload of a record is removed only by [`erase`](Log::erase): [`forgotten`] has what is read in its place.
//! * The first record of every opening is flushed before anything else is written and has a new epoch,
//!   so no record of an earlier life can continue this one.
//!
//! *Limitations*: only later records show that the last flush before a power cut happened, so damage to the very last
//! flushed group looks like a tail that never became durable.

pub mod erase;
pub mod file;
pub mod forgotten;
pub mod frame;
pub mod header;
pub mod mend;
pub mod pack;
pub mod packed;
pub mod payload;
pub mod position;
pub mod read;
pub mod recover;
pub mod replay;
pub mod scan;
pub mod segment;
pub mod survey;
pub mod verify;

mod drop_segment;
mod flush;
mod walk;
mod window;
mod writer;

#[cfg(test)]
mod tests;

pub use flush::FlushAnnouncement;
pub use writer::{Log, LogLocation, PlacedRecord};

/// Records begin at multiples of this many bytes.
pub const ALIGN: u64 = 8;

/// The bytes that a disk may write at once; a flush ends on a multiple of it.
pub const BLOCK: u64 = 4096;
