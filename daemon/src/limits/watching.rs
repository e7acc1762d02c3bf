//! Limits of the watcher and of subscriptions, and of waiting for other programs.

/// Paths with recent events that wait to be observed; one more is an overflow.
pub const WATCH_PENDING: usize = 32_768;

/// Milliseconds without an event after which a path is observed: editors write in bursts.
pub const WATCH_QUIET_MS: u64 = 20;

/// Milliseconds for which the thread that receives the system's events waits after it has taken some.
pub const WATCH_PAUSE_MS: u64 = 5;

/// Milliseconds after which a path is observed although events continue.
pub const WATCH_LATEST_MS: u64 = 200;

/// Milliseconds for which a path is left to the call of another tool that has announced its change: most tools empty a file before
/// they write it, and both together are one change. The end of the call observes the path at once.
pub const WATCH_ANNOUNCED_MS: u64 = 5_000;

/// Paths whose last reported version is remembered.
pub const WATCH_ECHOES: usize = 4096;

/// Folders that are watched for subscriptions; Linux allows a user at least 8,192 watches.
pub const SUBSCRIBED_FOLDERS: usize = 65_536;

/// Subscriptions at once, over all connections.
pub const SUBSCRIPTIONS: usize = 1024;

/// Globs of one subscription.
pub const GLOBS: usize = 64;

/// Bytes of those globs in all: compiled they take a hundred times as much.
pub const GLOBS_BYTES: usize = 8 * 1024;

/// Bytes of one glob.
pub const GLOB: usize = 1024;

/// Bytes of one `.gitignore`; a larger one is ignored.
pub const IGNORE_FILE: usize = 1024 * 1024;

/// The number of times that a call of Windows is made that another program's open file refuses.
#[cfg(windows)]
pub const SHARING_TRIES: u32 = 6;

/// The wait after the first of these calls; it doubles with each. The sum of all is 31 ms: a scanner or an indexer that
/// opens each written file is done by then, and a person does not notice it.
#[cfg(windows)]
pub const SHARING_WAIT: std::time::Duration = std::time::Duration::from_millis(1);
