//! The first rung: the quoted bytes. It never accepts a place that begins or ends between `\r` and `\n`.

use std::ops::{ControlFlow, Range};

use super::ladder::Quote;
use super::whole::{self, LineEnd};
use super::{Extent, Haystack, Needle};
use crate::Refusal;

/// Visits the places of the quoted text itself.
#[expect(clippy::unnecessary_wraps, reason = "the type of a rung's search")]
pub(crate) fn search(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    overlapping: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal> {
    let text = hay.text;
    let stopped = if quote.whole_lines {
        let end = LineEnd::of(text.breaks);
        whole::each(&text.content, end, (quote.old, text.breaks), overlapping, visit, |lines, check| {
            hay.each(Needle { text: lines, extent: Extent::Lines }, true, check)
        })
    } else {
        let width = quote.old.len();
        let needle = Needle { text: quote.old, extent: Extent::Anywhere };
        hay.each(needle, overlapping, &mut |at| {
            if text.splits_break(at) || text.splits_break(at + width) {
                return ControlFlow::Continue(());
            }
            visit(at..at + width)
        })
    };
    let (ControlFlow::Continue(()) | ControlFlow::Break(())) = stopped;
    Ok(())
}
