//! The journal as a file of JSON lines: the lines, their export from an open store in pieces, and their import into an
//! empty state folder. `daemon/docs/export.md` describes the format.
//!
//! *Invariants*: an export holds nothing between two pieces, and a piece needs memory for one entry at most. An import
//! trusts nothing of the file: every length is bounded, every hash is checked, and the state changes in one step after the
//! last line was checked.

pub mod bytes;
pub mod export;
pub mod import;
pub mod line;

mod assemble;
mod check;
mod convert;
mod cursor;
mod reader;
mod render;

#[cfg(test)]
mod tests;

/// The name of the format, in the header of each file.
pub const FORMAT: &str = "editd-journal";

/// The version of the format. Fields and types of lines may be added within a version.
pub const VERSION: u64 = 1;

/// The bytes of file contents in one field of a line.
pub const PART: usize = 256 * 1024;

/// The bytes of a line. Two parts of control characters, which take six bytes each, are well below.
pub const LINE: usize = 8 * 1024 * 1024;

/// The bytes of lines after which a piece of an export ends. With one more line of two parts, it fits a reply in JSON,
/// where each byte is a number of up to three digits and a comma.
pub const PIECE: usize = 768 * 1024;
const _: () = assert!(4 * (PIECE + 2 * 6 * PART) < editd_proto::limits::FRAME);

/// The entries after which a piece of an export ends.
const PIECE_ENTRIES: usize = 500;

/// Ranges of planned changes in one line.
const EXTENTS: usize = 10_000;

/// The greatest whole number of a file: programs that read JSON numbers as floating-point numbers keep it exactly.
const NUMBER: u64 = (1 << 53) - 1;
