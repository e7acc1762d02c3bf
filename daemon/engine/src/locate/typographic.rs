//! The rung that treats typographic characters as the plain ones that replace them. It never matches a part of the
//! replacement of one character: an ellipsis is three dots or none.

use std::ops::{ControlFlow, Range};

use super::fold::{fold, is_typographic};
use super::quoted::Quote;
use super::whole::{self, LineEnd};
use super::{Extent, Haystack, Needle};
use crate::Refusal;
use crate::text::{Breaks, split_final_break};

/// Visits the places that equal the quoted text once both are folded, breaks as well.
pub(crate) fn search(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    overlapping: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal> {
    let (text, plain) = (hay.text, hay.plain());
    if !is_typographic(quote.old) && !plain.is_folded(text) {
        // Nothing to fold on either side: `eol` has looked at all of it.
        return Ok(());
    }
    let old = fold(quote.old, text.breaks);
    let mut free = 0;
    // A match that begins or ends inside a replaced character does not count, and hides no other match.
    let mut visit =
        |range: Range<usize>| match (plain.original(text, range.start), plain.original(text, range.end)) {
            (Some(start), Some(end)) if overlapping || start >= free => {
                free = end;
                visit(start..end)
            }
            _ => ControlFlow::Continue(()),
        };
    let lines = if quote.whole_lines { split_final_break(&old, Breaks::Lf).0 } else { &old };
    plain.pay(hay, Needle { text: lines, extent: Extent::of(quote) })?;
    let stopped = if quote.whole_lines {
        let list = (&*old, Breaks::Lf);
        whole::each(plain.content(text), LineEnd::FOLDED, list, true, &mut visit, |lines, check| {
            plain.each(hay, Needle { text: lines, extent: Extent::Lines }, check)
        })
    } else {
        let needle = Needle { text: &old, extent: Extent::Anywhere };
        plain.each(hay, needle, &mut |at| visit(at..at + old.len()))
    };
    let (ControlFlow::Continue(()) | ControlFlow::Break(())) = stopped;
    Ok(())
}
