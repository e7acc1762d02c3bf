//! The first rung: the quoted bytes. It never accepts a place that begins or ends between `\r` and `\n`.

use std::ops::{ControlFlow, Range};

use super::each_hit;
use super::ladder::Quote;
use super::whole::{self, LineEnd};
use crate::text::Text;

/// Visits the places of the quoted text itself.
pub(crate) fn search(
    text: &Text<'_>,
    quote: &Quote<'_>,
    overlapping: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) {
    let stopped = if quote.whole_lines {
        whole::each(&text.content, LineEnd::of(text.breaks), (quote.old, text.breaks), overlapping, visit)
    } else {
        let width = quote.old.len();
        each_hit(text.content.as_bytes(), quote.old.as_bytes(), overlapping, &mut |at| {
            if text.splits_break(at) || text.splits_break(at + width) {
                return ControlFlow::Continue(());
            }
            visit(at..at + width)
        })
    };
    let (ControlFlow::Continue(()) | ControlFlow::Break(())) = stopped;
}
