//! `replace` replaces the text at the only place of a quotation, or with `all` at every place. Fields: `old`, `new`;
//! `within`; `near`, `window`, `match`, `threshold`, `whole_lines`; `own_line`; `all`, `expect`; `eol`; clipboards and
//! `reindent`.
//! It never chooses between two places.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use editd_types::{EditScope, ErrorCode, FileEdit, limits};

use super::chunk::Region;
use super::effect::{EditContext, Effect, PlaceReport};
use super::given::{NewText, fit};
use super::quote::Matching;
use super::registry::Op;
use super::{fields, quote, within};
use crate::Refusal;
use crate::clip::Clips;
use crate::cut::{Cut, Span};
use crate::locate::{self, AdaptableText, Quote, Rung, UnfitPlace};
use crate::refusal::{malformed, refuse, too_large};
use crate::splice::Place;
use crate::text::{Text, split_final_break};

/// A replacement.
#[derive(Clone, Debug)]
pub(crate) struct Replace {
    /// The quoted text.
    pub(crate) old: String,
    /// The options for finding it.
    pub(crate) matching: Matching,
    /// The replacement.
    pub(crate) new: NewText,
    /// The part of the file that is searched; the whole file if absent.
    pub(crate) within: Option<EditScope>,
    /// A line of which an empty text leaves nothing is removed with its break.
    removes_lines: bool,
    pub(crate) all: bool,
    expect: Option<u64>,
    /// The clipboard in which the matched bytes are stored.
    pub(crate) to_clipboard: Option<String>,
}

pub(crate) fn parse(edit: &FileEdit, threshold: Option<f64>) -> Result<Op, Refusal> {
    let old = fields::required(edit, "old", &edit.old)?.clone();
    let new = NewText::read(edit, "new", &edit.new)?;
    let matching = quote::read(edit, "old", &old, threshold)?;
    let all = edit.all.unwrap_or(false);
    if all && matching.near.is_some() {
        return Err(malformed("`all` and `near` contradict each other; leave one out"));
    }
    if !all && edit.expect.is_some_and(|count| count != 1) {
        return Err(malformed("`expect` other than 1 needs `all`"));
    }
    Ok(Op::Replace(Arc::new(Replace {
        old,
        matching,
        new,
        within: within::read(edit)?,
        removes_lines: edit.own_line.unwrap_or(false),
        all,
        expect: edit.expect,
        to_clipboard: fields::clipboard("to_clipboard", &edit.to_clipboard)?,
    })))
}

impl Replace {
    /// Returns the edit with other lines to search; `None` if it names no lines.
    pub(crate) fn in_lines(&self, lines: (u64, u64)) -> Option<Self> {
        let within = Some(EditScope::Lines(lines));
        matches!(self.within, Some(EditScope::Lines(_))).then(|| Self { within, ..self.clone() })
    }

    /// Returns the quotation with its new text.
    pub(crate) fn quote(&self) -> Quote<'_> {
        self.matching
            .quote(&self.old, self.new.mapped().map_or(AdaptableText::Nothing, AdaptableText::Instead))
    }

    /// Finds the place or places and replaces them.
    pub(crate) fn effect(&self, scene: &EditContext<'_>, clips: &mut Clips<'_>) -> Result<Effect, Refusal> {
        scene.pay_search(self.quote().needle(scene.text.breaks))?;
        if self.all { self.every(scene, clips) } else { self.one(scene, clips) }
    }

    fn one(&self, scene: &EditContext<'_>, clips: &mut Clips<'_>) -> Result<Effect, Refusal> {
        let region = within::region(self.within.as_ref(), scene)?;
        let hit = match &region {
            None => scene.one(&self.quote())?,
            Some(region) => within::one(scene, &self.quote(), region)?,
        };
        let hit = hit.map_err(|unfit| self.missed(scene, region.as_ref(), &self.quote(), unfit))?;
        let matched = self.matched(scene.text, &hit.range);
        let stored = scene.store(clips, self.to_clipboard.as_deref(), scene.text.content.cut(matched))?;
        let mut found = PlaceReport {
            rung: Some(hit.rung),
            lines: Some(self.lines(scene.text, &hit.range)),
            moved: hit.moved,
            score: hit.adapted.score,
            ..within::report(self.within.as_ref(), scene)
        };
        if self.new.restores(self.to_clipboard.as_deref()) {
            return Ok(Effect { places: Vec::new(), stored, found });
        }
        let new = match hit.adapted.new {
            Some(adapted) => Cow::Owned(adapted),
            None => self.new.resolve(clips)?,
        };
        let (range, new, converted) = self.replacement(scene.text, hit.range, &new, hit.rung);
        found.converted = converted;
        let places = vec![Place::replacing(scene.text, scene.edit, range, &Rc::from(new))];
        Ok(Effect { places, stored, found })
    }

    fn every(&self, scene: &EditContext<'_>, clips: &mut Clips<'_>) -> Result<Effect, Refusal> {
        let region = within::region(self.within.as_ref(), scene)?;
        let (spans, rung, looser) = match &region {
            Some(region) => within::every(scene, &self.quote(), region)?,
            None => {
                let (spans, rung) = locate::every(scene.hay, &self.quote())?;
                let looser = if spans.is_empty() { locate::looser(scene.hay, &self.quote())? } else { None };
                (spans, rung, looser)
            }
        };
        let count = spans.len() as u64;
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
            if looser.is_some() {
                return Err(self.nowhere(scene, region.as_ref(), looser));
            }
            if self.expect == Some(0) {
                return Ok(Effect {
                    found: PlaceReport { replacements: Some(0), ..PlaceReport::default() },
                    ..Effect::default()
                });
            }
            return Err(self.nowhere(scene, region.as_ref(), None));
        };
        check_count(self.expect, count)?;
        let matched = self.matched(scene.text, &first.range());
        let stored = scene.store(clips, self.to_clipboard.as_deref(), scene.text.content.cut(matched))?;
        let whole = first.start()..last.end();
        let mut found = PlaceReport {
            rung: Some(rung),
            lines: Some(self.lines(scene.text, &whole)),
            replacements: Some(count),
            ..within::report(self.within.as_ref(), scene)
        };
        if self.new.restores(self.to_clipboard.as_deref()) {
            return Ok(Effect { places: Vec::new(), stored, found });
        }
        let new = self.new.resolve(clips)?;
        let (places, converted) = self.fill(scene, &spans, &new, rung)?;
        found.converted = converted;
        Ok(Effect { places, stored, found })
    }

    /// Returns the refusal of a quotation that is not found, or not where it is searched.
    fn missed(
        &self,
        scene: &EditContext<'_>,
        region: Option<&Region>,
        quote: &Quote<'_>,
        unfit: Option<UnfitPlace>,
    ) -> Refusal {
        match region {
            None => scene.missed(quote, self.new.quoted(), unfit),
            Some(region) => within::missed(scene, quote, self.new.quoted(), unfit, region),
        }
    }

    /// Returns the refusal of `all` if none of its rungs finds a place. It says if a looser rung would.
    fn nowhere(&self, scene: &EditContext<'_>, region: Option<&Region>, looser: Option<Rung>) -> Refusal {
        let loosest = self.matching.loosest.min(locate::EVERY);
        let quote = Quote { loosest, ..self.quote() };
        let mut error = self.missed(scene, region, &quote, None);
        if let Some(rung) = looser {
            error.message = format!(
                "`all` takes only text that is exactly as quoted, and this text would match at the rung {:?} alone; quote what the file has, or leave `all` out",
                rung.name()
            );
        }
        error
    }

    /// Returns a place for each range, all with the same new text, and the number of converted line breaks. The
    /// text is made only once if its line breaks are the same at all places.
    fn fill(
        &self,
        scene: &EditContext<'_>,
        spans: &[Span],
        new: &str,
        rung: Rung,
    ) -> Result<(Vec<Place>, u64), Refusal> {
        let plain = |text: &str| memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none();
        let alike = !self.matching.whole_lines && !self.removes_lines;
        let same = alike && plain(new) && plain(&self.old);
        let shared: Rc<str> = Rc::from(new);
        let (mut places, mut converted, mut total) = (Vec::with_capacity(spans.len()), 0, 0usize);
        for span in spans {
            let place = if same {
                Place::replacing(scene.text, scene.edit, span.range(), &shared)
            } else {
                let (range, new, breaks) = self.replacement(scene.text, span.range(), new, rung);
                converted += breaks;
                Place::replacing(scene.text, scene.edit, range, &Rc::from(new))
            };
            total = total.saturating_add(place.piece.as_str().len());
            check_size(total)?;
            places.push(place);
        }
        Ok((places, converted))
    }

    /// Returns the first and the last line of a range. With `whole_lines`, the range may contain only the break of
    /// a blank last line.
    fn lines(&self, text: &Text<'_>, range: &Range<usize>) -> (u64, u64) {
        let own = if self.matching.whole_lines { text.break_at(range.end) } else { 0 };
        text.lines_of(range.start..range.end + own)
    }

    /// Returns the range that the edit covers: with `whole_lines`, it includes the last break if the quotation ends in
    /// one.
    fn matched(&self, text: &Text<'_>, range: &Range<usize>) -> Range<usize> {
        let (_, given) = split_final_break(&self.old, text.breaks);
        if self.matching.whole_lines && !given.is_empty() {
            return range.start..range.end + text.break_at(range.end);
        }
        range.clone()
    }

    /// Returns the range that is replaced, its new text, and the number of converted breaks.
    fn replacement(
        &self,
        text: &Text<'_>,
        range: Range<usize>,
        new: &str,
        rung: Rung,
    ) -> (Range<usize>, String, u64) {
        let literal = self.new.literal;
        if self.removes_lines && new.is_empty() && !self.matching.whole_lines {
            let (first, _) = text.lines_of(range.clone());
            let begins_line = text.line_range((first, first)).start == range.start;
            // Behind a break, the next line begins, which may be blank.
            let ends_inside = !text.content.cut(range.clone()).ends_with(['\n', '\r']);
            let own = if begins_line && ends_inside { text.break_at(range.end) } else { 0 };
            return (range.start..range.end + own, String::new(), 0);
        }
        if !self.matching.whole_lines {
            let (fitted, converted) = fit(text, &range, new, rung, literal);
            return (range, fitted, converted);
        }
        let own = text.break_at(range.end);
        let lines = range.start..range.end + own;
        if new.is_empty() {
            return (lines, String::new(), 0);
        }
        // The last line's break stays the file's, whatever the new text ends with.
        let ending = text.content.cut(range.end..lines.end);
        let (body, _) = split_final_break(new, text.breaks);
        let (fitted, converted) = fit(text, &lines, &[body, ending].concat(), rung, literal);
        (lines, fitted, converted)
    }
}

/// Refuses another number of places than expected.
pub(crate) fn check_count(expect: Option<u64>, found: u64) -> Result<(), Refusal> {
    match expect {
        Some(expected) if expected != found => {
            let mut error = refuse(
                ErrorCode::CountMismatch,
                format!("{found} places are to change, not {expected}; check them and correct `expect`"),
            );
            error.found = Some(found);
            error.expected = Some(expected);
            Err(error)
        }
        _ => Ok(()),
    }
}

/// Refuses new text that alone is larger than a file may be.
pub(crate) fn check_size(total: usize) -> Result<(), Refusal> {
    if total <= limits::FILE {
        return Ok(());
    }
    Err(too_large(format!("the file would have more than {} bytes", limits::FILE), limits::FILE))
}
