//! Splits a payload into texts with blocks: plain text, a JSON list, or the XML-like form. It parses no block.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::block::lines;
use super::marker::Marker;
use super::{list, tags};
use crate::Refusal;
use crate::cut::Cut;
use crate::dialect::{PayloadSample, json};
use crate::locate::BLANKS;

/// A text with blocks, and the other fields of the payload for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Portion<'p> {
    /// The file.
    pub(super) path: Option<Cow<'p, str>>,
    /// The text.
    pub(super) text: Cow<'p, str>,
    /// The number of its first line.
    pub(super) first: u64,
    /// The line at which blocks without a line of their own should start.
    pub(super) start_line: Option<u64>,
    /// The part of a message after the line number that identifies the text.
    pub(super) place: String,
}

/// Returns the texts of a payload.
///
/// # Errors
/// `malformed` if the payload has none of the three forms.
pub(super) fn portions(payload: &str) -> Result<Vec<Portion<'_>>, Refusal> {
    if tags::begins(payload) {
        return tags::portions(payload);
    }
    if payload.trim_start().starts_with(['{', '[']) {
        match json::value(payload) {
            Ok(value) => return list::portions(value),
            // The text may begin with a file name that starts with a bracket.
            Err(refusal) if serde_json::from_str::<IgnoredAny>(payload).is_ok() || !has_block(payload) => {
                return Err(refusal);
            }
            Err(_) => {}
        }
    }
    let (text, first) = unwrapped(payload, 1);
    let place = String::new();
    Ok(vec![Portion { path: None, text: Cow::Borrowed(text), first, start_line: None, place }])
}

/// Returns true if a payload is certainly of this dialect.
pub(super) fn recognises(sample: &PayloadSample<'_>) -> bool {
    match sample {
        PayloadSample::Json(fields) => list::fits_fields(fields),
        PayloadSample::Text(text) if tags::begins(text) => true,
        PayloadSample::Text(text) if text.trim_start().starts_with('[') => {
            serde_json::from_str(text).map_or(has_block(text), |value: Value| list::fits(&value))
        }
        PayloadSample::Text(text) => has_block(text),
    }
}

/// Returns a text without the CDATA wrapper around it, and the number of its first line.
pub(super) fn unwrapped(text: &str, first: u64) -> (&str, u64) {
    let wrapped = text.trim().strip_prefix(CDATA).and_then(|rest| rest.strip_suffix(CDATA_END));
    let Some(inner) = wrapped else { return (text, first) };
    let lead = text.cut(0..text.len() - text.trim_start().len());
    (inner, first + memchr::memchr_iter(b'\n', lead.as_bytes()).count() as u64)
}

/// The start of a CDATA wrapper.
pub(super) const CDATA: &str = "<![CDATA[";
/// The end of a CDATA wrapper.
pub(super) const CDATA_END: &str = "]]>";

/// Returns true if a text has a line that starts a block. An indented one does not count: in a diff, such a line is
/// content of a file.
pub(super) fn has_block(text: &str) -> bool {
    let text = unwrapped(text, 1).0;
    let starts = |text: &str| !text.starts_with(BLANKS) && matches!(Marker::of(text), Marker::Search(_));
    lines(text, 1).any(|line| starts(line.text))
}
