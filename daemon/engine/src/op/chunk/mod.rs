//! `chunk`: new lines replace old lines that stand between the lines quoted around them. Fields:
//! `before`, `old`, `new`, `after`, each a list of lines (`""` none, `"\n"` one blank line); `within`. It never
//! writes a context, and never chooses between two places.
//!
//! *One rung for the whole chunk*: context before, old lines and context after follow one another, so they are
//! one quotation of whole lines, the *window*, which the ladder looks up as it is: `exact`, `eol`,
//! `trailing`, `indent`, `typographic`. All lines of a window are equal by the same rung, and the mapping of
//! indentation is consistent over all of them; it applies to the new lines only.
//!
//! *Checks*: a refusal names the check that failed ([`ChunkCheck`]) and the places that were compared. Every window
//! that passes all checks counts, and two are `ambiguous`.
//!
//! *Invariants*: only the old lines are replaced, so that chunks may share contexts; no other chunk may
//! touch the old lines, even if few of their bytes change.
//!
//! *Within a symbol*: the lines from the first to the last of everything that belongs to the symbol. A symbol that does
//! not exist fails the check `position`.

mod check;
mod edit;
mod region;
mod rejected;
mod window;

pub(crate) use check::ChunkCheck;
pub(crate) use edit::{Chunk, parse};
pub(crate) use region::Region;
pub(super) use window::after_lines;
