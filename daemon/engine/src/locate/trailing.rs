//! The third rung: white space at line ends does not count. It folds nothing inside a line.

use std::ops::{ControlFlow, Range};

use super::Haystack;
use super::quoted::Quote;
use super::reduced::{LineTrim, covered, list};
use crate::Refusal;

/// Visits the runs of lines that equal the quoted ones without white space at their ends.
pub(crate) fn search(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    _: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal> {
    let list = list(hay.text, quote);
    hay.reduced(LineTrim::Trimmed).each(hay, list, &mut |lines| visit(covered(hay.text, quote, lines)))
}
