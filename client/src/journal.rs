//! Reads the journal for people who review changes: entries, contents, and the net change of each path. Changes nothing.
//!
//! *Calling sequence*: [`entries::matching`], then [`net::spans`], then [`net::change`] and [`patch::of`] for each span.

pub mod content;
pub mod entries;
pub mod lines;
pub mod net;
pub mod patch;
#[cfg(test)]
mod tests;
