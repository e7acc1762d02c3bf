//! JSON with comments and trailing commas. The parser only finds places: a change inserts or removes bytes there, and all
//! others stay.

pub(crate) mod array;
mod layout;
mod places;
mod removal;

use serde_json::Value;

use crate::format::{FormatError, NAME, line_end, part};
use layout::{ObjectForm, TextLayout};
use places::{Objects, ParsedText};

pub(crate) use removal::{origins, remove, remove_with_object};

/// Returns the meaning of a text; null if it has no value.
pub(crate) fn meaning(text: &str) -> Result<Value, FormatError> {
    Ok(ParsedText::parse(text)?.root.map_or(Value::Null, Value::from))
}

/// Returns the text with the entry.
///
/// Each origin gets another form (spaces, line ends, indentation), so that [`origins`] recognises the text that was
/// there before: a container that was empty gets the entry in one line, one that is made gets it in several, and so on.
pub(crate) fn insert(text: Option<&str>, path: &[&str], entry: &Value) -> Result<String, FormatError> {
    let parsed = ParsedText::parse(text.unwrap_or_default())?;
    let layout = TextLayout::of(&parsed);
    let objects = Objects::find(&parsed, path)?;
    match (objects.found.last(), objects.missing) {
        (None, [key]) => Ok(whole(text, &parsed, key, entry)),
        (Some(container), []) => {
            let form = ObjectForm::of(&parsed, container);
            let value = match form {
                ObjectForm::Lines => layout::lines(entry, &layout.member_indent(container), &layout),
                _ => layout::tight(entry),
            };
            Ok(layout.with_member(container, form, NAME, &value))
        }
        (Some(parent), [key]) => {
            let form = ObjectForm::of(&parsed, parent);
            let indent = layout.member_indent(parent);
            let [in_lines, entry_in_line, in_line] = layout.made_containers(entry, &indent);
            let value = match form {
                ObjectForm::Lines => in_lines,
                ObjectForm::Empty => entry_in_line,
                ObjectForm::Line | ObjectForm::EmptyLines => in_line,
            };
            if form == ObjectForm::Empty {
                return Ok(layout.with_only_member(parent, key, &value));
            }
            Ok(layout.with_member(parent, form, key, &value))
        }
        _ => Err(FormatError::by_hand(path)),
    }
}

/// Returns the text of a file without a value, with an object behind its comments.
fn whole(text: Option<&str>, parsed: &ParsedText<'_>, key: &str, entry: &Value) -> String {
    let given = text.unwrap_or_default();
    let layout = TextLayout { text: given, eol: line_end(given), unit: "  ".to_owned() };
    let eol = layout.eol;
    let container = layout.container(&layout::lines(entry, "    ", &layout), "  ");
    let object = format!("{{{eol}  \"{key}\": {container}{eol}}}");
    if text.is_none() {
        return object + eol;
    }
    let in_line = format!("{{\"{key}\": {{ \"{NAME}\": {} }}}}", layout::tight(entry));
    // In several lines, it would look like an object whose other members were removed, and its removal would empty that file.
    if given.trim().is_empty() {
        return given.to_owned() + &in_line;
    }
    // A comment must not swallow the object.
    if parsed.ends_in_line_comment(given.len()) && !given.ends_with(['\n', '\r']) {
        return format!("{given}{eol}{in_line}");
    }
    format!("{given}{object}")
}

/// Returns the text with another value of the entry, in one line if the old value was.
pub(crate) fn replace(text: &str, path: &[&str], entry: &Value) -> Result<String, FormatError> {
    let parsed = ParsedText::parse(text)?;
    let layout = TextLayout::of(&parsed);
    let objects = Objects::find(&parsed, path)?;
    let container = objects.container().ok_or_else(|| FormatError::by_hand(path))?;
    let member = objects.entry()?.ok_or_else(|| FormatError::by_hand(path))?;
    let (start, end) = member.value;
    let value = if part(text, start, end).contains('\n') {
        layout::lines(entry, &layout.member_indent(container), &layout)
    } else {
        layout::tight(entry)
    };
    Ok(format!("{}{value}{}", part(text, 0, start), part(text, end, text.len())))
}
