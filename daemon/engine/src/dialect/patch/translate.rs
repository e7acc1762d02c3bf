//! Translates each patch into one native edit. It reads no file.

use editd_types::{EditPosition, FileEdit, FileEntry, Reindent, RequestError};

use super::fields::{PatchOperation, PatchPayload, PatchRequest};
use super::reply::{PatchReply, refused};
use crate::Refusal;
use crate::dialect::{Dialect, PayloadContext, PayloadJob, PayloadRequest, PayloadSample, Translation, json};
use crate::refusal::malformed;

/// The dialect.
pub(in crate::dialect) struct Patch;

impl Dialect for Patch {
    fn name(&self) -> &'static str {
        "patch"
    }

    fn sentence(&self) -> &'static str {
        "A list of patches for one file: replace, insert, append, prepend, overwrite, with clipboards (JSON)."
    }

    fn recognises(&self, payload: &PayloadSample<'_>) -> bool {
        matches!(payload, PayloadSample::Json(fields) if fields.contains_key("patches"))
    }

    fn translate(&self, payload: &str, setting: &PayloadContext<'_>) -> Result<Translation, Refusal> {
        let input: PatchPayload = json::read(payload)?;
        let path = setting.path_or(input.path.as_deref())?;
        let mut warnings = Vec::new();
        let edits = json::each("patches", input.patches, |patch| {
            warnings.extend(passed_over(&patch));
            native(patch)
        })?;
        let reply = PatchReply::new(&edits);
        let files = vec![FileEntry { path, base: None, edits, ..FileEntry::default() }];
        let request = PayloadRequest::Job(PayloadJob { files, warnings, ..PayloadJob::default() });
        Ok(Translation { dialect: self.name(), request, reply: Box::new(reply) })
    }

    fn format_refusal(&self, error: &RequestError) -> String {
        refused(error)
    }
}

/// Returns a warning if a patch has text to find that its operation does not read.
fn passed_over(patch: &PatchRequest) -> Option<String> {
    let unread = matches!(
        patch.operation,
        PatchOperation::AppendEof | PatchOperation::PrependBof | PatchOperation::Overwrite
    );
    let quoted = patch.old_text.as_deref().is_some_and(|old| !old.is_empty());
    (unread && quoted)
        .then(|| format!("`oldText` was passed over: `{}` does not look for text", name(patch.operation)))
}

/// Returns a patch as a native edit.
///
/// # Errors
/// `malformed` for fields that contradict each other.
fn native(patch: PatchRequest) -> Result<FileEdit, Refusal> {
    let named = |name: Option<String>| name.filter(|name| !name.is_empty());
    let (to_clipboard, from_clipboard) = (named(patch.to_clipboard), named(patch.from_clipboard));
    let all = patch.replace_all.unwrap_or(false);
    if patch.operation != PatchOperation::Replace {
        for (field, given) in [("toClipboard", to_clipboard.is_some()), ("replaceAll", all)] {
            if given {
                let operation = name(patch.operation);
                return Err(malformed(format!(
                    "`{field}` belongs to `replace`; leave it out of `{operation}`"
                )));
            }
        }
    }
    let new = Some(patch.new_text.unwrap_or_default());
    let reindent = patch.reindent.map(|how| Reindent { strip: how.strip, add: how.add });
    let clipboards = to_clipboard.is_some() || from_clipboard.is_some();
    let base = FileEdit { from_clipboard, reindent, ..FileEdit::default() };
    let op = |op: &str| op.to_owned();
    let old = || quoted(patch.old_text, patch.operation);
    let insert = |at, base| FileEdit { op: op("insert"), text: new.clone(), at: Some(at), ..base };
    Ok(match patch.operation {
        PatchOperation::Replace => FileEdit {
            op: op("replace"),
            old: Some(old()?),
            new,
            all: all.then_some(true),
            // `edge` cuts a line off both texts, which must not be missing in a clipboard.
            loosest: (!clipboards && !all).then(|| "edge".to_owned()),
            to_clipboard,
            ..base
        },
        PatchOperation::AppendEof => insert(EditPosition::End, base),
        PatchOperation::PrependBof => insert(EditPosition::Start, base),
        PatchOperation::Overwrite => FileEdit { op: op("write"), text: new, ..base },
        // In this tool, the text goes directly beside the anchor.
        PatchOperation::InsertBefore => {
            FileEdit { own_line: Some(false), ..insert(EditPosition::Before(old()?), base) }
        }
        PatchOperation::InsertAfter => {
            FileEdit { own_line: Some(false), ..insert(EditPosition::After(old()?), base) }
        }
    })
}

fn quoted(old: Option<String>, operation: PatchOperation) -> Result<String, Refusal> {
    old.filter(|old| !old.is_empty()).ok_or_else(|| {
        malformed(format!(
            "`{}` needs `oldText`: quote the text of the file that it is about",
            name(operation)
        ))
    })
}

fn name(operation: PatchOperation) -> &'static str {
    match operation {
        PatchOperation::Replace => "replace",
        PatchOperation::AppendEof => "append_eof",
        PatchOperation::PrependBof => "prepend_bof",
        PatchOperation::Overwrite => "overwrite",
        PatchOperation::InsertBefore => "insert_before",
        PatchOperation::InsertAfter => "insert_after",
    }
}
