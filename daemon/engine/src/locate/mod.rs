//! Where a quoted text stands: one ladder, from exact to loose. A rung is tried only when every rung above
//! found nothing; two candidates are never chosen between except by `near`. It changes no text.
//!
//! *Calling sequence*: a [`Quote`] from an edit's fields; [`one`] or [`every`]; where they find nothing,
//! [`not_found`] says so with what is nearest.
//!
//! *To add a rung*: one file with a function of `Search`'s and one of `Adapt`'s type, named in the table in
//! `ladder`.

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
mod shared;
mod standing;
mod trailing;
mod typographic;
mod whole;

pub(crate) use eol::fold_breaks;
pub(crate) use exact::on_line;
pub(crate) use haystack::{Extent, Haystack, Needle};
pub(crate) use hits::each_hit;
pub(crate) use indent::{BLANKS, Unit, is_blank, split_indent};
pub(crate) use ladder::{
    Adapted, EVERY, Fit, Found, Rung, adapt, ambiguous, candidates, every, looser, one, one_where,
    searched_too_much, too_many_places,
};
pub(crate) use quoted::{Brings, Hit, Quote, ReadingConflict, Spot, Spots, Unfit};
pub(crate) use report::{Miss, candidate, excerpt, not_found, not_found_pattern};
pub(crate) use shared::{Line, keep_shared, keep_shared_lines, lines};
pub(crate) use standing::{Standing, standing};

#[cfg(test)]
mod rungs_tests;
#[cfg(test)]
mod tests;
