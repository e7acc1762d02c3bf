//! An error with its details, as lines that a person or a model reads. It decides nothing and adds no advice.

use std::fmt::Write;

use editd_proto::error::{Code, WireError};
use editd_proto::message::{EditOutcome, FileOutcome};

/// The message, and below it the places, the nearest text, the regions and the change that it is about.
pub(super) fn explain(error: &WireError) -> String {
    with_details(error, error.message.clone())
}

/// The same below a sentence of the dialect's own, for advice that would speak of fields that it does not have.
pub(super) fn with_details(error: &WireError, sentence: String) -> String {
    let mut out = sentence;
    for place in &error.candidates {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n  line {}, column {}: {}", place.line, place.column, place.text);
    }
    let more = error.found.unwrap_or(0).saturating_sub(error.candidates.len() as u64);
    if !error.candidates.is_empty() && more > 0 {
        let _ = write!(out, "\n  and {more} more");
    }
    out.push_str(&readings(error));
    for near in &error.near_misses {
        let _ = write!(out, "\n{}", near.text.trim_end_matches('\n'));
    }
    for region in &error.regions {
        let _ = write!(out, "\n  line {}:", region.line);
        let sides =
            [("as read", &region.base), ("as it is now", &region.current), ("as wanted", &region.wanted)];
        for (side, text) in sides {
            let _ = write!(out, "\n    {side}:{}", if text.is_empty() { " nothing" } else { "" });
            for line in text.lines() {
                let _ = write!(out, "\n      {line}");
            }
        }
    }
    if let Some(diff) = &error.diff {
        let _ = write!(out, "\n{}", diff.trim_end_matches('\n'));
    }
    out.push_str(&present_lines(error));
    // What a refusal shows counts as seen: it must be shown.
    for other in error.others.iter().filter(|other| !present_lines(other).is_empty()) {
        let _ = write!(out, "\nalso: {}{}", other.message, present_lines(other));
    }
    out
}

/// The lines that an error shows because the session has not seen them, and those that stand elsewhere by now.
fn present_lines(error: &WireError) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    for excerpt in &error.excerpts {
        for (line, number) in excerpt.text.lines().zip(excerpt.line..) {
            let _ = write!(out, "\n{number} | {line}");
        }
    }
    for moved in &error.moved {
        let ends = |text: &Option<String>| text.as_deref().unwrap_or("").trim_end_matches('\n').to_owned();
        let _ = write!(out, "\n  line {} as read: {}", moved.lines.0, ends(&moved.then));
        if let Some((line, _)) = moved.now {
            let _ = write!(out, "\n    is line {line} now");
        }
        let _ = write!(out, "\n  line {} now: {}", moved.lines.0, ends(&moved.there));
    }
    out
}

/// The readings of the new lines that are possible, each line behind a line break.
pub(super) fn readings(error: &WireError) -> String {
    let mut out = String::new();
    for reading in &error.readings {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n  {}:", reading.how);
        reading.text.lines().for_each(|line| _ = write!(out, "\n    {line}"));
    }
    out
}

/// The message of an error without the names of fields that only a native job has.
pub(super) fn plain(error: &WireError) -> String {
    match error.code {
        Code::Conflict => {
            "others changed the same lines, or lines next to them; compare them below and edit what is \
                           there now"
                .to_owned()
        }
        _ => error.message.clone(),
    }
}

/// The edits of a file that were left out: their 1-based number and why.
pub(super) fn left_out(file: &FileOutcome) -> impl Iterator<Item = (u64, &WireError)> {
    (1..).zip(&file.edits).filter_map(|(number, edit)| Some((number, edit.error.as_deref()?)))
}

/// The rung by which an edit found something else than what it quotes, line breaks aside.
pub(super) fn loose_rung(edit: &EditOutcome) -> Option<&str> {
    edit.rung.as_deref().filter(|rung| !matches!(*rung, "exact" | "eol"))
}

/// First and last line in words.
pub(super) fn span(first: u64, last: u64) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}

#[cfg(test)]
mod tests {
    use editd_proto::error::Region;

    use super::*;

    #[test]
    fn a_conflict_shows_its_regions() {
        let mut error = WireError::new(Code::Conflict, "look at `regions`");
        let (base, current, wanted) = ("a\nb\n".into(), String::new(), "c\n".into());
        error.regions.push(Region { line: 3, base, current, wanted });
        let shown = "look at `regions`\n  line 3:\n    as read:\n      a\n      b\n    as it is now: nothing\n    \
                     as wanted:\n      c";
        assert_eq!(explain(&error), shown);
    }
}
