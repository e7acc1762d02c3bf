//! YAML: keys, and the items of block sequences that contain keys. The first item is called `[1]`. They come from the
//! events of a YAML parser, since the scanner of the tree-sitter grammar crashes the process on deeply nested blocks.

use std::ops::Range;

use granit_parser::{ErrorKind, Event, Options, Parser, Span, StructureStyle};

use crate::grammar::{DefinitionRule, SymbolName, no_body, rule};
use crate::surroundings::Surroundings;
use crate::walk::SymbolDraft;
use crate::{Outline, ParseBudget, ParseError, SymbolKind, nest, paths};

/// Maximum nesting of collections; no usual file has more.
pub(crate) const NESTING: usize = 500;

/// Maximum number of definitions in an outline.
const DRAFTS: usize = 100_000;

static KEY: DefinitionRule = rule("key", SymbolKind::Key, |_| None, no_body);
static ITEM: DefinitionRule = rule("item", SymbolKind::Table, |_| None, no_body);

/// Returns a parser of a text that skips comments.
pub(crate) fn parser(text: &str) -> Parser<'_, granit_parser::StrInput<'_>> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.flow_nesting_limit = NESTING;
    options.block_nesting_limit = NESTING;
    Parser::new_from_str_with_options(text, options)
}

/// Lists the definitions up to the first error.
pub(crate) fn outline(text: &str, budget: &ParseBudget) -> Result<Outline, ParseError> {
    budget.allows(text)?;
    let mut reader =
        EventReader { text, here: 0, frames: Vec::new(), drafts: Vec::new(), scalars: Vec::new() };
    let mut broken = false;
    for event in parser(text) {
        match event {
            Ok((event, span)) => reader.read(&event, span),
            Err(error) if *error.kind() == ErrorKind::RecursionLimitExceeded => {
                return Err(ParseError::TooDeep);
            }
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
    let EventReader { drafts, scalars, .. } = reader;
    let surroundings = comments(text, &scalars);
    let symbols = nest::symbols(text, &["%"], &surroundings, drafts);
    Ok(Outline { symbols: paths::numbered(symbols), broken })
}

/// An open collection.
enum OpenCollection {
    Mapping { flow: bool, at: MappingState },
    Sequence { flow: bool, count: usize, dash: Option<usize> },
}

/// The part of a mapping that is read or comes next.
enum MappingState {
    Key,
    InKey(MappingKey),
    Value(MappingKey),
    /// With the start of the value.
    InValue(MappingKey, usize),
}

struct MappingKey {
    start: usize,
    /// The range of its text, if it is plain or quoted.
    name: Option<Range<usize>>,
}

struct EventReader<'s> {
    text: &'s str,
    /// The end of the text that was read so far.
    here: usize,
    frames: Vec<OpenCollection>,
    drafts: Vec<SymbolDraft>,
    /// The ranges of plain and quoted scalars. No comment starts in them.
    scalars: Vec<Range<usize>>,
}

impl EventReader<'_> {
    fn read(&mut self, event: &Event<'_>, span: Span) {
        let Some(range) = span.byte_range() else { return };
        let is_flow = |style: &StructureStyle| matches!(style, StructureStyle::Flow);
        match event {
            Event::DocumentStart(..) | Event::DocumentEnd => self.here = self.here.max(range.end),
            Event::Alias(_) => {
                self.begin(&range, false);
                self.ended(range.end, false);
            }
            Event::Scalar(..) => {
                self.begin(&range, true);
                self.scalars.push(range.clone());
                self.ended(range.end, false);
            }
            Event::MappingStart(style, ..) => {
                self.open(&range, OpenCollection::Mapping { flow: is_flow(style), at: MappingState::Key });
            }
            Event::SequenceStart(style, ..) => {
                self.open(&range, OpenCollection::Sequence { flow: is_flow(style), count: 0, dash: None });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                // The parser reports the end of a block at the start of the next token.
                let end = if range.is_empty() { self.here } else { range.end };
                self.close(end);
            }
            _ => {}
        }
    }

    fn open(&mut self, range: &Range<usize>, frame: OpenCollection) {
        self.begin(range, false);
        // A block mapping starts at its first key. A sequence may be reported behind its first `-`.
        if !range.is_empty() || matches!(frame, OpenCollection::Mapping { .. }) {
            self.here = self.here.max(range.end);
        }
        self.frames.push(frame);
    }

    fn close(&mut self, end: usize) {
        let block = match self.frames.pop() {
            Some(OpenCollection::Mapping { flow, .. } | OpenCollection::Sequence { flow, .. }) => !flow,
            None => return,
        };
        self.ended(end, block);
    }

    /// Handles the start of a node: a key, a value, an item, or the content of a document.
    fn begin(&mut self, range: &Range<usize>, scalar: bool) {
        let (text, here) = (self.text, self.here);
        match self.frames.last_mut() {
            Some(OpenCollection::Mapping { at, .. }) => {
                *at = match std::mem::replace(at, MappingState::Key) {
                    MappingState::Value(key) => {
                        let colon = token(text, here);
                        let is_colon = text.as_bytes().get(colon) == Some(&b':');
                        self.here = if is_colon { colon + 1 } else { here };
                        MappingState::InValue(key, token(text, self.here))
                    }
                    MappingState::Key | MappingState::InKey(_) | MappingState::InValue(..) => {
                        let name = scalar.then(|| range.clone());
                        MappingState::InKey(MappingKey { start: key_start(text, here, range.start), name })
                    }
                }
            }
            Some(OpenCollection::Sequence { flow: false, count, dash }) => {
                *count += 1;
                *dash = find_dash(text, here, range.start);
                self.here = dash.map_or(here, |dash| dash + 1);
            }
            Some(OpenCollection::Sequence { .. }) | None => {}
        }
    }

    /// Handles the end of a node. `block` is set for a collection in block style.
    fn ended(&mut self, end: usize, block: bool) {
        self.here = self.here.max(end);
        let here = self.here;
        match self.frames.last_mut() {
            Some(OpenCollection::Mapping { flow, at }) => match std::mem::replace(at, MappingState::Key) {
                MappingState::InKey(key) => *at = MappingState::Value(key),
                MappingState::InValue(key, start) => {
                    let flow = *flow;
                    self.pair(&key, start, flow);
                }
                MappingState::Key | MappingState::Value(_) => {}
            },
            Some(OpenCollection::Sequence { count, dash: Some(dash), .. }) if block => {
                let (dash, count) = (*dash, *count);
                let name = SymbolName::plain(format!("[{count}]"), dash..dash);
                let body = token(self.text, dash + 1)..here;
                self.draft(&ITEM, name, dash..here, Some(body));
            }
            _ => {}
        }
    }

    fn pair(&mut self, key: &MappingKey, value: usize, flow: bool) {
        let Some(at) = key.name.clone() else { return };
        let said = self.text.get(at.clone()).unwrap_or_default();
        let quoted = ['"', '\''].iter().find_map(|quote| said.strip_prefix(*quote)?.strip_suffix(*quote));
        let bare = quoted.unwrap_or(said);
        let name = if bare.contains('\n') { None } else { SymbolName::plain(bare.to_owned(), at) };
        let body = (value < self.here).then_some(value..self.here);
        self.draft(&KEY, name.map(|name| SymbolName { listed: flow, ..name }), key.start..self.here, body);
    }

    fn draft(
        &mut self,
        rule: &'static DefinitionRule,
        name: Option<SymbolName>,
        range: Range<usize>,
        body: Option<Range<usize>>,
    ) {
        let Some(name) = name else { return };
        self.drafts.push(SymbolDraft { rule, name, inner: range.clone(), outer: range, beside: false, body });
    }
}

/// Returns the start of the next token, behind white space and comments.
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

/// Returns the start of a key, including its `?`, tag or anchor.
fn key_start(text: &str, from: usize, to: usize) -> usize {
    let mut at = token(text, from);
    if text.as_bytes().get(at) == Some(&b',') {
        at = token(text, at + 1);
    }
    let is_front = matches!(text.as_bytes().get(at), Some(b'?' | b'&' | b'!'));
    if is_front && at < to { at } else { to }
}

/// Returns the `-` of an item, between the end of the last token and the node of the item. Tags and anchors of the
/// sequence are skipped.
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

/// Collects the comments: each `#` behind white space that is outside of a scalar.
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
