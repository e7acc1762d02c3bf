//! Parses the fields of a hunk and computes its effect: locates its block, and replaces the changed lines in it. It
//! parses no diff.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use editd_types::{EditPosition, ErrorCode, FileEdit};

use super::body::{Ending, HunkBody, LineGroup};
use super::repeat::{self, OpenSides};
use super::scope::Scope;
use crate::Refusal;
use crate::cut::Cut;
use crate::locate::{
    self, AdaptableText, CandidateFit, Extent, Hit, InsertionPoint, InsertionPoints, LineParts, Needle,
    Quote, Rung, Standing, UnfitPlace,
};
use crate::op::chunk::after_lines;
use crate::op::effect::{EditContext, EditNote, Effect, PlaceReport};
use crate::op::given::fit;
use crate::op::lines::{lead, line_text};
use crate::op::quote::Matching;
use crate::op::registry::Op;
use crate::op::{fields, quote};
use crate::refusal::malformed;
use crate::splice::{InsertionKind, Place};
use crate::text::{Breaks, Text, break_list, split_final_break};

/// A hunk.
#[derive(Clone, Debug)]
pub(crate) struct HunkEdit {
    pub(super) body: HunkBody,
    /// The places in the block where lines are added.
    points: Vec<InsertionPoint>,
    /// The options for finding the block; its text is the body's.
    pub(crate) how: Matching,
    /// The position of lines that have no block, or `End` for the block that ends the file.
    pub(crate) at: Option<EditPosition>,
    /// The lines that the hunk expects above the block.
    pub(crate) headers: String,
    /// True if the block is the whole file.
    pub(super) whole: bool,
    /// True if the block stands below that of the hunk before it in the entry.
    pub(super) in_order: bool,
    /// True if breaks stay as given when the breaks of the block are as given: in a diff.
    pub(super) literal: bool,
}

pub(crate) fn parse(edit: &FileEdit, threshold: Option<f64>) -> Result<Op, Refusal> {
    let body = HunkBody::read(fields::required(edit, "text", &edit.text)?)?;
    // `quote::read` refuses an empty quotation, but a hunk may quote no line: any text serves to read the fields.
    let how = quote::read(edit, "text", "-", threshold)?;
    let how = Matching { whole_lines: true, ..how };
    if how.loosest == Rung::Edge {
        return Err(malformed("`match: \"edge\"` does not go with a hunk; ask for \"typographic\""));
    }
    let whole = edit.all.unwrap_or(false);
    let fits = match &edit.at {
        Some(EditPosition::End) => true,
        Some(EditPosition::Line(_)) => body.old.is_empty(),
        Some(EditPosition::Start | EditPosition::Before(_) | EditPosition::After(_)) => false,
        None => whole || !body.old.is_empty(),
    };
    if !fits {
        return Err(malformed(
            "a hunk is placed where its lines are, or, if it quotes none, `at` a line or `\"end\"`; correct `at`",
        ));
    }
    let headers = edit.before.clone().unwrap_or_default();
    let literal = fields::literal_eol(edit)?;
    let in_order = edit.in_order.unwrap_or(false);
    let points = body.points();
    Ok(Op::Hunk(Arc::new(HunkEdit {
        body,
        points,
        how,
        at: edit.at.clone(),
        headers,
        whole,
        in_order,
        literal,
    })))
}

impl HunkEdit {
    /// Returns the text that the first rung looks up, if the hunk quotes anything.
    pub(crate) fn needle(&self, breaks: Breaks) -> Option<Needle<'_>> {
        let text = split_final_break(&self.body.old, breaks).0;
        (!self.body.old.is_empty()).then_some(Needle { text, extent: Extent::Lines })
    }

    /// Returns true if it quotes the lines that it changes, or requires an empty file.
    pub(crate) fn quotes(&self) -> bool {
        self.whole || !self.body.old.is_empty()
    }

    /// Returns true if it quotes all lines of the file.
    pub(crate) fn quotes_all(&self) -> bool {
        self.whole && !self.body.old.is_empty()
    }

    /// Returns true if it holds the content of a file that is empty or missing.
    pub(crate) fn fills(&self) -> bool {
        self.whole && self.body.old.is_empty() && !self.body.new.is_empty()
    }

    fn quote(&self) -> Quote<'_> {
        let new_text = AdaptableText::Beside(&self.body.new, InsertionPoints::Each(&self.points));
        self.how.quote(&self.body.old, new_text)
    }

    /// Returns its block with the lines as they are after it.
    pub(crate) fn sides(&self) -> (&str, String) {
        (&self.body.old, self.body.after())
    }

    /// Returns the bytes of the added lines.
    pub(crate) fn text_bytes(&self) -> usize {
        self.body.new.len()
    }

    /// Returns true if it quotes lines of the file.
    pub(super) fn has_block(&self) -> bool {
        !self.body.old.is_empty()
    }

    /// Returns the line at which the hunk claims to stand.
    pub(super) fn near(&self) -> Option<u64> {
        self.how.near.filter(|_| self.has_block())
    }

    /// Returns the number of lines of its block, and how many of them stay at the top and at the bottom.
    pub(super) fn shape(&self, breaks: Breaks) -> (u64, u64, u64) {
        let count = |range: Range<usize>| locate::lines(self.body.old.cut(range), breaks).len() as u64;
        let all = self.body.old.len();
        let head = self.body.groups.first().map_or(0, |group| count(group.kept.clone()));
        let tail = self.body.groups.last().map_or(0..all, |group| group.removed.end..all);
        (count(0..all), head, count(tail))
    }

    /// Returns true if the block stands exactly at the line that the hunk names.
    pub(super) fn stands_on_line(&self, scene: &EditContext<'_>) -> bool {
        self.headers.is_empty()
            && locate::on_line(scene.text, &self.quote())
                .is_some_and(|range| self.fit(scene.text, None, &range) != CandidateFit::Out)
    }

    /// Returns the places of the block, at most `most`.
    ///
    /// # Errors
    /// `not_found` if the lines that the hunk expects above the block are not in the file; `limit`.
    pub(super) fn standing(&self, scene: &EditContext<'_>, most: usize) -> Result<Option<Standing>, Refusal> {
        let Some(needle) = self.needle(scene.text.breaks) else { return Ok(None) };
        scene.pay_search(needle)?;
        let scope = Scope::of(scene, &self.headers)?;
        let quote = Quote { near: None, ..self.quote() };
        locate::standing(scene.hay, &quote, most, &|range| self.fit(scene.text, scope.as_deref(), range))
    }

    /// Finds the block and its changes. A blank line of context that ends the block may stand for the end of the file,
    /// if nothing names the line of the hunk and its other lines stand nowhere else.
    pub(crate) fn effect(&self, scene: &EditContext<'_>) -> Result<Effect, Refusal> {
        let refusal = match self.as_quoted(scene) {
            Err(refusal) if refusal.code == ErrorCode::NotFound && refusal.line.is_none() => refusal,
            done => return done,
        };
        let shorter = self.body.without_last_blank().filter(|_| self.how.near.is_none());
        let Some(body) = shorter else { return Err(refusal) };
        let mut shorter = HunkEdit { points: body.points(), body, at: None, ..self.clone() };
        let alone = shorter.standing(scene, 1)?;
        if !alone.is_some_and(|standing| standing.complete && standing.places.len() == 1) {
            return Err(refusal);
        }
        shorter.at = Some(EditPosition::End);
        match shorter.as_quoted(scene) {
            Ok(mut effect) => {
                effect.found.note = Some(Box::new(EditNote::PassedBlank));
                Ok(effect)
            }
            Err(_) => Err(refusal),
        }
    }

    fn as_quoted(&self, scene: &EditContext<'_>) -> Result<Effect, Refusal> {
        let text = scene.text;
        let Some(needle) = self.needle(text.breaks) else { return self.added(scene) };
        let quote = self.quote();
        scene.pay_search(needle)?;
        let scope = Scope::of(scene, &self.headers)?;
        let fit = |range: &Range<usize>| self.fit(text, scope.as_deref(), range);
        let hit = scene.neighbours.choose(scene, &quote, &fit)?;
        let hit = hit.map_err(|unfit| self.missed(scene, &quote, scope.as_deref(), unfit))?;
        self.check_elsewhere(scene, &quote, &fit, &hit)?;
        let mapped = hit.adapted.new.as_deref().unwrap_or(&self.body.new);
        let literal = self.literal && self.has_breaks_of(text, &hit);
        let with = Breaking { rung: hit.rung, literal, as_file: hit.adapted.as_file };
        let (places, converted) = self.places(scene, hit.range.start, mapped, with)?;
        let found = PlaceReport {
            rung: Some(hit.rung),
            lines: Some(text.lines_of(hit.range)),
            moved: hit.moved,
            score: hit.adapted.score,
            converted,
            ..PlaceReport::default()
        };
        Ok(Effect { places, stored: None, found })
    }

    /// Returns true if the block has exactly the breaks that the hunk quotes; added lines then keep their breaks.
    fn has_breaks_of(&self, text: &Text<'_>, hit: &Hit) -> bool {
        let whole = hit.range.start..hit.range.end + text.break_at(hit.range.end);
        let there = text.content.cut(whole);
        let old = &self.body.old;
        let open = split_final_break(old, text.breaks).0;
        hit.rung == Rung::Exact
            && (there == old || (there == open && !break_list(open, text.breaks).is_empty()))
    }

    /// Returns the refusal of a block that is not found, or not at the line that the hunk names.
    fn missed(
        &self,
        scene: &EditContext<'_>,
        quote: &Quote<'_>,
        scope: Option<&Scope>,
        unfit: Option<UnfitPlace>,
    ) -> Refusal {
        let stands = unfit.is_some();
        let mut error = scene.missed(quote, Some(&self.body.after()), unfit);
        let place = match scope {
            _ if stands || error.cause.is_some() => return error,
            Some(_) => "below its header",
            None if self.whole => "as the whole file",
            None if self.last() => "at the end of the file",
            None => return error,
        };
        let alone = Quote { near: None, new_text: AdaptableText::Nothing, ..quote.clone() };
        let line = match locate::one(scene.hay, &alone) {
            Ok(hit) => hit.ok().map(|hit| scene.text.line_of(hit.range.start) as u64),
            Err(several) => several.candidates.first().map(|place| place.line),
        };
        if let Some(line) = line {
            error.message =
                format!("the lines are at line {line}, but not {place}; say where they are meant to be");
            error.near_misses.clear();
            error.line = Some(line);
        }
        error
    }

    fn last(&self) -> bool {
        self.whole || self.body.last || self.at == Some(EditPosition::End)
    }

    /// Returns the fit of a block to the other conditions of the hunk: its scope, the whole file, or the end of
    /// the file.
    fn fit(&self, text: &Text<'_>, scope: Option<&Scope>, range: &Range<usize>) -> CandidateFit {
        let ends = range.end + text.break_at(range.end) == text.len();
        if (self.last() && !ends) || (self.whole && range.start > 0) {
            return CandidateFit::Out;
        }
        scope.map_or(CandidateFit::May, |scope| scope.fit(range.start))
    }

    /// Returns one place for each group that changes something in the block that starts at an offset.
    fn places(
        &self,
        scene: &EditContext<'_>,
        start: usize,
        mapped: &str,
        with: Breaking,
    ) -> Result<(Vec<Place>, u64), Refusal> {
        let (text, body) = (scene.text, &self.body);
        let list = |part| locate::lines(part, text.breaks);
        let lines = list(mapped);
        let (mut at, mut taken, mut converted) = (start, 0, 0);
        let mut places = Vec::with_capacity(body.groups.len());
        for (number, LineGroup { kept, removed, added }) in (1..).zip(&body.groups) {
            let above = after_lines(text, at, list(body.old.cut(kept.clone())).len());
            let (removed, added) = (list(body.old.cut(removed.clone())), list(body.new.cut(added.clone())));
            at = after_lines(text, above, removed.len());
            if removed.is_empty() {
                let open = self.open_sides(number);
                repeat::check(text, above, lines.cut(taken..taken + added.len()), open)?;
            }
            let ends = at == text.len();
            let ending = if number == body.groups.len() && ends { body.ending } else { Ending::Kept };
            let there = list(text.content.cut(above..at));
            let known = if with.as_file { &there } else { &removed };
            let (head, tail) = shared(known, &added, ends.then(|| ending.keeps(text)), with.literal);
            let kept = there
                .iter()
                .zip(&added)
                .take(head)
                .chain(there.iter().rev().zip(added.iter().rev()).take(tail));
            converted += kept.filter(|(own, given)| !own.1.is_empty() && own.1 != given.1).count() as u64;
            let own = after_lines(text, above, head)..after_lines(text, above, removed.len() - tail);
            let new: String = lines
                .cut(taken + head..taken + added.len() - tail)
                .iter()
                .flat_map(|(line, ending)| [*line, *ending])
                .collect();
            taken += added.len();
            if own.is_empty() && new.is_empty() {
                continue;
            }
            let ending = if own.end == text.len() { ending } else { Ending::Kept };
            let (made, breaks) = instead(text, &own, &new, with, ending);
            converted += breaks;
            let lead = lead(text, &own, &made);
            let made = Rc::from(made);
            places.push(if own.is_empty() {
                Place { lead, ..Place::inserting(scene.edit, own.start, &made, InsertionKind::Between) }
            } else {
                Place::owning(text, scene.edit, own, &made)
            });
        }
        Ok((places, converted))
    }

    /// Returns the sides of a group, counted from 1, on which the hunk quotes no line.
    fn open_sides(&self, number: usize) -> OpenSides {
        let group = number.checked_sub(1).and_then(|index| self.body.groups.get(index));
        let first = number == 1 && group.is_some_and(|group| group.kept.is_empty());
        let last = number == self.body.groups.len();
        OpenSides {
            above: first,
            below: last && group.is_some_and(|group| group.removed.end == self.body.old.len()),
        }
    }
}

/// The rules for the breaks of added lines.
#[derive(Clone, Copy)]
pub(super) struct Breaking {
    /// The rung that found the block.
    pub(super) rung: Rung,
    /// True if they stay as given.
    pub(super) literal: bool,
    /// Set if the lines that stay are found by the file's lines.
    pub(super) as_file: bool,
}

/// Returns the number of lines at the start of a group, and at its end, that the group removes and adds again
/// unchanged: they keep the file's bytes. `end` is set if the group ends with the file, and true if the file ends in
/// the same way as before. The last line decides about that, so it is kept only if it was the last before. Breaks are
/// compared only if `literal`.
fn shared(
    removed: &[LineParts<'_>],
    added: &[LineParts<'_>],
    end: Option<bool>,
    literal: bool,
) -> (usize, usize) {
    let same = |(old, new): &(&LineParts<'_>, &LineParts<'_>)| old.0 == new.0 && (!literal || old.1 == new.1);
    let most = if end.is_some() { added.len().saturating_sub(1) } else { added.len() };
    let head = removed.iter().zip(added).take(most).take_while(same).count();
    let most = if end == Some(false) { 0 } else { removed.len().min(added.len()) - head };
    let tail = removed.iter().rev().zip(added.iter().rev()).take(most).take_while(same).count();
    (head, tail)
}

/// Returns the text that replaces a range of lines, and the number of converted breaks.
pub(super) fn instead(
    text: &Text<'_>,
    old: &Range<usize>,
    new: &str,
    with: Breaking,
    ending: Ending,
) -> (String, u64) {
    if new.is_empty() {
        return (String::new(), 0);
    }
    let (body, given_break) = split_final_break(new, text.breaks);
    if !old.is_empty() {
        let own = split_final_break(text.content.cut(old.clone()), text.breaks).1;
        let last = match ending {
            Ending::Kept if own.is_empty() => own,
            Ending::Kept | Ending::Closed if with.literal => given_break,
            Ending::Kept => own,
            Ending::Open => "",
            Ending::Closed if own.is_empty() => text.ending_at(old.start).unwrap_or(given_break),
            Ending::Closed => own,
        };
        return fit(text, old, &[body, last].concat(), with.rung, with.literal);
    }
    // Lines behind a last line without a line break leave the file without a final line break.
    let behind_open = old.end == text.len() && text.len() > 0 && !text.ends_with_break();
    let given = if ending == Ending::Kept && behind_open { body } else { new };
    let (mut made, converted) = line_text(text, old, given, with.literal);
    if ending == Ending::Open {
        made.truncate(split_final_break(&made, text.breaks).0.len());
    }
    (made, converted)
}
