//! Limits of a job and of its results, with their reasons.

/// Maximum size of a path, in bytes (`PATH_MAX` of Linux).
pub const PATH: usize = 4096;

/// Maximum size of a session name, client name, job key, label or clipboard name, in bytes.
pub const NAME: usize = 256;

/// Maximum size of the name of a mark in bytes. An undo to it has the label `undo to NAME`, which is a name, too.
pub const MARK: usize = 200;
const _: () = assert!(MARK + 16 < NAME);

/// Maximum number of files in a job.
pub const FILES: usize = 10_000;

/// Maximum number of edits in a job, over all its files.
pub const EDITS: usize = 100_000;

/// Maximum size of a file that editd reads or writes, in bytes.
pub const FILE: usize = 64 * 1024 * 1024;

/// Maximum size of a clipboard, in bytes.
pub const CLIPBOARD: usize = 1024 * 1024;

/// Maximum size of a diff in a reply, in bytes. Hunks beyond it are counted.
pub const DIFF: usize = 64 * 1024;

/// Maximum number of changed places of a file that a receipt lists. Further ones are counted.
pub const PLACES_LISTED: usize = 3;

/// Maximum number of candidates in an `ambiguous` error.
pub const CANDIDATES: usize = 5;

/// Maximum number of near misses in a `not_found` error.
pub const NEAR_MISSES: usize = 3;

/// Maximum number of lines of a near miss.
pub const NEAR_MISS_LINES: usize = 20;

/// Maximum number of lines shown of a reading, if the indentation of new lines is ambiguous.
pub const READING_LINES: usize = 6;

/// Maximum number of further errors in the error of a job.
pub const OTHER_ERRORS: usize = 20;

/// Maximum number of symbols in an outline.
pub const SYMBOLS: usize = 20_000;

/// Maximum size of the symbols of an outline, in bytes: half of what a frame of `editd-proto` can hold.
pub const OUTLINE: usize = 8 * 1024 * 1024;

/// Maximum number of name paths in an error.
pub const SYMBOLS_LISTED: usize = 50;

/// Maximum number of issues of a file in a receipt, and of all files in an error.
pub const ISSUES: usize = 50;

/// Distance in lines up to which `near` accepts a single candidate, in both directions.
pub const NEAR_WINDOW: u64 = 40;
