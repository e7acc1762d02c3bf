//! `hunk`: lines as a diff shows them, each with ` `, `-` or `+` in front, located as one block. Fields: `text`;
//! `at`, `before`, `all`, `in_order`; `near`, `window`, `match`, `threshold`; `eol`.
//!
//! *Meaning*: the lines with ` ` and `-` stand in the file one after the other, by the ladder, as whole lines; those
//! with `-` give way to those with `+`. A line with ` ` is never part of a splice, whatever the rung, and no more is one
//! that is removed and added again at either end of a change. An empty line is a blank one with ` `. `\ No newline at end of file` speaks of the line above it: the block then ends where the
//! file ends, and the new side says whether the file ends in a break; without it the file stays as it ends.
//!
//! *Fields*: `at: "end"` asks for the block that ends where the file ends. A hunk that quotes nothing adds its lines at
//! `at`, which is `"end"` or a line. `before` is a list of lines that stand somewhere above, in this order, white space
//! around them aside; among several places the one in the indented block below them is meant. `all` asks for a
//! block that is the whole file; one that quotes nothing is of a file that is empty, or missing where it adds lines.
//!
//! `eol: "literal"` keeps the breaks of the lines that come as given where the block has just those that the hunk quotes:
//! a diff may be about breaks. Where it was found with others, they follow the file.
//!
//! `in_order` says that the hunk stands below the one before it in the entry: where its lines stand at several places, only
//! those count that leave the hunks of such a run in order, and where the lines that two hunks name are in order, too, so
//! must their places be. Where hunks beside it stand at one place only, `near` means the line shifted as far as those are;
//! a place at the line itself and another at the shifted one are `ambiguous`.
//!
//! Lines that are added where the hunk quotes no line on one side of them, and that stand there already, are refused.
//!
//! *Invariants*: one place or none, as everywhere; all lines of a hunk are located together or not at all.

mod added;
mod body;
mod edit;
mod expected;
mod neighbours;
mod order;
mod repeat;
mod scope;

pub(crate) use edit::{FIELDS, Hunk, parse};
pub(crate) use neighbours::Neighbours;
pub(crate) use scope::Outline;

#[cfg(test)]
mod tests;
