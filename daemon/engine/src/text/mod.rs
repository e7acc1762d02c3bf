//! A file as text: its encoding, its lines and their endings, positions in it. It never changes a byte.
//!
//! *Calling sequence*: [`Text::read`] (of no bytes for a file that does not exist yet); then the rest.
//!
//! *Invariants*: offsets are bytes of the decoded content, without the BOM, on character boundaries.
//! Decoded content encodes to the same bytes again; reading fails if it would not.

mod encoding;
mod ending;
mod index;
mod model;

pub(crate) use encoding::{Encoding, has_nul};
pub(crate) use ending::{break_list, follow, split_final_break};
pub(crate) use index::LineIndex;
pub(crate) use model::{Breaks, Text};

#[cfg(test)]
mod tests;
