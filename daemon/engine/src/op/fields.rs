//! Reads the common fields of an edit, and lists the fields that it has. It knows no edit kind.

use editd_types::{FileEdit, limits};

use crate::Refusal;
use crate::refusal::malformed;

/// Returns the names of the fields that an edit has, besides `op`.
pub(crate) fn present(edit: &FileEdit) -> impl Iterator<Item = &'static str> {
    [
        ("old", edit.old.is_some()),
        ("new", edit.new.is_some()),
        ("text", edit.text.is_some()),
        ("at", edit.at.is_some()),
        ("start", edit.start.is_some()),
        ("end", edit.end.is_some()),
        ("near", edit.near.is_some()),
        ("window", edit.window.is_some()),
        ("match", edit.loosest.is_some()),
        ("threshold", edit.threshold.is_some()),
        ("whole_lines", edit.whole_lines.is_some()),
        ("all", edit.all.is_some()),
        ("expect", edit.expect.is_some()),
        ("eol", edit.eol.is_some()),
        ("pattern", edit.pattern.is_some()),
        ("replacement", edit.replacement.is_some()),
        ("regex", edit.regex.is_some()),
        ("flags", edit.flags.is_some()),
        ("count", edit.count.is_some()),
        ("to_clipboard", edit.to_clipboard.is_some()),
        ("from_clipboard", edit.from_clipboard.is_some()),
        ("reindent", edit.reindent.is_some()),
        ("to", edit.to.is_some()),
        ("overwrite", edit.overwrite.is_some()),
        ("if_empty", edit.if_empty.is_some()),
        ("own_line", edit.own_line.is_some()),
        ("mode", edit.mode.is_some()),
        ("name", edit.name.is_some()),
        ("action", edit.action.is_some()),
        ("before", edit.before.is_some()),
        ("after", edit.after.is_some()),
        ("within", edit.within.is_some()),
        ("in_order", edit.in_order.is_some()),
    ]
    .into_iter()
    .filter_map(|(name, given)| given.then_some(name))
}

/// Returns the names of all fields of an edit besides `op`, known or not.
pub(crate) fn given(edit: &FileEdit) -> impl Iterator<Item = &str> {
    let known = present(edit).map(|name| -> &str { name });
    known.chain(edit.unknown.iter().map(String::as_str))
}

/// Returns a field that is required.
pub(crate) fn required<'a, T>(edit: &FileEdit, name: &str, value: &'a Option<T>) -> Result<&'a T, Refusal> {
    value.as_ref().ok_or_else(|| malformed(format!("`{}` needs the field `{name}`", edit.op)))
}

/// Returns the name of a clipboard. An empty name counts as absent.
pub(crate) fn clipboard(field: &str, name: &Option<String>) -> Result<Option<String>, Refusal> {
    match name.as_deref() {
        None | Some("") => Ok(None),
        Some(name) if name.len() > limits::NAME => {
            Err(malformed(format!("`{field}` is longer than {} bytes; choose a shorter name", limits::NAME)))
        }
        Some(name) => Ok(Some(name.to_owned())),
    }
}

/// Returns true if breaks are inserted as given.
pub(crate) fn literal_eol(edit: &FileEdit) -> Result<bool, Refusal> {
    match edit.eol.as_deref() {
        None | Some("file") => Ok(false),
        Some("literal") => Ok(true),
        Some(_) => Err(malformed("`eol` must be \"file\" or \"literal\"")),
    }
}
