//! YAML: its keys, and the items of block sequences that hold keys: the first is called `[1]`. They are read from the
//! events of a parser, since the scanner of the tree's grammar ends the process where blocks lie deep in each other.

use std::ops::Range;

use granit_parser::{ErrorKind, Event, Options, Parser, Span, StructureStyle};

use crate::grammar::{Name, Rule, no_body};
use crate::surroundings::Surroundings;
use crate::walk::Draft;
use crate::{Budget, Kind, Outline, Unparsed, nest, paths};

/// Collections in collections: more than any file that people keep.
pub(crate) const NESTING: usize = 500;

/// Definitions of one outline.
const DRAFTS: usize = 100_000;

static KEY: Rule = Rule { node: "key", kind: Kind::Key, name: |_| None, body: no_body };
static ITEM: Rule = Rule { node: "item", kind: Kind::Table, name: |_| None, body: no_body };

/// The parser of a text, without comments.
pub(crate) fn parser(text: &str) -> Parser<'_, granit_parser::StrInput<'_>> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.flow_nesting_limit = NESTING;
    options.block_nesting_limit = NESTING;
    Parser::new_from_str_with_options(text, options)
}

/// Lists the definitions, up to the first error.
pub(crate) fn outline(text: &str, budget: &Budget) -> Result<Outline, Unparsed> {
    budget.allows(text)?;
    let mut reader = Reader { text, here: 0, frames: Vec::new(), drafts: Vec::new(), scalars: Vec::new() };
    let mut broken = false;
    for event in parser(text) {
        match event {
            Ok((event, span)) => reader.read(&event, span),
            Err(error) if *error.kind() == ErrorKind::RecursionLimitExceeded => return Err(Unparsed::Deep),
            Err(_) => {
                broken = true;
                break;
            }
        }
        if reader.drafts.len() >= DRAFTS {
            break;
        }
    }
    while !reader.frames.is_empty() {
        reader.close(reader.here);
    }
    let Reader { drafts, scalars, .. } = reader;
    let surroundings = comments(text, &scalars);
    let symbols = nest::symbols(text, &["%"], &surroundings, drafts);
    Ok(Outline { symbols: paths::numbered(symbols), broken })
}

/// A collection that is open.
enum Frame {
    Mapping { flow: bool, at: At },
    Sequence { flow: bool, count: usize, dash: Option<usize> },
}

/// What of a mapping comes next, or is being read.
enum At {
    Key,
    InKey(Key),
    Value(Key),
    /// And where the value begins.
    InValue(Key, usize),
}

struct Key {
    start: usize,
    /// Where its own text stands, where it is plain or quoted.
    name: Option<Range<usize>>,
}

struct Reader<'s> {
    text: &'s str,
    /// Behind what was read.
    here: usize,
    frames: Vec<Frame>,
    drafts: Vec<Draft>,
    /// Where plain and quoted texts stand, in which no comment begins.
    scalars: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn read(&mut self, event: &Event<'_>, span: Span) {
        let Some(range) = span.byte_range() else { return };
        let is_flow = |style: &StructureStyle| matches!(style, StructureStyle::Flow);
        match event {
            Event::DocumentStart(..) | Event::DocumentEnd => self.here = self.here.max(range.end),
            Event::Alias(_) => {
                self.begin(&range, false);
                self.end(range.end);
            }
            Event::Scalar(..) => {
                self.begin(&range, true);
                self.scalars.push(range.clone());
                self.end(range.end);
            }
            Event::MappingStart(style, ..) => {
                self.open(&range, Frame::Mapping { flow: is_flow(style), at: At::Key });
            }
            Event::SequenceStart(style, ..) => {
                self.open(&range, Frame::Sequence { flow: is_flow(style), count: 0, dash: None });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                // The end of a block is told where the next thing begins.
                let end = if range.is_empty() { self.here } else { range.end };
                self.close(end);
            }
            _ => {}
        }
    }

    fn open(&mut self, range: &Range<usize>, frame: Frame) {
        self.begin(range, false);
        // A block mapping begins where its first key does; a sequence may be told behind its first `-`.
        if !range.is_empty() || matches!(frame, Frame::Mapping { .. }) {
            self.here = self.here.max(range.end);
        }
        self.frames.push(frame);
    }

    fn close(&mut self, end: usize) {
        let block = match self.frames.pop() {
            Some(Frame::Mapping { flow, .. } | Frame::Sequence { flow, .. }) => !flow,
            None => return,
        };
        self.ended(end, block);
    }

    /// A node begins: a key, a value, an item, or what a document holds.
    fn begin(&mut self, range: &Range<usize>, scalar: bool) {
        let (text, here) = (self.text, self.here);
        match self.frames.last_mut() {
            Some(Frame::Mapping { at, .. }) => {
                *at = match std::mem::replace(at, At::Key) {
                    At::Value(key) => {
                        let colon = token(text, here);
                        let is_colon = text.as_bytes().get(colon) == Some(&b':');
                        self.here = if is_colon { colon + 1 } else { here };
                        At::InValue(key, token(text, self.here))
                    }
                    At::Key | At::InKey(_) | At::InValue(..) => {
                        let name = scalar.then(|| range.clone());
                        At::InKey(Key { start: key_start(text, here, range.start), name })
                    }
                }
            }
            Some(Frame::Sequence { flow: false, count, dash }) => {
                *count += 1;
                *dash = find_dash(text, here, range.start);
                self.here = dash.map_or(here, |dash| dash + 1);
            }
            Some(Frame::Sequence { .. }) | None => {}
        }
    }

    fn end(&mut self, end: usize) {
        self.ended(end, false);
    }

    /// A node has ended; whether it was a collection in block style.
    fn ended(&mut self, end: usize, block: bool) {
        self.here = self.here.max(end);
        let here = self.here;
        match self.frames.last_mut() {
            Some(Frame::Mapping { flow, at }) => match std::mem::replace(at, At::Key) {
                At::InKey(key) => *at = At::Value(key),
                At::InValue(key, start) => {
                    let flow = *flow;
                    self.pair(&key, start, flow);
                }
                At::Key | At::Value(_) => {}
            },
            Some(Frame::Sequence { count, dash: Some(dash), .. }) if block => {
                let (dash, count) = (*dash, *count);
                let name = Name::plain(format!("[{count}]"), dash..dash);
                let body = token(self.text, dash + 1)..here;
                self.draft(&ITEM, name, dash..here, Some(body));
            }
            _ => {}
        }
    }

    fn pair(&mut self, key: &Key, value: usize, flow: bool) {
        let Some(at) = key.name.clone() else { return };
        let said = self.text.get(at.clone()).unwrap_or_default();
        let quoted = ['"', '\''].iter().find_map(|quote| said.strip_prefix(*quote)?.strip_suffix(*quote));
        let bare = quoted.unwrap_or(said);
        let name = if bare.contains('\n') { None } else { Name::plain(bare.to_owned(), at) };
        let body = (value < self.here).then_some(value..self.here);
        self.draft(&KEY, name.map(|name| Name { listed: flow, ..name }), key.start..self.here, body);
    }

    fn draft(
        &mut self,
        rule: &'static Rule,
        name: Option<Name>,
        range: Range<usize>,
        body: Option<Range<usize>>,
    ) {
        let Some(name) = name else { return };
        self.drafts.push(Draft { rule, name, inner: range.clone(), outer: range, beside: false, body });
    }
}

/// Where the next token begins, behind white space and comments.
fn token(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        at += rest.len() - rest.trim_start().len();
        let rest = text.get(at..).unwrap_or_default();
        if !rest.starts_with('#') {
            return at;
        }
        at += rest.find('\n').unwrap_or(rest.len());
    }
}

/// Where a key begins: with its `?`, tag or anchor, if it has them.
fn key_start(text: &str, from: usize, to: usize) -> usize {
    let mut at = token(text, from);
    if text.as_bytes().get(at) == Some(&b',') {
        at = token(text, at + 1);
    }
    let is_front = matches!(text.as_bytes().get(at), Some(b'?' | b'&' | b'!'));
    if is_front && at < to { at } else { to }
}

/// The `-` of an item, between what was read and its node: behind tags and anchors of the sequence itself.
fn find_dash(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at = token(text, at);
        let rest = text.get(at..).unwrap_or_default();
        match rest.bytes().next() {
            Some(b'-') => return Some(at),
            Some(b'&' | b'!') if at < to => at += rest.find(char::is_whitespace)?,
            _ => return None,
        }
    }
}

/// The comments: `#` behind white space, outside of every text.
fn comments<'s>(text: &'s str, scalars: &[Range<usize>]) -> Surroundings<'s> {
    let mut surroundings = Surroundings::new(text);
    let mut from = 0;
    let end = text.len()..text.len();
    for scalar in scalars.iter().chain([&end]) {
        let mut at = from;
        while let Some(found) = text.get(at..scalar.start).and_then(|gap| gap.find('#')) {
            let start = at + found;
            at = start + 1;
            let before = text.get(..start).unwrap_or_default();
            if before.is_empty() || before.ends_with(char::is_whitespace) {
                let rest = text.get(start..).unwrap_or_default();
                at = start + rest.find('\n').unwrap_or(rest.len());
                surroundings.comment(start..at);
            }
        }
        from = scalar.end.max(from);
    }
    surroundings
}
