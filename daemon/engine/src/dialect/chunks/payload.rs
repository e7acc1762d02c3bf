//! Reads the payload as native edits, field by field. A field that is not understood is refused by its name. It reads
//! no file.

use editd_types::{EditScope, FileEdit, SymbolPosition};
use serde_json::{Map, Value};

use crate::Refusal;
use crate::dialect::json;
use crate::op::ChunkCheck;
use crate::refusal::malformed;

/// The content of a payload.
#[derive(Debug)]
pub(super) struct ChunkRequest {
    /// The file, if the payload names one.
    pub(super) path: Option<String>,
    /// The chunks, in order.
    pub(super) chunks: Vec<FileEdit>,
}

const FIELDS: [&str; 5] = ["relative_path", "line", "column", "name_path", "chunks"];
const CHUNK_FIELDS: [&str; 4] = ["context_before", "old_lines", "new_lines", "context_after"];

/// Reads a payload.
///
/// # Errors
/// `malformed`, with the field and, if the error is in a chunk, its number.
pub(super) fn read(payload: &str) -> Result<ChunkRequest, Refusal> {
    let value = json::value(payload)?;
    let Value::Object(fields) = &value else {
        return Err(malformed("the payload is not a JSON object; send one with the field chunks"));
    };
    known(fields, &FIELDS)?;
    let path = match fields.get("relative_path") {
        None | Some(Value::Null) => None,
        Some(Value::String(path)) => Some(path.clone()),
        Some(_) => return Err(malformed("relative_path must be a string")),
    };
    let within = within(fields)?;
    let chunks = match fields.get("chunks") {
        Some(Value::Array(chunks)) if !chunks.is_empty() => chunks,
        _ => return Err(malformed("chunks must be a non-empty list")),
    };
    let chunks = chunks.iter().enumerate().map(|(at, value)| {
        chunk(value, within.as_ref()).map_err(|mut refusal| {
            refusal.edit = Some(at as u64 + 1);
            refusal
        })
    });
    Ok(ChunkRequest { path, chunks: chunks.collect::<Result<_, _>>()? })
}

fn known(fields: &Map<String, Value>, names: &[&str]) -> Result<(), Refusal> {
    match fields.keys().find(|field| !names.contains(&field.as_str())) {
        None => Ok(()),
        Some(field) => {
            let field: String = field.chars().take(40).collect();
            Err(malformed(format!("the field {field:?} is not known; there are {}", names.join(", "))))
        }
    }
}

/// Returns the symbol that the payload names.
fn within(fields: &Map<String, Value>) -> Result<Option<EditScope>, Refusal> {
    let given = |name: &str| fields.get(name).filter(|value| !value.is_null() && value.as_str() != Some(""));
    let number = |name: &'static str, value: &Value| {
        value.as_u64().ok_or_else(|| malformed(format!("{name} must be a number, counted from 0")))
    };
    match (given("line"), given("column"), given("name_path")) {
        (None, None, None) => Ok(None),
        (Some(line), Some(column), None) => {
            let (line, column) = (number("line", line)?, number("column", column)?);
            Ok(Some(EditScope::Position(SymbolPosition { line, column })))
        }
        (None, None, Some(Value::String(name))) => Ok(Some(EditScope::Symbol(name.clone()))),
        (None, None, Some(_)) => Err(malformed("name_path must be a string like Class/method")),
        (_, _, Some(_)) => Err(malformed("name_path replaces line and column; leave one out")),
        _ => Err(malformed("line and column belong together; give both, or neither for the whole file")),
    }
}

fn chunk(value: &Value, within: Option<&EditScope>) -> Result<FileEdit, Refusal> {
    let Value::Object(fields) = value else {
        return Err(malformed(format!("a chunk must be an object with {}", CHUNK_FIELDS.join(", "))));
    };
    known(fields, &CHUNK_FIELDS)?;
    let missing: Vec<&str> =
        ["old_lines", "new_lines"].into_iter().filter(|name| !fields.contains_key(*name)).collect();
    if !missing.is_empty() {
        return Err(malformed(format!("chunk missing required keys: {}", missing.join(", "))));
    }
    let context = |name: &'static str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => lines(name, value).map(Some),
    };
    let must = |name: &'static str| lines(name, fields.get(name).unwrap_or(&Value::Null)).map(Some);
    Ok(FileEdit {
        op: "chunk".to_owned(),
        before: context("context_before")?,
        old: must("old_lines")?,
        new: must("new_lines")?,
        after: context("context_after")?,
        within: within.cloned(),
        ..FileEdit::default()
    })
}

/// Returns a list of lines as a native edit writes it: `""` is no line, `"\n"` is one blank line.
fn lines(name: &str, value: &Value) -> Result<String, Refusal> {
    let items = match value {
        // One string is lines of text already, with or without its final break.
        Value::String(text) => return Ok(text.clone()),
        Value::Array(items) => items,
        _ => return Err(malformed(format!("{name} must be a list of lines, or a string"))),
    };
    let mut text = String::new();
    for (at, item) in items.iter().enumerate() {
        let Value::String(line) = item else {
            return Err(malformed(format!("item {} of {name} is not a string; each is one line", at + 1)));
        };
        let line = bare(line);
        // Only the file could tell if it is the line break or content.
        if line.ends_with('\r') {
            let message = format!(
                "item {} of {name} ends in a lone \\r; leave it out, or end the item in \\r\\n",
                at + 1
            );
            return Err(ChunkCheck::LineEnding.refuses(malformed(message)));
        }
        if line.contains('\n') {
            let message = format!("item {} of {name} has a line break inside; make it two items", at + 1);
            return Err(ChunkCheck::LineEnding.refuses(malformed(message)));
        }
        if at > 0 {
            text.push('\n');
        }
        text.push_str(line);
    }
    // A blank last line counts only with its line break.
    if matches!(items.last(), Some(Value::String(line)) if bare(line).is_empty()) {
        text.push('\n');
    }
    Ok(text)
}

/// Returns an item without the line break at its end, if it has one.
fn bare(item: &str) -> &str {
    item.strip_suffix('\n').map_or(item, |line| line.strip_suffix('\r').unwrap_or(line))
}
