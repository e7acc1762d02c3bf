//! What the new text becomes at a window that was found: indented as the file is, lines that it shares with the quoted
//! text at either end left as they are there. It finds nothing.

use std::ops::Range;

use super::super::ladder::Adapted;
use super::super::score::shown;
use super::super::{Brings, Haystack, Quote, keep_shared, lines};
use super::rank::Ruler;
use super::shape::Wanted;
use crate::cut::Cut;
use crate::text::split_final_break;

/// The new text at a window, and how similar the window is.
pub(crate) fn adapt(hay: &Haystack<'_>, quote: &Quote<'_>, matched: &Range<usize>) -> Option<Adapted> {
    let text = hay.text;
    let wanted = Wanted::of(quote, text.breaks)?;
    let mut ruler = Ruler::new(&wanted);
    let there = text.content.cut(matched.clone());
    let broken = !quote.whole_lines && !split_final_break(quote.old, text.breaks).1.is_empty();
    let stretch = if broken { split_final_break(there, text.breaks).0 } else { there };
    let score = ruler.similarity(stretch, text, quote.threshold, hay.budget).ok()?;
    // A quotation that may begin or end within a line stands for no more of the line than it quotes.
    let from_start = quote.whole_lines || quote.old.starts_with([' ', '\t', '\r', '\n']);
    let to_end = quote.whole_lines || broken;
    if ruler.is_exceeded(!from_start, !to_end) {
        return None;
    }
    let mapping = ruler.mapping(stretch, text)?;
    let new = match quote.brings {
        Brings::Nothing => None,
        Brings::Instead(new) => {
            Some(keep_shared(text, quote, (quote.old, new), matched, |_, line| mapping.line(line))?)
        }
        Brings::Beside(new) => {
            let mapped = lines(new, text.breaks)
                .into_iter()
                .map(|(line, ending)| mapping.line(line).map(|line| line + ending));
            Some(mapped.collect::<Option<String>>()?)
        }
    };
    Some(Adapted { new, score: score.map(shown) })
}
