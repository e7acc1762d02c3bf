//! Limits of the memory that requests and lists take.

use super::{READERS, WORKERS};

/// Bytes that all requests together may hold of files' contents, old and new, and of data made of them: several of
/// the largest files, and as much as a small machine can spare. A request that needs more runs alone.
pub const MEMORY_BUDGET: usize = 512 * 1024 * 1024;

/// Bytes that a request may hold without a reservation: nearly all need less.
pub const MEMORY_UNRESERVED: usize = 1024 * 1024;

/// Readers that wait for a reservation; one more is `busy`.
pub const READERS_WAITING: usize = 48;

/// Jobs that wait for a reservation. The other workers continue with jobs that need less.
pub const JOBS_WAITING: usize = WORKERS / 2;

/// Threads for all of them, so that waiting ones do not block the others.
pub const THREADS: usize = WORKERS + READERS + READERS_WAITING + JOBS_WAITING;
const _: () = assert!(THREADS * MEMORY_UNRESERVED <= MEMORY_BUDGET / 4);

/// Milliseconds for which a request waits for a reservation. Requests with large ones end within a second or two,
/// unless commands of the workspace run for them.
pub const MEMORY_WAIT_MS: u64 = 30_000;

/// The memory of a reader as a multiple of the file's size: its bytes, and their text or the part of it that is
/// shown.
pub const READER_HOLDS: usize = 2;

/// The memory of a job that changes a few lines, as the same multiple: the content it found, the new one, and the
/// displaced one.
pub const JOB_HOLDS: usize = 3;

/// The additional memory of a job that may be merged: the content that it was made for, and the merged one.
pub const MERGED_HOLDS: usize = 3;

/// The memory of a change while it is journaled, as a multiple of its bytes: planned, in its record, encoded and
/// packed.
pub const CHANGE_HOLDS: usize = 5;

/// The factor by which a job asks for more if it turns out to need more than estimated.
pub const HOLDS_MORE: usize = 8;

/// The memory of a journal entry while it is read back, as a multiple of its record: packed, unpacked, decoded.
pub const ENTRY_HOLDS: usize = 3;

/// Bytes that the syntax trees of recent contents may take: that of a file of one megabyte, or of a hundred and fifty usual
/// ones. A tree takes about thirty times its text. A file whose tree does not fit is parsed as a whole for each edit, which
/// takes a hundred milliseconds and more.
pub const SYNTAX_TREES: usize = 48 * 1024 * 1024;

/// Milliseconds after the last job or outline after which they are removed: longer than an agent thinks between two
/// edits. A resting daemon takes little memory.
pub const SYNTAX_TREES_MS: u64 = 120_000;

/// Jobs whose times of steps are kept for `status --trace`: 150 bytes each.
pub const TRACES: usize = 256;
