//! Limits of `note`, by which sessions announce the changes of other tools.

/// Milliseconds for which an announcement holds without its end: a build or a test run of a tool may take minutes, and a
/// tool that was killed must not claim the changes of others for long.
pub const NOTE_MS: u64 = 10 * 60 * 1000;

/// Milliseconds after which an announcement gives way to a newer one of another session for the same path. An edit takes
/// less, but for the time in which a person decides whether to permit it.
pub const NOTE_RECENT_MS: u64 = 60 * 1000;

/// Announcements of one session at once: an agent runs few tools at the same time.
pub const NOTES_OF_SESSION: usize = 64;

/// Announcements of all sessions. Each change by another program is compared with all of them.
pub const NOTES: usize = 1024;

/// Paths of one `note`: each file is read. The patches of agents change fewer files.
pub const NOTE_PATHS: usize = 1000;

/// Paths of all announcements: with the longest paths they take 64 MiB.
pub const NOTED_PATHS: usize = 16 * 1024;

/// Entries that an announcement keeps for the reply to its end; further ones are counted.
pub const NOTED_ENTRIES: usize = 1000;

/// Paths of the announcements of one session, so that no session takes all of them.
pub const NOTED_PATHS_OF_SESSION: usize = NOTED_PATHS / 4;

const _: () = assert!(NOTES_OF_SESSION < NOTES && NOTE_PATHS < NOTED_PATHS_OF_SESSION);
