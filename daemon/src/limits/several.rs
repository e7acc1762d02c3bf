//! Limits of a file entry that names several files by `paths`.

/// Names of files and folders that the globs of one job are compared with: some seconds on a slow disk.
pub const NAMES_VISITED: usize = 200_000;

/// Bytes of edits that the globs of one job may turn into, one copy for each file: they wait in the queue.
pub const COPIED_EDITS: usize = 4 * 1024 * 1024;

/// Files that the refusal of another number of places names.
pub const COUNTS_TOLD: usize = 3;
