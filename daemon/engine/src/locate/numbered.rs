//! The fifth rung: line numbers in front of the quoted lines, as tools show them, do not count. It strips a text
//! only where every line that says something bears one.

use std::ops::{ControlFlow, Range};

use super::indent::{BLANKS, is_blank};
use super::ladder::{Adapted, Brings, Quote};
use super::reduced::{Form, covered};
use super::{Haystack, keep_shared, lines};
use crate::Refusal;
use crate::cut::Cut;
use crate::text::{Breaks, Text};

/// What stands between a number and its line: `12 | line`, `12→line`, and a tab.
const SEPARATORS: [char; 3] = ['|', '→', '\t'];

/// Visits the runs of lines that equal the quoted ones without their numbers and the white space at their ends.
pub(crate) fn search(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    _: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal> {
    let Some(numbered) = Numbered::read(quote.old, hay.text.breaks) else {
        return Ok(());
    };
    // Numbers alone quote nothing.
    if is_blank(&numbered.text.replace(['\n', '\r'], "")) {
        return Ok(());
    }
    hay.reduced(Form::Trimmed).each(hay, &numbered.text, &mut |lines| visit(covered(hay.text, quote, lines)))
}

/// A text without its numbers; `None` where it has none.
pub(crate) fn stripped(old: &str, breaks: Breaks) -> Option<String> {
    Numbered::read(old, breaks).map(|numbered| numbered.text)
}

/// The line that the first number names.
pub(crate) fn hint(text: &Text<'_>, quote: &Quote<'_>) -> Option<u64> {
    Numbered::read(quote.old, text.breaks).map(|numbered| numbered.first).filter(|line| *line > 0)
}

/// The new text without its numbers; `None` where only some of its lines bear one.
pub(crate) fn adapt(hay: &Haystack<'_>, quote: &Quote<'_>, range: &Range<usize>) -> Option<Adapted> {
    let breaks = hay.text.breaks;
    let old = Numbered::read(quote.old, breaks)?;
    let new = match quote.brings {
        Brings::Nothing => None,
        Brings::Beside(new) => Some(old.style.strip(new, breaks)?),
        Brings::Instead(new) => {
            let new = old.style.strip(new, breaks)?;
            let as_it_is = |_, line: &str| Some(line.to_owned());
            Some(keep_shared(hay.text, quote, (&old.text, &new), range, as_it_is)?)
        }
    };
    Some(Adapted { new, score: None })
}

/// How the numbers of a text are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Style {
    separator: char,
    /// One space behind it belongs to it.
    spaced: bool,
}

/// A text whose lines bore numbers.
struct Numbered {
    style: Style,
    first: u64,
    /// Without them.
    text: String,
}

impl Numbered {
    /// Reads a text in which every line that is not blank bears a number, each one more than the one before;
    /// blank lines without one may be counted or not.
    fn read(old: &str, breaks: Breaks) -> Option<Self> {
        let list = lines(old, breaks);
        let told: Vec<_> =
            list.iter().filter(|(line, _)| !is_blank(line)).map(|(line, _)| prefix(line)).collect();
        let (first, separator, _) = (*told.first()?)?;
        let spaced = separator == '|' && told.iter().flatten().all(|(_, _, rest)| spaced(rest));
        let style = Style { separator, spaced };
        let (mut last, mut blank) = (None, 0);
        for (line, _) in &list {
            if is_blank(line) {
                blank += 1;
                continue;
            }
            let (number, ..) = prefix(line)?;
            let follows =
                |last: u64| number.checked_sub(last).is_some_and(|step| step == 1 || step == blank + 1);
            if !last.is_none_or(follows) {
                return None;
            }
            (last, blank) = (Some(number), 0);
        }
        Some(Self { style, first, text: style.all(&list)? })
    }
}

impl Style {
    /// A text without its numbers, as it is where no line bears one; `None` where only some do, or in another way.
    fn strip(self, new: &str, breaks: Breaks) -> Option<String> {
        let list = lines(new, breaks);
        if list.iter().all(|(line, _)| prefix(line).is_none()) {
            return Some(new.to_owned());
        }
        self.all(&list)
    }

    fn all(self, list: &[(&str, &str)]) -> Option<String> {
        let mut made = String::new();
        for (line, ending) in list {
            if is_blank(line) {
                made.push_str(line);
            } else {
                let (_, separator, rest) = prefix(line)?;
                if separator != self.separator || (self.spaced && !spaced(rest)) {
                    return None;
                }
                made.push_str(if self.spaced { rest.strip_prefix(' ').unwrap_or(rest) } else { rest });
            }
            made.push_str(ending);
        }
        Some(made)
    }
}

/// Whether what follows a separator is a space and a line, or an empty line whose space was dropped.
fn spaced(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(' ')
}

/// The number in front of a line, what separates them, and the line.
fn prefix(line: &str) -> Option<(u64, char, &str)> {
    let from = line.trim_start_matches(BLANKS);
    let digits = from.bytes().take_while(u8::is_ascii_digit).count();
    let number = from.cut(0..digits).parse().ok()?;
    let rest = from.cut(digits..from.len());
    let rest = if rest.starts_with(SEPARATORS) { rest } else { rest.trim_start_matches(BLANKS) };
    let separator = rest.chars().next().filter(|c| SEPARATORS.contains(c))?;
    Some((number, separator, rest.cut(separator.len_utf8()..rest.len())))
}
