//! Every limit of the daemon alone, with its reason; those that clients must know stand in
//! `editd_proto::limits`.

/// Jobs that wait or run at once; one more is `busy`.
pub const QUEUE: usize = 1024;

/// Jobs that run at once: enough that many clients share one flush.
pub const WORKERS: usize = 32;

/// Open connections; one more is closed with `busy`.
pub const CONNECTIONS: usize = 256;

/// Requests of one connection that wait for their reply; the connection is not read beyond.
pub const PIPELINE: usize = 64;

/// Milliseconds in which a connection must have said `hello`.
pub const HELLO_MS: u64 = 10_000;

/// Milliseconds in which a frame that has begun must be whole, and a reply must be taken.
pub const FRAME_MS: u64 = 60_000;

/// Folders that are watched because files in them were read or written.
pub const WATCHED_FOLDERS: usize = 4096;

/// Bytes of a log segment.
pub const SEGMENT: u64 = 8 * 1024 * 1024;

/// Bytes of a row in the database; larger values stay in the log.
pub const ROW: usize = 4096;

/// Milliseconds after which a `relaxed` job is flushed at the latest.
pub const RELAXED_MS: u64 = 50;

/// Bytes of one name in a path (`NAME_MAX` of Unix systems): a longer one could never be made.
pub const COMPONENT: usize = 255;

/// Links that one path may pass through.
pub const LINKS: usize = 40;

/// Bytes of all files that one job reads; a reader of a larger job would cost the machine its memory.
pub const JOB_BYTES: usize = 256 * 1024 * 1024;

/// Milliseconds for which a sealed entry rests before it is settled: what a burst of jobs leaves is then
/// flushed once, and it is the grace time where no lease tells whether a displaced file has a writer.
pub const SETTLE_AFTER_MS: u64 = 1000;

/// The longest pause between two looks at a displaced file that somebody still has open, milliseconds.
pub const SETTLE_RETRY_MS: u64 = 60_000;

/// Entries that may wait to be settled; a job that would be one more settles first.
pub const UNSETTLED: usize = 4096;

/// Seconds after its last change in which a file's own bytes may not have reached the disk yet (Linux writes
/// back after 30): an intent on so young a file carries all of it.
pub const YOUNG_S: u64 = 60;

/// Bytes above which a young file is flushed instead of carried in the intent.
pub const YOUNG_BYTES: u64 = 1024 * 1024;

/// Paths whose last seen content is remembered in memory.
pub const KNOWN_PATHS: usize = 16_384;

/// Bytes of a file whose outside change is journaled whole; of a larger one only the hashes are.
pub const EXTERNAL_BYTES: usize = 16 * 1024 * 1024;

/// Milliseconds for which a file in `.editd/lost` is kept: 30 days.
pub const LOST_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Entries that one undo takes back.
pub const UNDO: usize = 1000;
/// Times that one step of a path is taken again because another process changed it meanwhile.
pub const RESOLVE_AGAIN: usize = 32;
