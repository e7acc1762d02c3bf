//! `lines` replaces a range of lines by number. Fields: `start`, `end` (inclusive; `start - 1` inserts), `text` (a
//! list of lines, its final break optional; empty deletes); `eol`; clipboards and `reindent`. A file whose last line
//! has no line break keeps that unless `eol` is "literal", and two lines are never joined.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use editd_types::FileEdit;

use super::effect::{EditContext, Effect, PlaceReport};
use super::fields;
use super::given::{NewText, changed_breaks};
use super::registry::Op;
use crate::Refusal;
use crate::clip::Clips;
use crate::cut::Cut;
use crate::refusal::{malformed, out_of_range};
use crate::splice::{InsertionKind, Place};
use crate::text::{Breaks, Text, break_list, follow, split_final_break};

/// A line edit.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The new lines.
    pub(crate) text: NewText,
    /// The clipboard in which the old lines are stored.
    pub(crate) to_clipboard: Option<String>,
}

pub(crate) fn parse(edit: &FileEdit, _: Option<f64>) -> Result<Op, Refusal> {
    let start = *fields::required(edit, "start", &edit.start)?;
    let end = *fields::required(edit, "end", &edit.end)?;
    if start > 0 && end < start - 1 {
        return Err(malformed(format!(
            "`end` ({end}) lies before `start` ({start}); `end` = {} inserts before line {start}",
            start - 1
        )));
    }
    Ok(Op::Lines(Arc::new(Lines {
        start,
        end,
        text: NewText::read(edit, "text", &edit.text)?,
        to_clipboard: fields::clipboard("to_clipboard", &edit.to_clipboard)?,
    })))
}

impl Lines {
    /// Returns true if the lines are added at the start of the file.
    pub(crate) fn adds_at_start(&self) -> bool {
        (self.start, self.end) == (1, 0)
    }

    /// Finds the lines and replaces them.
    pub(crate) fn effect(&self, scene: &EditContext<'_>, clips: &mut Clips<'_>) -> Result<Effect, Refusal> {
        let text = scene.text;
        let range = line_range(text, self.start, self.end)?;
        let stored = scene.store(clips, self.to_clipboard.as_deref(), text.content.cut(range.clone()))?;
        let found = PlaceReport { lines: Some(text.lines_of(range.clone())), ..PlaceReport::default() };
        if self.text.restores(self.to_clipboard.as_deref()) {
            return Ok(Effect { places: Vec::new(), stored, found });
        }
        let new = self.text.resolve(clips)?;
        let (made, converted) = line_text(text, &range, &new, self.text.literal);
        let lead = lead(text, &range, &made);
        // An empty range counts as after the line `end`; `insert` at a line counts as before it.
        let kind = InsertionKind::After;
        let place = Place { lead, kind, ..Place::owning(text, scene.edit, range, &Rc::from(made)) };
        Ok(Effect { places: vec![place], stored, found: PlaceReport { converted, ..found } })
    }
}

/// Returns the bytes of lines `start` to `end`, with their breaks; empty if `end` is `start - 1`, and at the end of
/// the file if `start` is one past the last line.
///
/// # Errors
/// `out_of_range` with the number of lines.
pub(crate) fn line_range(text: &Text<'_>, start: u64, end: u64) -> Result<Range<usize>, Refusal> {
    let lines = text.lines() as u64;
    let appends = start == lines + 1 && end <= start;
    if start == 0 || start > lines + 1 || (end > lines && !appends) {
        let what =
            if end < start { format!("line {start} does") } else { format!("lines {start} to {end} do") };
        let message = format!("{what} not lie in the file, which has {lines} lines; read it again");
        return Err(out_of_range(message, lines));
    }
    if appends {
        return Ok(text.len()..text.len());
    }
    let at = |line: u64| text.line_start(usize::try_from(line).unwrap_or(usize::MAX));
    Ok(at(start)..at(end + 1))
}

/// Returns a list of lines as it is written at a range of whole lines, and the number of converted line breaks.
pub(crate) fn line_text(text: &Text<'_>, range: &Range<usize>, given: &str, literal: bool) -> (String, u64) {
    if given.is_empty() {
        return (String::new(), 0);
    }
    let at_end = range.end == text.len();
    let open = !text.ends_with_break();
    let (body, last) = split_final_break(given, text.breaks);
    let own = own_break(text, range, given);
    let appended = range.is_empty() && at_end;
    let (lead, trail) = match (at_end, appended) {
        // In an empty file, or behind a last line without a line break, the text decides if the new last line has one.
        // The break in front is dropped if no other edit puts a line above into an empty file.
        (true, true) if open => (own.as_str(), last),
        (true, false) if open => ("", if literal { last } else { "" }),
        _ if last.is_empty() => ("", own.as_str()),
        _ => ("", last),
    };
    let made = if literal {
        [lead, body, trail].concat()
    } else {
        let matched = text.content.cut(range.clone());
        let lines = [body, trail].concat();
        // The break in front stays apart: a `\r` and a line feed of the text would be one break.
        lead.to_owned() + &follow(&lines, matched, text.ending_at(range.start), text.breaks).0
    };
    let converted = changed_breaks(given, made.strip_prefix(lead).unwrap_or(&made), text.breaks);
    (made, converted)
}

/// Returns the size of the line break with which a list of lines that [`line_text`] returned completes an unfinished
/// last line, in bytes. In an empty file, such a line may come from another edit.
pub(crate) fn lead(text: &Text<'_>, range: &Range<usize>, made: &str) -> u8 {
    let behind_open = range.is_empty() && range.end == text.len() && !text.ends_with_break();
    match made.as_bytes() {
        [b'\r', b'\n', ..] if behind_open => 2,
        [_, ..] if behind_open => 1,
        _ => 0,
    }
}

/// Returns the line break that is added if the text ends without one: that of the file there, or else that of the
/// text, or else `\n`.
fn own_break(text: &Text<'_>, range: &Range<usize>, given: &str) -> String {
    let matched = text.content.cut(range.clone());
    let last = break_list(matched, text.breaks).pop().map(|at| matched.cut(at));
    let first = break_list(given, Breaks::Lf).into_iter().next().map(|at| given.cut(at));
    last.or(text.ending_at(range.start)).or(first).unwrap_or("\n").to_owned()
}
