//! Limits that both sides of the protocol must know, with their reasons. Limits of the daemon alone are in
//! `daemon/src/limits.rs`; limits of a job and of its results are in `editd-types`.

pub use editd_types::limits::*;

/// The protocol versions that this crate supports, newest first.
pub const PROTOCOLS: &[u32] = &[1];

/// Size of the length prefix of a frame in bytes (`u32`, big-endian).
pub const FRAME_HEADER: usize = 4;

/// Maximum size of a frame before `hello` was accepted, in bytes. An unknown peer may use few resources.
pub const FRAME_BEFORE_HELLO: usize = 64 * 1024;

/// Maximum size of a frame after `hello`, in bytes, in both directions.
pub const FRAME: usize = 16 * 1024 * 1024;

/// Maximum nesting of maps and lists in a frame.
pub const DEPTH: usize = 32;

/// Maximum number of elements of a list, and of pairs of a map.
pub const COUNT: usize = 100_000;

/// Maximum number of values in a frame. It bounds the memory of a decoded frame.
pub const VALUES: usize = 1_000_000;

/// Maximum number of clipboards in a workspace, over all sessions. A list of them fits into a frame.
pub const CLIPBOARDS: usize = 1000;

/// Maximum size of all clipboards together, in bytes. They are stored on disk until they are removed.
pub const CLIPBOARDS_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of clipboards of one session, and of those that belong to the workspace. The others stay free for other
/// sessions.
pub const CLIPBOARDS_OF_SESSION: usize = 250;

/// Maximum size of the clipboards of one session, and of those that belong to the workspace, in bytes.
pub const CLIPBOARDS_BYTES_OF_SESSION: usize = 16 * 1024 * 1024;

/// Maximum number of clipboards of the workspace that one session has set last. The others stay free for other sessions.
pub const CLIPBOARDS_SHARED: usize = 64;

/// Maximum size of the clipboards of the workspace that one session has set last, in bytes.
pub const CLIPBOARDS_BYTES_SHARED: usize = 4 * 1024 * 1024;

/// Maximum number of entries in a reply to `history`.
pub const HISTORY: usize = 1000;

const _: () = assert!(FRAME_BEFORE_HELLO < FRAME);
const _: () = assert!(COUNT <= VALUES);
const _: () = assert!(EDITS <= COUNT && FILES <= COUNT);
const _: () = assert!(CLIPBOARD < FRAME && DIFF < FRAME);
const _: () = assert!(CLIPBOARDS * (NAME + PATH + 64) < FRAME && CLIPBOARD <= CLIPBOARDS_BYTES);
const _: () = assert!(CLIPBOARDS_OF_SESSION < CLIPBOARDS && CLIPBOARD < CLIPBOARDS_BYTES_OF_SESSION);
const _: () = assert!(CLIPBOARDS_BYTES_OF_SESSION < CLIPBOARDS_BYTES);
const _: () = assert!(CLIPBOARDS_SHARED < CLIPBOARDS_OF_SESSION && CLIPBOARD < CLIPBOARDS_BYTES_SHARED);
const _: () = assert!(CLIPBOARDS_BYTES_SHARED < CLIPBOARDS_BYTES_OF_SESSION);
const _: () = assert!(OUTLINE <= FRAME / 2);
const _: () = assert!(FRAME <= u32::MAX as usize);
