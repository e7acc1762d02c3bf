//! The fields of a `patch` payload, as its callers write them. Another module gives them a meaning.

use serde::Deserialize;

/// A payload.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, expecting = "an object with `path` and `patches`")]
pub(super) struct PatchPayload {
    /// The file; it may be given beside the payload instead.
    pub(super) path: Option<String>,
    /// The patches of the file.
    pub(super) patches: Vec<PatchRequest>,
}

/// One patch.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object with `operation`")]
pub(super) struct PatchRequest {
    /// The operation.
    pub(super) operation: PatchOperation,
    /// The text to find.
    pub(super) old_text: Option<String>,
    /// The replacement text; empty if absent.
    pub(super) new_text: Option<String>,
    /// The name of the clipboard that stores the matched bytes.
    pub(super) to_clipboard: Option<String>,
    /// The name of the clipboard whose content is inserted instead of `newText`.
    pub(super) from_clipboard: Option<String>,
    /// The change of the indentation of the inserted text.
    pub(super) reindent: Option<PatchReindent>,
    /// True to replace every occurrence. Otherwise, there must be exactly one.
    pub(super) replace_all: Option<bool>,
}

/// The operation of a patch.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub(super) enum PatchOperation {
    /// Replaces old text by new.
    Replace,
    /// Adds text at the end of the file.
    AppendEof,
    /// Adds text at the start of the file.
    PrependBof,
    /// Replaces the content of the file, and creates a missing file.
    Overwrite,
    /// Adds text directly before the old text.
    InsertBefore,
    /// Adds text directly after the old text.
    InsertAfter,
}

/// Indentation of inserted text.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, expecting = "an object with `strip` and `add`")]
pub(super) struct PatchReindent {
    /// The prefix that each line must have and loses.
    pub(super) strip: Option<String>,
    /// The prefix that is added to each line.
    pub(super) add: Option<String>,
}
