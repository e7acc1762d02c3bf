//! Reads the surroundings of a range: its lines, their indentation, the blank lines above and below.

use std::ops::Range;

use crate::Refusal;
use crate::cut::Cut;
use crate::limits;
use crate::locate::{is_blank, split_indent};
use crate::op::EditContext;
use crate::text::Text;

/// Returns the offset at which the line of an offset starts.
pub(super) fn line_start(text: &Text<'_>, at: usize) -> usize {
    memchr::memrchr(text.breaks.stop(), text.content.as_bytes().cut(0..at)).map_or(0, |stop| stop + 1)
}

/// Returns the offset at which the next line starts; the end of the text if there is none.
pub(super) fn next_line(text: &Text<'_>, at: usize) -> usize {
    let rest = text.content.as_bytes().cut(at..text.len());
    memchr::memchr(text.breaks.stop(), rest).map_or(text.len(), |stop| at + stop + 1)
}

/// Returns the offset at which the line of an offset ends, without its break.
pub(super) fn line_end(text: &Text<'_>, at: usize) -> usize {
    let rest = text.content.cut(at..next_line(text, at));
    at + rest.trim_end_matches(['\n', '\r']).len()
}

/// Returns the indentation of the line of an offset, up to there.
pub(super) fn indentation<'t>(text: &'t Text<'_>, at: usize) -> &'t str {
    split_indent(text.content.cut(line_start(text, at)..at)).0
}

/// Returns true if only white space stands before an offset on its line.
pub(super) fn begins_line(text: &Text<'_>, at: usize) -> bool {
    is_blank(text.content.cut(line_start(text, at)..at))
}

/// Returns true if only white space stands after an offset on its line.
pub(super) fn ends_line(text: &Text<'_>, at: usize) -> bool {
    is_blank(text.content.cut(at..line_end(text, at)))
}

/// Returns the start and the number of the blank lines directly above a line that starts at an offset, but none before
/// `floor`.
///
/// # Errors
/// `limit`.
pub(super) fn blank_above(
    scene: &EditContext<'_>,
    start: usize,
    floor: usize,
) -> Result<(usize, usize), Refusal> {
    let text = scene.text;
    let (mut from, mut count) = (start, 0_usize);
    while from > floor {
        let above = line_start(text, from - 1);
        if above < floor || !blank_line(text, above..from) {
            break;
        }
        (from, count) = (above, count + 1);
    }
    scene.pay(count.saturating_mul(limits::BLANK_LINE))?;
    Ok((from, count))
}

/// Returns the ends of the blank lines from the start of a line on, but none beyond `ceiling`.
///
/// # Errors
/// `limit`.
pub(super) fn blank_below(
    scene: &EditContext<'_>,
    start: usize,
    ceiling: usize,
) -> Result<Vec<usize>, Refusal> {
    let text = scene.text;
    let mut ends = Vec::new();
    let mut from = start;
    while from < ceiling {
        let next = next_line(text, from);
        if next > ceiling || !blank_line(text, from..next) {
            break;
        }
        ends.push(next);
        from = next;
    }
    scene.pay(ends.len().saturating_mul(limits::BLANK_LINE))?;
    Ok(ends)
}

fn blank_line(text: &Text<'_>, line: Range<usize>) -> bool {
    is_blank(text.content.cut(line).trim_end_matches(['\n', '\r']))
}

/// Returns an offset moved back over spaces and tabs.
pub(super) fn back_over_blanks(text: &Text<'_>, at: usize) -> usize {
    text.content.cut(0..at).trim_end_matches(crate::locate::BLANKS).len()
}

/// Returns an offset moved on over spaces and tabs.
pub(super) fn over_blanks(text: &Text<'_>, at: usize) -> usize {
    let rest = text.content.cut(at..text.len());
    at + rest.len() - rest.trim_start_matches(crate::locate::BLANKS).len()
}
