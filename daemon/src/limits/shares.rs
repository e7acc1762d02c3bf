//! Limits of what one connection, one session or one process may take of a limit that all share.

use super::{CONNECTIONS, QUEUE, QUEUE_BYTES, THREADS, WORKERS};

/// Bytes of memory up to which a decoded request is small: nearly every edit of a person or a model.
pub const SMALL_REQUEST: usize = 64 * 1024;

/// The part of [`QUEUE_BYTES`] that only small requests use, so that large ones never keep them out.
pub const SMALL_REQUESTS: usize = QUEUE_BYTES / 4;

/// The part of [`QUEUE_BYTES`] that larger requests use.
pub const LARGE_REQUESTS: usize = QUEUE_BYTES - SMALL_REQUESTS;

/// Bytes above which a request is too large for a share: one of these at a time, beside [`QUEUE_BYTES`].
pub const LARGE_SHARE: usize = LARGE_REQUESTS / 2;

/// Bytes of small requests of one connection, session or process.
pub const SMALL_SHARE: usize = SMALL_REQUESTS / 2;
const _: () = assert!(SMALL_REQUEST * super::PIPELINE <= SMALL_SHARE);

/// Jobs of one connection, session or process that wait or run.
pub const QUEUE_SHARE: usize = QUEUE / 2;

/// Jobs of one session that run at once. The others of its jobs wait for a worker, even if one is free.
pub const WORKERS_SHARE: usize = WORKERS - WORKERS / 4;

/// Jobs of one session that run at once and may run commands.
pub const CALLING_SHARE: usize = super::CALLING_WORKERS / 2;

/// Jobs with commands that may overtake an undo or redo, which waits until no commands run. After that, later jobs wait
/// for it.
pub const OVERTAKEN: usize = 64;

/// Open connections of one process, or of one session.
pub const CONNECTIONS_SHARE: usize = CONNECTIONS - CONNECTIONS / 4;

/// Connections of one process, or of one session, whose requests are answered at once: each takes a thread. As many
/// threads are left to others, even if all workers run jobs.
pub const THREADS_SHARE: usize = THREADS / 2;
const _: () = assert!(THREADS_SHARE + WORKERS < THREADS);

/// Threads that answer requests, up to which a thread that reads sockets answers a request itself. Another thread takes
/// over the sockets; there must be one even if all workers run jobs.
pub const READING_WORKERS: usize = THREADS / 4;
const _: () = assert!(READING_WORKERS + WORKERS < THREADS);
