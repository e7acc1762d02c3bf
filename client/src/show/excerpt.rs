//! Formats the lines of the file in an error: lines that the session had not seen, and lines whose numbers changed.
//! Prints nothing.

use editd_proto::RequestError;
use editd_proto::error::MovedLines;

use super::letters::one_line;

/// Appends the lines that an error contains.
pub(super) fn add(out: &mut String, error: &RequestError) {
    for excerpt in &error.excerpts {
        numbered(out, excerpt.line, &excerpt.text);
    }
    for moved in &error.moved {
        one_moved(out, moved);
    }
}

fn numbered(out: &mut String, first: u64, text: &str) {
    for (text, number) in text.lines().zip(first..) {
        out.push_str(&format!("    {number} | {}\n", one_line(text)));
    }
}

fn one_moved(out: &mut String, moved: &MovedLines) {
    let (first, last) = moved.lines;
    let edit = moved.edit;
    if last < first {
        out.push_str(&format!("  edit {edit} meant the place before line {first}\n"));
    } else {
        out.push_str(&format!("  edit {edit} meant {}, as read:\n", range(first, last)));
    }
    match &moved.then {
        Some(then) => numbered(out, first, then),
        None if last < first => {}
        None => out.push_str("    (no longer stored)\n"),
    }
    match moved.now {
        Some((first, last)) if last < first => out.push_str(&format!("  now before line {first}\n")),
        Some((first, last)) => out.push_str(&format!("  now {}\n", range(first, last))),
        None => out.push_str("  they were changed or removed\n"),
    }
    if let Some(there) = &moved.there {
        out.push_str("  at these numbers now:\n");
        numbered(out, first, there);
    }
}

fn range(first: u64, last: u64) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}
