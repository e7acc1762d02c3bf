//! Finds the first error of a TOML text with the TOML parser.

use super::SyntaxFault;
use crate::ParseError;
use crate::budget::limited;

/// Maximum size of a text in bytes. The parser holds all values, which take up to a hundred times the size of the text.
const BYTES: usize = 3 * 1024 * 1024;

/// Returns the first error. A duplicate key is an error.
pub(super) fn faults(text: &str) -> Result<Vec<SyntaxFault>, ParseError> {
    limited(text, BYTES)?;
    let Err(error) = ::toml::de::DeTable::parse(text) else { return Ok(Vec::new()) };
    let at = error.span().map_or(0, |span| span.start);
    Ok(vec![SyntaxFault::other(text.floor_char_boundary(at), error.message().to_owned())])
}
