//! Limits of the database of the journal.

/// Bytes below which a database is never moved into a fresh folder, however few of them are in use.
pub const DATABASE_SMALL: u64 = 64 * 1024 * 1024;

/// The size at which a database is moved, as a multiple of the bytes in use.
pub const DATABASE_SLACK: u64 = 4;

/// Rebuilds of the database on the disk while the daemon serves; if it fails once more, it is made in memory.
pub const DATABASE_REBUILDS: u64 = 3;

/// Bytes of log from which a failed database is rebuilt while requests wait for it: about a second. For a longer log they
/// are refused as `busy`.
pub const REBUILD_WAITED: u64 = 64 * 1024 * 1024;

/// Milliseconds between two attempts to move a database that failed from memory to the disk: each fills the disk for a
/// moment if it is full.
pub const DATABASE_RETRY_MS: u64 = 10 * 60 * 1000;
