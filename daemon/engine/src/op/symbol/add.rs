//! `insert_before` and `insert_after`: a text on lines of its own beside a symbol, or on its line if other symbols
//! share that line. They remove nothing.

use std::rc::Rc;

use editd_syntax::Language;

use super::around::{begins_line, ends_line, indentation, line_end, line_start, next_line, over_blanks};
use super::continued;
use super::edit::SymbolSite;
use super::fitting::{one_line, trimmed};
use super::spacing::blank_lines;
use crate::Refusal;
use crate::clip::Clips;
use crate::cut::Cut;
use crate::locate::excerpt;
use crate::op::effect::{Effect, PlaceReport};
use crate::op::given::{NewText, changed_breaks};
use crate::op::lines::{lead, line_text};
use crate::refusal::malformed;
use crate::splice::{InsertionKind, Place};
use crate::text::follow;

/// Returns the effect of an insertion before the symbol and what belongs to it.
pub(super) fn before(
    site: &SymbolSite<'_, '_>,
    given: &NewText,
    clips: &mut Clips<'_>,
) -> Result<Effect, Refusal> {
    let text = site.scene.text;
    let start = site.symbol.extent.start;
    let Some(new) = Item::read(site, given, clips)? else { return Ok(site.untouched(start..start, None)) };
    site.begins_statement("before")?;
    continued::refuse(site, site.known.before(site.at), Some(&new.text), Some(site.at))?;
    let new_text = new.parted(site.has_commas());
    let (target, item) = site.column();
    let fit = site.fit(given, &target);
    if begins_line(text, start) {
        let at = line_start(text, start);
        let apart = site.ending(at).repeat(1 + blank_lines(site, false)?);
        let made = [fit.text(&new_text)?, apart].concat();
        return Ok(site.on_lines(at, &made, given, InsertionKind::Before));
    }
    let made = fit.inline(&new_text)?;
    let ending = site.ending(start) + &target;
    // A text that nothing else ends is ended by a line break.
    let ends = site.has_commas() || site.known.language == Language::Html || made.ends_with([';', ',', '}']);
    let apart = if one_line(&made, text.breaks) && !item && !new.takes_line && ends { " " } else { &ending };
    Ok(site.inserted(start, &[&made, apart].concat(), given, InsertionKind::Before))
}

/// Returns the effect of an insertion after the symbol and what belongs to it.
pub(super) fn after(
    site: &SymbolSite<'_, '_>,
    given: &NewText,
    clips: &mut Clips<'_>,
) -> Result<Effect, Refusal> {
    let text = site.scene.text;
    let end = site.symbol.extent.end;
    let Some(new) = Item::read(site, given, clips)? else { return Ok(site.untouched(end..end, None)) };
    if site.known.language == Language::Python {
        site.begins_statement("after")?;
    }
    continued::refuse(site, Some(site.at), Some(&new.text), site.known.after(site.at))?;
    let (target, _) = site.column();
    let fit = site.fit(given, &target);
    let last = site.has_commas() && site.comma(site.at).is_none();
    let new_text = new.parted(site.has_commas() && !last);
    let behind = site.symbol.definition.end;
    if !ends_line(text, end) {
        let made = fit.inline(&new_text)?;
        let ending = site.ending(end) + &target;
        // If nothing else ends the text in front, a line break does.
        let ends = last
            || site.known.language == Language::Html
            || text.content.cut(0..end).ends_with([';', ',', '}']);
        let apart = if ends && one_line(&made, text.breaks) { " " } else { &ending };
        // What follows begins a line then, and must not be indented.
        let blanks = over_blanks(text, end);
        let follows = new.takes_line && !last && apart == " " && blanks > end;
        let (at, apart) = match last {
            true => (behind, apart),
            false if follows => (blanks, ""),
            false => (end, apart),
        };
        let tail = if new.takes_line { &ending } else { "" };
        let made = [if last { "," } else { "" }, apart, &made, tail].concat();
        return Ok(site.inserted(at, &made, given, InsertionKind::After));
    }
    let apart = site.ending(end).repeat(blank_lines(site, true)?);
    let made = [apart, fit.text(&new_text)?].concat();
    if !last {
        return Ok(site.on_lines(next_line(text, end), &made, given, InsertionKind::After));
    }
    let made = [site.ending(behind), made].concat();
    let rest = text.content.cut(over_blanks(text, behind)..line_end(text, end));
    if rest.is_empty() || rest.starts_with(';') {
        let tail =
            if new.takes_line && !rest.is_empty() { site.ending(behind) + &target } else { String::new() };
        return Ok(site.inserted(behind, &[",", &made, &tail].concat(), given, InsertionKind::After));
    }
    // The comma goes in front of the comment, the item behind it; each further item gets a comma in front.
    let first = site.scene.symbols.parted.borrow_mut().insert(site.at);
    let made = if first { made } else { [",", &made].concat() };
    let mut effect = site.inserted(line_end(text, end), &made, given, InsertionKind::After);
    if first {
        let comma = Place::inserting(site.scene.edit, behind, &Rc::from(","), InsertionKind::After);
        effect.places.push(comma);
    }
    Ok(effect)
}

/// A text to add, without the comma at its end if the list has commas.
struct Item {
    text: String,
    /// The end of the code in it, before any comments.
    code: usize,
    /// True if it ends in a line comment, which would swallow any text behind it on the line.
    takes_line: bool,
}

impl Item {
    /// Reads the text of an edit; `None` if it is empty.
    fn read(site: &SymbolSite<'_, '_>, given: &NewText, clips: &Clips<'_>) -> Result<Option<Self>, Refusal> {
        let text = given.resolve(clips)?;
        let bare = trimmed(&text, site.scene.text.breaks);
        if bare.trim().is_empty() {
            return Ok(None);
        }
        let (end, takes_line) = site.quotes().code_end(bare);
        let code = bare.cut(0..end);
        let code = if site.has_commas() { code.strip_suffix(',').unwrap_or(code) } else { code };
        let text = [code, bare.cut(end..bare.len())].concat();
        Ok((!text.trim().is_empty()).then_some(Self { text, code: code.len(), takes_line }))
    }

    /// Returns the text, with a comma behind its code if `comma`.
    fn parted(&self, comma: bool) -> String {
        let comma = if comma && self.code > 0 { "," } else { "" };
        [self.text.cut(0..self.code), comma, self.text.cut(self.code..self.text.len())].concat()
    }
}

impl SymbolSite<'_, '_> {
    /// Checks that nothing of a statement stands in front of the symbol on its line, as in `return function f() {}` or in
    /// Python's `class A: x = 1`: a text at the symbol would become a part of that statement, or leave its block.
    ///
    /// # Errors
    /// `malformed`.
    fn begins_statement(&self, side: &str) -> Result<(), Refusal> {
        use Language::{Go, Html, Markdown, Php, Yaml};
        let text = self.scene.text;
        let start = self.symbol.extent.start;
        let front = text.content.cut(line_start(text, start)..start).trim_end();
        let separate = match self.known.language {
            Html | Markdown | Yaml => true,
            Go => front.ends_with('('),
            Php => front.ends_with("<?php") || front.ends_with("?>"),
            _ => false,
        };
        if front.trim().is_empty()
            || separate
            || front.ends_with([';', ',', '{', '}'])
            || front.ends_with("*/")
            || self.has_commas()
        {
            return Ok(());
        }
        let line = text.lines_of(start..start).0;
        Err(malformed(format!(
            "`{}` stands in front of `{}` in line {line}, so that nothing can be inserted directly {side} it; replace these \
             lines, or insert at a line",
            excerpt(front.trim(), 0),
            text.content.cut(self.symbol.name.clone()),
        )))
    }

    /// Returns the line break of the lines at an offset.
    pub(super) fn ending(&self, at: usize) -> String {
        self.scene.text.ending_at(at).unwrap_or("\n").to_owned()
    }

    /// Returns the offset of the comma behind the symbol of this number.
    pub(super) fn comma(&self, at: usize) -> Option<usize> {
        let end = self.known.get(at)?.definition.end;
        let comma = over_blanks(self.scene.text, end);
        self.scene.text.content.cut(comma..self.scene.text.len()).starts_with(',').then_some(comma)
    }

    /// Returns true if the symbol stands in a list whose items are separated by commas.
    pub(super) fn has_commas(&self) -> bool {
        let before = self.known.before(self.at).filter(|before| self.one_list(*before, self.at));
        let after = self.known.after(self.at).filter(|after| self.one_list(self.at, *after));
        let alone = before.is_none() && after.is_none();
        self.symbol.listed
            && (alone
                || self.comma(self.at).is_some()
                || (after.is_none() && before.is_some_and(|before| self.comma(before).is_some())))
    }

    /// Returns true if two symbols, of which the first stands before the second, stand in one list: neither the list nor
    /// a statement ends between them.
    pub(super) fn one_list(&self, first: usize, second: usize) -> bool {
        let (Some(first), Some(second)) = (self.known.get(first), self.known.get(second)) else {
            return false;
        };
        let gap = self.scene.text.content.cut(first.definition.end..second.extent.start);
        let mut open = 0_usize;
        let inside = gap.bytes().all(|byte| match byte {
            b'(' | b'[' | b'{' => {
                open += 1;
                true
            }
            b')' | b']' | b'}' => {
                let closes = open > 0;
                open = open.saturating_sub(1);
                closes
            }
            // A `;` outside brackets ends a statement, and the list with it.
            b';' => open > 0,
            _ => true,
        });
        first.listed && second.listed && inside && open == 0
    }

    /// Returns the indentation of lines that belong beside a symbol. Behind the dash of an item, YAML counts it as
    /// blank.
    pub(super) fn column(&self) -> (String, bool) {
        let text = self.scene.text;
        let start = self.symbol.extent.start;
        let front = text.content.cut(line_start(text, start)..start);
        let item = self.known.language == Language::Yaml
            && front.contains('-')
            && front.bytes().all(|byte| matches!(byte, b'-' | b' '));
        let indent = if item { front.replace('-', " ") } else { indentation(text, start).to_owned() };
        (indent, item)
    }

    /// Inserts lines before the line at an offset.
    fn on_lines(&self, at: usize, new: &str, given: &NewText, kind: InsertionKind) -> Effect {
        let text = self.scene.text;
        let (made, converted) = line_text(text, &(at..at), new, given.literal);
        let lead = lead(text, &(at..at), &made);
        let place = Place { lead, ..Place::inserting(self.scene.edit, at, &Rc::from(made), kind) };
        let found = PlaceReport { lines: Some(text.lines_of(at..at)), converted, ..PlaceReport::default() };
        Effect { places: vec![place], stored: None, found }
    }

    /// Inserts a text at an offset, unchanged except for its breaks.
    fn inserted(&self, at: usize, new: &str, given: &NewText, kind: InsertionKind) -> Effect {
        let text = self.scene.text;
        let made = match given.literal {
            true => new.to_owned(),
            false => follow(new, "", text.ending_at(at), text.breaks).0,
        };
        let converted = changed_breaks(new, &made, text.breaks);
        let place = Place::inserting(self.scene.edit, at, &Rc::from(made), kind);
        let found = PlaceReport { lines: Some(text.lines_of(at..at)), converted, ..PlaceReport::default() };
        Effect { places: vec![place], stored: None, found }
    }
}
