//! The third rung: white space at line ends does not count. It folds nothing inside a line.

use std::ops::{ControlFlow, Range};

use super::ladder::Adapted;
use super::quoted::{Brings, Quote};
use super::reduced::{LineTrim, covered, list};
use super::{Haystack, keep_shared};
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

/// Returns the new text, in which the lines that it shares with the quoted text are those of the file.
pub(crate) fn adapt(hay: &Haystack<'_>, quote: &Quote<'_>, range: &Range<usize>) -> Option<Adapted> {
    let Brings::Instead(new) = quote.brings else {
        return Some(Adapted::default());
    };
    let kept = keep_shared(hay.text, quote, (quote.old, new), range, |_, line| Some(line.to_owned()))?;
    Some(Adapted { new: Some(kept), score: None, as_file: false })
}
