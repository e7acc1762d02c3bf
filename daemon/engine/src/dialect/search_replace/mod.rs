//! The dialect `search-replace`: blocks of SEARCH and REPLACE between conflict-like markers. It finds no place in a
//! file.
//!
//! *Calling sequence*: `forms` splits a payload into texts, `machine` splits a text into blocks, `translate` collects
//! the blocks of one path in one entry, and `reply` formats the outcome.
//!
//! *Invariants*: a text is understood completely or refused completely, with the faulty line. The text between the
//! markers is taken unchanged, except for one `\` before a line that would otherwise be a marker.
//!
//! *Limitations*: an empty SEARCH creates a file or fills an empty one, and is `malformed` for any other, also with a
//! `:start_line:`: it quotes nothing, so nothing proves that the line is still the intended one. A `-------` that
//! starts the SEARCH part without a number line before it is `malformed` too (declared): it may be the marker or the
//! first quoted line.

mod translate;

mod forms;
mod list;
mod tags;

mod block;
mod machine;
mod marker;

mod fault;
mod reply;

pub use block::progress;
pub(super) use translate::SearchReplace;

#[cfg(test)]
mod tests;
