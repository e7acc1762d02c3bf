//! Reads the common fields of an edit, and lists the fields that it has. It knows no edit kind.

use editd_types::{FileEdit, limits};

use crate::Refusal;
use crate::refusal::malformed;

/// Returns the names of the fields that an edit has, besides `op`.
pub(crate) fn present(edit: &FileEdit) -> impl Iterator<Item = &'static str> {
    macro_rules! list {
        ($($field:ident)*) => { [$((stringify!($field), edit.$field.is_some())),*] };
    }
    let fields = list! {
        old new text at start end near window threshold whole_lines all expect eol pattern replacement regex flags
        count to_clipboard from_clipboard reindent to overwrite if_empty own_line mode name action before after within
        in_order
    };
    let fields = fields.into_iter().chain([("match", edit.loosest.is_some())]);
    fields.filter_map(|(name, given)| given.then_some(name))
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
