//! `chunk`: old lines give way to new lines where they stand between the lines quoted around them. Fields:
//! `before`, `old`, `new`, `after`, each a list of lines (`""` none, `"\n"` one blank line); `within`. It never
//! writes a context, and never chooses between two places.
//!
//! *One rung for the whole chunk*: context before, old lines and context after follow one another, so they are
//! one quotation of whole lines, the *window*, and the ladder looks that up as it stands: `exact`, `eol`,
//! `trailing`, `indent`, `typographic`. All lines of a window are equal by the same rung, and the mapping of
//! indentation is consistent over all of them; it applies to the new lines only.
//!
//! *Checks*: a refusal names the one that failed ([`Check`]) and the places that were looked at. Every window
//! that passes all of them counts, and two are `ambiguous`.
//!
//! *Invariants*: what is replaced are the old lines alone, so that chunks may share contexts; no other chunk may
//! touch them, however little of them changes.
//!
//! *Within a symbol*: the lines from the first to the last of all that belongs to it. One that is not there
//! fails the check `position`.

mod check;
mod edit;
mod fallen;
mod region;
mod window;

pub(crate) use check::Check;
pub(crate) use edit::{Chunk, FIELDS, parse};
pub(crate) use region::Region;
pub(super) use window::after_lines;
