//! Compares a hunk with the lines at which it is expected. If the file already has the new lines there, or the old
//! lines with other context, a place elsewhere is not certain. It chooses no place.

use editd_types::ErrorCode;

use super::edit::HunkEdit;
use super::neighbours::AROUND;
use crate::Refusal;
use crate::locate::{self, LineParts};
use crate::refusal::{on_line, refuse};
use crate::text::Text;

impl HunkEdit {
    /// Returns the line near `expected` at which the file has the lines that the hunk would leave. It does not count if
    /// all of them are part of the old lines, which stand at `own`: a hunk that removes lines at its end leaves those
    /// in front.
    pub(super) fn stands_applied(&self, text: &Text<'_>, expected: u64, own: u64) -> Option<u64> {
        let after = self.body.after();
        let lines = locate::lines(&after, text.breaks);
        let words = lines.iter().any(|line| line.0.chars().any(char::is_alphanumeric));
        if !words || after == self.body.old {
            return None;
        }
        let around = match (lines.len(), self.shape(text.breaks)) {
            // One line is weak evidence: it must be the changed one, and stand exactly at the line.
            (1, (1, 0, 0)) => 0,
            (1, _) => return None,
            _ => AROUND,
        };
        let first = expected.saturating_sub(around).max(1);
        let old_end = own.saturating_add(self.shape(text.breaks).0);
        let is_part = |line: u64| own <= line && line.saturating_add(lines.len() as u64) <= old_end;
        (first..=expected.saturating_add(around)).filter(|line| !is_part(*line)).find(|line| {
            let Ok(line) = usize::try_from(*line) else { return false };
            lines.iter().zip(line..).all(|(own, number)| is_line(text, number, own))
        })
    }

    /// Returns the line near `expected` at which the file has the changed lines and more than half of the block,
    /// but not all of it.
    pub(super) fn nearly_stands(&self, text: &Text<'_>, expected: u64) -> Option<u64> {
        let old = locate::lines(&self.body.old, text.breaks);
        let (_, head, tail) = self.shape(text.breaks);
        let (head, tail) = (usize::try_from(head).ok()?, usize::try_from(tail).ok()?);
        // A hunk that only adds lines is recognised by the lines directly above and below them.
        let (from, to) = match old.len().checked_sub(head + tail)? {
            0 => (head.checked_sub(1)?, (head + 1).min(old.len())),
            removed => (head, head + removed),
        };
        let first = expected.saturating_sub(AROUND).max(1);
        (first..=expected.saturating_add(AROUND)).find(|line| {
            let Ok(line) = usize::try_from(*line) else { return false };
            let same = |at: usize| old.get(at).is_some_and(|own| is_line(text, line + at, own));
            if !(from..to).all(same) {
                return false;
            }
            let above = (0..from).rev().take_while(|at| same(*at)).count();
            let below = (to..old.len()).take_while(|at| same(*at)).count();
            let matched = from - above..to + below;
            let wordy = |line: &LineParts<'_>| line.0.chars().any(char::is_alphanumeric);
            let words = old.get(matched.clone()).is_some_and(|lines| lines.iter().any(wordy));
            words && matched.len() >= 2 && matched.len() < old.len() && matched.len() * 2 > old.len()
        })
    }
}

/// Returns true if a line of the file is this line of a hunk, except for white space at its end.
fn is_line(text: &Text<'_>, number: usize, own: &LineParts<'_>) -> bool {
    number <= text.lines() && text.line(number).trim_end() == own.0.trim_end()
}

/// Refuses a place that has moved otherwise than the hunks on both sides of it, whose offsets are known.
pub(super) fn check_between(near: u64, line: u64, (above, below): (i64, i64)) -> Result<(), Refusal> {
    let around = AROUND.cast_signed();
    let offset = line.cast_signed().saturating_sub(near.cast_signed());
    // A header may name any line, so the arithmetic saturates.
    let (least, most) = (above.min(below).saturating_sub(around), above.max(below).saturating_add(around));
    if (least..=most).contains(&offset) {
        return Ok(());
    }
    let message = format!(
        "the lines are only at line {line}, {} lines from the line in the header, but the hunks above and below moved by other distances; correct the line in the header",
        offset.unsigned_abs()
    );
    Err(on_line(line, refuse(ErrorCode::NotFound, message)))
}
