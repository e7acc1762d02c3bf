//! `delete`: a symbol goes with all that belongs to it, and leaves the lines around as if it had not been there. Symbols
//! beside it that the same entry deletes count as gone, so that no two deletions take the same bytes.

use std::ops::Range;
use std::rc::Rc;

use super::around::{
    back_over_blanks, begins_line, blank_above, blank_below, ends_line, line_start, next_line, over_blanks,
};
use super::edit::Site;
use super::symbols::between;
use crate::Refusal;
use crate::clip::Clips;
use crate::op::effect::{Effect, Found};
use crate::splice::Place;

/// Takes a symbol out.
pub(super) fn delete(
    site: &Site<'_, '_>,
    to_clipboard: Option<&str>,
    clips: &mut Clips<'_>,
) -> Result<Effect, Refusal> {
    let text = site.scene.text;
    let own = site.own();
    let alone = begins_line(text, own.start) && ends_line(text, own.end);
    let matched = if alone { line_start(text, own.start)..own.end } else { own.clone() };
    let stored = site.store(clips, to_clipboard, matched)?;
    let range = if alone { site.lines_and_blanks(&own) } else { site.bytes_and_blanks(&own) };
    let found = Found { lines: Some(text.lines_of(own)), ..Found::default() };
    let nothing: Rc<str> = Rc::from("");
    let mut places = vec![Place::owning(text, site.scene.edit, range, &nothing)];
    if let Some(comma) = site.spare_comma() {
        // What stood between it and the symbols that go before this one goes with the comma.
        let run = !alone && site.staying(false).1 != site.at;
        let end = if run { over_blanks(text, comma + 1) } else { comma + 1 };
        places.push(Place::owning(text, site.scene.edit, comma..end, &nothing));
    }
    Ok(Effect { places, stored, found })
}

impl Site<'_, '_> {
    /// All that belongs to it; what ends a whole statement stays where it is one item of it.
    fn own(&self) -> Range<usize> {
        let (extent, definition) = (&self.symbol.extent, &self.symbol.definition);
        let tail = between(self.scene.text, definition.end..extent.end);
        let several = self.symbol.listed && tail.trim_start().starts_with(';');
        extent.start..if several { definition.end } else { extent.end }
    }

    /// The nearest symbol of the parent on one side that stays, and whether another one that goes lies directly there.
    fn staying(&self, after: bool) -> (Option<usize>, usize) {
        let going = self.scene.symbols.going(self.scene, self.known);
        let step = |at: usize| if after { self.known.after(at) } else { self.known.before(at) };
        let (mut edge, mut next) = (self.at, step(self.at));
        while let Some(at) = next.filter(|at| going.contains(at) && self.touches(edge, *at, after)) {
            (edge, next) = (at, step(at));
        }
        (next, edge)
    }

    /// Whether nothing but blanks and commas stands between two symbols.
    fn touches(&self, from: usize, to: usize, after: bool) -> bool {
        let (Some(from), Some(to)) = (self.known.get(from), self.known.get(to)) else { return false };
        let gap = if after { from.extent.end..to.extent.start } else { to.extent.end..from.extent.start };
        gap.start <= gap.end && between(self.scene.text, gap).trim().is_empty()
    }

    /// Its lines, with the blank lines that would be too many.
    fn lines_and_blanks(&self, own: &Range<usize>) -> Range<usize> {
        let text = self.scene.text;
        let (start, end) = (line_start(text, own.start), next_line(text, own.end));
        let (room, first, last) = self.room();
        let below = blank_below(text, end, room.end.max(end));
        if last != self.at {
            // The one after it goes too: all between them does.
            let from = if first == self.at { self.blanks_before(start, &room, last) } else { start };
            return from..below.last().copied().unwrap_or(end);
        }
        let from = if first == self.at { self.blanks_before(start, &room, last) } else { start };
        let head = self.known.get(first).map_or(start, |symbol| line_start(text, symbol.extent.start));
        let (begin, above) = blank_above(text, head, room.start);
        let opens = between(text, room.start..begin.max(room.start)).trim().is_empty();
        let closes = between(text, below.last().copied().unwrap_or(end)..room.end.max(end)).trim().is_empty();
        let gone = if opens || closes { below.len() } else { above.min(below.len()) };
        let end = gone.checked_sub(1).and_then(|last| below.get(last)).copied().unwrap_or(end);
        from..end
    }

    /// Where the blank lines start that go before the first of the symbols that go: only where nothing stays behind.
    fn blanks_before(&self, start: usize, room: &Range<usize>, last: usize) -> usize {
        let text = self.scene.text;
        let end = self.known.get(last).map_or(start, |symbol| next_line(text, symbol.extent.end));
        let below = blank_below(text, end, room.end.max(end)).last().copied().unwrap_or(end);
        let (begin, _) = blank_above(text, start, room.start);
        let closes = between(text, below..room.end.max(below)).trim().is_empty();
        let opens = between(text, room.start..begin.max(room.start)).trim().is_empty();
        if closes || opens { begin } else { start }
    }

    /// The bytes in which it and its neighbours stand, and the first and the last of the symbols that go with it.
    fn room(&self) -> (Range<usize>, usize, usize) {
        let text = self.scene.text;
        let (first, last) = (self.staying(false).1, self.staying(true).1);
        let parent = self.symbol.parent.and_then(|parent| self.known.get(parent));
        let room = match parent {
            None => 0..text.len(),
            Some(parent) => {
                let body = parent.body.clone().unwrap_or(parent.definition.clone());
                let inside = between(text, body.clone());
                if inside.starts_with(['{', '[', '(']) && body.len() > 1 {
                    body.start + 1..line_start(text, body.end - 1).max(body.start + 1)
                } else {
                    line_start(text, body.start)..body.end
                }
            }
        };
        (room, first, last)
    }

    /// It alone on a line that others share, with the blanks on one side.
    fn bytes_and_blanks(&self, own: &Range<usize>) -> Range<usize> {
        let text = self.scene.text;
        let (before, edge) = self.staying(false);
        let follows = !ends_line(text, own.end);
        let last = self.symbol.listed && self.comma(self.at).is_none() && before.is_some();
        let (back, on) = (back_over_blanks(text, own.start), over_blanks(text, own.end));
        match (follows && !last, edge == self.at && !begins_line(text, own.start)) {
            (true, _) => own.start..on,
            (false, true) => back..own.end,
            (false, false) => own.clone(),
        }
    }

    /// The comma before the symbols that go, where they were the last and had none.
    fn spare_comma(&self) -> Option<usize> {
        let ends = self.symbol.listed && self.comma(self.at).is_none() && self.known.after(self.at).is_none();
        let before = self.staying(false).0.filter(|_| ends)?;
        self.known.get(before).filter(|symbol| symbol.listed)?;
        self.comma(before)
    }
}
