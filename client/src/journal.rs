//! Reads the journal for people who review changes: entries, contents, and the net change of each path. Changes nothing.
//!
//! *Calling sequence*: [`entries::matching`], then [`net::spans`], [`net::with_renames`], then [`net::change`] and [`patch::of`] for each span.

pub mod content;
pub mod entries;
pub mod lines;
pub mod net;
pub mod patch;
pub mod renames;
pub mod similarity;
#[cfg(test)]
mod tests;
