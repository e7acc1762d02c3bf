//! The replacement of a regular expression: `\1`, `\g<1>`, `\g<name>`, `\n`, `\t`, `\\`; all else is literal,
//! `$` too. It is checked whole before anything is searched.

use crate::Refusal;
use crate::cut::Cut;
use crate::refusal::malformed;

/// A part of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Text as it stands.
    Text(String),
    /// The match of a group; empty if the group did not match.
    Group(usize),
}

/// Reads a template for a pattern with these groups.
///
/// # Errors
/// `malformed` for an unknown escape or group.
pub(crate) fn parse(template: &str, names: &[Option<&str>]) -> Result<Vec<Part>, Refusal> {
    let mut parts = vec![];
    let mut rest = template;
    while let Some(at) = rest.find('\\') {
        push_text(&mut parts, rest.cut(0..at));
        let (part, used) = escape(rest.cut(at + 1..rest.len()), names)?;
        match part {
            Part::Text(text) => push_text(&mut parts, &text),
            group => parts.push(group),
        }
        rest = rest.cut(at + 1 + used..rest.len());
    }
    push_text(&mut parts, rest);
    Ok(parts)
}

/// Returns true if a template that was read without an error has a group.
pub(crate) fn has_group(template: &str) -> bool {
    let mut chars = template.chars();
    // The character after a backslash decides what both mean.
    let mut escapes = std::iter::from_fn(|| chars.by_ref().find(|char| *char == '\\').and(chars.next()));
    escapes.any(|escape| matches!(escape, '1'..='9' | 'g'))
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        Some(Part::Text(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => parts.push(Part::Text(text.to_owned())),
    }
}

/// Returns the part that an escape means, and the bytes after its backslash.
fn escape(after: &str, names: &[Option<&str>]) -> Result<(Part, usize), Refusal> {
    let text = |text: &str| Ok((Part::Text(text.to_owned()), 1));
    match after.chars().next() {
        Some('\\') => text("\\"),
        Some('n') => text("\n"),
        Some('t') => text("\t"),
        Some('1'..='9') => {
            let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
            numbered(after.cut(0..digits), names).map(|part| (part, digits))
        }
        Some('g') => {
            let name = after.strip_prefix("g<").and_then(|rest| rest.split_once('>')).map(|(name, _)| name);
            let name =
                name.ok_or_else(|| malformed("`\\g` in `replacement` must be `\\g<1>` or `\\g<name>`"))?;
            let part = if name.bytes().all(|byte| byte.is_ascii_digit()) {
                numbered(name, names)?
            } else {
                let group = names.iter().position(|known| *known == Some(name));
                Part::Group(group.ok_or_else(|| malformed(format!("`pattern` has no group named {name:?}")))?)
            };
            Ok((part, name.len() + 3))
        }
        Some(other) => Err(malformed(format!(
            "`\\{}` in `replacement` means nothing; write `\\\\` for a backslash",
            other.escape_default()
        ))),
        None => Err(malformed("`replacement` ends with a backslash; write `\\\\` for one")),
    }
}

fn numbered(digits: &str, names: &[Option<&str>]) -> Result<Part, Refusal> {
    let group = digits.parse().ok().filter(|group: &usize| *group < names.len());
    let groups = names.len().saturating_sub(1);
    let none = || malformed(format!("`replacement` refers to group {digits:?}; `pattern` has {groups}"));
    group.map(Part::Group).ok_or_else(none)
}

#[cfg(test)]
mod tests {
    use super::has_group;

    #[test]
    fn only_groups_copy_text() {
        for (template, has) in [
            (r"a\1", true),
            (r"\g<name>", true),
            (r"\n\t", false),
            (r"\\1", false),
            (r"\\\1", true),
            ("$1", false),
        ] {
            assert_eq!(has_group(template), has, "{template}");
        }
    }
}
