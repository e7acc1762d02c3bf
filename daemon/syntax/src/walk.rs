//! From a tree to an outline: every node is visited once, from the top, and none is asked for its parent, since that
//! walks down from the root each time. It knows no language.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::grammar::{Grammar, Name, Rule, Seen};
use crate::outline::Segment;
use crate::parse::{lines, parse};
use crate::surroundings::Surroundings;
use crate::{Budget, Language, Outline, Symbol, Unparsed, paths};

/// Symbols of one outline; a file of 10,000 lines has some thousand.
const SYMBOLS: usize = 100_000;

/// Lists the definitions of a text.
///
/// # Errors
/// The text is too long, takes too long, or its language is not in this build.
pub fn outline(language: Language, text: &str, budget: &Budget) -> Result<Outline, Unparsed> {
    let grammar = language.grammar().ok_or(Unparsed::Absent(language.name()))?;
    let text = &*lines(text);
    let tree = parse(language, text, budget)?;
    let broken = tree.root_node().has_error();
    let mut found = Found { text, surroundings: Surroundings::new(text), drafts: Vec::new() };
    found.walk(grammar, &tree);
    let Found { surroundings, drafts, .. } = found;
    Ok(Outline { symbols: paths::numbered(symbols(text, grammar, &surroundings, drafts)), broken })
}

/// A definition, as its node alone shows it.
struct Draft {
    rule: &'static Rule,
    name: Name,
    /// Its node.
    inner: Range<usize>,
    /// The same with what stands around it and belongs to it.
    outer: Range<usize>,
    body: Option<Range<usize>>,
}

struct Found<'s> {
    text: &'s str,
    surroundings: Surroundings<'s>,
    drafts: Vec<Draft>,
}

/// What a kind of node means, by its number in the tables.
#[derive(Clone, Copy)]
enum Meaning {
    Nothing,
    Defines(&'static Rule),
    Wraps,
    Comment,
    Attribute,
    Closed,
}

impl Found<'_> {
    fn walk(&mut self, grammar: &'static Grammar, tree: &Tree) {
        let meanings = meanings(grammar);
        let mut cursor = tree.walk();
        let mut around: Vec<Node<'_>> = Vec::new();
        loop {
            let node = cursor.node();
            let meaning = meanings.get(usize::from(node.kind_id())).copied().unwrap_or(Meaning::Nothing);
            match meaning {
                Meaning::Defines(rule) => self.define(grammar, rule, node, &around),
                Meaning::Comment => self.surroundings.comment(node.byte_range()),
                Meaning::Attribute => self.surroundings.attribute(node.byte_range()),
                Meaning::Nothing | Meaning::Wraps | Meaning::Closed => {}
            }
            let enter = !matches!(meaning, Meaning::Comment | Meaning::Attribute | Meaning::Closed);
            if enter && cursor.goto_first_child() {
                around.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                around.pop();
            }
        }
    }

    fn define(&mut self, grammar: &Grammar, rule: &'static Rule, node: Node<'_>, around: &[Node<'_>]) {
        // A node that the parser made up, or that is wrong in itself, is no definition.
        if node.is_missing() || node.byte_range().is_empty() || self.drafts.len() >= SYMBOLS {
            return;
        }
        let seen = Seen { node, text: self.text, around };
        let Some(name) = (rule.name)(seen) else { return };
        let wraps = |outer: &&Node<'_>| grammar.wrappers.contains(&outer.kind());
        let outer = around.iter().rev().take_while(wraps).last().unwrap_or(&node);
        let body = (rule.body)(seen);
        self.drafts.push(Draft { rule, name, inner: node.byte_range(), outer: outer.byte_range(), body });
    }
}

fn meanings(grammar: &'static Grammar) -> Vec<Meaning> {
    let language = (grammar.language)();
    let mut meanings = vec![Meaning::Nothing; language.node_kind_count()];
    let mut set = |node: &str, meaning: Meaning| {
        // A kind of node may stand in the tables several times.
        for id in 0..language.node_kind_count() {
            let id = u16::try_from(id).unwrap_or(u16::MAX);
            let is = language.node_kind_is_named(id) && language.node_kind_for_id(id) == Some(node);
            if let (true, Some(slot)) = (is, meanings.get_mut(usize::from(id))) {
                *slot = meaning;
            }
        }
    };
    let lists = [
        (grammar.closed, Meaning::Closed),
        (grammar.wrappers, Meaning::Wraps),
        (grammar.comments, Meaning::Comment),
        (grammar.attributes, Meaning::Attribute),
    ];
    for (nodes, meaning) in lists {
        nodes.iter().for_each(|node| set(node, meaning));
    }
    for rule in grammar.rules {
        set(rule.node, Meaning::Defines(rule));
    }
    meanings
}

/// Puts each definition under the one that holds it, with what belongs to it.
fn symbols(
    text: &str,
    grammar: &Grammar,
    surroundings: &Surroundings<'_>,
    drafts: Vec<Draft>,
) -> Vec<Symbol> {
    let mut wrapped: HashMap<(usize, usize), usize> = HashMap::new();
    for draft in &drafts {
        *wrapped.entry((draft.outer.start, draft.outer.end)).or_default() += 1;
    }
    let mut symbols: Vec<Symbol> = Vec::with_capacity(drafts.len());
    // The symbols that are open, each with where the last one in it ended; and that of the file itself.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut ended = 0;
    for draft in drafts {
        let Draft { rule, name, inner, outer, body } = draft;
        // What stands around several definitions belongs to none of them alone.
        let several = wrapped.get(&(outer.start, outer.end)).is_some_and(|count| *count > 1);
        let definition = trimmed(text, if several { inner } else { outer });
        while open
            .last()
            .and_then(|(top, _)| symbols.get(*top))
            .is_some_and(|top| top.definition.end <= definition.start)
        {
            open.pop();
        }
        let parent = open.last().map(|(top, _)| *top);
        let holder = parent.and_then(|parent| symbols.get(parent));
        // An error in the text may leave a node that is not where its parent is.
        if definition.is_empty() || holder.is_some_and(|holder| definition.end > holder.definition.end) {
            continue;
        }
        let floor = open.last_mut().map_or(&mut ended, |(_, ended)| ended);
        let ceiling = holder.map_or(text.len(), |holder| holder.definition.end);
        let listed = name.listed || several;
        let extent = surroundings.extent(&definition, *floor, ceiling, listed, grammar.aloof);
        *floor = extent.end;
        let at = if definition.start <= name.at.start && name.at.end <= definition.end {
            name.at
        } else {
            definition.start..definition.start
        };
        let body = body
            .map(|body| trimmed(text, body))
            .filter(|body| !body.is_empty() && definition.start <= body.start && body.end <= definition.end);
        let plain = |name: String| Segment { name, alias: None, number: None };
        let mut segments: Vec<Segment> = name.under.into_iter().map(plain).collect();
        segments.push(Segment { name: name.name, alias: name.alias, number: None });
        let depth = open.len();
        open.push((symbols.len(), definition.start));
        symbols.push(Symbol {
            path: String::new(),
            kind: name.kind.unwrap_or(rule.kind),
            parent,
            depth,
            extent,
            definition,
            name: at,
            body,
            listed,
            segments,
        });
    }
    symbols
}

/// A range without the white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let Some(inside) = text.get(range.clone()) else { return range.start..range.start };
    let start = range.start + (inside.len() - inside.trim_start().len());
    let end = range.end - (inside.len() - inside.trim_end().len());
    if start < end { start..end } else { range.start..range.start }
}
