//! YAML by its parser's events: aliases are never followed, nothing is built.

use granit_parser::ErrorKind;

use super::Fault;
use super::place::boundary;
use crate::Unparsed;
use crate::budget::limited;
use crate::languages::yaml::parser;

/// Bytes of a text: of the dearest it takes a second.
const BYTES: usize = 4 * 1024 * 1024;

/// Quotations of a text that may go on in lines that are not indented. Other parsers take these lines, and such files
/// are about; but a quotation that is not closed looks the same at first.
const UNINDENTED: usize = 8;

/// What is put in front of such a line.
const INDENT: &str = "                                                                ";

/// The first error of all documents.
pub(super) fn faults(text: &str) -> Result<Vec<Fault>, Unparsed> {
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
    Ok(vec![Fault::other(at, kind.to_string())])
}

/// What is wrong first, and where.
fn first(text: &str) -> Result<Option<(ErrorKind, usize)>, Unparsed> {
    let Some(error) = parser(text).find_map(Result::err) else { return Ok(None) };
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return Err(Unparsed::Deep);
    }
    let at = boundary(text, error.marker().byte_offset().unwrap_or(0).min(text.len()));
    Ok(Some((error.kind().clone(), at)))
}
