//! `hunk`: lines as a diff shows them, each with ` `, `-` or `+` in front, located as one block. Fields: `text`;
//! `at`, `before`, `all`; `near`, `window`, `match`, `threshold`; `eol`.
//!
//! *Meaning*: the lines with ` ` and `-` stand in the file one after the other, by the ladder, as whole lines; those
//! with `-` give way to those with `+`. A line with ` ` is never part of a splice, whatever the rung, and no more is one
//! that is removed and added again at either end of a change. An empty line is a blank one with ` `. `\ No newline at end of file` speaks of the line above it: the block then ends where the
//! file ends, and the new side says whether the file ends in a break; without it the file stays as it ends.
//!
//! *Fields*: `at: "end"` asks for the block that ends where the file ends. A hunk that quotes nothing adds its lines at
//! `at`, which is `"end"` or a line. `before` is a list of lines that stand somewhere above, in this order, white space
//! around them aside; among several places the one in the indented block below them is meant. `all` asks for a
//! block that is the whole file.
//!
//! `eol: "literal"` keeps the breaks of the lines that come as given where the block has just those that the hunk quotes:
//! a diff may be about breaks. Where it was found with others, they follow the file.
//!
//! Where the lines of a hunk stand at several places, and hunks beside it in the entry stand at one only, `near` means the
//! line shifted as far as those are, and a place on the wrong side of one of them is none.
//!
//! *Invariants*: one place or none, as everywhere; all lines of a hunk are located together or not at all.

mod body;
mod edit;
mod neighbours;
mod scope;

pub(crate) use body::sides;
pub(crate) use edit::{FIELDS, Hunk, parse};
pub(crate) use neighbours::Neighbours;
pub(crate) use scope::Outline;

#[cfg(test)]
mod tests;
