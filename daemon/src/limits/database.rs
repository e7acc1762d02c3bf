//! Limits of the database of the journal.

use super::ROW;

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

/// Rows that one step of a move copies into the fresh database: look-ups and changes may wait for one step.
pub const MOVE_ROWS: usize = 128;

/// Milliseconds between two such steps: changes that wait are applied then.
pub const MOVE_PAUSE_MS: u64 = 2;

/// Changed rows that wait above the database: they take memory, and the next opening may have to apply them again.
pub const OVERLAY_ROWS: usize = 1024;

/// Bytes of those rows.
pub const OVERLAY_BYTES: usize = 1024 * 1024;

/// The multiple of these two from which retention applies the rows before it goes on.
pub const OVERLAY_RETENTION: usize = 4;

/// Multiples of these two from which each append waits a moment for the thread that applies rows, and from which the
/// append applies them itself: the overlay then takes 32 MiB.
pub const OVERLAY_BEHIND: usize = 8;
/// See [`OVERLAY_BEHIND`].
pub const OVERLAY_STUCK: usize = 32;

/// Milliseconds of that wait. A job appends a few times: no edit waits longer than 100 ms for housekeeping.
pub const OVERLAY_WAIT_MS: u64 = 5;

/// Bytes of a page of the database before it is packed: a row that changes costs a page, and a row that is read, too. Packed,
/// most are within the 4 KiB up to which sled was measured.
pub const DATABASE_PAGE: usize = 8 * 1024;
const _: () = assert!(DATABASE_PAGE >= 2 * ROW);

/// Bytes of unpacked pages that are kept in memory.
pub const DATABASE_PAGES: usize = 2 * 1024 * 1024;

/// Pages in one batch of sled, which keeps every version of a node that a batch touches until the batch ends.
pub const DATABASE_BATCH: usize = 256;

/// Changed rows that are collected while the database is rebuilt: a row that changes again soon is written once.
pub const REPLAY_ROWS: usize = 4096;
