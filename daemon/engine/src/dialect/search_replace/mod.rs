//! The dialect `search-replace`: blocks of SEARCH and REPLACE between conflict-like markers. It finds no place in a
//! file.
//!
//! *Calling sequence*: `forms` takes a payload apart into texts, `machine` a text into blocks, `translate`
//! gathers the blocks of one path into one entry; `words` says what became of them.
//!
//! *Invariants*: a text is understood whole or refused whole, at the line that is wrong; what stands between the
//! markers is taken as it is, but for one `\` in front of a line that would else be a marker.
//!
//! *Limitations*: an empty SEARCH makes a file or fills an empty one, and is `malformed` for any other, also with a
//! `:start_line:`: it quotes nothing, so nothing proves that the line is still the one that was meant. A `-------` that starts the SEARCH part with no number
//! line before it is `malformed` too (declared): it may be the marker or the first line of what is quoted.

mod translate;

mod forms;
mod list;
mod tags;

mod block;
mod machine;
mod marker;

mod fault;
mod words;

pub use block::progress;
pub(super) use translate::SearchReplace;

#[cfg(test)]
mod tests;
