//! A file as text: its encoding, its lines and their endings, and positions in it. It never changes a byte.
//!
//! *Calling sequence*: [`Text::read`] first; for a file that does not exist yet, with no bytes.
//!
//! *Invariants*: offsets are bytes of the decoded content, without the BOM, on character boundaries. Encoding the
//! decoded content gives the same bytes again; otherwise, reading fails.

mod count;
mod encoding;
mod ending;
mod index;
mod line_break;
mod model;

pub(crate) use count::count_byte;
pub(crate) use encoding::{Encoding, has_nul};
pub(crate) use ending::{break_list, follow, split_final_break};
pub(crate) use index::LineIndex;
pub use line_break::LineBreak;
pub(crate) use model::{Breaks, Text};

#[cfg(test)]
mod tests;
