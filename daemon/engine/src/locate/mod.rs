//! Finds the place of a quoted text with a ladder of rungs, from exact to loose. A rung is tried only if all rungs
//! above it found nothing. Only `near` chooses between two candidates. It changes no text.
//!
//! *Calling sequence*: create a [`Quote`] from the fields of an edit; call [`one`] or [`every`]; if they find
//! nothing, [`not_found`] makes the error, with the nearest text.
//!
//! *To add a rung*: write one file with a function of the type `Search` and one of the type `PlainAdapter`, and add a variant
//! of `Rung` and a line in the table in `ladder`. The recipe in daemon/ARCHITECTURE.md has the other places.

mod choose;
mod edge;
mod eol;
mod exact;
mod fold;
mod fuzzy;
mod haystack;
mod hits;
mod indent;
mod ladder;
mod nearest;
mod numbered;
mod plain;
mod quoted;
mod reduced;
mod report;
mod score;
mod seeded;
mod shared;
mod standing;
mod trailing;
mod typographic;
mod whole;

pub(crate) use eol::fold_breaks;
pub(crate) use exact::on_line;
pub(crate) use haystack::{Extent, Haystack, Needle};
pub(crate) use hits::each_hit;
pub(crate) use indent::{BLANKS, Unit, common_divisor, is_blank, split_indent};
pub(crate) use ladder::{
    Adapted, CandidateFit, EVERY, Rung, SearchResult, adapt, ambiguous, candidates, every, looser, one,
    one_where, searched_too_much, too_many_places,
};
pub(crate) use nearest::windows as nearest;
pub(crate) use quoted::{
    AdaptableText, Hit, InsertionPoint, InsertionPoints, Quote, ReadingConflict, UnfitPlace,
};
pub(crate) use report::{Miss, candidate, excerpt, not_found, not_found_pattern};
pub(crate) use shared::{LineParts, keep_shared, keep_shared_lines, lines};
pub(crate) use standing::{Standing, standing};

#[cfg(test)]
mod rungs_tests;
#[cfg(test)]
mod tests;
