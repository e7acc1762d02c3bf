//! Limits of looking up earlier contents of files: entries of the journal are read, and their inverses applied in memory.

/// Entries whose inverses one job may apply: some ten milliseconds on an idle machine. A content that is older is
/// better read again than merged.
pub const PAST_ENTRIES: usize = 1024;

/// Bytes that it may read and rebuild: half a second in the worst case.
pub const PAST_BYTES: usize = 256 * 1024 * 1024;

/// Entries whose inverses one undo or redo may apply. It goes back over the entries of a file once for all that it undoes, and
/// passes over those of others between them.
pub const UNDO_PAST_ENTRIES: usize = 4 * super::UNDO;

/// Bytes that it may read and rebuild.
pub const UNDO_PAST_BYTES: usize = 1024 * 1024 * 1024;

/// Entries whose inverses `show` may apply, in all files of a reply together, to number the lines of changes that the entry
/// itself has. Without them, it shows the changed bytes: `editctl blame` asks for thousands of entries, which must not each
/// go back over all later ones.
pub const SHOWN_PAST_ENTRIES: usize = 16;

/// Milliseconds that an edit or a read may spend. Then it goes on as if the content were not stored.
pub const PAST_MS: u64 = 50;

/// Milliseconds for which the journal is searched for the content before a change by another program, if it is not kept.
pub const EARLIER_MS: u64 = 500;

/// Milliseconds by which an entry may seem older than the read of the content that it replaced: the time of the read
/// is taken a moment after the file was opened.
pub const PAST_SLACK_MS: u64 = 1000;
