//! Removes the entry: restores the text to which it was added, or takes out the entry alone.

use serde_json::Value;

use super::layout::{TextLayout, blank_end, trimmed};
use super::places::{MemberPlace, ObjectPlace, Objects, ParsedText};
use crate::format::{FormatError, cut, part};

/// Returns the texts from which `insert` may have made this one; `None` is a file that did not exist.
pub(crate) fn origins(text: &str, path: &[&str]) -> Result<Vec<Option<String>>, FormatError> {
    let parsed = ParsedText::parse(text)?;
    let layout = TextLayout::of(&parsed);
    let objects = Objects::find(&parsed, path)?;
    let Some(mut at) = objects.entry_index()? else { return Ok(Vec::new()) };
    let mut origins = Vec::new();
    // The entry, then each object that has only what leads to it.
    let mut steps = objects.steps.iter().rev();
    for object in objects.found.iter().rev() {
        origins.extend(without_last(text, object, at, &layout).into_iter().map(Some));
        if object.members.len() > 1 {
            return Ok(origins);
        }
        let Some(step) = steps.next() else { break };
        at = *step;
    }
    if let Some(root) = objects.found.first() {
        let before = part(text, 0, root.open);
        origins.extend([None, Some(before.to_owned()), before.strip_suffix(layout.eol).map(str::to_owned)]);
    }
    Ok(origins)
}

/// Returns the text without the entry, and without the object around it if `insert` made that.
pub(crate) fn remove_with_object(text: &str, path: &[&str], entry: &Value) -> Result<String, FormatError> {
    let parsed = ParsedText::parse(text)?;
    let objects = Objects::find(&parsed, path)?;
    if let (Some(container), [.., parent, _], Some(at)) =
        (objects.container(), objects.found.as_slice(), objects.steps.last())
    {
        let layout = TextLayout::of(&parsed);
        let forms = layout.made_containers(entry, layout.line_indent(container));
        if container.has_one_of(text, &forms) {
            return without(text, &parsed, parent, *at).ok_or_else(|| FormatError::by_hand(path));
        }
    }
    remove(text, path)
}

/// Returns the texts without the last member of an object, with each form in which it may have been added.
pub(super) fn without_last(
    text: &str,
    object: &ObjectPlace,
    at: usize,
    layout: &TextLayout<'_>,
) -> Vec<String> {
    let Some(member) = object.members.get(at).filter(|_| at + 1 == object.members.len()) else {
        return Vec::new();
    };
    let start = trimmed(text, 0, member.start);
    let mut texts = Vec::new();
    match (member.comma, object.trailing_comma) {
        (Some(_), Some(trailing)) => texts.push(cut(text, &[(start, trailing + 1)])),
        (Some(comma), None) if comma + 1 == start => texts.push(cut(text, &[(comma, member.end)])),
        (Some(comma), None) => texts.push(cut(text, &[(comma, comma + 1), (start, member.end)])),
        (None, _) => {
            texts.push(cut(text, &[(start, member.end)]));
            let closing = layout.closing(object);
            if part(text, member.end, text.len()).starts_with(&closing) {
                texts.push(cut(text, &[(start, member.end + closing.len())]));
            }
        }
    }
    texts
}

/// Returns the text without the entry and one comma. The objects around it stay.
pub(crate) fn remove(text: &str, path: &[&str]) -> Result<String, FormatError> {
    let parsed = ParsedText::parse(text)?;
    let objects = Objects::find(&parsed, path)?;
    let (Some(container), Some(at)) = (objects.container(), objects.entry_index()?) else {
        return Err(FormatError::by_hand(path));
    };
    without(text, &parsed, container, at).ok_or_else(|| FormatError::by_hand(path))
}

/// Returns the text without a member of an object and one comma.
pub(super) fn without(
    text: &str,
    parsed: &ParsedText<'_>,
    container: &ObjectPlace,
    at: usize,
) -> Option<String> {
    let member = container.members.get(at)?;
    let parts = match container.members.get(at + 1) {
        Some(MemberPlace { comma: Some(comma), .. }) => {
            vec![(member.start, member.end), (*comma, blank_end(text, comma + 1))]
        }
        Some(_) => return None,
        None => {
            // A comment must not swallow the brace.
            let swallows = parsed.ends_in_line_comment(member.start);
            let start = if swallows { member.start } else { trimmed(text, 0, member.start) };
            match (member.comma, container.trailing_comma) {
                (_, Some(trailing)) => vec![(start, member.end), (trailing, trailing + 1)],
                (Some(comma), None) => vec![(comma, comma + 1), (start.max(comma + 1), member.end)],
                (None, None) => vec![(start, member.end)],
            }
        }
    };
    Some(cut(text, &parts))
}
