//! The last rung: windows of as many lines as the quoted text has, similar enough. It never runs past the end of
//! the file, and never prefers one of two windows that are nearly as good.
//!
//! *Similarity* is 1 − Levenshtein distance / the longer length, both in characters, of the lines as `shape` has
//! them, joined by `\n`.
//!
//! *Sequence*: `sieve` reads the file once and drops windows that cannot reach the threshold; `rank` compares the
//! others, most promising first; `adapt` maps the new text's indentation. [`Likeness`] is for messages only.
//!
//! *Limitations*: quotations above `limits::FUZZY_QUOTE` and searches above `limits::LIKENESS_WORK` are refused, not
//! answered by halves.

mod adapt;
mod likeness;
mod rank;
mod search;
mod shape;
mod sieve;

pub(crate) use adapt::adapt;
pub(crate) use likeness::Likeness;
pub(crate) use search::search;

#[cfg(test)]
mod tests;
