//! The second rung: `\r\n` counts as `\n`, and so does `\r` in a file of lone `\r`. It folds nothing else.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::quoted::Quote;
use super::whole::{self, LineEnd};
use super::{Extent, Haystack, Needle};
use crate::Refusal;
use crate::text::{Breaks, Text};

/// Returns a text with every break as `\n`.
pub(crate) fn fold_breaks(text: &str, breaks: Breaks) -> Cow<'_, str> {
    let folded =
        if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    if breaks == Breaks::Cr && folded.contains('\r') {
        Cow::Owned(folded.replace('\r', "\n"))
    } else {
        folded
    }
}

/// Returns true if a quoted text has breaks and the file has breaks of the other kind. The quoted text itself stands in the file.
pub(crate) fn has_other_breaks(text: &Text<'_>, quoted: &str) -> bool {
    if text.breaks != Breaks::Lf || !quoted.contains('\n') {
        return false;
    }
    let content = text.content.as_bytes();
    let is_lone = |at: usize| at == 0 || content.get(at - 1) != Some(&b'\r');
    memchr::memmem::find(content, b"\r\n").is_some() && memchr::memchr_iter(b'\n', content).any(is_lone)
}

/// Visits the places that equal the quoted text once breaks are folded on both sides.
#[expect(clippy::unnecessary_wraps, reason = "the type of a rung's search")]
pub(crate) fn search(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    overlapping: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal> {
    let text = hay.text;
    let old = fold_breaks(quote.old, text.breaks);
    let folded = text.folded();
    if folded.is_none() && old == quote.old {
        // Nothing to fold on either side: `exact` has looked at all of it.
        return Ok(());
    }
    let content: &str = folded.map_or(&*text.content, |folded| &folded.content);
    let back = |at: usize| folded.map_or(at, |folded| folded.original(at));
    let stopped = if quote.whole_lines {
        let mut visit = |range: Range<usize>| visit(back(range.start)..back(range.end));
        whole::each(content, LineEnd::FOLDED, (&old, Breaks::Lf), overlapping, &mut visit, |lines, check| {
            hay.each_folded(content, Needle { text: lines, extent: Extent::Lines }, true, check)
        })
    } else {
        let needle = Needle { text: &old, extent: Extent::Anywhere };
        hay.each_folded(content, needle, overlapping, &mut |at| visit(back(at)..back(at + old.len())))
    };
    let (ControlFlow::Continue(()) | ControlFlow::Break(())) = stopped;
    Ok(())
}
