//! Formats a net change as a unified diff with the headers of git, so that `git apply` and `patch` apply it.

use std::fmt;
use std::ops::Range;

use editd_proto::FilePath;
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, DiffTag};

use super::content::FileContent;
use super::lines::{LineDiff, is_text};
use super::net::NetChange;

/// The first digits of the hash of an empty file in git.
const EMPTY: &str = "e69de29";

/// The reason for which a change is not shown as a diff.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPatch {
    /// A content is no text.
    Binary,
    /// A content has too many bytes: their number.
    Long(u64),
    /// The journal does not have a content any more: its message.
    Gone(String),
}

impl fmt::Display for NoPatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => out.write_str("binary"),
            Self::Long(bytes) => write!(out, "too long, {bytes} bytes"),
            Self::Gone(why) => out.write_str(why),
        }
    }
}

/// Returns the contents of a change as text.
///
/// # Errors
/// A content is binary, too long or not known.
pub fn texts(change: &NetChange) -> Result<(&[u8], &[u8]), NoPatch> {
    let text = |content: &'_ FileContent| match content {
        FileContent::Long(bytes) => Err(NoPatch::Long(*bytes)),
        FileContent::Gone(why) => Err(NoPatch::Gone(why.clone())),
        FileContent::Absent | FileContent::Same | FileContent::Bytes(_) => Ok(()),
    };
    text(&change.before)?;
    text(&change.after)?;
    let (old, new) = (change.before.bytes().unwrap_or_default(), change.after.bytes().unwrap_or_default());
    if is_text(old) && is_text(new) { Ok((old, new)) } else { Err(NoPatch::Binary) }
}

/// Returns the change of a file as a diff, empty if nothing changed.
///
/// # Errors
/// The change cannot be shown as lines.
pub fn of(change: &NetChange) -> Result<Vec<u8>, NoPatch> {
    let (old, new) = texts(change)?;
    Ok(formatted(change, &LineDiff::between(old, new)))
}

/// Returns the diff of a change whose lines were compared already.
pub fn formatted(change: &NetChange, diff: &LineDiff<'_>) -> Vec<u8> {
    let hunks = diff.hunks();
    let header = modes(change) + &former(change);
    if hunks.is_empty() && header.is_empty() {
        return Vec::new();
    }
    let old_path = change.former.as_ref().map_or(&change.path, |former| &former.path);
    let (a, b) = (quoted("a/", old_path), quoted("b/", &change.path));
    let (from, to) = if hunks.is_empty() { (in_quotes(&a), in_quotes(&b)) } else { (a.clone(), b.clone()) };
    let mut out = format!("diff --git {from} {to}\n{header}").into_bytes();
    if !hunks.is_empty() {
        let side = |name: &str, content| match content {
            &FileContent::Absent => "/dev/null".to_owned(),
            // A tab ends a name with blanks, as git and diff write it.
            _ if name.contains(' ') && !name.starts_with('"') => format!("{name}\t"),
            _ => name.to_owned(),
        };
        let (old, new) = (side(&a, &change.before), side(&b, &change.after));
        out.extend_from_slice(format!("--- {old}\n+++ {new}\n").as_bytes());
    }
    put_hunks(&mut out, &hunks, diff);
    out
}

/// Returns the difference of two texts, each given with the name that its header has, as a unified diff: empty if they are equal.
pub fn between(before: (&str, &str), after: (&str, &str)) -> String {
    let ((old_name, old), (new_name, new)) = (before, after);
    let diff = LineDiff::between(old.as_bytes(), new.as_bytes());
    let hunks = diff.hunks();
    if hunks.is_empty() {
        return String::new();
    }
    let mut out = format!("--- {old_name}\n+++ {new_name}\n").into_bytes();
    put_hunks(&mut out, &hunks, &diff);
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends the hunks of a diff.
fn put_hunks(out: &mut Vec<u8>, hunks: &[Vec<DiffOp>], diff: &LineDiff<'_>) {
    for hunk in hunks {
        out.extend_from_slice(format!("{}\n", UnifiedHunkHeader::new(hunk)).as_bytes());
        for step in hunk {
            if step.tag() == DiffTag::Equal {
                lines(out, b' ', &diff.old, step.old_range());
            } else {
                lines(out, b'-', &diff.old, step.old_range());
                lines(out, b'+', &diff.new, step.new_range());
            }
        }
    }
}

/// Returns the lines about the modes in the header.
fn modes(change: &NetChange) -> String {
    let mode = |executable| if executable { "100755" } else { "100644" };
    let (old, new) = (mode(change.executable_before), mode(change.executable_after));
    match (&change.before, &change.after) {
        (FileContent::Absent, FileContent::Absent) => String::new(),
        (FileContent::Absent, _) => format!("new file mode {new}\n"),
        // Without hunks, `patch` deletes a file only if it is told that nothing is left.
        (before, FileContent::Absent) if before.bytes().is_some_and(<[u8]>::is_empty) => {
            format!("deleted file mode {old}\nindex {EMPTY}..0000000\n")
        }
        (_, FileContent::Absent) => format!("deleted file mode {old}\n"),
        _ if old != new => format!("old mode {old}\nnew mode {new}\n"),
        _ => String::new(),
    }
}

/// Returns a name in quotes if it has a blank: without the lines `---` and `+++`, `patch` takes the names from the first
/// line, and does not know there where a name ends.
fn in_quotes(name: &str) -> String {
    if name.contains(' ') && !name.starts_with('"') { format!("\"{name}\"") } else { name.to_owned() }
}

/// Returns the lines about a rename in the header.
fn former(change: &NetChange) -> String {
    let Some(former) = &change.former else { return String::new() };
    let (from, to) = (quoted("", &former.path), quoted("", &change.path));
    format!("similarity index {}%\nrename from {from}\nrename to {to}\n", former.similarity)
}

fn lines(out: &mut Vec<u8>, sign: u8, lines: &[&[u8]], range: Range<usize>) {
    for line in lines.get(range).unwrap_or_default() {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// Returns a path after `a/`, `b/` or nothing, as git writes it in a header: in quotes, with escapes, if it has other than
/// plain characters.
pub fn quoted(top: &str, path: &FilePath) -> String {
    let text = std::str::from_utf8(path.as_bytes()).ok();
    let plain = |text: &&str| !text.chars().any(|letter| letter.is_control() || "\"\\".contains(letter));
    if let Some(text) = text.filter(plain) {
        return format!("{top}{text}");
    }
    let mut out = format!("\"{top}");
    for byte in path.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}
