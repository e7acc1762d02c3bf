//! Lower bounds of the settings in `.editd.toml`: a smaller value would make the daemon useless.

/// Milliseconds of `idle_exit`: with less, the daemon could exit between two requests of one client.
pub const IDLE_EXIT_LEAST_MS: u64 = 1000;

/// Milliseconds of `keep_age`: with less, an entry could be dropped before anybody can undo it.
pub const KEEP_AGE_LEAST_MS: u64 = 60 * 60 * 1000;

/// Entries of `keep_entries`.
pub const KEEP_ENTRIES_LEAST: u64 = 100;

/// Bytes of `keep_bytes`: one segment of the log.
pub const KEEP_BYTES_LEAST: u64 = super::SEGMENT;

/// Bytes of `keep_contents`: a few source files.
pub const KEEP_CONTENTS_LEAST: u64 = 1 << 20;

/// Bytes of `payload_limit`: a patch of a few lines.
pub const PAYLOAD_LEAST: u64 = 1 << 10;
