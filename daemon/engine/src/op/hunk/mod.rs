//! `hunk`: lines as a diff shows them, each with ` `, `-` or `+` in front, located as one block. Fields: `text`;
//! `at`, `before`, `all`, `in_order`; `near`, `window`, `match`, `threshold`; `eol`.
//!
//! *Meaning*: the lines with ` ` and `-` stand in the file one after the other, by the ladder, as whole lines; the
//! lines with `+` replace those with `-`. A line with ` ` is never part of a splice, whatever the rung, and neither is
//! a line that is removed and added again at either end of a change. An empty line counts as a blank one with ` `.
//! `\ No newline at end of file` belongs to the line above it: the block must then end at the end of the file, and the
//! new side decides whether the file ends in a break. Without it the end of the file stays as it is.
//!
//! *Fields*: `at: "end"` requires a block at the end of the file. A hunk that quotes nothing adds its lines at
//! `at`, which is `"end"` or a line. `before` is a list of lines that stand somewhere above, in this order, ignoring
//! white space around them; of several places, the one in the indented block below them is chosen. `all` requires a
//! block that is the whole file; if the hunk quotes nothing, the file must be empty, or missing if the hunk adds lines.
//!
//! `eol: "literal"` keeps the breaks of added lines as given if the block has exactly the breaks that the hunk quotes:
//! a diff may be about breaks. If the block was found with other breaks, the added lines follow the file.
//!
//! `in_order` states that the hunk stands below the one before it in the entry. Of several places of its lines, only
//! those count that leave the hunks of such a run in order; if the lines that two hunks name are in order, their places
//! must be, too. A place on the wrong side of the hunk beside it is refused if the lines are on the right side, too, by a
//! looser rung. If the hunks beside it have one place only, `near` means the line shifted as far as they are;
//! a place at the line itself and another at the shifted one are `ambiguous`.
//!
//! A hunk of a diff (`near` and `eol: "literal"`) is `ambiguous` if it has lines of context above its changes and none below them,
//! and its lines are also at the end of the file; or if its lines are far from `near`, and at `near` by a looser rung.
//!
//! Added lines are refused if the hunk quotes no line on one side of them and they stand there already.
//!
//! *Invariants*: one place or none; all lines of a hunk are located together or not at all.

mod added;
mod body;
mod choice;
mod edit;
mod elsewhere;
mod expected;
mod neighbours;
mod order;
mod repeat;
mod scope;

pub(crate) use edit::{HunkEdit, parse};
pub(crate) use neighbours::Neighbours;
pub(crate) use scope::HeaderIndex;

#[cfg(test)]
mod tests;
