//! Translates a command into a view, an undo, or one native edit. It reads no file.

use editd_types::{FileEdit, FileEntry, RequestError};
use serde_json::Value;

use super::fields::{EditorCommand, TextEditorPayload};
use super::reply::{TextEditorReply, refused};
use crate::Refusal;
use crate::dialect::entries::edit;
use crate::dialect::{Dialect, PayloadContext, PayloadJob, PayloadRequest, PayloadSample, Translation, json};
use crate::refusal::malformed;

/// The dialect.
pub(in crate::dialect) struct TextEditor;

impl Dialect for TextEditor {
    fn name(&self) -> &'static str {
        "text-editor"
    }

    fn sentence(&self) -> &'static str {
        "The commands view, create, str_replace, insert and undo_edit for one file (JSON)."
    }

    fn recognises(&self, payload: &PayloadSample<'_>) -> bool {
        let PayloadSample::Json(fields) = payload else { return false };
        matches!(fields.get("command"), Some(Value::String(name)) if EditorCommand::has(name))
    }

    fn translate(&self, payload: &str, setting: &PayloadContext<'_>) -> Result<Translation, Refusal> {
        let input: TextEditorPayload = json::read(payload)?;
        let path = setting.path_or(input.path.as_deref())?;
        let command = input.command;
        let warnings = input
            .passed_over()
            .map(|field| format!("`{field}` was passed over: `{}` does not read it", command.name()))
            .collect();
        let reply = TextEditorReply::new(command, &path, input.old_str.as_deref());
        let job = |edit: FileEdit| {
            let files = vec![FileEntry { path: path.clone(), edits: vec![edit], ..FileEntry::default() }];
            // The answer shows the changed lines.
            PayloadRequest::Job(PayloadJob { files, diff: Some(true), warnings, ..PayloadJob::default() })
        };
        let request = match command {
            EditorCommand::View => {
                PayloadRequest::View { lines: input.view_range.map(lines).transpose()?, path }
            }
            EditorCommand::UndoEdit => PayloadRequest::Undo { path },
            EditorCommand::Create => job(create(input)?),
            EditorCommand::StrReplace => job(replace(input)?),
            EditorCommand::Insert => job(insert(input)?),
        };
        Ok(Translation { dialect: self.name(), request, reply: Box::new(reply) })
    }

    fn format_refusal(&self, error: &RequestError) -> String {
        refused(error)
    }
}

fn lines((first, last): (i64, i64)) -> Result<(u64, u64), Refusal> {
    let bad = |why: &str| Err(malformed(format!("Invalid `view_range`: [{first}, {last}]. {why}")));
    let Some(from) = u64::try_from(first).ok().filter(|line| *line > 0) else {
        return bad("Its first line counts from 1.");
    };
    match u64::try_from(last) {
        Ok(to) if to >= from => Ok((from, to)),
        Err(_) if last == -1 => Ok((from, u64::MAX)),
        _ => bad("Its last line must not lie before its first; -1 is the end of the file."),
    }
}

fn create(input: TextEditorPayload) -> Result<FileEdit, Refusal> {
    let text = input.file_text.ok_or_else(|| needs("file_text", EditorCommand::Create))?;
    Ok(FileEdit { text: Some(text), ..edit("create") })
}

fn replace(input: TextEditorPayload) -> Result<FileEdit, Refusal> {
    let old = input.old_str.filter(|old| !old.is_empty());
    let old = old.ok_or_else(|| needs("old_str", EditorCommand::StrReplace))?;
    Ok(FileEdit { old: Some(old), new: Some(input.new_str.unwrap_or_default()), ..edit("replace") })
}

fn insert(input: TextEditorPayload) -> Result<FileEdit, Refusal> {
    let line = input.insert_line.ok_or_else(|| needs("insert_line", EditorCommand::Insert))?;
    let text = match (input.insert_text, input.new_str) {
        // Some callers send the other field with an empty text.
        (Some(text), Some(other)) if text.is_empty() || other.is_empty() => text + &other,
        (Some(text), Some(other)) if text != other => {
            return Err(malformed("`insert_text` and `new_str` differ; leave one out"));
        }
        (Some(text), _) | (None, Some(text)) => text,
        (None, None) => return Err(needs("insert_text", EditorCommand::Insert)),
    };
    let Some(before) = u64::try_from(line).ok().and_then(|line| line.checked_add(1)) else {
        return Err(malformed(format!(
            "Invalid `insert_line` parameter: {line}. It should be the number of a line of the file, or 0"
        )));
    };
    // The number is that of the line in front.
    Ok(FileEdit { text: Some(text), start: Some(before), end: Some(before - 1), ..edit("lines") })
}

fn needs(field: &str, command: EditorCommand) -> Refusal {
    malformed(format!("Parameter `{field}` is required for command: {}", command.name()))
}
