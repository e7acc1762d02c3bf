//! TOML. The parser only finds places, since it does not keep every byte: a change inserts or removes whole lines.

use serde_json::{Map, Value};
use toml_edit::{Document, Item, Table, TableLike};

use crate::format::{FormatError, NAME, line_end, part};

/// Returns the meaning of a text; null if it has no key.
pub(crate) fn meaning(text: &str) -> Result<Value, FormatError> {
    let parsed = parse(text)?;
    let root = parsed.as_table();
    Ok(if root.is_empty() { Value::Null } else { of_table(root) })
}

/// Parses a text.
fn parse(text: &str) -> Result<Document<&str>, FormatError> {
    Document::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        FormatError::at(text, start, error.message())
    })
}

/// Returns the meaning of a table.
fn of_table(table: &dyn TableLike) -> Value {
    Value::Object(table.iter().map(|(key, item)| (key.to_owned(), of_item(item))).collect::<Map<_, _>>())
}

/// Returns the meaning of an item.
fn of_item(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return of_table(table);
    }
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().map(|table| of_table(table)).collect();
    }
    item.as_value().map_or(Value::Null, of_value)
}

/// Returns the meaning of a value. Kinds that JSON does not have become texts.
fn of_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(format!("float {}", number.value())),
        toml_edit::Value::Boolean(flag) => Value::from(*flag.value()),
        toml_edit::Value::Datetime(time) => Value::from(format!("time {}", time.value())),
        toml_edit::Value::Array(items) => items.iter().map(of_value).collect(),
        toml_edit::Value::InlineTable(table) => of_table(table),
    }
}

/// Returns the text with a table for the entry at its end, behind an empty line.
///
/// The last line end differs for a text that ended without one, so that [`origins`] recognises the text that was there.
pub(crate) fn insert(text: Option<&str>, path: &[&str], entry: &Value) -> String {
    let given = text.unwrap_or_default();
    let eol = line_end(given);
    let block = block(path, entry, eol);
    match text {
        None => block + eol,
        Some("") => block,
        Some(text) if text.ends_with('\n') => format!("{text}{eol}{block}{eol}"),
        Some(text) => format!("{text}{eol}{eol}{block}"),
    }
}

/// Returns the lines of the entry, without the last line end.
fn block(path: &[&str], entry: &Value, eol: &str) -> String {
    let mut lines = vec![format!("[{}.{NAME}]", path.join("."))];
    let members = entry.as_object().into_iter().flatten();
    lines.extend(members.map(|(key, value)| format!("{key} = {}", written(value))));
    lines.join(eol)
}

/// Returns a value as it is written.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        scalar => scalar.to_string(),
    }
}

/// Returns the texts from which [`insert`] may have made this one; `None` is a file that did not exist.
pub(crate) fn origins(text: &str, path: &[&str], entry: &Value) -> Vec<Option<String>> {
    let eol = line_end(text);
    let block = block(path, entry, eol);
    let before = |end: &str| text.strip_suffix(end)?.strip_suffix(&block)?.strip_suffix(eol);
    let with_end = before(eol).map(str::to_owned);
    let without_end = before("").and_then(|before| before.strip_suffix(eol)).map(str::to_owned);
    let mut origins = vec![None, Some(String::new())];
    origins.extend([with_end, without_end].into_iter().flatten().map(Some));
    origins
}

/// Returns the text with another value of the entry.
pub(crate) fn replace(text: &str, path: &[&str], entry: &Value) -> Result<String, FormatError> {
    let (start, end) = lines_of_entry(text, path)?;
    let block = block(path, entry, line_end(text));
    Ok(format!("{}{block}{}", part(text, 0, start), part(text, end, text.len())))
}

/// Returns the text without the lines of the entry and an empty line in front of them.
pub(crate) fn remove(text: &str, path: &[&str]) -> Result<String, FormatError> {
    let (start, end) = lines_of_entry(text, path)?;
    let eol = line_end(text);
    let (before, rest) = (part(text, 0, start), part(text, end, text.len()));
    let rest = rest.strip_prefix(eol).unwrap_or(rest);
    let is_apart = before.strip_suffix(eol).is_some_and(|before| before.ends_with('\n'));
    let before = if is_apart { before.strip_suffix(eol).unwrap_or(before) } else { before };
    Ok(format!("{before}{rest}"))
}

/// Returns the end of the last value of a table, also of the tables in it. If tables of others are between these, the result
/// of a change is not as it must be, and the change is refused.
fn last_end(table: &Table) -> usize {
    let ends = table.iter().map(|(_, item)| match item {
        Item::Table(inner) => last_end(inner).max(inner.span().map_or(0, |header| header.end)),
        other => other.span().map_or(0, |span| span.end),
    });
    ends.max().unwrap_or(0)
}

/// Returns the offsets of the table of the entry, with the tables in it: from the start of its header to the end of its last
/// line, without the line end.
fn lines_of_entry(text: &str, path: &[&str]) -> Result<(usize, usize), FormatError> {
    let parsed = parse(text)?;
    let by_hand = || FormatError::by_hand(path);
    let all = path.iter().chain([&NAME]);
    let item = all.into_iter().try_fold(parsed.as_item(), |item, key| item.get(key)).ok_or_else(by_hand)?;
    // Dotted keys have no header, and an inline table is a part of a line.
    let table =
        item.as_table().filter(|table| !table.is_dotted() && !table.is_implicit()).ok_or_else(by_hand)?;
    let header = table.span().ok_or_else(by_hand)?;
    let last = last_end(table).max(header.end);
    let start = part(text, 0, header.start).rfind('\n').map_or(0, |end| end + 1);
    let end = part(text, last, text.len()).find('\n').map_or(text.len(), |length| last + length);
    let end = if part(text, last, end).ends_with('\r') { end - 1 } else { end };
    Ok((start, end))
}
