//! Finds windows whose lines differ from the quoted ones only in indentation, if one mapping explains all of it. It
//! never accepts a window that needs two.

use std::ops::{ControlFlow, Range};

use super::decide::{Frames, settle};
use super::gauge::Gauge;
use super::unit::{Unit, is_blank, split_indent};
use crate::Refusal;
use crate::cut::Cut;
use crate::limits;
use crate::locate::ladder::Adapted;
use crate::locate::quoted::{AdaptableText, Quote, ReadingConflict};
use crate::locate::reduced::{LineTrim, covered, list};
use crate::locate::{Haystack, lines};
use crate::refusal::spent;
use crate::text::Text;

/// Visits the windows that some mapping of indentation explains.
pub(crate) fn search(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    _: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Refusal> {
    let text = hay.text;
    let target = QuotedIndents::of(list(text, quote), text);
    if !quote.old.contains(char::is_alphanumeric) {
        // Blank lines have no indentation to map, and only their indentation distinguishes brackets.
        return Ok(());
    }
    if stands_but_for_blanks(hay, list(text, quote))? {
        return Ok(());
    }
    let mut affordable = true;
    // Many windows of a repetitive file have the same text.
    let mut last: Option<(&str, bool)> = None;
    hay.reduced(LineTrim::Bare).each(hay, list(text, quote), &mut |window| {
        let stretch = text.content.cut(window.clone());
        let (found, compared) = match last {
            Some((same, found)) if same == stretch => (found, 1 + stretch.len() / limits::SAME_BYTES),
            _ => {
                let (found, compared) = target.explain(text, stretch);
                (found.is_some(), compared)
            }
        };
        last = Some((stretch, found));
        affordable = hay.budget.compare(compared);
        match (affordable, found) {
            (false, _) => ControlFlow::Break(()),
            (true, false) => ControlFlow::Continue(()),
            (true, true) => visit(covered(text, quote, window)),
        }
    })?;
    if affordable {
        return Ok(());
    }
    let message = "the quoted lines could match at too many places; quote lines that are rarer, as the file indents them";
    Err(spent(message, limits::COMPARE_WORK))
}

/// Returns true if the lines occur with their own indentation once the blank lines around them are left out. A
/// surplus blank line is then as likely as another indentation, and does not tell the places apart.
fn stands_but_for_blanks(hay: &Haystack<'_>, list: &str) -> Result<bool, Refusal> {
    let solid = |at: &usize| list.as_bytes().get(*at).is_some_and(|byte| !byte.is_ascii_whitespace());
    let (Some(first), Some(last)) = ((0..list.len()).find(solid), (0..list.len()).rfind(solid)) else {
        return Ok(false);
    };
    let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let from = list.as_bytes().cut(0..first).iter().rposition(is_break).map_or(0, |at| at + 1);
    let end =
        list.as_bytes().cut(last..list.len()).iter().position(is_break).map_or(list.len(), |at| last + at);
    let core = list.cut(from..end);
    let mut found = false;
    if core.len() < list.len() {
        hay.reduced(LineTrim::Trimmed).each(hay, core, &mut |_| {
            found = true;
            ControlFlow::Break(())
        })?;
    }
    Ok(found)
}

/// Returns the new text with the file's indentation; `None` if the mapping does not cover a line.
///
/// # Errors
/// A conflict if the new lines could be indented in several ways.
pub(crate) fn adapt(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    range: &Range<usize>,
) -> Result<Option<Adapted>, ReadingConflict> {
    if quote.new_text == AdaptableText::Nothing {
        return Ok(Some(Adapted::default()));
    }
    let text = hay.text;
    let target = QuotedIndents::of(list(text, quote), text);
    let (explained, _) = target.explain(text, text.content.cut(range.clone()));
    let Some(explained) = explained else { return Ok(None) };
    let Some(mapping) = explained.gauge.mapping() else { return Ok(None) };
    let frames = Frames { mapping: &mapping, first: explained.first, torn: explained.torn };
    let new = settle(hay, quote, range, &frames)?;
    Ok(new.map(|(new, as_file)| Adapted { new: Some(new), score: None, as_file }))
}

/// The indentations of a quoted text.
struct QuotedIndents<'q> {
    /// The indentation of each line; `None` for a blank one.
    indents: Vec<Option<&'q str>>,
    unit: Option<Unit>,
    /// The unit of the lines after the first, if the first may be quoted from the middle of a line.
    behind: Option<Option<Unit>>,
}

/// The facts that explain a window.
struct IndentMatch<'w> {
    gauge: Gauge<'w>,
    /// The file's indentation of the first line, if that line is quoted without indentation and only this explains
    /// it.
    first: Option<&'w str>,
    /// The same, if a mapping explains all lines, but the first is quoted without indentation and the others are
    /// indented as in the file: it may be quoted from the middle of a line.
    torn: Option<&'w str>,
}

impl<'q> QuotedIndents<'q> {
    fn of(list: &'q str, text: &Text<'_>) -> Self {
        let quoted_lines = lines(list, text.breaks);
        let indent = |line: &'q str| (!is_blank(line)).then(|| split_indent(line).0);
        let indents: Vec<Option<&'q str>> = quoted_lines.into_iter().map(|(line, _)| indent(line)).collect();
        let unit = |from| Unit::of(indents.iter().skip(from).flatten().copied());
        let behind = (indents.first() == Some(&Some(""))).then(|| unit(1));
        Self { unit: unit(0), behind, indents }
    }

    /// Explains a window. Returns also the number of lines that were compared.
    fn explain<'w>(&'w self, text: &Text<'_>, window: &'w str) -> (Option<IndentMatch<'w>>, usize) {
        let mut all = Gauge::new(self.unit);
        let mut behind = self.behind.map(Gauge::new);
        let (mut possible, mut first, mut compared, mut same) = (true, None, 0, true);
        let stop = char::from(text.breaks.stop());
        for (i, (file, search)) in window.split(stop).zip(&self.indents).enumerate() {
            compared += 1;
            let Some(search) = *search else { continue };
            let file = split_indent(file).0;
            possible = possible && all.add(search, file);
            same &= i == 0 || search == file;
            if i == 0 {
                first = Some(file);
            } else if behind.as_mut().is_some_and(|gauge| !gauge.add(search, file)) {
                behind = None;
            }
            if !possible && behind.is_none() {
                return (None, compared);
            }
        }
        let explained =
            |gauge: Gauge<'w>, first, torn| gauge.explains().then_some(IndentMatch { gauge, first, torn });
        let torn = first.filter(|own| self.behind.is_some() && same && !own.is_empty());
        let whole = if possible { explained(all, None, torn) } else { None };
        // If the file does not indent the first line, the quotation lost nothing there, and nothing explains the rest.
        let lost = first.filter(|own| !own.is_empty());
        let torn_off = |own: &'w str| {
            let gauge = behind?;
            let fits = gauge.mapping()?.may_have_moved(own);
            if fits { explained(gauge, Some(own), None) } else { None }
        };
        (whole.or_else(|| lost.and_then(torn_off)), compared)
    }
}
