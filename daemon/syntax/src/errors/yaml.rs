//! Finds the first error of a YAML text from the events of its parser. Follows no aliases and builds no values.

use granit_parser::ErrorKind;

use super::SyntaxFault;
use crate::ParseError;
use crate::budget::limited;
use crate::languages::yaml::parser;

/// Maximum size of a text in bytes. The most expensive text of this size takes a second.
const BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of strings with lines that are not indented. Other parsers accept such lines and files with them
/// exist, but a string without an end looks the same at first.
const UNINDENTED: usize = 8;

/// Maximum number of characters of an alias in a message.
const ALIAS: usize = 60;

/// Inserted in front of such a line.
const INDENT: &str = "                                                                ";

/// Returns the first error of all documents.
pub(super) fn faults(text: &str) -> Result<Vec<SyntaxFault>, ParseError> {
    limited(text, BYTES)?;
    let Some((kind, at)) = first(text)? else { return Ok(Vec::new()) };
    if kind == ErrorKind::InvalidQuotedScalarIndent {
        let mut indented = text.to_owned();
        let mut line = at;
        for _ in 0..UNINDENTED {
            indented.insert_str(line, INDENT);
            match first(&indented)? {
                None => return Ok(Vec::new()),
                Some((ErrorKind::InvalidQuotedScalarIndent, next)) if next > line => line = next,
                Some(_) => break,
            }
        }
    }
    let message = unknown_alias(text, &kind, at).unwrap_or_else(|| kind.to_string());
    Ok(vec![SyntaxFault::other(at, message)])
}

/// Returns the message for an unknown alias, if the error is one.
fn unknown_alias(text: &str, kind: &ErrorKind, at: usize) -> Option<String> {
    let alias = text.get(at..).filter(|rest| *kind == ErrorKind::UnknownAnchor && rest.starts_with('*'))?;
    let end = alias.find([' ', '\t', '\n', '\r', ',', ']', '}']).unwrap_or(alias.len());
    let shown: String = alias.get(1..end)?.chars().take(ALIAS).collect();
    Some(format!("`*{shown}` has no anchor: `&{shown}` is not defined above it"))
}

/// Returns the first error and its offset.
fn first(text: &str) -> Result<Option<(ErrorKind, usize)>, ParseError> {
    let Some(error) = parser(text).find_map(Result::err) else { return Ok(None) };
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return Err(ParseError::TooDeep);
    }
    let at = text.floor_char_boundary(error.marker().byte_offset().unwrap_or(0).min(text.len()));
    Ok(Some((error.kind().clone(), at)))
}
