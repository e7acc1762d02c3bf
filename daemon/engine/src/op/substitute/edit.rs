//! A substitution's fields and places. It matches nothing itself.

use std::ops::{ControlFlow, Range};
use std::rc::Rc;

use editd_proto::message::Edit;

use super::engine::{Engine, Flags, Groups};
use super::template::{self, Part};
use crate::Refusal;
use crate::cut::{Cut, Span};
use crate::limits;
use crate::locate::{each_hit, not_found_pattern, too_many_places};
use crate::op::effect::{Effect, Found, Scene};
use crate::op::fields;
use crate::op::given::changed_breaks;
use crate::op::registry::Op;
use crate::op::replace::{check_count, check_size};
use crate::refusal::{malformed, spent};
use crate::splice::Place;
use crate::text::{Breaks, Text, follow};

pub(crate) const FIELDS: &[&str] = &["pattern", "replacement", "regex", "flags", "count", "expect", "eol"];

/// A substitution.
#[derive(Debug)]
pub(crate) struct Substitute<'a> {
    pattern: &'a str,
    replacement: &'a str,
    regex: Option<Flags>,
    /// Whether it may be nowhere.
    optional: bool,
    count: usize,
    expect: Option<u64>,
    literal: bool,
}

pub(crate) fn parse(edit: &Edit, _: Option<f64>) -> Result<Op<'_>, Refusal> {
    let pattern = fields::required(edit, "pattern", &edit.pattern)?;
    let replacement = fields::required(edit, "replacement", &edit.replacement)?;
    if pattern.is_empty() {
        return Err(malformed("`pattern` is empty; say what to look for"));
    }
    if edit.count == Some(0) {
        return Err(malformed("`count` is 0; leave it out to replace every occurrence"));
    }
    let given = edit.flags.as_deref().unwrap_or("");
    let (flags, optional) = flags(given)?;
    let regex = match edit.regex.unwrap_or(false) {
        true => Some(flags),
        false if flags == Flags::default() => None,
        false => return Err(malformed("`flags` besides o need `regex: true`")),
    };
    if regex.is_some() && pattern.len() > limits::PATTERN {
        return Err(spent("`pattern` is longer than 64 KiB; split the substitution", limits::PATTERN as u64));
    }
    let count = edit.count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
    let literal = fields::literal_eol(edit)?;
    let substitute =
        Substitute { pattern, replacement, regex, optional, count, expect: edit.expect, literal };
    if regex.is_some() {
        // Neither needs the file: a bad pattern or template is refused before anything is looked at.
        substitute.compile(false, 0)?;
    }
    Ok(Op::Substitute(Box::new(substitute)))
}

/// The flags of a pattern, and whether it may be nowhere.
fn flags(given: &str) -> Result<(Flags, bool), Refusal> {
    let (mut flags, mut optional) = (Flags::default(), false);
    for letter in given.chars() {
        match letter {
            'i' => flags.case_insensitive = true,
            'm' => flags.multi_line = true,
            's' => flags.dot_all = true,
            'x' => flags.verbose = true,
            'a' => flags.ascii = true,
            'o' => optional = true,
            other => {
                let other = other.escape_default();
                return Err(malformed(format!("`flags` may hold i, m, s, x, a and o, not {other}")));
            }
        }
    }
    Ok((flags, optional))
}

/// Bytes of new text that are kept in one piece.
const CHUNK: usize = 64 * 1024;

/// Places as they are found. Their texts share few allocations, since there may be very many.
struct Places<'p, 's> {
    scene: &'p Scene<'s>,
    literal: bool,
    list: Vec<Place>,
    chunk: String,
    /// Matches, and where in `chunk` their new text stands.
    pending: Vec<(Span, Span)>,
    total: usize,
    converted: u64,
}

impl Places<'_, '_> {
    fn add(&mut self, range: Range<usize>, new: &str) -> Result<(), Refusal> {
        let text = self.scene.text;
        let breaks = memchr::memchr2(b'\n', b'\r', new.as_bytes()).is_some();
        let start = self.chunk.len();
        if self.literal || !breaks {
            self.chunk.push_str(new);
        } else {
            let matched = text.content.cut(range.clone());
            let (made, _) = follow(new, matched, text.ending_at(range.start), text.breaks);
            self.converted += changed_breaks(new, &made, text.breaks);
            self.chunk.push_str(&made);
        }
        self.total = self.total.saturating_add(self.chunk.len() - start);
        check_size(self.total)?;
        if self.list.len() + self.pending.len() >= limits::PLACES {
            return Err(too_many_places());
        }
        self.pending.push((Span::new(range), Span::new(start..self.chunk.len())));
        if self.chunk.len() >= CHUNK || self.pending.len() >= CHUNK {
            self.flush();
        }
        Ok(())
    }

    /// Makes places of what is pending.
    fn flush(&mut self) {
        let whole: Rc<str> = Rc::from(std::mem::take(&mut self.chunk));
        let (text, edit) = (self.scene.text, self.scene.edit);
        let place =
            |(range, new): (Span, Span)| Place::replacing_by(text, edit, range.range(), &whole, new.range());
        self.list.extend(self.pending.drain(..).map(place));
    }
}

impl Substitute<'_> {
    fn compile(&self, crlf: bool, len: usize) -> Result<(Engine, Vec<Part>), Refusal> {
        let engine = Engine::new(self.pattern, self.regex.unwrap_or_default(), crlf, len)?;
        let parts = template::parse(self.replacement, &engine.names())?;
        Ok((engine, parts))
    }

    /// Finds the occurrences and says what stands there then.
    pub(crate) fn effect(&self, scene: &Scene<'_>) -> Result<Effect, Refusal> {
        let mut places = Places {
            scene,
            literal: self.literal,
            list: Vec::new(),
            chunk: String::new(),
            pending: Vec::new(),
            total: 0,
            converted: 0,
        };
        if self.regex.is_some() {
            self.by_regex(&mut places)?
        } else {
            self.by_text(&mut places)?
        }
        places.flush();
        let count = places.list.len() as u64;
        let mut found = Found { replacements: Some(count), converted: places.converted, ..Found::default() };
        if count == 0 {
            if self.expect == Some(0) || (self.optional && self.expect.is_none()) {
                return Ok(Effect { found, ..Effect::default() });
            }
            return Err(not_found_pattern(scene.text, self.pattern, self.regex.is_some()));
        }
        check_count(self.expect, count)?;
        if let (Some(first), Some(last)) = (places.list.first(), places.list.last()) {
            found.lines = Some(scene.text.lines_of(first.matched.start()..last.matched.end()));
        }
        Ok(Effect { places: places.list, stored: None, found })
    }

    fn by_regex(&self, places: &mut Places<'_, '_>) -> Result<(), Refusal> {
        let scene = places.scene;
        if !scene.budget.regex(scene.text.len()) {
            return Err(worn_out());
        }
        let crlf = scene.text.breaks == Breaks::Cr || scene.text.has_crlf();
        let (engine, parts) = self.compile(crlf, scene.text.len())?;
        let content: &str = &scene.text.content;
        let mut meter = engine.meter(self.pattern, self.regex.unwrap_or_default(), crlf);
        let mut left = self.count;
        let mut from = 0;
        let mut new = String::new();
        engine.each(content, &mut |groups| {
            expand(content, &parts, groups, &mut new);
            let whole = groups.first().cloned().flatten().unwrap_or(0..0);
            if !scene.budget.regex(meter.cost(content, from, whole.end)) {
                return Err(worn_out());
            }
            from = whole.end;
            places.add(whole, &new)?;
            left -= 1;
            Ok(left > 0)
        })
    }

    fn by_text(&self, places: &mut Places<'_, '_>) -> Result<(), Refusal> {
        let scene = places.scene;
        scene.pay(scene.text.len())?;
        let text: &Text<'_> = scene.text;
        // A `\n` in the pattern stands for either break, but a pattern that names `\r` means what it says.
        let either = self.pattern.contains('\n') && !self.pattern.contains('\r');
        let folded = if either { text.folded() } else { None };
        let content = folded.map_or(&*text.content, |folded| &folded.content);
        let mut left = self.count;
        let mut outcome = Ok(());
        let stopped = each_hit(content.as_bytes(), self.pattern.as_bytes(), false, &mut |at| {
            let end = at + self.pattern.len();
            let range = folded.map_or(at..end, |folded| folded.original(at)..folded.original(end));
            outcome = places.add(range, self.replacement);
            left -= 1;
            if outcome.is_err() || left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let (ControlFlow::Continue(()) | ControlFlow::Break(())) = stopped;
        outcome
    }
}

fn worn_out() -> Refusal {
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
