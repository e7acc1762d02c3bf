//! Detects added lines that the file already has, on the side on which the hunk quotes nothing: if the hunk was
//! applied again, the file would have them twice. It changes nothing.

use std::ops::Range;

use editd_types::ErrorCode;

use crate::Refusal;
use crate::cut::Cut;
use crate::locate::{self, LineParts};
use crate::op::chunk::after_lines;
use crate::refusal::{on_line, refuse};
use crate::text::Text;

/// The sides of added lines on which the hunk quotes no line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OpenSides {
    /// Above them.
    pub(super) above: bool,
    /// Below them.
    pub(super) below: bool,
}

/// Refuses lines that would be added at an offset and stand there already. One line of signs such as `}` may
/// stand twice in the middle of a file.
///
/// # Errors
/// `not_found` with the line at which they stand.
pub(super) fn check(
    text: &Text<'_>,
    at: usize,
    added: &[LineParts<'_>],
    open: OpenSides,
) -> Result<(), Refusal> {
    let has = |of: fn(char) -> bool| added.iter().any(|line| line.0.chars().any(of));
    let one_sign = added.len() == 1 && has(|c| !c.is_whitespace()) && !has(char::is_alphanumeric);
    let stands = |range: &Range<usize>| {
        let there = locate::lines(text.content.cut(range.clone()), text.breaks);
        let at_an_end = range.start == 0 || range.end == text.len();
        let same = |(own, new): (&LineParts<'_>, &LineParts<'_>)| own.0.trim_end() == new.0.trim_end();
        (!one_sign || at_an_end) && there.len() == added.len() && there.iter().zip(added).all(same)
    };
    let above = || {
        let lines = if at == text.len() { text.lines() } else { text.line_of(at) - 1 };
        let first = lines.checked_sub(added.len())? + 1;
        Some(text.line_start(first)..at)
    };
    let below = || Some(at..after_lines(text, at, added.len()));
    let found = [open.above.then(above), open.below.then(below)].into_iter().flatten().flatten().find(stands);
    let Some(range) = found.filter(|_| !added.is_empty()) else { return Ok(()) };
    let line = text.line_of(range.start) as u64;
    let message = format!(
        "the lines that the hunk adds are there already, at line {line}; to add them once more, quote the lines on both sides of them"
    );
    let mut error = on_line(line, refuse(ErrorCode::NotFound, message));
    error.cause = Some(format!("the new text is already in the file, at line {line}"));
    Err(error)
}
