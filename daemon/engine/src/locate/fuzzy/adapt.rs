//! Fits the new text to a window that was found: it is indented as the file is, and the lines that it shares with the
//! quoted text at either end stay as they are in the file. It finds nothing.

use std::ops::Range;

use super::super::indent::{Frames, IndentMapping, settle};
use super::super::ladder::Adapted;
use super::super::quoted::ReadingConflict;
use super::super::score::shown;
use super::super::{AdaptableText, Haystack, Quote};
use super::rank::Ruler;
use super::shape::FuzzyTarget;
use crate::cut::Cut;
use crate::text::split_final_break;

/// Returns the new text for a window, and the similarity of the window.
///
/// # Errors
/// A conflict if the new lines could be indented in several ways.
pub(crate) fn adapt(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    matched: &Range<usize>,
) -> Result<Option<Adapted>, ReadingConflict> {
    let Some((score, mapping)) = measured(hay, quote, matched) else { return Ok(None) };
    if quote.new_text == AdaptableText::Nothing {
        return Ok(Some(Adapted { new: None, score, as_file: false }));
    }
    let frames = Frames { mapping: &mapping, first: None, torn: None };
    let new = settle(hay, quote, matched, &frames)?;
    Ok(new.map(|(new, as_file)| Adapted { new: Some(new), score, as_file }))
}

/// Returns the similarity of a window and the mapping of the quotation's indentation to its own.
fn measured(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    matched: &Range<usize>,
) -> Option<(Option<f64>, IndentMapping)> {
    let text = hay.text;
    let target = FuzzyTarget::of(quote, text.breaks)?;
    let mut ruler = Ruler::new(&target);
    let there = text.content.cut(matched.clone());
    let broken = !quote.whole_lines && !split_final_break(quote.old, text.breaks).1.is_empty();
    let stretch = if broken { split_final_break(there, text.breaks).0 } else { there };
    let score = ruler.similarity(stretch, text, quote.threshold, hay.budget).ok()?;
    // A quotation that may begin or end within a line replaces only the part of the line that it quotes.
    let from_start = quote.whole_lines || quote.old.starts_with([' ', '\t', '\r', '\n']);
    let to_end = quote.whole_lines || broken;
    if ruler.is_exceeded(!from_start, !to_end) {
        return None;
    }
    Some((score.map(shown), ruler.mapping(stretch, text)?))
}
