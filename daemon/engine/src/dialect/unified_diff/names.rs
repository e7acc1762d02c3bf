//! The names of the file in a section of a diff, in up to four places: they must agree, or the section is refused. It
//! reads no file.

use std::borrow::Cow;

use editd_types::ErrorCode;

use super::header::{Name, pair_prefixes, prefixes, without_prefix, without_prefixes};
use super::parse::{FilePatch, Pair, fault};
use crate::Refusal;
use crate::locate::excerpt;

/// The name of one side, without its prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side<'n> {
    /// No file.
    Nothing,
    /// A file.
    File(&'n str),
}

/// Returns the names of both sides if all agree; `None` if the section names no file.
///
/// # Errors
/// `malformed` with both names and the line, if they do not agree.
pub(super) fn agreed<'n>(file: &'n FilePatch<'_>) -> Result<Option<(Side<'n>, Side<'n>)>, Refusal> {
    let sides = match moved(file)? {
        Some((from, to)) => {
            check_moved(file, from, to)?;
            Some((Side::File(from), Side::File(to)))
        }
        None => match git_path(file)? {
            Some((path, prefixes)) => Some(below_git(file, path, prefixes)?),
            None => alone(file),
        },
    };
    if let (Some(index), Some((old, new))) = (file.index, sides) {
        let names = |side| matches!(side, Side::File(path) if is(index, path, ""));
        if !names(old) && !names(new) {
            let other = if new == Side::Nothing { old } else { new };
            return Err(disagree(file.named.unwrap_or(file.line), index, shown(other)));
        }
    }
    Ok(sides)
}

/// Returns true if the line of git looks like names, and not like prose.
pub(super) fn are_names(rest: &str) -> bool {
    rest.starts_with(['"']) || rest.starts_with("a/") || rest.split_whitespace().count() == 2
}

/// Returns true if the line of git announces these names.
pub(super) fn announces(file: &FilePatch<'_>, old: &Name<'_>, new: &Name<'_>) -> bool {
    let Some((before, after)) = &file.announced else { return true };
    let Some((first, second)) = prefixes(before, after) else { return false };
    let path = before.strip_prefix(first).unwrap_or(before);
    let names = |name: &Name<'_>, prefix| match name {
        Name::Nothing => true,
        Name::File(name) => is(name, path, prefix),
    };
    names(old, first) && names(new, second)
}

/// Returns the names of a file that is renamed or copied.
fn moved<'n>(file: &'n FilePatch<'_>) -> Result<Option<(&'n str, &'n str)>, Refusal> {
    let both = |(from, to): &'n Pair<'_>| match (from, to) {
        (None, None) => Ok(None),
        (Some(from), Some(to)) => Ok(Some((from.as_ref(), to.as_ref()))),
        _ => {
            let what = "only one of the two names of the file is there; send both";
            Err(fault(file.line, ErrorCode::Malformed, what))
        }
    };
    match (both(&file.renamed)?, both(&file.copied)?) {
        (Some(_), Some(_)) => {
            let what = "the section says that the file is renamed and that it is copied; say one of the two";
            Err(fault(file.line, ErrorCode::Malformed, what))
        }
        (renamed, copied) => Ok(renamed.or(copied)),
    }
}

fn check_moved(file: &FilePatch<'_>, from: &str, to: &str) -> Result<(), Refusal> {
    let Some(rest) = file.git else { return Ok(()) };
    let plain = |first: &str, second: &str| {
        (first.is_empty() && second.is_empty())
            || (first != second && first.ends_with('/') && second.ends_with('/'))
    };
    let prefixes = pair_prefixes(rest, from, to).filter(|(first, second)| plain(first, second));
    let Some((first, second)) = prefixes else {
        let names = format!("{from} {to}");
        return Err(disagree(file.line, rest, &names));
    };
    let line = file.named.unwrap_or(file.line);
    for (name, path, prefix) in [(&file.old, from, first), (&file.new, to, second)] {
        match name {
            Some(Name::Nothing) => return Err(disagree(line, "/dev/null", path)),
            Some(Name::File(name)) if !is(name, path, &prefix) => return Err(disagree(line, name, path)),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the path and the prefixes in the line of git, if it names one file.
#[expect(clippy::type_complexity, reason = "a path and its two prefixes, for one caller")]
fn git_path<'n>(file: &'n FilePatch<'_>) -> Result<Option<(&'n str, (&'n str, &'n str))>, Refusal> {
    let Some(rest) = file.git else { return Ok(None) };
    if let Some((old, new)) = &file.announced
        && let Some((first, second)) = prefixes(old, new)
    {
        return Ok(Some((old.strip_prefix(first).unwrap_or(old), (first, second))));
    }
    if !are_names(rest) {
        return Ok(None);
    }
    match (&file.old, &file.new) {
        (Some(Name::File(old)), Some(Name::File(new))) if format!("{old} {new}") == rest.trim_end() => {
            Ok(None)
        }
        (Some(Name::File(name)), Some(Name::Nothing)) | (Some(_), Some(Name::File(name))) => {
            Err(disagree(file.named.unwrap_or(file.line), name, rest))
        }
        _ => {
            let (first, second) = rest.trim().split_once(' ').unwrap_or((rest, ""));
            Err(disagree(file.line, first, second))
        }
    }
}

/// Returns the sides of a file whose path the `diff --git` line names. `before` and `after` are the prefixes of its
/// two names.
fn below_git<'n>(
    file: &FilePatch<'_>,
    path: &'n str,
    (before, after): (&str, &str),
) -> Result<(Side<'n>, Side<'n>), Refusal> {
    let side = |name: &Option<Name<'_>>, prefix: &str| match name {
        None => Ok(Side::File(path)),
        Some(Name::Nothing) => Ok(Side::Nothing),
        Some(Name::File(name)) if is(name, path, prefix) => Ok(Side::File(path)),
        Some(Name::File(name)) => Err(disagree(file.named.unwrap_or(file.line), name, path)),
    };
    Ok((side(&file.old, before)?, side(&file.new, after)?))
}

/// Returns the sides that the lines `---` and `+++` name alone: without the prefixes of two folders that were
/// compared, otherwise without usual prefixes.
fn alone<'n>(file: &'n FilePatch<'_>) -> Option<(Side<'n>, Side<'n>)> {
    let compared = file.announced.as_ref().filter(|_| file.git.is_none());
    let folders = compared.and_then(|(old, new)| prefixes(old, new));
    let side = |name: &'n Name<'_>, prefix: &str| match name {
        Name::Nothing => Side::Nothing,
        Name::File(name) => Side::File(name.strip_prefix(prefix).unwrap_or(name)),
    };
    match (folders, file.old.as_ref()?, file.new.as_ref()?) {
        (None, Name::File(old), Name::File(new)) => {
            let (old, new) = without_prefixes(old, new);
            Some((Side::File(old), Side::File(new)))
        }
        (folders, old, new) => {
            let (before, after) = folders.unwrap_or(("a/", "b/"));
            Some((side(old, before), side(new, after)))
        }
    }
}

/// Returns true if a name means a path, with this prefix, a usual one or none.
fn is(name: &str, path: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix) == Some(path) || name == path || without_prefix(name) == path
}

fn shown<'n>(side: Side<'n>) -> &'n str {
    match side {
        Side::Nothing => "/dev/null",
        Side::File(path) => path,
    }
}

/// Returns the refusal of a section whose names are of two files.
fn disagree(line: u64, one: &str, other: &str) -> Refusal {
    let names: [Cow<'_, str>; 2] = [excerpt(one.trim(), 0).into(), excerpt(other.trim(), 0).into()];
    let what = format!(
        "this section names `{}` and `{}`; all names of a section must be of one file: correct them, or send two sections",
        names[0], names[1]
    );
    fault(line, ErrorCode::Malformed, &what)
}
