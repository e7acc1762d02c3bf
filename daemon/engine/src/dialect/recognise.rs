//! Recognises the dialect of a payload that comes without a name, by its fields or its first marker. It never
//! guesses.

use serde_json::Value;

use super::call::ToolCall;
use super::registry::dialects;
use super::{Dialect, PayloadSample, tools};
use crate::Refusal;
use crate::refusal::malformed;

/// Returns the one dialect that identifies a payload as its own. In a tool call, the name of the tool decides if a
/// dialect has such a tool; otherwise, the content of the call decides.
///
/// # Errors
/// `malformed` if no dialect identifies the payload, or more than one does.
pub(super) fn recognise(payload: &str, call: Option<&ToolCall>) -> Result<&'static dyn Dialect, Refusal> {
    if let Some(dialect) = call.and_then(|call| tools::called(call, true)) {
        return Ok(dialect);
    }
    let payload = call.map_or(payload, |call| call.arguments.as_str());
    let parsed = if payload.trim_start().starts_with('{') {
        serde_json::from_str::<Value>(payload).ok()
    } else {
        None
    };
    let sample = match &parsed {
        Some(Value::Object(fields)) => PayloadSample::Json(fields),
        _ => PayloadSample::Text(payload),
    };
    let fitting: Vec<&'static dyn Dialect> =
        dialects().filter(|dialect| dialect.recognises(&sample)).collect();
    let names = |dialects: &[&dyn Dialect]| {
        dialects.iter().map(|dialect| dialect.name()).collect::<Vec<_>>().join(", ")
    };
    match fitting.as_slice() {
        [one] => Ok(*one),
        [] if let Some(dialect) = call.and_then(|call| tools::called(call, false)) => Ok(dialect),
        [] => Err(malformed(format!(
            "the payload is of no dialect that is known ({}); name its dialect, or send a native job",
            names(&dialects().collect::<Vec<_>>())
        ))),
        several => Err(malformed(format!(
            "the payload may be of several dialects ({}); name the one that is meant",
            names(several)
        ))),
    }
}
