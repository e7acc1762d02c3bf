//! Whole contents that sessions have seen, for diffs and merges: one compressed file each, named by its
//! hash, bounded in all, written without a flush. Losing one loses no promise; a wrong one is never
//! handed out.
//!
//! *Layout*: `contents/<2 hex digits>/<64 hex digits>`; while one is written, its name begins with `tmp-`.

mod files;
mod packed;

#[cfg(test)]
mod tests;

pub use files::ContentFiles;
