//! Elements of an array below `hooks` in JSON: one is added at the end, or taken out. All other bytes stay.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;
use serde_json::Value;

use super::layout::{self, ObjectForm, TextLayout};
use super::places::{ObjectPlace, ParsedText};
use super::removal::{without, without_last};
use crate::format::FormatError;

/// The key of the object that has an array for each event.
const HOOKS: &str = "hooks";

/// The places that lead to an array.
struct ArrayPlaces {
    root: ObjectPlace,
    hooks: Option<Member>,
    array: Option<Member>,
}

/// A place, and its index in the one around it.
struct Member {
    at: usize,
    place: ObjectPlace,
}

impl ArrayPlaces {
    fn find(parsed: &ParsedText<'_>, event: &str) -> Result<Self, FormatError> {
        let wrong = |start: usize, message: &str| FormatError::at(parsed.text, start, message);
        let object = root_object(parsed)?;
        let mut found = Self { root: parsed.place(object), hooks: None, array: None };
        let Some(at) = index(parsed, object, HOOKS)? else { return Ok(found) };
        let Some(value) = object.properties.get(at).map(|member| &member.value) else { return Ok(found) };
        let hooks = value.as_object().ok_or_else(|| wrong(value.start(), "`hooks` must be an object"))?;
        found.hooks = Some(Member { at, place: parsed.place(hooks) });
        let Some(at) = index(parsed, hooks, event)? else { return Ok(found) };
        let Some(value) = hooks.properties.get(at).map(|member| &member.value) else { return Ok(found) };
        let array = value
            .as_array()
            .ok_or_else(|| wrong(value.start(), &format!("`hooks.{event}` must be an array")))?;
        found.array = Some(Member { at, place: parsed.array_place(array) });
        Ok(found)
    }
}

/// Checks that a text is an object.
///
/// # Errors
/// It is invalid or something else.
pub(crate) fn check_object(text: &str) -> Result<(), FormatError> {
    root_object(&ParsedText::parse(text)?).map(|_| ())
}

/// Returns the object that a text is.
fn root_object<'p, 't>(parsed: &'p ParsedText<'t>) -> Result<&'p Object<'t>, FormatError> {
    let wrong = |start: usize, message: &str| FormatError::at(parsed.text, start, message);
    let root = parsed.root.as_ref().ok_or_else(|| {
        wrong(0, "the file has comments, but no object; delete it, so that setup can create it")
    })?;
    root.as_object().ok_or_else(|| wrong(root.start(), "the file must be an object"))
}

/// Returns the index of a member.
fn index(parsed: &ParsedText<'_>, object: &Object<'_>, key: &str) -> Result<Option<usize>, FormatError> {
    let all = object.properties.iter().enumerate();
    let mut named = all.filter(|(_, member)| member.name.as_str() == key);
    let first = named.next().map(|(at, _)| at);
    match named.next() {
        Some((_, second)) => {
            let message = format!("`{key}` occurs a second time; remove one of them");
            Err(FormatError::at(parsed.text, second.start(), &message))
        }
        None => Ok(first),
    }
}

/// Returns the text with an element at the end of the array of an event.
///
/// An array that is made gets another form than one that was empty (spaces or lines inside its brackets), so that [`take`]
/// recognises the text that was there before.
pub(crate) fn push(text: &str, event: &str, element: &Value) -> Result<String, FormatError> {
    let parsed = ParsedText::parse(text)?;
    let layout = TextLayout::of(&parsed);
    let places = ArrayPlaces::find(&parsed, event)?;
    if let Some(Member { place, .. }) = &places.array {
        let form = ObjectForm::of(&parsed, place);
        let value = match form {
            ObjectForm::Lines => layout::lines(element, &layout.member_indent(place), &layout),
            _ => layout::tight(element),
        };
        return Ok(layout.with_item(place, form, &value));
    }
    let (parent, form) = match &places.hooks {
        Some(Member { place, .. }) => (place, ObjectForm::of(&parsed, place)),
        None => (&places.root, ObjectForm::of(&parsed, &places.root)),
    };
    let indent = layout.member_indent(parent);
    let in_lines = form == ObjectForm::Lines || (places.hooks.is_none() && form == ObjectForm::Empty);
    let (key, [lines, line]) = match &places.hooks {
        Some(_) => (event, made_arrays(element, &indent, &layout)),
        None => (HOOKS, made_objects(event, element, &indent, &layout)),
    };
    let item = format!("\"{key}\": {}", if in_lines { lines } else { line });
    Ok(if form == ObjectForm::Empty && places.hooks.is_none() {
        layout.with_only_item(parent, &item)
    } else {
        layout.with_item(parent, form, &item)
    })
}

/// Returns each form of an array that is made for an element: in several lines, and in one.
fn made_arrays(element: &Value, indent: &str, layout: &TextLayout<'_>) -> [String; 2] {
    let deeper = format!("{indent}{}", layout.unit);
    let eol = layout.eol;
    let in_lines = format!("[{eol}{deeper}{}{eol}{indent}]", layout::lines(element, &deeper, layout));
    [in_lines, format!("[ {} ]", layout::tight(element))]
}

/// Returns each form of an object that is made with an array: in several lines, and in one.
fn made_objects(event: &str, element: &Value, indent: &str, layout: &TextLayout<'_>) -> [String; 2] {
    let deeper = format!("{indent}{}", layout.unit);
    let eol = layout.eol;
    let [in_lines, in_line] = made_arrays(element, &deeper, layout);
    [
        format!("{{{eol}{deeper}\"{event}\": {in_lines}{eol}{indent}}}"),
        format!("{{ \"{event}\": {in_line} }}"),
    ]
}

/// Returns the text without an element of the array of an event, given by its index: the text to which [`push`] added it,
/// if it did. If something was added behind it since, the element is taken out, with the array and the object that were made
/// for it.
pub(crate) fn take(text: &str, event: &str, at: usize, element: &Value) -> Result<String, FormatError> {
    let parsed = ParsedText::parse(text)?;
    let layout = TextLayout::of(&parsed);
    let places = ArrayPlaces::find(&parsed, event)?;
    let by_hand = || FormatError::by_hand(&[HOOKS, event]);
    let (Some(hooks), Some(array)) = (&places.hooks, &places.array) else { return Err(by_hand()) };
    let mut origins = without_last(text, &array.place, at, &layout);
    if array.place.members.len() == 1 {
        origins.extend(without_last(text, &hooks.place, array.at, &layout));
        if hooks.place.members.len() == 1 {
            origins.extend(without_last(text, &places.root, hooks.at, &layout));
        }
    }
    let made = |origin: &String| push(origin, event, element).is_ok_and(|made| made == text);
    if let Some(origin) = origins.into_iter().find(made) {
        return Ok(origin);
    }
    let objects = made_objects(event, element, layout.line_indent(&hooks.place), &layout);
    let arrays = made_arrays(element, layout.line_indent(&array.place), &layout);
    let (object, at) = if hooks.place.has_one_of(text, &objects) {
        (&places.root, hooks.at)
    } else if array.place.has_one_of(text, &arrays) {
        (&hooks.place, array.at)
    } else {
        (&array.place, at)
    };
    without(text, &parsed, object, at).ok_or_else(by_hand)
}
