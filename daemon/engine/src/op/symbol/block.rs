//! The body of a YAML key that is a block of text: `|` or `>` with lines below. A new text without such a header gets
//! that of the file. Nothing else of YAML is handled here.

use std::ops::Range;

use editd_syntax::Language;

use super::around::line_end;
use super::edit::{SymbolEdit, SymbolSite};
use super::fitting::{IndentRules, trimmed};
use super::spacing::deeper;
use crate::Refusal;
use crate::cut::Cut;
use crate::locate::{is_blank, lines, split_indent};

/// Returns the new body of such a key, or `None` if the body is not a block, or if the text has a header of its own.
///
/// # Errors
/// `too_large` if the body would be larger than a file may be.
pub(super) fn in_block(
    site: &SymbolSite<'_, '_>,
    edit: &SymbolEdit,
    body: &Range<usize>,
    given: &str,
) -> Result<Option<String>, Refusal> {
    let text = site.scene.text;
    let there = lines(text.content.cut(body.clone()), text.breaks);
    let given = trimmed(given, text.breaks);
    let Some((header, ending)) = there.first().filter(|(header, _)| is_header(header)) else {
        return Ok(None);
    };
    let first = lines(given, text.breaks).first().map_or("", |(line, _)| *line);
    if site.known.language != Language::Yaml || is_header(first) || given.is_empty() {
        return Ok(None);
    }
    let (outer, _) = site.column();
    // A comment behind the marks may contain digits, too.
    let marks = header.trim_start().split([' ', '\t']).next().unwrap_or_default();
    let step = marks.chars().find_map(|letter| letter.to_digit(10));
    let content = there.iter().skip(1).find(|(line, _)| !is_blank(line));
    let target = match (step, content) {
        (Some(step), _) => outer + &" ".repeat(step as usize),
        (None, Some((line, _))) => split_indent(line).0.to_owned(),
        (None, None) => deeper(site, &outer),
    };
    let made = IndentRules { torn: false, ..site.fit(&edit.text, &target) }.text(given)?;
    let ending = if ending.is_empty() { site.ending(body.start) } else { (*ending).to_owned() };
    Ok(Some([header, ending.as_str(), &made].concat()))
}

/// Returns the range that a block of text with its header replaces, and the text. A comment behind the old body moves
/// behind the header, since it would be a part of the text below it.
pub(super) fn with_comment(
    site: &SymbolSite<'_, '_>,
    body: &Range<usize>,
    made: String,
) -> (Range<usize>, String) {
    let text = site.scene.text;
    let end = line_end(text, body.end);
    let comment = text.content.cut(body.end..end);
    let header = made.find(['\n', '\r']).map(|at| made.split_at(at)).filter(|(header, _)| is_header(header));
    match header {
        Some((header, rest))
            if site.known.language == Language::Yaml && comment.trim_start().starts_with('#') =>
        {
            (body.start..end, [header, comment, rest].concat())
        }
        _ => (body.clone(), made),
    }
}

/// Returns true if a line is the header of a block of text.
fn is_header(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix(['|', '>']) else { return false };
    let rest = rest.trim_start_matches(|letter: char| matches!(letter, '+' | '-' | '1'..='9'));
    rest.is_empty() || rest.starts_with([' ', '\t']) && (is_blank(rest) || rest.trim_start().starts_with('#'))
}
