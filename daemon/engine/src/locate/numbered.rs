//! The fifth rung: it ignores line numbers before the quoted lines, as tools show them. It strips a text only if
//! every line that is not blank has a number.

use std::ops::{ControlFlow, Range};

use super::indent::{BLANKS, is_blank};
use super::ladder::Adapted;
use super::quoted::{AdaptableText, Quote};
use super::reduced::{LineTrim, covered, list};
use super::{Haystack, LineParts, keep_shared_lines, lines};
use crate::Refusal;
use crate::cut::Cut;
use crate::text::{Breaks, Text};

/// The separators between a number and its line: `12 | line`, `12→line`, and a tab.
const SEPARATORS: [char; 3] = ['|', '→', '\t'];

/// The separator of `12: line`. Text of a file may have this form, too: one such line must stand where its number says, and
/// the new lines must be numbered in the same way, or bear no number.
const COLON: char = ':';

/// Visits the runs of lines that equal the quoted ones without their numbers and the white space at their ends.
pub(crate) fn search(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    _: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal> {
    let Some(list) = stripped(list(hay.text, quote), hay.text.breaks) else {
        return Ok(());
    };
    let place = Numbered::read(quote.old, hay.text.breaks).and_then(|numbered| numbered.only_place());
    hay.reduced(LineTrim::Trimmed).each(hay, &list, &mut |lines| match place {
        Some(line) if hay.text.line_of(lines.start) as u64 != line => ControlFlow::Continue(()),
        _ => visit(covered(hay.text, quote, lines)),
    })
}

/// Returns a list of lines without their numbers; `None` if it has no numbers, or only blank lines.
pub(crate) fn stripped(list: &str, breaks: Breaks) -> Option<String> {
    let numbered = Numbered::read(list, breaks)?;
    let says = numbered.lines.iter().any(|(line, _)| !is_blank(line));
    says.then(|| joined(&numbered.lines))
}

/// Returns the line that the first number names.
pub(crate) fn hint(text: &Text<'_>, quote: &Quote<'_>) -> Option<u64> {
    Numbered::read(quote.old, text.breaks).map(|numbered| numbered.first).filter(|line| *line > 0)
}

/// Returns the new text without its numbers; `None` if only some of its lines have one.
pub(crate) fn adapt(hay: &Haystack<'_>, quote: &Quote<'_>, range: &Range<usize>) -> Option<Adapted> {
    let old = Numbered::read(quote.old, hay.text.breaks)?;
    let strip = |new| old.strip_new(new, hay.text.breaks);
    let new = match quote.new_text {
        AdaptableText::Nothing => None,
        AdaptableText::Beside(new, _) => {
            let list = strip(new)?;
            // In a list of lines, a blank last line counts only with its line break.
            let lost = quote.whole_lines && list.last() == Some(&("", ""));
            Some(joined(&list) + if lost { "\n" } else { "" })
        }
        AdaptableText::Instead(new) => {
            let as_it_is = |_, line: &str| Some(line.to_owned());
            Some(keep_shared_lines(hay.text, quote, (&old.lines, &strip(new)?), range, as_it_is)?)
        }
    };
    Some(Adapted { new, score: None, as_file: false })
}

fn joined(list: &[LineParts<'_>]) -> String {
    list.iter().flat_map(|(line, ending)| [*line, *ending]).collect()
}

/// The format of the line numbers of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Style {
    separator: char,
    /// True if one space after the separator belongs to it.
    spaced: bool,
}

/// A text without its line numbers.
struct Numbered<'l> {
    style: Style,
    first: u64,
    /// The lines without their numbers.
    lines: Vec<LineParts<'l>>,
}

impl<'l> Numbered<'l> {
    /// Reads a text in which every line that is not blank bears a number, each one more than the one before;
    /// blank lines without one may be counted or not.
    fn read(text: &'l str, breaks: Breaks) -> Option<Self> {
        let list = lines(text, breaks);
        let (mut first, mut last, mut blank, mut all_spaced) = (None, None, 0, true);
        for (line, _) in &list {
            if is_blank(line) {
                blank += 1;
                continue;
            }
            let (number, separator, rest) = prefix(line)?;
            let follows =
                |last: u64| number.checked_sub(last).is_some_and(|step| step == 1 || step == blank + 1);
            if !last.is_none_or(follows) {
                return None;
            }
            first = first.or(Some((number, separator)));
            all_spaced &= spaced(rest);
            (last, blank) = (Some(number), 0);
        }
        let (first, separator) = first?;
        let style = Style { separator, spaced: separator == COLON || separator == '|' && all_spaced };
        Some(Self { style, first, lines: style.strip(list)? })
    }

    /// Returns the number of the line at which the text must stand; `None` if it may stand anywhere.
    fn only_place(&self) -> Option<u64> {
        let mut says = self.lines.iter().filter(|(line, _)| !is_blank(line));
        let is_one = says.next().is_some() && says.next().is_none();
        (self.style.separator == COLON && is_one).then_some(self.first)
    }

    /// Returns the lines of the new text without their numbers, and unchanged if none has one; `None` if only some have
    /// one, or in another format.
    fn strip_new<'n>(&self, new: &'n str, breaks: Breaks) -> Option<Vec<LineParts<'n>>> {
        let list = lines(new, breaks);
        let separator = |line: &str| prefix(line).map(|(_, separator, _)| separator);
        let is_style = |found: char| (found == COLON) == (self.style.separator == COLON);
        if !list.iter().any(|(line, _)| separator(line).is_some_and(is_style)) {
            return Some(list);
        }
        if self.style.separator != COLON {
            return self.style.strip(list);
        }
        Numbered::read(new, breaks)
            .filter(|new| new.style == self.style && new.first == self.first)
            .map(|new| new.lines)
    }
}

impl Style {
    fn strip<'l>(self, list: Vec<LineParts<'l>>) -> Option<Vec<LineParts<'l>>> {
        let bare = |line: &'l str| {
            if is_blank(line) {
                return Some(line);
            }
            let (_, _, rest) = prefix(line).filter(|(_, separator, _)| *separator == self.separator)?;
            if self.spaced && !rest.is_empty() { rest.strip_prefix(' ') } else { Some(rest) }
        };
        list.into_iter().map(|(line, ending)| Some((bare(line)?, ending))).collect()
    }
}

/// Returns true if the text after a separator is a space and a line, or an empty line whose space was dropped.
fn spaced(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(' ')
}

/// Returns the number before a line, the separator, and the line.
fn prefix(line: &str) -> Option<(u64, char, &str)> {
    let from = line.trim_start_matches(BLANKS);
    let digits = from.bytes().take_while(u8::is_ascii_digit).count();
    let number = from.cut(0..digits).parse().ok()?;
    let rest = from.cut(digits..from.len());
    if let Some(line) = rest.strip_prefix(COLON).filter(|line| spaced(line)) {
        return Some((number, COLON, line));
    }
    let rest = if rest.starts_with(SEPARATORS) { rest } else { rest.trim_start_matches(BLANKS) };
    let separator = rest.chars().next().filter(|c| SEPARATORS.contains(c))?;
    Some((number, separator, rest.cut(separator.len_utf8()..rest.len())))
}
