//! From a tree to the definitions in it: every node is visited once, from the top, and none is asked for its parent,
//! since that walks down from the root each time. It knows no language.

use std::num::NonZeroU16;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::grammar::{Grammar, Name, Rule, Seen};
#[cfg(feature = "yaml")]
use crate::parse::lines;
use crate::parse::{parse, whole_lines};
use crate::surroundings::Surroundings;
use crate::{Budget, Kind, Language, Outline, Symbol, Unparsed, nest, paths};

/// Symbols of one outline; a file of 10,000 lines has some thousand.
const SYMBOLS: usize = 100_000;

/// Bytes of all names of one outline: a node may lie in another's name, so names may be longer than the text.
const NAMES: usize = 16 * 1024 * 1024;

/// Lists the definitions of a text.
///
/// # Errors
/// The text is too long, takes too long, or its language is not in this build.
pub fn outline(language: Language, text: &str, budget: &Budget) -> Result<Outline, Unparsed> {
    #[cfg(feature = "yaml")]
    if language == Language::Yaml {
        return crate::languages::yaml::outline(&lines(text), budget);
    }
    // The symbols in it are trimmed, so that none ends behind the text as it is.
    let text = &*whole_lines(text, budget);
    let grammar = language.grammar().ok_or(Unparsed::Absent(language.name()))?;
    let tree = parse(language, text, budget)?;
    // Any text is Markdown.
    let broken = language != Language::Markdown && tree.root_node().has_error();
    let mut found =
        Found { text, grammar, surroundings: Surroundings::new(text), drafts: Vec::new(), names: 0 };
    found.walk(&tree);
    #[cfg(feature = "markdown")]
    if language == Language::Markdown {
        crate::languages::markdown::spread(text, &mut found.drafts);
    }
    let Found { surroundings, drafts, .. } = found;
    let mut symbols = nest::symbols(text, grammar.aloof, &surroundings, drafts);
    for symbol in &mut symbols {
        symbol.declares = declares(text, language, symbol);
    }
    Ok(Outline { symbols: paths::numbered(symbols), broken })
}

/// Returns true if a function is only declared: it has no body, or a decorator of Python says so.
fn declares(text: &str, language: Language, symbol: &Symbol) -> bool {
    if !matches!(symbol.kind, Kind::Function | Kind::Method | Kind::Constructor) {
        return false;
    }
    let in_front = text.get(symbol.definition.start..symbol.name.start).unwrap_or_default();
    let marks = |line: &str| {
        let decorator = line.trim().strip_prefix('@').unwrap_or_default();
        let name = decorator.split('#').next().unwrap_or_default().trim();
        name == "overload" || name.ends_with(".overload")
    };
    symbol.body.is_none() || (language == Language::Python && in_front.lines().any(marks))
}

/// A definition, as its node alone shows it.
pub(crate) struct Draft {
    pub(crate) rule: &'static Rule,
    pub(crate) name: Name,
    /// Its node.
    pub(crate) inner: Range<usize>,
    /// The same with what stands around it and belongs to it.
    pub(crate) outer: Range<usize>,
    /// Whether others of its kind stand beside it in that, which may be no definitions.
    pub(crate) beside: bool,
    pub(crate) body: Option<Range<usize>>,
}

struct Found<'s> {
    text: &'s str,
    grammar: &'static Grammar,
    surroundings: Surroundings<'s>,
    drafts: Vec<Draft>,
    /// Bytes of the names so far.
    names: usize,
}

/// What a kind of node means.
#[derive(Clone, Copy, Default)]
struct Meaning {
    defines: Option<&'static Rule>,
    wraps: bool,
    is: Is,
}

/// What else it may be; a definition is looked into whatever it is.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Is {
    #[default]
    Open,
    Closed,
    Comment,
    Attribute,
}

impl Found<'_> {
    fn walk(&mut self, tree: &Tree) {
        let meanings = meanings(self.grammar);
        let mut cursor = tree.walk();
        let mut around: Vec<Node<'_>> = Vec::new();
        // For each of those, where it is a wrapper: what it stands around.
        let mut wrapped: Vec<Option<Wrapped>> = Vec::new();
        // How many stand before this one, and before what stands behind each of those.
        let mut before = 0;
        let mut counts: Vec<usize> = Vec::new();
        loop {
            let node = cursor.node();
            let meaning = meanings.get(usize::from(node.kind_id())).copied().unwrap_or_default();
            let wrapper = wrapped.last().and_then(Option::as_ref);
            match (meaning.defines, meaning.is) {
                (Some(rule), _) => {
                    let seen = Seen { node, text: self.text, around: &around, before };
                    let as_what = (node.kind_id(), cursor.field_id());
                    self.define(rule, seen, as_what, wrapper);
                }
                (None, Is::Comment) => self.surroundings.comment(node.byte_range()),
                (None, Is::Attribute) => self.surroundings.attribute(node.byte_range()),
                (None, Is::Open | Is::Closed) => {}
            }
            let counted = before + usize::from(node.is_named() && meaning.is != Is::Comment);
            let enter = meaning.defines.is_some() || meaning.is == Is::Open;
            if enter && cursor.goto_first_child() {
                let inside = meaning.wraps.then(|| Wrapped::by(node, wrapper, &meanings));
                around.push(node);
                wrapped.push(inside);
                counts.push(counted);
                before = 0;
                continue;
            }
            before = counted;
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                around.pop();
                wrapped.pop();
                before = counts.pop().unwrap_or(0);
            }
        }
    }

    fn define(&mut self, rule: &'static Rule, seen: Seen<'_, '_>, as_what: Part, wrapper: Option<&Wrapped>) {
        let node = seen.node;
        // A node that the parser made up, or that is wrong in itself, is no definition.
        let is_none = node.is_missing() || node.byte_range().is_empty();
        if is_none || self.drafts.len() >= SYMBOLS || self.names >= NAMES {
            return;
        }
        let Some(name) = (rule.name)(seen).filter(|name| !name.name.is_empty()) else { return };
        self.names += name.name.len() + name.under.iter().map(String::len).sum::<usize>();
        let until = |range: Range<usize>| range.start..range.end.max(name.until.unwrap_or(range.end));
        let inner = until(node.byte_range());
        let outer = until(wrapper.map_or(node.byte_range(), |wrapper| wrapper.whole.clone()));
        let beside = wrapper.is_some_and(|wrapper| wrapper.repeated.contains(&as_what));
        self.drafts.push(Draft { rule, name, inner, outer, beside, body: (rule.body)(seen) });
    }
}

/// A kind of node, and the field of the node above that it is.
type Part = (u16, Option<NonZeroU16>);

/// What stands around a definition and belongs to it.
struct Wrapped {
    /// The outermost of the wrappers that lie in one another directly.
    whole: Range<usize>,
    /// Kinds of definitions that stand in the innermost several times, such as `a` and `b` in `let a, b;`.
    repeated: Vec<Part>,
}

impl Wrapped {
    fn by(node: Node<'_>, outer: Option<&Self>, meanings: &[Meaning]) -> Self {
        let whole = outer.map_or(node.byte_range(), |outer| outer.whole.clone());
        let mut cursor = node.walk();
        let defines =
            |id: u16| meanings.get(usize::from(id)).is_some_and(|meaning| meaning.defines.is_some());
        let (mut once, mut repeated) = (Vec::new(), Vec::new());
        let mut more = cursor.goto_first_child();
        while more {
            let part = (cursor.node().kind_id(), cursor.field_id());
            if defines(part.0) {
                let seen = if once.contains(&part) { &mut repeated } else { &mut once };
                if !seen.contains(&part) {
                    seen.push(part);
                }
            }
            more = cursor.goto_next_sibling();
        }
        Self { whole, repeated }
    }
}

/// By the number of a kind of node in the parser's tables, where one name may stand several times.
fn meanings(grammar: &'static Grammar) -> Vec<Meaning> {
    let language = (grammar.language)();
    let meaning = |id: usize| {
        let id = u16::try_from(id).ok().filter(|id| language.node_kind_is_named(*id))?;
        let node = language.node_kind_for_id(id)?;
        let is = if grammar.closed.contains(&node) {
            Is::Closed
        } else if grammar.comments.contains(&node) {
            Is::Comment
        } else if grammar.attributes.contains(&node) {
            Is::Attribute
        } else {
            Is::Open
        };
        let defines = grammar.rules.iter().find(|rule| rule.node == node);
        Some(Meaning { defines, wraps: grammar.wrappers.contains(&node), is })
    };
    (0..language.node_kind_count()).map(|id| meaning(id).unwrap_or_default()).collect()
}
