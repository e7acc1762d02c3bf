//! JSON by its parser; comments and commas at an end are blanked out first where a file may have them. It never reads
//! a value.

use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;

use super::place::boundary;
use super::{Fault, tree};
use crate::budget::limited;
use crate::{Budget, Language, Unparsed};

/// Bytes of a text: it is only looked through.
const BYTES: usize = 16 * 1024 * 1024;

/// Whole names of files that JSON's own tools never read: those that do allow comments.
const NAMES: &[&str] = &[
    ".babelrc",
    ".eslintrc",
    ".eslintrc.json",
    ".hintrc",
    ".jscsrc",
    ".jshintrc",
    ".jslintrc",
    ".swcrc",
    "api-extractor.json",
    "babel.config.json",
    "deno.json",
    "devcontainer.json",
    "jsconfig.json",
    "language-configuration.json",
    "nx.json",
    "tslint.json",
    "turbo.json",
    "typedoc.json",
];

/// Ends of such names.
const ENDS: &[&str] =
    &[".jsonc", ".json5", ".code-workspace", ".code-snippets", ".sublime-settings", "-vscode.json"];

/// Folders whose files may have comments.
const FOLDERS: &[&str] = &[".vscode", ".devcontainer", ".zed"];

/// Whether a file of this path may have comments and commas at an end.
pub(super) fn may_have_comments(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let typescript = ["tsconfig", "jsconfig", "tslint"].iter().any(|front| name.starts_with(front));
    typescript
        || NAMES.contains(&name)
        || ENDS.iter().any(|end| name.ends_with(end))
        || parts.any(|folder| FOLDERS.contains(&folder))
}

/// The first error.
pub(super) fn faults(text: &str, budget: &Budget) -> Result<Vec<Fault>, Unparsed> {
    limited(text, BYTES)?;
    let mut parser = serde_json::Deserializer::from_str(text);
    let Err(error) = IgnoredAny::deserialize(&mut parser).and_then(|_| parser.end()) else {
        return Ok(Vec::new());
    };
    if error.classify() == Category::Eof {
        // The end of the file is the last place where anyone would look for a bracket.
        let mut found = tree::faults(Language::Json, text, budget).unwrap_or_default();
        found.retain(|fault| fault.message.ends_with(super::brackets::OPEN));
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let told = error.to_string();
    let message = told.rfind(" at line ").and_then(|end| told.get(..end)).unwrap_or(&told).to_owned();
    Ok(vec![Fault::other(byte(text, error.line(), error.column()), message)])
}

/// The same, where comments and commas at an end are allowed.
pub(super) fn with_comments(text: &str, budget: &Budget) -> Result<Vec<Fault>, Unparsed> {
    limited(text, BYTES)?;
    faults(&blanked(text), budget)
}

/// The text with blanks for every comment, and for every comma with nothing but a closing bracket behind it.
fn blanked(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut comma = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let end = match byte {
            b'"' => string(&bytes, at),
            b'/' => comment(&bytes, at),
            _ => at + 1,
        };
        if byte == b'/' && end > at + 1 {
            blank(&mut bytes, at..end);
        } else if byte == b',' {
            comma = Some(at);
        } else if let (b'}' | b']', Some(comma)) = (byte, comma.take_if(|_| !byte.is_ascii_whitespace())) {
            blank(&mut bytes, comma..comma + 1);
        }
        at = end;
    }
    // Whole characters were blanked, so nothing is lost here.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Where the string that begins at a place ends: it never goes over a line.
fn string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(b'\n') | None => return at.min(bytes.len()),
            Some(_) => at += 1,
        }
    }
}

/// Where the comment that begins at a place ends; behind its first character where it is none, or never ends.
fn comment(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start + 2..).unwrap_or_default();
    let length = match bytes.get(start + 1) {
        Some(b'/') => Some(memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())),
        Some(b'*') => memchr::memmem::find(rest, b"*/").map(|end| end + 2),
        _ => None,
    };
    start + length.map_or(1, |length| length + 2)
}

fn blank(bytes: &mut [u8], range: Range<usize>) {
    for byte in bytes.get_mut(range).unwrap_or_default() {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

/// The byte of a place as the parser tells it: lines from 1, ended by `\n`; columns from 1, in bytes.
fn byte(text: &str, line: usize, column: usize) -> usize {
    let mut breaks = memchr::memchr_iter(b'\n', text.as_bytes());
    let start = line.checked_sub(2).and_then(|skipped| breaks.nth(skipped)).map_or(0, |newline| newline + 1);
    boundary(text, (start + column.saturating_sub(1)).min(text.len()))
}
