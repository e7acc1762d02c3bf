//! Every limit that both sides of the wire must know, with its reason; daemon-only limits stand in
//! `daemon/src/limits.rs`.

/// The protocol versions that this crate speaks, newest first.
pub const PROTOCOLS: &[u32] = &[1];

/// Bytes in the length prefix of a frame (`u32`, big-endian).
pub const FRAME_HEADER: usize = 4;

/// The largest frame before `hello` was accepted, bytes: a stranger may cost little.
pub const FRAME_BEFORE_HELLO: usize = 64 * 1024;

/// The largest frame afterwards, bytes, in both directions.
pub const FRAME: usize = 16 * 1024 * 1024;

/// Nesting of maps and lists in a frame.
pub const DEPTH: usize = 32;

/// Elements of one list, and pairs of one map.
pub const COUNT: usize = 100_000;

/// Values of any kind in one frame: what bounds the memory that a decoded frame may cost.
pub const VALUES: usize = 1_000_000;

/// Bytes of a path on the wire (`PATH_MAX` of Linux).
pub const PATH: usize = 4096;

/// Bytes of a session name, client name, job key, label or clipboard name.
pub const NAME: usize = 256;

/// Files that one job may list.
pub const FILES: usize = 10_000;

/// Edits that one job may hold, over all its files.
pub const EDITS: usize = 100_000;

/// The largest file that editd reads or writes, bytes.
pub const FILE: usize = 64 * 1024 * 1024;

/// The largest clipboard, bytes.
pub const CLIPBOARD: usize = 1024 * 1024;

/// The most clipboards of a workspace, over all its sessions: a list of them fits a frame.
pub const CLIPBOARDS: usize = 1000;

/// The most bytes in all of them: they stay until they are removed, on the disk alone.
pub const CLIPBOARDS_BYTES: usize = 64 * 1024 * 1024;

/// The largest diff in a reply, bytes; the hunks beyond it are counted.
pub const DIFF: usize = 64 * 1024;

/// The most places of one file that a receipt lists; more are counted.
pub const PLACES_LISTED: usize = 3;

/// The most candidates that an `ambiguous` error lists.
pub const CANDIDATES: usize = 5;

/// The most near misses that a `not_found` error shows.
pub const NEAR_MISSES: usize = 3;

/// The most lines of one near miss.
pub const NEAR_MISS_LINES: usize = 20;

/// The most lines of one reading of new lines whose indentation is ambiguous.
pub const READING_LINES: usize = 6;

/// The most further errors that the error of a job carries.
pub const OTHER_ERRORS: usize = 20;

/// The most symbols in one outline.
pub const SYMBOLS: usize = 20_000;

/// The most name paths that a refusal lists.
pub const SYMBOLS_LISTED: usize = 50;

/// The most issues of one file in a receipt, and of a refusal in all.
pub const ISSUES: usize = 50;

/// The most entries in one reply to `history`.
pub const HISTORY: usize = 1000;

/// Lines either way within which `near` accepts the only candidate.
pub const NEAR_WINDOW: u64 = 40;

const _: () = assert!(FRAME_BEFORE_HELLO < FRAME);
const _: () = assert!(COUNT <= VALUES);
const _: () = assert!(EDITS <= COUNT && FILES <= COUNT);
const _: () = assert!(CLIPBOARD < FRAME && DIFF < FRAME);
const _: () = assert!(CLIPBOARDS * (NAME + PATH + 64) < FRAME && CLIPBOARD <= CLIPBOARDS_BYTES);
const _: () = assert!(FRAME <= u32::MAX as usize);
