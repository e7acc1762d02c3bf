//! Whole contents that sessions have seen, for diffs and merges: one compressed file each, named by its hash, with a
//! bound on their total size, written without a flush. Losing one breaks no promise; a wrong one is never returned.
//!
//! *Layout*: `contents/<2 hex digits>/<64 hex digits>`; the name of a file that is being written begins with `tmp-`.

mod files;
mod packed;

#[cfg(test)]
mod tests;

pub use files::ContentFiles;
