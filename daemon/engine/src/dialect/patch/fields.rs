//! The fields of a `patch` payload, as its callers write them. They mean nothing here.

use serde::Deserialize;

/// A payload.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, expecting = "an object with `path` and `patches`")]
pub(super) struct Input {
    /// The file; may stand beside the payload instead.
    pub(super) path: Option<String>,
    /// What to do with it.
    pub(super) patches: Vec<PatchRequest>,
}

/// One patch.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object with `operation`")]
pub(super) struct PatchRequest {
    /// What to do.
    pub(super) operation: Operation,
    /// What is looked for.
    pub(super) old_text: Option<String>,
    /// What stands there then; empty where absent.
    pub(super) new_text: Option<String>,
    /// Where the matched bytes are stored.
    pub(super) to_clipboard: Option<String>,
    /// What is inserted instead of `newText`.
    pub(super) from_clipboard: Option<String>,
    /// How the inserted text is indented.
    pub(super) reindent: Option<Reindent>,
    /// Every occurrence, instead of the only one.
    pub(super) replace_all: Option<bool>,
}

/// What a patch does.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub(super) enum Operation {
    /// Puts new text in the place of old.
    Replace,
    /// Adds text at the end of the file.
    AppendEof,
    /// Adds text at its start.
    PrependBof,
    /// Gives it a new content, and makes it where it is missing.
    Overwrite,
    /// Adds text directly before the old text.
    InsertBefore,
    /// Adds text directly after it.
    InsertAfter,
}

/// Indentation of inserted text.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, expecting = "an object with `strip` and `add`")]
pub(super) struct Reindent {
    /// What each line must start with, and loses.
    pub(super) strip: Option<String>,
    /// What each line gets.
    pub(super) add: Option<String>,
}
