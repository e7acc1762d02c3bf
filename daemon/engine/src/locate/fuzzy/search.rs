//! Finds the windows that are meant. It changes no text.

use std::ops::{ControlFlow, Range};

use super::super::reduced::covered;
use super::super::{Haystack, Quote};
use super::rank::{Ruler, pay};
use super::shape::FuzzyTarget;
use super::sieve::Sieve;
use crate::Refusal;
use crate::limits;
use crate::refusal::spent;

/// Visits the best window and those that are nearly as good.
pub(crate) fn search(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    _: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal> {
    let text = hay.text;
    let Some(target) = FuzzyTarget::of(quote, text.breaks) else { return Ok(()) };
    if target.chars > limits::FUZZY_QUOTE {
        let limit = limits::FUZZY_QUOTE;
        let message = format!(
            "the quoted text has {} characters, one that is looked for by likeness at most {limit}; quote less",
            target.chars
        );
        return Err(spent(message, limit as u64));
    }
    pay(hay.budget, text.len().saturating_mul(4))?;
    let windows = Sieve::new(&target, quote.threshold).windows(text, target.lines)?;
    for range in Ruler::new(&target).best(text, windows, quote.threshold, hay.budget)? {
        if visit(covered(text, quote, range)).is_break() {
            break;
        }
    }
    Ok(())
}
