//! Limits of what requests hold in memory at once, and of what lists hold.

use super::{READERS, WORKERS};

/// Bytes that all requests together may hold of files' contents, old and new, and of what is made of them: several of the
/// largest files, and what a small machine can spare. What one alone needs more than that for, goes alone.
pub const MEMORY_BUDGET: usize = 512 * 1024 * 1024;

/// Bytes that a request may hold without asking: nearly all need less.
pub const MEMORY_UNRESERVED: usize = 1024 * 1024;

/// Readers that wait for others to give contents back; one more is `busy`.
pub const READERS_WAITING: usize = 48;

/// Jobs that wait for the same. The other workers go on with what needs less.
pub const JOBS_WAITING: usize = WORKERS / 2;

/// Threads for all of them: those that wait keep none of the others from working.
pub const THREADS: usize = WORKERS + READERS + READERS_WAITING + JOBS_WAITING;
const _: () = assert!(THREADS * MEMORY_UNRESERVED <= MEMORY_BUDGET / 4);

/// Milliseconds for which a request waits for contents to be given back. Those who hold much are done in a second or two,
/// unless commands of the workspace run for them.
pub const MEMORY_WAIT_MS: u64 = 30_000;

/// How many times the size of a file a reader holds: its bytes, and their text or the part of it that is shown.
pub const READER_HOLDS: usize = 2;

/// The same of a job that changes a few lines: what it found, what it makes, and what its swap displaced.
pub const JOB_HOLDS: usize = 3;

/// What a job that may be merged holds besides: the content that it was made for, and what comes of it there.
pub const MERGED_HOLDS: usize = 3;

/// How many times the bytes of a change are held while it is journaled: planned, in its record, encoded and packed.
pub const CHANGE_HOLDS: usize = 5;

/// By how much a job asks for more, where it turned out to make more than it was thought to.
pub const HOLDS_MORE: usize = 8;

/// How many times the size of its record a journal entry takes while it is read back: packed, unpacked, decoded.
pub const ENTRY_HOLDS: usize = 3;
