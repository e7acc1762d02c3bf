//! `insert` adds text at the start, at the end, before a line, or beside the only place of an anchor. Fields: `text`,
//! `at`; `own_line`, `near`, `window`, `match`, `threshold`, `whole_lines` for an anchor; `whole_lines` at the start
//! or the end adds the text as separate lines; `eol`; `from_clipboard`, `reindent`. It removes nothing, and the bytes
//! of an anchor are never part of its splice.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use editd_types::{EditPosition, FileEdit};

use super::effect::{EditContext, EditNote, Effect, PlaceReport};
use super::given::{NewText, changed_breaks};
use super::lines::{lead, line_range, line_text};
use super::quote::Matching;
use super::registry::Op;
use super::{fields, quote};
use crate::Refusal;
use crate::clip::Clips;
use crate::cut::{Cut, Span};
use crate::locate::{AdaptableText, Hit, InsertionPoint, InsertionPoints, Quote, Rung, UnfitPlace};
use crate::refusal::malformed;
use crate::splice::{InsertionKind, Place};
use crate::text::{Breaks, Text, break_list, follow, split_final_break};

/// Fields that only an anchor can have.
const ANCHOR_FIELDS: [&str; 6] = ["own_line", "near", "window", "match", "threshold", "whole_lines"];

/// An insertion.
#[derive(Clone, Debug)]
pub(crate) struct Insert {
    /// The position of the insertion.
    pub(crate) at: EditPosition,
    /// The options for finding the anchor, if `at` names one.
    pub(crate) anchor: Option<Matching>,
    /// True if the text is inserted as lines at the start or the end.
    pub(crate) as_lines: bool,
    /// True if the text goes on lines of its own, before or after those of the anchor. If the request leaves it open,
    /// the outcome warns about a text in the middle of a line.
    pub(crate) own_line: Option<bool>,
    /// The text to insert.
    pub(crate) text: NewText,
}

pub(crate) fn parse(edit: &FileEdit, threshold: Option<f64>) -> Result<Op, Refusal> {
    let at = fields::required(edit, "at", &edit.at)?;
    let text = NewText::read(edit, "text", &edit.text)?;
    let anchor = match at {
        EditPosition::Before(old) => Some(quote::read(edit, "before", old, threshold)?),
        EditPosition::After(old) => Some(quote::read(edit, "after", old, threshold)?),
        EditPosition::Start | EditPosition::End | EditPosition::Line(_) => {
            let as_lines = |field: &str| field == "whole_lines" && !matches!(at, EditPosition::Line(_));
            let only = |field: &&str| ANCHOR_FIELDS.contains(field) && !as_lines(field);
            if let Some(field) = fields::present(edit).find(only) {
                return Err(malformed(format!("`{field}` needs an anchor: `at` is not `before` or `after`")));
            }
            None
        }
    };
    let as_lines = edit.whole_lines.unwrap_or(false);
    let at = at.clone();
    Ok(Op::Insert(Arc::new(Insert { at, anchor, as_lines, own_line: edit.own_line, text })))
}

impl Insert {
    /// Returns the quotation of the anchor with the new text beside it.
    pub(crate) fn quote(&self) -> Option<Quote<'_>> {
        let (old, at) = match &self.at {
            EditPosition::Before(old) => (old, 0),
            EditPosition::After(old) => (old, old.len()),
            EditPosition::Start | EditPosition::End | EditPosition::Line(_) => return None,
        };
        let new_text = self.text.mapped().map_or(AdaptableText::Nothing, |text| adaptable(text, at));
        Some(self.anchor.as_ref()?.quote(old, new_text))
    }

    /// Finds the offset and the text to insert there.
    pub(crate) fn effect(&self, scene: &EditContext<'_>, clips: &mut Clips<'_>) -> Result<Effect, Refusal> {
        let text = scene.text;
        let new = self.text.resolve(clips)?;
        match (&self.at, self.quote()) {
            (EditPosition::Line(line), _) => {
                let range = line_range(text, *line, line.saturating_sub(1))?;
                Ok(self.lines_at(scene, range.start, &new, PlaceReport::default(), InsertionKind::Before))
            }
            (EditPosition::Start | EditPosition::End, _) if self.as_lines && scene.written.is_some() => {
                Err(malformed("`whole_lines` does not go with `write`; put the lines into its text"))
            }
            (EditPosition::Start, _) if self.as_lines => {
                Ok(self.lines_at(scene, 0, &new, PlaceReport::default(), InsertionKind::Start))
            }
            (EditPosition::End, _) if self.as_lines => {
                Ok(self.lines_at(scene, text.len(), &new, PlaceReport::default(), InsertionKind::End))
            }
            (EditPosition::End, _) => {
                Ok(self.bytes_at(scene, text.len(), &new, PlaceReport::default(), InsertionKind::End))
            }
            (EditPosition::Before(_) | EditPosition::After(_), Some(quote)) => {
                scene.pay_search(quote.needle(text.breaks))?;
                let (head, rest) = self.on_its_line(&quote, text);
                let at = if matches!(self.at, EditPosition::After(_)) { quote.old.len() } else { 0 };
                let new_text = rest.map_or(AdaptableText::Nothing, |rest| adaptable(rest, at));
                let quote = Quote { new_text, ..quote };
                let hit = scene.one(&quote)?.and_then(|hit| self.may_stand(&quote, hit, text));
                let hit = hit.map_err(|unfit| scene.missed(&quote, None, unfit))?;
                let adapted = hit.adapted.new.as_deref().map(|rest| [head, rest].concat());
                Ok(self.beside(scene, &quote, &hit, adapted.as_deref().unwrap_or(&new)))
            }
            _ => Ok(self.bytes_at(scene, 0, &new, PlaceReport::default(), InsertionKind::Start)),
        }
    }

    /// Returns the part of the text that is added to the last line of the anchor, and the lines behind it, which
    /// the ladder may map.
    fn on_its_line(&self, quote: &Quote<'_>, text: &Text<'_>) -> (&str, Option<&str>) {
        let Some(given) = self.text.mapped() else {
            return ("", None);
        };
        let closed = quote.whole_lines
            || self.own_line == Some(true)
            || !split_final_break(quote.old, text.breaks).1.is_empty();
        if closed || matches!(self.at, EditPosition::Before(_)) {
            return ("", Some(given));
        }
        let end = break_list(given, text.breaks).first().map_or(given.len(), |at| at.end);
        (given.cut(0..end), Some(given.cut(end..given.len())))
    }

    /// Fails if the text may not go there: a text mapped line by line cannot end in front of the anchor's indentation.
    fn may_stand(&self, quote: &Quote<'_>, hit: Hit, text: &Text<'_>) -> Result<Hit, Option<UnfitPlace>> {
        let mapped = matches!(hit.rung, Rung::Indent | Rung::Fuzzy) && !quote.whole_lines;
        let AdaptableText::Beside(given, _) = quote.new_text else { return Ok(hit) };
        let open = !given.is_empty() && split_final_break(given, text.breaks).1.is_empty();
        if mapped && open && self.own_line != Some(true) && matches!(self.at, EditPosition::Before(_)) {
            let reason = "the text would come before an indentation; end it in a line break";
            return Err(Some(UnfitPlace { at: hit.range.start, rung: hit.rung, reason }));
        }
        Ok(hit)
    }

    fn beside(&self, scene: &EditContext<'_>, quote: &Quote<'_>, hit: &Hit, new: &str) -> Effect {
        let found = PlaceReport {
            rung: Some(hit.rung),
            moved: hit.moved,
            score: hit.adapted.score,
            ..PlaceReport::default()
        };
        let after = matches!(self.at, EditPosition::After(_));
        let kind = if after { InsertionKind::After } else { InsertionKind::Before };
        if self.own_line == Some(true) {
            let at =
                if after { line_behind(scene.text, &hit.range) } else { line_front(scene.text, &hit.range) };
            return self.lines_at(scene, at, new, found, kind);
        }
        let at = if after { hit.range.end } else { hit.range.start };
        let in_line = if self.own_line.is_none() { in_line(scene.text, at, new) } else { None };
        let found = PlaceReport { note: in_line.map(|line| Box::new(EditNote::InLine(line))), ..found };
        match (after, quote.whole_lines) {
            (false, false) => self.bytes_at(scene, hit.range.start, new, found, kind),
            (true, false) => {
                let quoted = split_final_break(quote.old, scene.text.breaks).1;
                let there = split_final_break(scene.text.content.cut(hit.range.clone()), scene.text.breaks).1;
                if there.is_empty() && !quoted.is_empty() {
                    // A looser rung matched the last line, which has no line break although the quoted one has: the
                    // text must not be appended to that line.
                    return self.lines_at(scene, hit.range.end, new, found, kind);
                }
                self.bytes_at(scene, hit.range.end, new, found, kind)
            }
            (false, true) => self.lines_at(scene, hit.range.start, new, found, kind),
            (true, true) => {
                let next = hit.range.end + scene.text.break_at(hit.range.end);
                self.lines_at(scene, next, new, found, kind)
            }
        }
    }

    fn bytes_at(
        &self,
        scene: &EditContext<'_>,
        at: usize,
        new: &str,
        found: PlaceReport,
        kind: InsertionKind,
    ) -> Effect {
        let text = scene.text;
        // The breaks follow the text that `write` puts in the file, not the one it replaces.
        let breaks = scene.written.map_or(text.breaks, Breaks::of);
        let made = if self.text.literal {
            new.to_owned()
        } else {
            let ending = match scene.written {
                Some(written) => nearest_break(written, kind == InsertionKind::End),
                None => text.ending_at(at),
            };
            follow(new, "", ending, breaks).0
        };
        let converted = changed_breaks(new, &made, breaks);
        effect(scene, text, at, made, PlaceReport { converted, ..found }, kind)
    }

    fn lines_at(
        &self,
        scene: &EditContext<'_>,
        at: usize,
        new: &str,
        found: PlaceReport,
        kind: InsertionKind,
    ) -> Effect {
        let text = scene.text;
        let (made, converted) = line_text(text, &(at..at), new, self.text.literal);
        let lead = lead(text, &(at..at), &made);
        let mut effect = effect(scene, text, at, made, PlaceReport { converted, ..found }, kind);
        effect.places.iter_mut().for_each(|place| place.lead = lead);
        effect
    }
}

/// Returns the start of the line in which a range begins.
fn line_front(text: &Text<'_>, range: &Range<usize>) -> usize {
    text.line_start(text.line_of(range.start))
}

/// Returns the start of the line behind the one in which a range ends.
fn line_behind(text: &Text<'_>, range: &Range<usize>) -> usize {
    let last = text.line_of(if range.is_empty() { range.start } else { range.end - 1 });
    text.line_start(last + 1)
}

/// Returns the line of an offset, if text inserted there is joined to the text in front of the offset on that line.
fn in_line(text: &Text<'_>, at: usize, new: &str) -> Option<u64> {
    let line = text.line_of(at);
    let whole = text.line_start(line)..text.line_start(line) + text.line(line).len();
    let begins = at == whole.start;
    let ends = at == whole.end && new.starts_with(['\n', '\r']);
    (!begins && !ends && !new.is_empty()).then_some(line as u64)
}

/// Returns the new text for an insertion at an offset of the quotation that is its anchor.
fn adaptable(text: &str, at: usize) -> AdaptableText<'_> {
    let point = InsertionPoint { removed: Span::new(at..at), added: Span::new(0..text.len()) };
    AdaptableText::Beside(text, InsertionPoints::One(point))
}

/// Returns the last or the first break of a content.
fn nearest_break(content: &str, last: bool) -> Option<&str> {
    let list = break_list(content, Breaks::of(content));
    let at = if last { list.last() } else { list.first() };
    at.map(|at| content.cut(at.clone()))
}

fn effect(
    scene: &EditContext<'_>,
    text: &Text<'_>,
    at: usize,
    made: String,
    found: PlaceReport,
    kind: InsertionKind,
) -> Effect {
    let found = PlaceReport { lines: Some(text.lines_of(at..at)), ..found };
    if made.is_empty() {
        return Effect { found, ..Effect::default() };
    }
    let place = Place::inserting(scene.edit, at, &Rc::from(made), kind);
    Effect { places: vec![place], stored: None, found }
}
