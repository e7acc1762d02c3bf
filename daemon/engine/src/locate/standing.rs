//! All places of a quote, whatever line it names. It chooses none of several.

use std::ops::{ControlFlow, Range};

use super::Haystack;
use super::ladder::{CandidateFit, Rung, rungs};
use super::quoted::Quote;
use crate::Refusal;

/// The places of a quote by the strictest rung that finds one.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Standing {
    /// The rung that found the places.
    pub(crate) rung: Rung,
    /// Their byte ranges, from the top of the file.
    pub(crate) places: Vec<Range<usize>>,
    /// True if these are all places.
    pub(crate) complete: bool,
}

/// Looks for a quote; more than `most` places are not listed. Places that are meant count before others.
///
/// # Errors
/// `limit`.
pub(crate) fn standing(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    most: usize,
    fit: &dyn Fn(&Range<usize>) -> CandidateFit,
) -> Result<Option<Standing>, Refusal> {
    for step in rungs(quote) {
        let (mut all, mut meant) = (Vec::new(), Vec::new());
        (step.search)(hay, quote, true, &mut |range| {
            let fit = fit(&range);
            if fit == CandidateFit::Meant {
                meant.push(range.clone());
            }
            if fit != CandidateFit::Out {
                all.push(range);
            }
            if all.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let complete = all.len() <= most;
        let places = if meant.is_empty() { all } else { meant };
        match places.as_slice() {
            [] => {}
            [only] if complete && !step.adapts(hay, quote, only) => {}
            _ => return Ok(Some(Standing { rung: step.rung, places, complete })),
        }
    }
    Ok(None)
}
