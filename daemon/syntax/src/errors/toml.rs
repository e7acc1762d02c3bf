//! TOML by its parser.

use super::Fault;
use super::place::boundary;
use crate::Unparsed;
use crate::budget::limited;

/// Bytes of a text: its values are held while it is looked at, at up to a hundred times its size.
const BYTES: usize = 3 * 1024 * 1024;

/// The first error; a key that stands twice is one.
pub(super) fn faults(text: &str) -> Result<Vec<Fault>, Unparsed> {
    limited(text, BYTES)?;
    let Err(error) = ::toml::de::DeTable::parse(text) else { return Ok(Vec::new()) };
    let at = error.span().map_or(0, |span| span.start);
    Ok(vec![Fault::other(boundary(text, at), error.message().to_owned())])
}
