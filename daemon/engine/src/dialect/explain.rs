//! An error with its details, as lines that a person or a model reads. It decides nothing and adds no advice.

use std::fmt::Write;

use editd_proto::error::WireError;
use editd_proto::message::FileOutcome;

/// The message, and below it the places, the nearest text and the change that it is about.
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
    for near in &error.near_misses {
        let _ = write!(out, "\n{}", near.text.trim_end_matches('\n'));
    }
    if let Some(diff) = &error.diff {
        let _ = write!(out, "\n{}", diff.trim_end_matches('\n'));
    }
    out
}

/// The edits of a file that were left out: their 1-based number and why.
pub(super) fn left_out(file: &FileOutcome) -> impl Iterator<Item = (u64, &WireError)> {
    (1..).zip(&file.edits).filter_map(|(number, edit)| Some((number, edit.error.as_ref()?)))
}
