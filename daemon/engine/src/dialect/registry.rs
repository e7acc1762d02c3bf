//! The table of all dialects. It does not know what a dialect means.

use editd_types::RequestError;

use super::{
    Dialect, PayloadContext, Translation, apply_patch, call, chunks, json, patch, ranges, recognise,
    safe_edit, search_replace, text_editor, tools, unified_diff,
};
use crate::Refusal;
use crate::refusal::malformed;

/// The dialects that have a folder. `tools` has the table of the others.
const FOLDERS: &[&dyn Dialect] = &[
    &patch::Patch,
    &safe_edit::SafeEdit,
    &chunks::Chunks,
    &search_replace::SearchReplace,
    &apply_patch::ApplyPatch,
    &unified_diff::UnifiedDiff,
    &text_editor::TextEditor,
    &ranges::Ranges,
];

/// Every dialect.
pub(super) fn dialects() -> impl Iterator<Item = &'static dyn Dialect> {
    let tools = tools::ALL.iter().map(|dialect| *dialect as &dyn Dialect);
    FOLDERS.iter().copied().chain(tools)
}

/// Returns the name of every dialect and a sentence about it.
pub fn list() -> impl Iterator<Item = (&'static str, &'static str)> {
    dialects().map(|dialect| (dialect.name(), dialect.sentence()))
}

fn named(name: &str) -> Result<&'static dyn Dialect, Refusal> {
    dialects().find(|dialect| dialect.name() == name).ok_or_else(|| {
        let known: Vec<&str> = list().map(|(name, _)| name).collect();
        let given: String = name.chars().take(40).collect();
        malformed(format!("the dialect {given:?} is not known; it must be one of {}", known.join(", ")))
    })
}

/// Returns a payload without the wrapper of a client: a byte order mark, and the fence around JSON. Fences around
/// text belong to the dialect, which counts its lines.
fn bare(payload: &str) -> &str {
    let payload = payload.strip_prefix('\u{feff}').unwrap_or(payload);
    json::unfenced(payload)
}

/// Translates a payload. If no dialect is named, it is recognised; if that is not certain, the payload is refused.
///
/// ```
/// use editd_engine::dialect::{PayloadContext, PayloadRequest, translate};
///
/// let payload = "*** Begin Patch\n*** Delete File: old.txt\n*** End Patch\n";
/// let context = PayloadContext { path: None, roots: &[], limit: 1024 * 1024 };
/// let translation = translate(None, payload, &context)?;
/// assert_eq!(translation.dialect, "apply-patch");
/// assert!(matches!(translation.request, PayloadRequest::Job(job) if job.files[0].edits[0].op == "delete"));
/// # Ok::<(), editd_engine::Refusal>(())
/// ```
///
/// # Errors
/// `malformed`, `too_large` or `outside`, with the part of the payload that must be corrected.
pub fn translate(
    dialect: Option<&str>,
    payload: &str,
    setting: &PayloadContext<'_>,
) -> Result<Translation, Refusal> {
    setting.check_size(payload)?;
    let payload = bare(payload);
    let call = call::opened(payload);
    let dialect = match dialect {
        Some(name) => named(name)?,
        None => recognise::recognise(payload, call.as_ref())?,
    };
    match &call {
        Some(call) if !dialect.reads_calls() => dialect.translate(bare(&call.arguments), setting),
        _ => dialect.translate(payload, setting),
    }
}

/// Returns the message of a refused payload in the terms of its dialect, if the dialect is known.
pub fn format_refusal(dialect: Option<&str>, payload: &str, error: &RequestError) -> String {
    let payload = bare(payload);
    let known = match dialect {
        Some(name) => named(name),
        None => recognise::recognise(payload, call::opened(payload).as_ref()),
    };
    known.map_or_else(|_| error.message.clone(), |dialect| dialect.format_refusal(error))
}
