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

/// Characters of an alias that are shown.
const ALIAS: usize = 60;

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
    let message = unknown_alias(text, &kind, at).unwrap_or_else(|| kind.to_string());
    Ok(vec![Fault::other(at, message)])
}

/// The alias that is wrong, where it is one: what it stands for may have been moved, or be gone.
fn unknown_alias(text: &str, kind: &ErrorKind, at: usize) -> Option<String> {
    let alias = text.get(at..).filter(|rest| *kind == ErrorKind::UnknownAnchor && rest.starts_with('*'))?;
    let end = alias.find([' ', '\t', '\n', '\r', ',', ']', '}']).unwrap_or(alias.len());
    let shown: String = alias.get(1..end)?.chars().take(ALIAS).collect();
    Some(format!("`*{shown}` stands for nothing: no `&{shown}` is above it"))
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
