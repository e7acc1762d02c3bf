//! Finds the first error of a JSON text with the JSON parser. Comments and trailing commas are blanked out first if the
//! file may have them. Builds no values.

use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;

use super::{SyntaxFault, tree};
use crate::budget::limited;
use crate::trees::KnownText;
use crate::{Language, ParseBudget, ParseError, TreeCache};

/// Maximum size of a text in bytes. The text is only scanned.
const BYTES: usize = 16 * 1024 * 1024;

/// Complete names of files whose tools accept comments.
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

/// Endings of such names.
const ENDS: &[&str] =
    &[".jsonc", ".json5", ".code-workspace", ".code-snippets", ".sublime-settings", "-vscode.json"];

/// Folders whose files may have comments.
const FOLDERS: &[&str] = &[".vscode", ".devcontainer", ".zed"];

/// Returns true if a file with this path may have comments and trailing commas.
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

/// Returns the first error.
pub(super) fn faults(text: &str, budget: &ParseBudget) -> Result<Vec<SyntaxFault>, ParseError> {
    limited(text, BYTES)?;
    let mut parser = serde_json::Deserializer::from_str(text);
    let Err(error) = IgnoredAny::deserialize(&mut parser).and_then(|_| parser.end()) else {
        return Ok(Vec::new());
    };
    if error.classify() == Category::Eof {
        // The end of the file is the least helpful position for a missing bracket.
        let mut found =
            tree::faults(Language::Json, KnownText::new(text), None, budget, &TreeCache::default())
                .unwrap_or_default();
        found.retain(|fault| fault.message.ends_with(super::brackets::OPEN));
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let told = error.to_string();
    let message = told.rfind(" at line ").and_then(|end| told.get(..end)).unwrap_or(&told).to_owned();
    Ok(vec![SyntaxFault::other(byte(text, error.line(), error.column()), message)])
}

/// Returns the first error of a text in which comments and trailing commas are allowed.
pub(super) fn with_comments(text: &str, budget: &ParseBudget) -> Result<Vec<SyntaxFault>, ParseError> {
    limited(text, BYTES)?;
    faults(&blanked(text), budget)
}

/// Replaces each comment and each trailing comma by blanks.
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
    // Only whole characters were blanked, so the conversion loses nothing.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the end of the string that starts at an offset. A string ends at the end of its line at the latest.
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

/// Returns the end of the comment that starts at an offset. Returns the next offset if there is no comment or it has no
/// end.
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

/// Converts a position of the parser to a byte offset. Lines count from 1 and end with `\n`; columns count from 1, in
/// bytes.
fn byte(text: &str, line: usize, column: usize) -> usize {
    let mut breaks = memchr::memchr_iter(b'\n', text.as_bytes());
    let start = line.checked_sub(2).and_then(|skipped| breaks.nth(skipped)).map_or(0, |newline| newline + 1);
    text.floor_char_boundary((start + column.saturating_sub(1)).min(text.len()))
}
