//! The first rung: the quoted bytes. It never accepts a place that begins or ends between `\r` and `\n`.

use std::ops::{ControlFlow, Range};

use super::quoted::Quote;
use super::whole::{self, LineEnd};
use super::{Extent, Haystack, Needle};
use crate::Refusal;
use crate::text::Text;

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

/// Returns the place of whole lines that starts at the line of `near`: no other place is meant then.
pub(crate) fn on_line(text: &Text<'_>, quote: &Quote<'_>) -> Option<Range<usize>> {
    let near = usize::try_from(quote.near?).ok().filter(|near| *near > 0 && quote.whole_lines)?;
    let end = LineEnd::of(text.breaks);
    whole::at(&text.content, end, (quote.old, text.breaks), text.line_start(near))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::locate::{AdaptableText, Extent, Needle, Rung};
    use crate::plan::Budget;

    #[test]
    fn the_place_on_a_line_is_one_of_all_places() {
        let pieces = ["", "a\n", "a\r\n", "\n", "a", "a\r", "\ra\n"];
        for content in
            pieces.iter().flat_map(|a| pieces.map(|b| pieces.map(|c| [a, b, c].concat()))).flatten()
        {
            let text = Text::read(content.as_bytes(), None).unwrap();
            let budget = Budget::new();
            for old in
                pieces.iter().flat_map(|a| pieces.map(|b| [a, b].concat())).filter(|old| !old.is_empty())
            {
                let hay = Haystack::new(&text, &budget, vec![Needle { text: &old, extent: Extent::Lines }]);
                for near in 0..5 {
                    let (loosest, new_text) = (Rung::Exact, AdaptableText::Nothing);
                    let near = Some(near);
                    let quote = Quote {
                        old: &old,
                        whole_lines: true,
                        near,
                        window: 0,
                        loosest,
                        threshold: 1.0,
                        new_text,
                    };
                    let mut all = Vec::new();
                    let mut visit = |range: Range<usize>| {
                        all.push(range);
                        ControlFlow::Continue(())
                    };
                    search(&hay, &quote, true, &mut visit).unwrap();
                    all.retain(|range| Some(text.line_of(range.start) as u64) == near);
                    assert_eq!(on_line(&text, &quote), all.pop(), "{old:?} in {content:?}");
                }
            }
        }
    }
}
