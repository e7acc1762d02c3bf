//! Formats the diff of a file before and after, with the extended headers of git if its mode or path changes. It reads
//! no file.

use std::borrow::Cow;
use std::sync::Arc;

use editd_types::{FileOutcome, FilePath};

use super::changes::Delta;
use super::name::{header, quoted};
use super::render::{fragment, hunks, whole};
use crate::text::{Encoding, Text, has_nul};
use crate::{FileState, Splice};

/// The bit that makes a file executable for its owner.
const EXECUTABLE: u32 = 0o100;

/// Returns a unified diff of two states of a file, of at most `limits::DIFF` bytes, and the number of hunks that are
/// left out.
pub fn unified_diff(path: &FilePath, before: &FileState, after: &FileState) -> (String, u64) {
    entry_diff(path, before, after, None, None)
}

/// Returns the diff of a file that may have been moved. `delta` has the changed lines if they are known.
pub(crate) fn entry_diff(
    path: &FilePath,
    before: &FileState,
    after: &FileState,
    moved: Option<&FilePath>,
    delta: Option<&Delta>,
) -> (String, u64) {
    let (old, new) = (content(before), content(after));
    let mut out = extra(path, before, after, moved, *old != *new).into_bytes();
    if *old == *new {
        return (String::from_utf8_lossy(&out).into_owned(), 0);
    }
    let to = moved.unwrap_or(path);
    if has_nul(&old) || has_nul(&new) {
        out.extend_from_slice(binary(&side('a', path, before), &side('b', to, after)).as_bytes());
        return (String::from_utf8_lossy(&out).into_owned(), 0);
    }
    out.extend_from_slice(
        format!("--- {}\n+++ {}\n", side('a', path, before), side('b', to, after)).as_bytes(),
    );
    let made;
    let delta = match delta {
        Some(delta) => delta,
        None => {
            made = Delta::between(&old, &new);
            &made
        }
    };
    let omitted = hunks(&mut out, &old, &new, delta, true);
    (String::from_utf8_lossy(&out).into_owned(), omitted)
}

/// Writes the changed lines and their counts into the outcome of a file, if both contents are text.
pub fn describe_change(outcome: &mut FileOutcome, before: &FileState, after: &FileState) {
    let (old, new) = (content(before), content(after));
    if !has_nul(&old) && !has_nul(&new) {
        Delta::between(&old, &new).describe(outcome);
    }
}

/// Returns what is known of a change if no whole content is: the modes before and after, `None` for an absent file, and
/// the splices as hunks whose line numbers are unknown. Also returns the number of hunks that are left out.
pub fn splice_diff(path: &FilePath, modes: [Option<u32>; 2], splices: &[Splice]) -> (String, u64) {
    let state = |mode: u32| FileState::File { bytes: Arc::default(), mode };
    let [before, after] = modes.map(|mode| mode.map_or(FileState::Absent, state));
    let mut out = extra(path, &before, &after, None, !splices.is_empty()).into_bytes();
    let mut omitted = 0;
    if splices.iter().any(|splice| has_nul(&splice.old) || has_nul(&splice.new)) {
        out.extend_from_slice(binary(&side('a', path, &before), &side('b', path, &after)).as_bytes());
        return (String::from_utf8_lossy(&out).into_owned(), 0);
    }
    if !splices.is_empty() {
        let (a, b) = (side('a', path, &before), side('b', path, &after));
        out.extend_from_slice(format!("--- {a}\n+++ {b}\n").as_bytes());
    }
    for splice in splices {
        if omitted > 0 || !fragment(&mut out, splice) {
            omitted += 1;
        }
    }
    (String::from_utf8_lossy(&out).into_owned(), omitted)
}

/// Returns what is known of a change if the content before it is not: the modes before and after, `None` for an absent
/// file, and the whole content after it, as a hunk with unknown old lines. Also returns 1 if the content does not fit.
pub fn after_diff(path: &FilePath, modes: [Option<u32>; 2], after: &[u8]) -> (String, u64) {
    let (mut out, _) = splice_diff(path, modes, &[]);
    let Some(mode) = modes[1] else { return (out, 0) };
    let state = FileState::File { bytes: after.into(), mode };
    let after = content(&state);
    if has_nul(&after) {
        out.push_str(&binary(&header('a', path), &header('b', path)));
        return (out, 0);
    }
    let mut hunk = format!("--- {}\n+++ {}\n", header('a', path), header('b', path)).into_bytes();
    if !whole(&mut hunk, &after) {
        return (out, 1);
    }
    out.push_str(&String::from_utf8_lossy(&hunk));
    (out, 0)
}

fn binary(before: &str, after: &str) -> String {
    format!("Binary files {} and {} differ\n", before.trim_end(), after.trim_end())
}

fn side(letter: char, path: &FilePath, state: &FileState) -> String {
    match state {
        FileState::Absent => "/dev/null".to_owned(),
        FileState::File { .. } => header(letter, path),
    }
}

/// Returns the mode of a regular file as git writes it: six digits, also with `setuid`.
fn bits(mode: u32) -> String {
    format!("{:o}", 0o100_000 | mode)
}

/// Writes the extended headers of git for changes that the `---` and `+++` lines do not show.
fn extra(
    path: &FilePath,
    before: &FileState,
    after: &FileState,
    moved: Option<&FilePath>,
    changed: bool,
) -> String {
    let to = moved.unwrap_or(path);
    // Without these lines, a file that is created or deleted is not executable.
    let tells = |mode: u32| !changed || mode & EXECUTABLE != 0;
    let mut lines = match (before, after) {
        (FileState::Absent, FileState::File { mode, .. }) if tells(*mode) => {
            vec![format!("new file mode {}", bits(*mode))]
        }
        (FileState::File { mode, .. }, FileState::Absent) if tells(*mode) => {
            vec![format!("deleted file mode {}", bits(*mode))]
        }
        (FileState::File { mode: old, .. }, FileState::File { mode: new, .. }) if old != new => {
            vec![format!("old mode {}", bits(*old)), format!("new mode {}", bits(*new))]
        }
        _ => Vec::new(),
    };
    if let Some(to) = moved {
        let bare = |side, path| quoted(side, path).replacen(&format!("{side}/"), "", 1);
        lines.push(format!("rename from {}", bare('a', path)));
        lines.push(format!("rename to {}", bare('b', to)));
    }
    if lines.is_empty() {
        return String::new();
    }
    format!("diff --git {} {}\n{}\n", quoted('a', path), quoted('b', to), lines.join("\n"))
}

/// Returns the state as a diff shows it: decoded if it is text. `label` is the encoding that the configuration names.
pub(crate) fn readable(state: &FileState, label: Option<&str>) -> FileState {
    match state {
        FileState::Absent => FileState::Absent,
        FileState::File { bytes, mode } => {
            let text = Text::read(bytes, label).map(|text| text.content.into_owned().into_bytes());
            FileState::File { bytes: text.map_or(Arc::clone(bytes), Arc::from), mode: *mode }
        }
    }
}

/// Returns the content in readable form: UTF-16 with a BOM is decoded, any other content stays as it is.
pub(super) fn content(state: &FileState) -> Cow<'_, [u8]> {
    let FileState::File { bytes, .. } = state else {
        return Cow::Borrowed(&[]);
    };
    if (bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]))
        && let Ok(text) = Text::read(bytes, None)
        && text.encoding != Encoding::Utf8
    {
        return Cow::Owned(text.content.into_owned().into_bytes());
    }
    Cow::Borrowed(bytes)
}
