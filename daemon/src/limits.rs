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

/// Bytes of one record of the log, unpacked: what reading one back may cost. The largest job that a frame
/// can describe stays far below unless it rewrites more than half of this.
pub const RECORD: usize = 1 << 30;

/// Bytes from which a record is packed with zstd: below, a flush pads it to a block anyway.
pub const PACK: usize = 2048;

/// Bytes of a row in the database; larger values stay in the log.
pub const ROW: usize = 4096;

/// Changed rows that wait above the database: what the next opening may have to apply again, and memory.
pub const OVERLAY_ROWS: usize = 1024;

/// Bytes of the same.
pub const OVERLAY_BYTES: usize = 1024 * 1024;

/// Rows that are applied together while the database is rebuilt: fewer, larger batches than in use.
pub const REPLAY_ROWS: usize = 8192;

/// Contents that wait to be written, and their bytes; one more is not kept.
pub const CONTENTS_WAITING: usize = 256;
/// See [`CONTENTS_WAITING`].
pub const CONTENTS_WAITING_BYTES: usize = 16 * 1024 * 1024;

/// Milliseconds for which a client's key, and the receipt of a job without an entry, outlive their
/// segment: a day, as promised.
pub const KEY_MS: u64 = 24 * 60 * 60 * 1000;

/// Receipts for files that one session keeps; the oldest go first.
pub const SEEN_OF_SESSION: usize = 10_000;

/// Receipts for files that are kept in all.
pub const SEEN: usize = 50_000;

/// Bytes below which a database is never moved into a fresh folder, however little of it lives.
pub const DATABASE_SMALL: u64 = 64 * 1024 * 1024;

/// How many times what lives in it a database may hold before it is moved.
pub const DATABASE_SLACK: u64 = 4;

/// Milliseconds after which a `relaxed` job is flushed at the latest.
pub const RELAXED_MS: u64 = 50;

/// Links that one path may pass through.
pub const LINKS: usize = 40;

// A position keeps 36 bits for the offset in a segment; a group is at most a handful of records.
const _: () = assert!((RECORD as u64) < 1 << 34 && SEGMENT < 1 << 34);
