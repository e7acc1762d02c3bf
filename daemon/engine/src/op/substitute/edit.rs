//! Parses the fields of a substitution and computes its places. Other modules match the pattern.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use editd_types::{EditScope, FileEdit};

use super::engine::{Engine, Flags, Groups, names_return};
use super::matches::MatchList;
use super::template::{self, Part};
use super::wildcard_guard::WildcardGuard;
use crate::cut::Cut;
use crate::limits;
use crate::locate::{ambiguous, candidate, each_hit, not_found_pattern};
use crate::op::effect::{EditContext, Effect, PlaceReport};
use crate::op::fields;
use crate::op::registry::Op;
use crate::op::replace::check_count;
use crate::op::within;
use crate::refusal::{malformed, spent};
use crate::text::{Breaks, Text};
use crate::{ContentProof, Refusal};

/// A substitution.
#[derive(Debug)]
pub(crate) struct Substitute {
    pub(crate) pattern: String,
    pub(crate) replacement: String,
    regex: Option<Flags>,
    /// True if the pattern need not match.
    optional: bool,
    /// True if the pattern must match exactly once.
    once: bool,
    /// The part of the file that is searched; the whole file if absent.
    pub(crate) within: Option<EditScope>,
    count: usize,
    expect: Option<u64>,
    literal: bool,
    /// The pattern for texts without `\r`, if it is the same for all of them and was kept.
    compiled: Option<Compiled>,
}

/// A compiled pattern and its replacement.
type Compiled = (Engine, Vec<Part>);

pub(crate) fn parse(edit: &FileEdit, _: Option<f64>) -> Result<Op, Refusal> {
    let pattern = fields::required(edit, "pattern", &edit.pattern)?.clone();
    let replacement = fields::required(edit, "replacement", &edit.replacement)?.clone();
    if pattern.is_empty() {
        return Err(malformed("`pattern` is empty; say what to look for"));
    }
    if edit.count == Some(0) {
        return Err(malformed("`count` is 0; leave it out to replace every occurrence"));
    }
    let given = edit.flags.as_deref().unwrap_or("");
    let (flags, optional, once) = flags(given)?;
    if once && (optional || edit.expect.is_some() || edit.count.is_some()) {
        return Err(malformed(
            "the flag 1 means one place; leave it out, or leave out `expect`, `count` and o",
        ));
    }
    let regex = match edit.regex.unwrap_or(false) {
        true => Some(flags),
        false if flags == Flags::default() => None,
        false => return Err(malformed("`flags` besides o and 1 need `regex: true`")),
    };
    if regex.is_some() && pattern.len() > limits::PATTERN {
        return Err(spent("`pattern` is longer than 64 KiB; split the substitution", limits::PATTERN as u64));
    }
    let count = edit.count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
    let literal = fields::literal_eol(edit)?;
    let (expect, within) = (edit.expect, within::read(edit)?);
    let compiled = None;
    let mut substitute =
        Substitute { pattern, replacement, regex, optional, once, within, count, expect, literal, compiled };
    if regex.is_some() {
        // The pattern and the template do not depend on the file: an invalid one is refused before any file is read.
        let compiled = substitute.compile(false, "")?;
        substitute.compiled = Some(compiled).filter(|(engine, _)| matches!(engine, Engine::Linear(_)));
    }
    Ok(Op::Substitute(Arc::new(substitute)))
}

/// Parses the flags of a substitution: the flags of its pattern, true if it need not match, and true if it must match
/// exactly once.
fn flags(given: &str) -> Result<(Flags, bool, bool), Refusal> {
    let (mut flags, mut optional, mut once) = (Flags::default(), false, false);
    for letter in given.chars() {
        match letter {
            'i' => flags.case_insensitive = true,
            'm' => flags.multi_line = true,
            's' => flags.dot_all = true,
            'x' => flags.verbose = true,
            'a' => flags.ascii = true,
            'o' => optional = true,
            '1' => once = true,
            other => {
                let other = other.escape_default();
                return Err(malformed(format!("`flags` may hold i, m, s, x, a, o and 1, not {other}")));
            }
        }
    }
    Ok((flags, optional, once))
}

impl Substitute {
    /// Drops the compiled pattern, which is made again when the edit is planned: a job that waits holds no more memory
    /// than its texts.
    pub(crate) fn drop_compiled(&mut self) {
        self.compiled = None;
    }

    /// Returns the proof that its caller has seen what it replaces: the expected number of places counts as a
    /// quotation.
    pub(crate) fn proof(&self) -> ContentProof {
        if self.expect.is_some() || self.once { ContentProof::Quoted } else { ContentProof::Blind }
    }

    /// Returns true if its new text has text of the match.
    pub(crate) fn copies(&self) -> bool {
        self.regex.is_some() && template::has_group(&self.replacement)
    }

    fn compile(&self, crlf: bool, text: &str) -> Result<Compiled, Refusal> {
        let engine = Engine::new(&self.pattern, self.regex.unwrap_or_default(), crlf, text)?;
        let parts = template::parse(&self.replacement, &engine.names())?;
        Ok((engine, parts))
    }

    /// Finds the occurrences and replaces them.
    pub(crate) fn effect(&self, scene: &EditContext<'_>) -> Result<Effect, Refusal> {
        let region = within::region(self.within.as_ref(), scene)?;
        let inside = region.as_ref().map_or(0..scene.text.len(), |region| region.bytes.clone());
        let places = self.places(scene, inside.clone(), self.expect.is_none())?;
        let converted = places.converted;
        let places = places.finish();
        let count = places.len() as u64;
        let part = within::report(self.within.as_ref(), scene);
        let mut found = PlaceReport { replacements: Some(count), converted, ..part };
        if count == 0 {
            if self.expect == Some(0) || (self.optional && self.expect.is_none()) {
                return Ok(Effect { found, ..Effect::default() });
            }
            let advice = self.line_with_m(scene, inside).map(|line| {
                format!("with `flags: \"m\"`, ^ and $ match at every line, and it occurs at line {line}")
            });
            let lines = region.map(|region| region.lines);
            return Err(not_found_pattern(scene.text, (&self.pattern, self.is_regex()), lines, advice));
        }
        check_count(if self.once { Some(1) } else { self.expect }, count)?;
        if let (Some(first), Some(last)) = (places.first(), places.last()) {
            found.lines = Some(scene.text.lines_of(first.matched.start()..last.matched.end()));
        }
        Ok(Effect { places, stored: None, found })
    }

    /// Returns the first line where a regular expression with `^` or `$` would match with the flag `m`, which it lacks.
    fn line_with_m(&self, scene: &EditContext<'_>, inside: Range<usize>) -> Option<usize> {
        let flags = self.regex.filter(|flags| !flags.multi_line && self.pattern.contains(['^', '$']))?;
        if !scene.budget.regex(limits::COMPILING) {
            return None;
        }
        let at_lines = Self {
            pattern: self.pattern.clone(),
            replacement: self.replacement.clone(),
            regex: Some(Flags { multi_line: true, ..flags }),
            within: None,
            compiled: None,
            count: 1,
            ..*self
        };
        let places = at_lines.places(scene, inside, false).ok()?.finish();
        Some(scene.text.line_of(places.first()?.matched.start()))
    }

    /// Returns true if its pattern is a regular expression.
    pub(crate) fn is_regex(&self) -> bool {
        self.regex.is_some()
    }

    /// Counts the occurrences in a file. It compares them with nothing.
    pub(crate) fn occurrences(&self, scene: &EditContext<'_>) -> Result<u64, Refusal> {
        if self.regex.is_some() && self.compiled.is_none() && !scene.budget.regex(limits::COMPILING) {
            return Err(worn_out());
        }
        Ok(self.places(scene, 0..scene.text.len(), false)?.count as u64)
    }

    fn places<'p, 's>(
        &self,
        scene: &'p EditContext<'s>,
        inside: Range<usize>,
        guarded: bool,
    ) -> Result<MatchList<'p, 's>, Refusal> {
        let mut places = MatchList::new(scene, self.literal, guarded);
        if self.regex.is_some() {
            self.by_regex(&mut places, inside)?;
        } else {
            self.by_text(&mut places, inside)?;
        }
        Ok(places)
    }

    fn by_regex(&self, places: &mut MatchList<'_, '_>, inside: Range<usize>) -> Result<(), Refusal> {
        let scene = places.scene;
        if !scene.budget.regex(scene.text.len()) {
            return Err(worn_out());
        }
        let text = scene.text;
        // A line break of any form matches as `\n`, unless the pattern names `\r`.
        let raw = names_return(&self.pattern);
        let folded = if raw { None } else { text.folded_once() };
        let content: &str = folded.as_ref().map_or(&*text.content, |folded| &folded.content);
        let crlf = raw && (text.breaks == Breaks::Cr || text.has_crlf());
        let own;
        let (engine, parts) = match self.compiled.as_ref().filter(|_| !crlf) {
            Some(compiled) => compiled,
            None => {
                own = self.compile(crlf, content)?;
                &own
            }
        };
        let flags = self.regex.unwrap_or_default();
        let mut meter = engine.meter(&self.pattern, flags, crlf);
        let mut guard = places.guarded.then(|| WildcardGuard::of(&self.pattern, flags, crlf)).flatten();
        let inside = match &folded {
            Some(folded) => folded.folded(inside.start)..folded.folded(inside.end),
            None => inside,
        };
        let mut left = self.count;
        let mut from = inside.start;
        let mut new = String::new();
        engine.each_inside(content, &inside, scene.budget, &mut |groups| {
            let end = groups.first().and_then(Option::as_ref).map_or(0, |whole| whole.end);
            if !scene.budget.regex(meter.cost(content, from, end)) {
                return Err(worn_out());
            }
            from = end;
            if let (Some(guard), Some(Some(whole))) = (&mut guard, groups.first())
                && let Some(inner) = guard.second(engine, content, whole, scene.budget)?
            {
                let places = [whole.start, inner, whole.end];
                let original = |at: usize| folded.as_ref().map_or(at, |folded| folded.original(at));
                return Err(swallowed(text, places.map(original)));
            }
            if let Some(folded) = &folded {
                groups.iter_mut().flatten().for_each(|range| {
                    *range = folded.original(range.start)..folded.original(range.end);
                });
            }
            let whole = groups.first().cloned().flatten().unwrap_or(0..0);
            if places.splits_break(&whole) {
                return Ok(true);
            }
            expand(&text.content, parts, groups, &mut new);
            places.add(whole, &new)?;
            left -= 1;
            Ok(left > 0)
        })
    }

    fn by_text(&self, places: &mut MatchList<'_, '_>, inside: Range<usize>) -> Result<(), Refusal> {
        let scene = places.scene;
        scene.pay(inside.len())?;
        let text: &Text<'_> = scene.text;
        // A `\n` in the pattern stands for either break, unless the pattern names `\r`.
        let either = self.pattern.contains('\n') && !self.pattern.contains('\r');
        let folded = if either { text.folded() } else { None };
        let content = folded.map_or(&*text.content, |folded| &folded.content);
        let inside =
            folded.map_or(inside.clone(), |folded| folded.folded(inside.start)..folded.folded(inside.end));
        let (content, base) = (content.cut(inside.clone()), inside.start);
        let mut left = self.count;
        let mut outcome = Ok(());
        let stopped = each_hit(content.as_bytes(), self.pattern.as_bytes(), false, &mut |at| {
            let at = at + base;
            let end = at + self.pattern.len();
            let range = folded.map_or(at..end, |folded| folded.original(at)..folded.original(end));
            if places.splits_break(&range) {
                return ControlFlow::Continue(());
            }
            outcome = places.add(range, &self.replacement);
            left -= 1;
            if outcome.is_err() || left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let (ControlFlow::Continue(()) | ControlFlow::Break(())) = stopped;
        outcome
    }
}

/// Returns the refusal of a match that contains a second start: `first`, `second` and their common end.
fn swallowed(text: &Text<'_>, [first, second, end]: [usize; 3]) -> Refusal {
    let line = |at: usize| text.line_of(at);
    let message = format!(
        "the match that begins at line {} swallows another that begins at line {}, column {}, and ends at the same place (line {}); tighten the pattern, or give `expect` if that is meant",
        line(first),
        line(second),
        text.column_of(second),
        line(end.saturating_sub(1))
    );
    let mut error = ambiguous(message, 2);
    error.line = Some(line(first) as u64);
    error.candidates = [first, second].map(|at| candidate(text, at)).into();
    error
}

/// Creates the refusal of a job whose regular expressions read too much.
pub(super) fn worn_out() -> Refusal {
    spent(
        "the regular expressions of this job look at more text than a job may; make them end sooner, or send several jobs",
        limits::REGEX_WORK,
    )
}

fn expand(content: &str, parts: &[Part], groups: &Groups, new: &mut String) {
    new.clear();
    for part in parts {
        match part {
            Part::Text(text) => new.push_str(text),
            Part::Group(group) => {
                if let Some(range) = groups.get(*group).cloned().flatten() {
                    new.push_str(content.cut(range));
                }
            }
        }
    }
}
