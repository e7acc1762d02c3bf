//! The form of inserted text: indentation, line ends and spaces, as in the rest of the file.

use serde_json::Value;

use super::places::{ObjectPlace, ParsedText};
use crate::format::{NAME, line_end, part};

/// White space in JSON.
const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

/// The form in which an object is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ObjectForm {
    /// Its last member begins a line.
    Lines,
    /// Its last member begins no line.
    Line,
    /// It has no member and no line end.
    Empty,
    /// It has no member, but a line end.
    EmptyLines,
}

impl ObjectForm {
    /// Returns the form of an object.
    pub(super) fn of(parsed: &ParsedText<'_>, object: &ObjectPlace) -> Self {
        let inner = part(parsed.text, object.open, object.close);
        match object.members.last() {
            None if inner.contains('\n') => Self::EmptyLines,
            None => Self::Empty,
            Some(last) if begins_line(parsed.text, last.start) => Self::Lines,
            Some(_) if parsed.ends_in_line_comment(object.close) => Self::Lines,
            Some(_) => Self::Line,
        }
    }
}

/// The form of a whole text.
pub(super) struct TextLayout<'t> {
    /// The text.
    pub(super) text: &'t str,
    /// Its line end.
    pub(super) eol: &'static str,
    /// One step of indentation.
    pub(super) unit: String,
}

impl<'t> TextLayout<'t> {
    /// Returns the form of a text.
    pub(super) fn of(parsed: &ParsedText<'t>) -> Self {
        let text = parsed.text;
        let root = parsed.root.as_ref().and_then(|root| root.as_object());
        let first = root.and_then(|root| root.properties.first());
        let indent = first.map(|first| first.range.start).filter(|start| begins_line(text, *start));
        let unit = indent.map(|start| indentation(text, start)).filter(|indent| !indent.is_empty());
        Self { text, eol: line_end(text), unit: unit.unwrap_or("  ").to_owned() }
    }

    /// Returns the indentation of a new member.
    pub(super) fn member_indent(&self, object: &ObjectPlace) -> String {
        match object.members.last() {
            Some(last) if begins_line(self.text, last.start) => indentation(self.text, last.start).to_owned(),
            _ => format!("{}{}", self.line_indent(object), self.unit),
        }
    }

    /// Returns the text with a member at the end of an object.
    pub(super) fn with_member(
        &self,
        object: &ObjectPlace,
        form: ObjectForm,
        key: &str,
        value: &str,
    ) -> String {
        self.with_item(object, form, &format!("\"{key}\": {value}"))
    }

    /// Returns the text with a member of an object, or an element of an array, at the end.
    pub(super) fn with_item(&self, object: &ObjectPlace, form: ObjectForm, item: &str) -> String {
        let end = self.body_end(object);
        let between = match form {
            ObjectForm::Lines | ObjectForm::EmptyLines => {
                format!("{}{}", self.eol, self.member_indent(object))
            }
            ObjectForm::Empty if end == object.open + 1 => String::new(),
            ObjectForm::Line | ObjectForm::Empty => " ".to_owned(),
        };
        // The comma stands behind the last member, in front of its comments.
        let (comma_at, before, behind) = match object.members.last() {
            Some(_) if object.trailing_comma.is_some() => (end, "", ","),
            Some(last) => (last.end, ",", ""),
            None => (end, "", ""),
        };
        let text = self.text;
        let (start, comments, rest) =
            (part(text, 0, comma_at), part(text, comma_at, end), part(text, end, text.len()));
        format!("{start}{before}{comments}{between}{item}{behind}{rest}")
    }

    /// Returns the text with a member, in a line of its own, in an object that had neither a member nor a line end.
    pub(super) fn with_only_member(&self, object: &ObjectPlace, key: &str, value: &str) -> String {
        self.with_only_item(object, &format!("\"{key}\": {value}"))
    }

    /// The same for a member or an element that is written out.
    pub(super) fn with_only_item(&self, object: &ObjectPlace, item: &str) -> String {
        let (start, rest) = self.text.split_at_checked(self.body_end(object)).unwrap_or((self.text, ""));
        let indent = self.member_indent(object);
        format!("{start}{}{indent}{item}{}{rest}", self.eol, self.closing(object))
    }

    /// Returns the line end in front of a closing brace.
    pub(super) fn closing(&self, object: &ObjectPlace) -> String {
        format!("{}{}", self.eol, self.line_indent(object))
    }

    /// Returns the indentation of the line in which an object begins.
    pub(super) fn line_indent(&self, object: &ObjectPlace) -> &'t str {
        indentation(self.text, object.open)
    }

    /// Returns an object with the entry in several lines.
    pub(super) fn container(&self, entry: &str, indent: &str) -> String {
        let (eol, unit) = (self.eol, &self.unit);
        format!("{{{eol}{indent}{unit}\"{NAME}\": {entry}{eol}{indent}}}")
    }

    /// Returns each form of an object that is made for the entry: in several lines, around an entry in one line, and in one line.
    /// An object that was there has none of these.
    pub(super) fn made_containers(&self, entry: &Value, indent: &str) -> [String; 3] {
        let deeper = format!("{indent}{}", self.unit);
        [
            self.container(&lines(entry, &deeper, self), indent),
            self.container(&spaced(entry), indent),
            format!("{{ \"{NAME}\": {} }}", tight(entry)),
        ]
    }

    /// Returns the end of the last member, comma or comment of an object.
    fn body_end(&self, object: &ObjectPlace) -> usize {
        trimmed(self.text, object.open + 1, object.close)
    }
}

/// Returns the end of a part of a text without the white space at its end.
pub(super) fn trimmed(text: &str, start: usize, end: usize) -> usize {
    start + part(text, start, end).trim_end_matches(BLANK).len()
}

/// Returns the end of the white space that begins at an offset.
pub(super) fn blank_end(text: &str, start: usize) -> usize {
    let rest = part(text, start, text.len());
    text.len() - rest.trim_start_matches(BLANK).len()
}

/// Returns the white space at the start of the line that contains an offset.
fn indentation(text: &str, at: usize) -> &str {
    let start = part(text, 0, at).rfind('\n').map_or(0, |end| end + 1);
    let line = part(text, start, at);
    part(line, 0, line.len() - line.trim_start_matches([' ', '\t']).len())
}

/// Returns true if only white space is in front of an offset in its line, which is not the first one.
fn begins_line(text: &str, at: usize) -> bool {
    let before = part(text, 0, at).trim_end_matches([' ', '\t']);
    before.ends_with('\n')
}

/// Returns a value in several lines; arrays stay in one.
pub(super) fn lines(value: &Value, indent: &str, layout: &TextLayout<'_>) -> String {
    let Value::Object(members) = value else { return tight(value) };
    let deeper = format!("{indent}{}", layout.unit);
    let member = |(key, value): (&String, &Value)| {
        format!("{}{deeper}{}: {}", layout.eol, Value::from(key.as_str()), lines(value, &deeper, layout))
    };
    let all: Vec<String> = members.iter().map(member).collect();
    format!("{{{}{}{indent}}}", all.join(","), layout.eol)
}

/// Returns a value in one line.
pub(super) fn tight(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let member =
                |(key, value): (&String, &Value)| format!("{}: {}", Value::from(key.as_str()), tight(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(tight).collect::<Vec<_>>().join(", ")),
        scalar => scalar.to_string(),
    }
}

/// Returns an object in one line, with spaces beside its braces.
pub(super) fn spaced(value: &Value) -> String {
    let line = tight(value);
    match line.strip_prefix('{').and_then(|line| line.strip_suffix('}')) {
        Some(inner) => format!("{{ {inner} }}"),
        None => line,
    }
}
