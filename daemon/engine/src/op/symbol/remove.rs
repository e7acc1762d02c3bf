//! `delete`: removes a symbol with everything that belongs to it, and leaves no gap in the lines around. Symbols
//! beside it that the same entry deletes count as removed, so that no two deletions take the same bytes.

use std::ops::Range;
use std::rc::Rc;

use super::around::{
    back_over_blanks, begins_line, blank_above, blank_below, ends_line, line_start, next_line, over_blanks,
};
use super::continued;
use super::edit::SymbolSite;
use super::symbols::{ParsedFile, between};
use crate::Refusal;
use crate::clip::Clips;
use crate::limits;
use crate::op::effect::{Effect, PlaceReport};
use crate::splice::Place;

/// Removes a symbol.
pub(super) fn delete(
    site: &SymbolSite<'_, '_>,
    to_clipboard: Option<&str>,
    clips: &mut Clips<'_>,
) -> Result<Effect, Refusal> {
    let text = site.scene.text;
    if let Some((first, statement)) = site.whole_statement()? {
        let stored = site.store(clips, to_clipboard, site.own())?;
        let found = PlaceReport { lines: Some(text.lines_of(site.own())), ..PlaceReport::default() };
        let range = site.statement_and_blanks(first, &statement)?;
        let place = Place::owning(text, site.scene.edit, range, &Rc::from(""));
        let places = if first == site.at { vec![place] } else { Vec::new() };
        return Ok(Effect { places, stored, found });
    }
    let (first, last) = site.run();
    continued::refuse(site, site.known.before(first), None, site.known.after(last))?;
    let own = site.own();
    let alone = begins_line(text, own.start) && ends_line(text, own.end);
    let matched = if alone { line_start(text, own.start)..own.end } else { own.clone() };
    let stored = site.store(clips, to_clipboard, matched)?;
    let range = if alone { site.lines_and_blanks(&own)? } else { site.bytes_and_blanks(&own) };
    let found = PlaceReport { lines: Some(text.lines_of(own)), ..PlaceReport::default() };
    let nothing: Rc<str> = Rc::from("");
    let comma = site.spare_comma();
    let alone_there = |comma: &usize| site.run().0 == site.at && site.is_blank(comma + 1..range.start);
    if let Some(comma) = comma.filter(|_| !alone).filter(alone_there) {
        let place = Place::owning(text, site.scene.edit, comma..range.end, &nothing);
        return Ok(Effect { places: vec![place], stored, found });
    }
    let mut places = vec![Place::owning(text, site.scene.edit, range, &nothing)];
    if let Some(comma) = comma {
        // The text between it and the deleted symbols before it is removed with the comma.
        let run = !alone && site.run().0 != site.at;
        let end = if run { over_blanks(text, comma + 1) } else { comma + 1 };
        places.push(Place::owning(text, site.scene.edit, comma..end, &nothing));
    }
    Ok(Effect { places, stored, found })
}

impl SymbolSite<'_, '_> {
    /// Returns the range of everything that belongs to the symbol. The end of a whole statement is kept if the
    /// symbol is one item of it.
    fn own(&self) -> Range<usize> {
        let (extent, definition) = (&self.symbol.extent, &self.symbol.definition);
        let tail = between(self.scene.text, definition.end..extent.end);
        let several = self.symbol.listed && tail.trim_start().starts_with(';');
        extent.start..if several { definition.end } else { extent.end }
    }

    /// Returns the statement that defines this symbol and others, with the first of these, if all of them are
    /// deleted.
    fn whole_statement(&self) -> Result<Option<(usize, Range<usize>)>, Refusal> {
        let Some(statement) = self.symbol.statement.clone() else { return Ok(None) };
        let (first, last) = self.run();
        let of_it = |at: &usize| {
            let symbol = self.known.get(*at);
            symbol.is_some_and(|symbol| symbol.statement.as_ref() == Some(&statement))
        };
        let mut looked_at = 1;
        let mut ends = [self.at; 2];
        for (end, limit, next) in
            [(0, first, ParsedFile::before as fn(&ParsedFile, usize) -> _), (1, last, ParsedFile::after)]
        {
            let mut at = self.at;
            while at != limit
                && let Some(beside) = next(self.known, at).filter(of_it)
            {
                at = beside;
                looked_at += 1;
            }
            if next(self.known, at).as_ref().is_some_and(of_it) {
                return Ok(None);
            }
            if let Some(slot) = ends.get_mut(end) {
                *slot = at;
            }
        }
        self.scene.pay(limits::BLANK_LINE.saturating_mul(looked_at))?;
        let [first, last] = ends;
        let (Some(one), Some(other)) = (self.known.get(first), self.known.get(last)) else { return Ok(None) };
        let tail = between(self.scene.text, other.definition.end..statement.end.max(other.definition.end));
        let head = between(self.scene.text, statement.start.min(one.definition.start)..one.definition.start);
        // A head with a pattern, a type with a body or a value holds more than the deleted names.
        let is_whole = !head.contains(['{', '[', '=']) && !head.trim_end().ends_with(',');
        let ends = tail.trim_start().starts_with([';', '/']) || tail.trim().is_empty();
        let is_all = is_whole && ends;
        Ok(is_all.then_some((first, statement)))
    }

    /// Returns the range of the statement with its lines and the surplus blank lines, or with the blanks behind
    /// it.
    fn statement_and_blanks(&self, first: usize, statement: &Range<usize>) -> Result<Range<usize>, Refusal> {
        let (text, scene) = (self.scene.text, self.scene);
        if !(begins_line(text, statement.start) && ends_line(text, statement.end)) {
            return Ok(self.bytes_and_blanks(statement));
        }
        let (start, end) = (line_start(text, statement.start), next_line(text, statement.end));
        let room = self.room();
        if self.run().0 != first {
            return Ok(start..end);
        }
        let (_, above) = blank_above(scene, start, room.start)?;
        let below = blank_below(scene, end, room.end.max(end))?;
        let more = above.min(below.len()).checked_sub(1).and_then(|last| below.get(last));
        Ok(start..more.copied().unwrap_or(end))
    }

    /// Returns true if a range has only white space.
    fn is_blank(&self, range: Range<usize>) -> bool {
        range.start <= range.end && between(self.scene.text, range).trim().is_empty()
    }

    /// Returns the first and the last of the adjacent deleted symbols, between which there are only blanks.
    fn run(&self) -> (usize, usize) {
        let going = self.scene.symbols.going(self.scene, self.known);
        going.get(&self.at).copied().unwrap_or((self.at, self.at))
    }

    /// Its lines, with the blank lines that would be too many.
    fn lines_and_blanks(&self, own: &Range<usize>) -> Result<Range<usize>, Refusal> {
        let (text, scene) = (self.scene.text, self.scene);
        let (start, end) = (line_start(text, own.start), next_line(text, own.end));
        let (room, (first, last)) = (self.room(), self.run());
        let below = blank_below(scene, end, room.end.max(end))?;
        let all_below = below.last().copied().unwrap_or(end);
        if first != self.at && last != self.at {
            return Ok(start..all_below);
        }
        let head = self.known.get(first).map_or(start, |symbol| line_start(text, symbol.extent.start));
        let (begin, above) = blank_above(scene, head, room.start)?;
        let foot = match self.known.get(last).filter(|_| last != self.at) {
            Some(symbol) => {
                let end = next_line(text, symbol.extent.end);
                blank_below(scene, end, room.end.max(end))?.last().copied().unwrap_or(end)
            }
            None => all_below,
        };
        let opens = between(text, room.start..begin.max(room.start)).trim().is_empty();
        let closes = between(text, foot..room.end.max(foot)).trim().is_empty();
        let bare = opens || closes;
        let from = if first == self.at && bare { begin } else { start };
        // If another deleted symbol stands behind it, everything between them is removed.
        let gone = if bare || last != self.at { below.len() } else { above.min(below.len()) };
        let end = gone.checked_sub(1).and_then(|last| below.get(last)).copied().unwrap_or(end);
        Ok(from..end)
    }

    /// Returns the range in which the symbol and its neighbours stand.
    fn room(&self) -> Range<usize> {
        let text = self.scene.text;
        let Some(parent) = self.symbol.parent.and_then(|parent| self.known.get(parent)) else {
            return 0..text.len();
        };
        let body = parent.body.clone().unwrap_or(parent.definition.clone());
        if between(text, body.clone()).starts_with(['{', '[', '(']) && body.len() > 1 {
            body.start + 1..line_start(text, body.end - 1).max(body.start + 1)
        } else {
            line_start(text, body.start)..body.end
        }
    }

    /// Returns the range of a symbol on a line that others share, with the blanks on one side.
    fn bytes_and_blanks(&self, own: &Range<usize>) -> Range<usize> {
        let text = self.scene.text;
        let edge = self.run().0;
        let follows = !ends_line(text, own.end);
        let last = self.symbol.listed && self.comma(self.at).is_none() && self.comma_in_front().is_some();
        let (back, on) = (back_over_blanks(text, own.start), over_blanks(text, own.end));
        match (follows && !last, edge == self.at && !begins_line(text, own.start)) {
            (true, _) => own.start..on,
            (false, true) => back..own.end,
            (false, false) => own.clone(),
        }
    }

    /// Returns the comma in front of the deleted symbols, if they were the last of a list and had none behind them.
    fn spare_comma(&self) -> Option<usize> {
        let after = self.known.after(self.at).filter(|after| self.one_list(self.at, *after));
        let ends = self.symbol.listed && self.comma(self.at).is_none() && after.is_none();
        self.comma_in_front().filter(|_| ends)
    }

    /// Returns the comma in front of the first of the adjacent deleted symbols.
    fn comma_in_front(&self) -> Option<usize> {
        self.known.get(self.run().0)?.comma
    }
}
