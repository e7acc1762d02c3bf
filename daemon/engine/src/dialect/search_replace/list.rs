//! The JSON form: `{path, diff}`, alone, in a list, or in the objects that a tool call is wrapped in. Unknown
//! fields are refused.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::forms::{Portion, has_block, unwrapped};
use crate::Refusal;
use crate::refusal::malformed;

/// Objects that hold nothing but another form.
const WRAPPERS: [&str; 4] = ["apply_diff", "args", "files", "file"];

/// Returns true if an object is certainly of this dialect.
pub(super) fn fits_fields(fields: &Map<String, Value>) -> bool {
    let inner = WRAPPERS.iter().find_map(|name| fields.get(*name));
    match (fields.get("diff"), inner) {
        (Some(Value::String(text)), _) => has_block(text),
        (Some(Value::Array(items)), _) => items.iter().all(|item| item.get("content").is_some()),
        (Some(Value::Object(item)), _) => item.contains_key("content"),
        (None, Some(inner)) if fields.len() == 1 => fits(inner),
        _ => false,
    }
}

/// Returns true if a value is certainly of this dialect.
pub(super) fn fits(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fits_fields(fields),
        Value::Array(items) => items.first().is_some_and(fits),
        _ => false,
    }
}

/// Returns the texts of a value.
///
/// # Errors
/// `malformed`, with the item and its field.
pub(super) fn portions(value: Value) -> Result<Vec<Portion<'static>>, Refusal> {
    let mut found = Vec::new();
    match inside_wrappers(value) {
        Value::Array(items) if items.is_empty() => {
            return Err(malformed("the list of files is empty; send at least one file with a `diff`"));
        }
        Value::Array(items) => {
            for (item, number) in items.into_iter().zip(1..) {
                file(item, &format!(" of file {number}"), &mut found)?;
            }
        }
        value => file(value, "", &mut found)?,
    }
    Ok(found)
}

fn inside_wrappers(mut value: Value) -> Value {
    while let Value::Object(fields) = &mut value {
        let name = WRAPPERS.iter().find(|name| fields.len() == 1 && fields.contains_key(**name));
        match name.and_then(|name| fields.remove(*name)) {
            Some(inner) => value = inner,
            None => break,
        }
    }
    value
}

/// Reads `{path, diff}`, or `{content, startLine}` for the file that the request names.
fn file(value: Value, place: &str, found: &mut Vec<Portion<'static>>) -> Result<(), Refusal> {
    let Value::Object(mut fields) = value else {
        return Err(malformed(format!("{}: a file is an object with `path` and `diff`", at(place))));
    };
    if fields.contains_key("content") {
        return item(Value::Object(fields), None, None, place, found);
    }
    let path = match fields.remove("path") {
        None | Some(Value::Null) => None,
        Some(Value::String(path)) => Some(path),
        Some(_) => return Err(malformed(format!("{}: `path` must be a text", at(place)))),
    };
    let start_line = start_line(&mut fields, place)?;
    let diff = fields.remove("diff").unwrap_or(Value::Null);
    known(&fields, place, "path, diff, startLine")?;
    match diff {
        Value::Null => Err(malformed(format!("{}: `diff` is missing; send blocks", at(place)))),
        Value::Array(items) if items.is_empty() => {
            Err(malformed(format!("{}: `diff` is an empty list; send blocks", at(place))))
        }
        Value::Array(items) => items.into_iter().zip(1..).try_for_each(|(value, number)| {
            item(value, path.clone(), start_line, &format!(" of diff {number}{place}"), found)
        }),
        value => item(value, path, start_line, place, found),
    }
}

/// Reads `{content, startLine}`, or the content alone.
fn item(
    value: Value,
    path: Option<String>,
    beside: Option<u64>,
    place: &str,
    found: &mut Vec<Portion<'static>>,
) -> Result<(), Refusal> {
    let (content, own) = match value {
        Value::String(content) => (content, None),
        Value::Object(mut fields) => {
            let Some(Value::String(content)) = fields.remove("content") else {
                return Err(malformed(format!("{}: `content` must be a text with blocks", at(place))));
            };
            let own = start_line(&mut fields, place)?;
            known(&fields, place, "content, startLine")?;
            (content, own)
        }
        _ => return Err(malformed(format!("{}: a diff is an object with `content`", at(place)))),
    };
    let (text, first) = match unwrapped(&content, 1) {
        (text, first) if text.len() < content.len() => (text.to_owned(), first),
        _ => (content, 1),
    };
    found.push(Portion {
        path: path.map(Cow::Owned),
        text: Cow::Owned(text),
        first,
        start_line: own.or(beside),
        place: place.to_owned(),
    });
    Ok(())
}

/// Returns `startLine` in either spelling; `None` if it is null or empty.
fn start_line(fields: &mut Map<String, Value>, place: &str) -> Result<Option<u64>, Refusal> {
    let (one, other) = (fields.remove("startLine"), fields.remove("start_line"));
    let wrong = || malformed(format!("{}: `startLine` must be the number of a line", at(place)));
    match (one, other) {
        (Some(_), Some(_)) => Err(malformed(format!(
            "{}: `startLine` and `start_line` are one field; leave one out",
            at(place)
        ))),
        (None | Some(Value::Null), None) | (None, Some(Value::Null)) => Ok(None),
        (Some(Value::Number(number)), None) | (None, Some(Value::Number(number))) => {
            number.as_u64().map(Some).ok_or_else(wrong)
        }
        (Some(Value::String(text)), None) | (None, Some(Value::String(text))) => {
            number(&text).map_err(|()| wrong())
        }
        _ => Err(wrong()),
    }
}

/// Returns the number of a line from a text; `None` if the text is empty.
pub(super) fn number(text: &str) -> Result<Option<u64>, ()> {
    match text.trim() {
        "" => Ok(None),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().map(Some).map_err(|_| ())
        }
        _ => Err(()),
    }
}

/// Returns the item that a message is about.
fn at(place: &str) -> &str {
    place.strip_prefix(" of ").unwrap_or("the payload")
}

fn known(fields: &Map<String, Value>, place: &str, known: &str) -> Result<(), Refusal> {
    match fields.keys().next() {
        None => Ok(()),
        Some(name) => {
            let name = crate::locate::excerpt(name, 0);
            Err(malformed(format!("{}: the field {name:?} is not known; there are {known}", at(place))))
        }
    }
}
