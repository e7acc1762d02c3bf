//! Which dialect a payload is of, where nobody says so: by its fields or its first marker. It never guesses.

use serde_json::Value;

use super::registry::DIALECTS;
use super::{Dialect, Sample};
use crate::Refusal;
use crate::refusal::malformed;

/// The one dialect that knows a payload for its own.
///
/// # Errors
/// `malformed` where none does, or more than one.
pub(super) fn recognise(payload: &str) -> Result<&'static dyn Dialect, Refusal> {
    let parsed = if payload.trim_start().starts_with('{') {
        serde_json::from_str::<Value>(payload).ok()
    } else {
        None
    };
    let sample = match &parsed {
        Some(Value::Object(fields)) => Sample::Json(fields),
        _ => Sample::Text(payload),
    };
    let fitting: Vec<&'static dyn Dialect> =
        DIALECTS.into_iter().filter(|dialect| dialect.recognises(&sample)).collect();
    let names = |dialects: &[&dyn Dialect]| {
        dialects.iter().map(|dialect| dialect.name()).collect::<Vec<_>>().join(", ")
    };
    match fitting.as_slice() {
        [one] => Ok(*one),
        [] => Err(malformed(format!(
            "the payload is of no dialect that is known ({}); name its dialect, or send a native job",
            names(&DIALECTS)
        ))),
        several => Err(malformed(format!(
            "the payload may be of several dialects ({}); name the one that is meant",
            names(several)
        ))),
    }
}
