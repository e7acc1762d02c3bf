//! The parts of a file that a refusal shows: candidates, and the text nearest to one that was not found. It decides
//! nothing.

use editd_types::error::{Candidate, ErrorCode, NearMiss};

use super::ladder::{Rung, tried};
use super::quoted::{Quote, UnfitPlace};
use super::{each_hit, nearest};
use crate::Refusal;
use crate::cut::Cut;
use crate::limits;
use crate::refusal::refuse;
use crate::text::Text;

/// Returns a candidate as a reply lists it.
pub(crate) fn candidate(text: &Text<'_>, offset: usize) -> Candidate {
    let line = text.line_of(offset);
    let start = text.line_start(line);
    let whole = text.line(line);
    let shown = excerpt(whole, offset.saturating_sub(start));
    Candidate { line: line as u64, column: text.column_of(offset) as u64, text: shown, symbol: None }
}

/// Returns a line, shortened around an offset in it to `limits::EXCERPT` bytes.
pub(crate) fn excerpt(line: &str, around: usize) -> String {
    if line.len() <= limits::EXCERPT {
        return line.to_owned();
    }
    let start = line.floor_char_boundary(if around + 40 < limits::EXCERPT { 0 } else { around - 40 });
    let end = line.floor_char_boundary(start + limits::EXCERPT);
    let lead = if start > 0 { "…" } else { "" };
    let trail = if end < line.len() { "…" } else { "" };
    format!("{lead}{}{trail}", line.cut(start..end))
}

/// Facts that may explain why a text was not found.
pub(crate) struct Miss<'m> {
    /// The new text of the edit, if it is a replacement.
    pub(crate) new: Option<&'m str>,
    /// Another file of the job that has the text: its name for people, and the line.
    pub(crate) elsewhere: Option<(String, u64)>,
    /// True if another edit of the entry writes a line of the text.
    pub(crate) beside: bool,
    /// A place at which the text was found, but to which the new text cannot be fitted.
    pub(crate) unfit: Option<UnfitPlace>,
    /// True if the file may still be read for the nearest text and the reason.
    pub(crate) look: bool,
}

/// Returns a `not_found` error with the searched lines and rungs, the nearest text and, if known, the reason.
pub(crate) fn not_found(text: &Text<'_>, quote: &Quote<'_>, miss: &Miss<'_>) -> Refusal {
    let lines = text.lines();
    let range = match lines {
        0 => "the file is empty".to_owned(),
        1 => "the file has one line".to_owned(),
        n => format!("lines 1 to {n} were searched"),
    };
    let mut error = refuse(ErrorCode::NotFound, "");
    error.lines = Some(lines as u64);
    error.searched = (lines > 0).then_some((1, lines as u64));
    error.needed = Some(needed(quote));
    error.tried = tried(quote);
    if let Some(UnfitPlace { at, rung, reason }) = &miss.unfit {
        let line = text.line_of(*at) as u64;
        error.line = Some(line);
        error.message =
            format!("the text matches at line {line} by the rung `{}`, but {reason}", rung.name());
        error.cause = Some(error.message.clone());
        return error;
    }
    if miss.look {
        error.near_misses = nearest::windows(text, quote.old);
        error.cause = cause(text, miss);
    }
    let alike = |near: &&NearMiss| quote.loosest == Rung::Fuzzy && near.score >= quote.threshold;
    if let (None, Some(near)) = (&error.cause, error.near_misses.first().filter(alike)) {
        // The text is similar enough, but `fuzzy` accepts no lines whose indentation no mapping explains.
        let (line, score) = (near.line, near.score);
        error.line = Some(line);
        error.message = format!(
            "the text at line {line} is similar enough ({score:.2}, needed {:.2}), but no one mapping leads from the indentation of the quoted lines to that of those; indent old and new text as the file does",
            quote.threshold
        );
        error.cause = Some(error.message.clone());
        return error;
    }
    let advice = match (&error.cause, error.near_misses.first()) {
        (Some(cause), _) => cause.clone(),
        (None, Some(near)) => format!(
            "the nearest text is at line {} (similarity {:.2}, needed {:.2}): compare it, or read the file again",
            near.line,
            near.score,
            needed(quote)
        ),
        (None, None) => "read the file again and quote the present text".to_owned(),
    };
    error.message = format!("the quoted text is not in the file ({range}); {advice}");
    error
}

/// Returns the similarity that would have been accepted.
fn needed(quote: &Quote<'_>) -> f64 {
    if quote.loosest < Rung::Fuzzy { 1.0 } else { quote.threshold }
}

/// Creates the `not_found` error of a substitution of a text or a regular expression; `within` are the lines that were
/// searched.
pub(crate) fn not_found_pattern(
    text: &Text<'_>,
    (pattern, is_regex): (&str, bool),
    within: Option<(u64, u64)>,
    advice: Option<String>,
) -> Refusal {
    let what = if is_regex { "regular expression" } else { "text" };
    let lines = text.lines();
    let place = match within {
        Some((first, last)) => format!("lines {first} to {last}"),
        None => format!("the {lines} lines"),
    };
    let mut error = refuse(
        ErrorCode::NotFound,
        format!(
            "the {what} {:?} does not occur in {place} of the file; {}",
            excerpt(pattern, 0),
            advice.as_deref().unwrap_or("check it, or read the file again")
        ),
    );
    error.lines = Some(lines as u64);
    error.searched = within;
    error
}

fn cause(text: &Text<'_>, miss: &Miss<'_>) -> Option<String> {
    if let Some(new) = miss.new.filter(|new| new.trim().len() >= 3) {
        let mut there = None;
        let folded = super::fold_breaks(new, text.breaks);
        let content = text.folded().map_or(&*text.content, |folded| &folded.content);
        let found = each_hit(content.as_bytes(), folded.as_bytes(), false, &mut |at| {
            there = Some(at);
            std::ops::ControlFlow::Break(())
        });
        if let (true, Some(at)) = (found.is_break(), there) {
            let at = text.folded().map_or(at, |folded| folded.original(at));
            return Some(format!("the new text is already in the file, at line {}", text.line_of(at)));
        }
    }
    if miss.beside {
        let cause = "another edit of the file writes a line of it, but all of them quote the file as it was before: make the two \
                     one edit";
        return Some(cause.to_owned());
    }
    let (path, line) = miss.elsewhere.as_ref()?;
    Some(format!("the quoted text is in {path}, at line {line}"))
}
