//! Indents a text for the place at which it is inserted. A text that has the right indentation stays as it is. No line
//! is joined, split or dropped, except blank ones at either end.

use editd_types::limits as shared;

use super::brackets::{self, Open};
use super::quotes::{NonCodeRanges, Quotes};
use super::step;
use crate::Refusal;
use crate::limits;
use crate::locate::{LineParts, Unit, is_blank, lines, split_indent};
use crate::refusal::too_large;
use crate::splice;
use crate::text::{Breaks, split_final_break};

/// The rules for indenting a text.
pub(super) struct IndentRules<'f> {
    /// The kind of the file's line endings.
    pub(super) breaks: Breaks,
    /// The indentation of the text's outermost lines.
    pub(super) target: &'f str,
    /// The file's step of indentation.
    pub(super) unit: Option<Unit>,
    /// True if the text's indentation may change at all.
    pub(super) may: bool,
    /// True if the first line may have lost its indentation.
    pub(super) torn: bool,
    /// The finder of strings in the text; `None` if it has none.
    pub(super) quotes: Option<Quotes<'f>>,
}

/// Returns a text without the blank lines at its ends, and without its last break.
pub(super) fn trimmed(text: &str, breaks: Breaks) -> &str {
    let mut rest = text;
    for (line, ending) in lines(text, breaks) {
        if ending.is_empty() || !is_blank(line) {
            break;
        }
        rest = rest.get(line.len() + ending.len()..).unwrap_or(rest);
    }
    let end = rest.trim_end_matches([' ', '\t', '\n', '\r']).len();
    rest.get(..end).unwrap_or(rest)
}

impl IndentRules<'_> {
    /// Returns the trimmed text with the indentation of its place, which the first line gets, too. Lines that
    /// begin in a string are not changed. If the strings cannot be found, no line is changed.
    ///
    /// # Errors
    /// `too_large` if the result would be larger than a file may be.
    pub(super) fn text(&self, given: &str) -> Result<String, Refusal> {
        let given = trimmed(given, self.breaks);
        let lines = lines(given, self.breaks);
        if !self.may || given.is_empty() {
            return Ok(given.to_owned());
        }
        // The size is checked before the text is made: many lines with a deep indentation are long.
        let room = self.target.len().saturating_mul(lines.len()).saturating_add(given.len());
        if room > shared::FILE || self.target.len() > limits::INDENT {
            let message = format!("the text would have more than {} bytes once it is indented", shared::FILE);
            return Err(too_large(message, shared::FILE));
        }
        let Some(non_code) = self.non_code(given) else { return Ok(given.to_owned()) };
        let quoted = non_code.quoted(&lines);
        let is_code = |(line, quoted): &(&LineParts<'_>, &bool)| !**quoted && !is_blank(line.0);
        let indents: Vec<&str> =
            lines.iter().zip(&quoted).filter(is_code).map(|(line, _)| split_indent(line.0).0).collect();
        let head = lines.iter().zip(&quoted).position(|line| is_code(&line));
        let first = indents.first().copied().unwrap_or("");
        let torn = || {
            let open = brackets::around(
                given,
                lines.iter().map(|(line, ending)| line.len() + ending.len()),
                &non_code.all,
            );
            let code = lines.iter().zip(&quoted).zip(open).filter(|(line, _)| is_code(line));
            let code: Vec<(&str, Open)> = code.map(|((line, _), open)| (line.0, open)).collect();
            self.torn_from(&code, &indents)
        };
        let torn = if first.is_empty() && self.torn { torn() } else { None };
        let first = torn.unwrap_or(first);
        let all = || std::iter::once(first).chain(indents.iter().skip(1).copied());
        let common = all().fold(first, |common, indent| shared_start(common, indent));
        let from = self.other_unit(|| all().map(|indent| indent.get(common.len()..).unwrap_or("")));
        // A text with the right indentation stays, even if lines of a string in it are indented less.
        let common = if first == self.target { first } else { common };
        let mut made = String::with_capacity(room);
        for (at, ((line, ending), quoted)) in lines.iter().zip(quoted).enumerate() {
            let (indent, rest) = split_indent(line);
            let indent = if head == Some(at) { first } else { indent };
            match indent.strip_prefix(common).filter(|_| !rest.is_empty() && !quoted) {
                Some(deeper) => {
                    made.push_str(self.target);
                    match (from, self.unit) {
                        (Some(from), Some(to)) => made.push_str(&step::converted(deeper, from, to)),
                        _ => made.push_str(deeper),
                    }
                    made.push_str(rest);
                }
                None => made.push_str(line),
            }
            made.push_str(ending);
        }
        Ok(made)
    }

    /// Returns the text for a place in the middle of a line: the first line gets no indentation.
    pub(super) fn inline(&self, given: &str) -> Result<String, Refusal> {
        let made = self.text(given)?;
        Ok(made.trim_start_matches(crate::locate::BLANKS).to_owned())
    }

    /// Returns the ranges of the text that are not code.
    fn non_code(&self, given: &str) -> Option<NonCodeRanges> {
        self.quotes.map_or_else(|| Some(NonCodeRanges::default()), |quotes| quotes.of_lines(given))
    }

    /// Returns the step in which the text is indented, if it differs from the file's.
    fn other_unit<'l, I: Iterator<Item = &'l str>>(&self, indents: impl Fn() -> I) -> Option<Unit> {
        let file = self.unit?;
        let steps = step::all(indents());
        let first = steps.first().copied()?;
        (!steps.contains(&file)).then_some(first)
    }

    /// Returns the indentation that the first line lost, if the text was taken from the middle of a line; the text's
    /// first line has none.
    fn torn_from<'l>(&'l self, lines: &[(&'l str, Open)], indents: &[&'l str]) -> Option<&'l str> {
        let rest = indents.get(1..).filter(|rest| !rest.is_empty())?;
        // A bracket that the first line opens may extend it over several lines.
        let goes_on = 1 + lines.iter().skip(1).take_while(|(_, open)| open.inside).count();
        let goes_on = if goes_on < lines.len() { goes_on } else { 1 };
        let line = |at: usize| lines.get(at).map(|(line, _)| line.trim());
        let (first, end, second) = (line(0)?, line(goes_on - 1)?, line(goes_on)?);
        let ((last, _), front) = lines.split_last()?;
        let last = last.trim_start();
        // The last line closes the bracket that the first one opens, and no line between them does.
        let closes = last.starts_with(['}', ')', ']']) && front.iter().all(|(_, open)| open.after)
            || last.starts_with('<')
            || last == "end";
        let last_indent = rest.last().copied()?;
        if closes && !self.target.is_empty() && last_indent == self.target {
            return Some(self.target);
        }
        let common = rest.iter().fold(*rest.first()?, |common, indent| shared_start(common, indent));
        if common.is_empty() {
            return None;
        }
        let returns = returns_elsewhere(lines);
        if self.target.is_empty() {
            return (closes && returns).then_some(common);
        }
        let one_deeper = self.unit.and_then(|unit| common.strip_prefix(self.target).map(|more| (unit, more)));
        match one_deeper {
            _ if returns || begins_aside(first) || !may_go_deeper(end, second) => Some(common),
            Some((unit, more)) if unit.times(1).as_deref() == Some(more) => Some(self.target),
            _ => None,
        }
    }
}

/// Returns true if a line goes back to an indentation that no line above it has, given that the first line has none.
/// Lines that begin inside brackets are ignored, since they may have any indentation.
fn returns_elsewhere(lines: &[(&str, Open)]) -> bool {
    let mut stack: Vec<usize> = Vec::new();
    for (line, _) in lines.iter().filter(|(_, open)| !open.inside) {
        let depth = split_indent(line).0.len();
        let above = stack.len();
        while stack.last().is_some_and(|top| *top > depth) {
            stack.pop();
        }
        if stack.last() == Some(&depth) {
            continue;
        }
        if stack.len() < above {
            return true;
        }
        stack.push(depth);
    }
    false
}

/// Returns true if a line begins a comment or an attribute: the next line has the same indentation.
fn begins_aside(line: &str) -> bool {
    ["//", "#", "/*", "@", "--"].iter().any(|mark| line.starts_with(mark))
}

/// Returns true if the second line may be indented deeper than the first.
pub(super) fn may_go_deeper(first: &str, second: &str) -> bool {
    const ITEMS: [&str; 2] = ["- ", "* "];
    const GOES_ON: [&str; 10] = [".", "?", "&&", "||", "->", "=>", "+ ", ": ", "and ", "or "];
    if begins_aside(first) {
        return false;
    }
    // A line that opens a block may end in a comment.
    let code =
        [" #", " //"].into_iter().filter_map(|mark| first.split_once(mark)).map(|(code, _)| code.trim_end());
    let code = code.min_by_key(|code| code.len()).unwrap_or(first);
    code.ends_with(['{', '(', '[', ':', ',', '=', '|', '&', '+', '-', '*', '\\', '>', '<'])
        || ITEMS.iter().any(|item| first.starts_with(item))
        || GOES_ON.iter().any(|word| second.starts_with(word))
}

/// Returns the common start of two indentations.
fn shared_start<'l>(a: &'l str, b: &str) -> &'l str {
    a.get(..splice::shared_start(a.as_bytes(), b.as_bytes())).unwrap_or("")
}

/// Returns true if two texts are equal except for white space around them and, unless `literal`, the kind of
/// their breaks.
pub(super) fn same(a: &str, b: &str, literal: bool, breaks: Breaks) -> bool {
    let (a, b) = (a.trim(), b.trim());
    if literal || a == b {
        return a == b;
    }
    let (a, b) = (lines(a, breaks), lines(b, breaks));
    a.len() == b.len() && a.iter().zip(&b).all(|((x, _), (y, _))| x == y)
}

/// Returns true if a text has only one line.
pub(super) fn one_line(text: &str, breaks: Breaks) -> bool {
    !split_final_break(text, breaks).0.contains(['\n', '\r'])
}
