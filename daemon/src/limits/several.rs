//! Limits of a file entry that names several files by `paths`.

/// Names of files and folders that the globs of one job are compared with: a few seconds on a slow disk.
pub const NAMES_VISITED: usize = 200_000;

/// Bytes of edits that the globs of one job may expand to, one copy for each file: they wait in the queue.
pub const COPIED_EDITS: usize = 4 * 1024 * 1024;

/// Files that a refusal lists if the number of places is not the expected one.
pub const COUNTS_TOLD: usize = 3;
