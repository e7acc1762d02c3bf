//! Collects the definitions of a tree. Visits each node once from the top and asks no node for its parent, since the
//! parser finds a parent by walking down from the root. Independent of the language.

use std::num::NonZeroU16;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::grammar::{DefinitionRule, Grammar, NodeContext, SymbolName};
#[cfg(feature = "yaml")]
use crate::parse::lines;
use crate::parse::whole_lines;
use crate::surroundings::Surroundings;
use crate::trees::KnownText;
use crate::words::WordPlaces;
use crate::{Language, Outline, ParseBudget, ParseError, Symbol, SymbolKind, TreeCache, nest, paths};

/// Maximum number of symbols in an outline. A file of 10,000 lines has a few thousand.
const SYMBOLS: usize = 100_000;

/// Maximum size of all names of an outline in bytes. A name may contain other definitions, so all names together may be
/// longer than the text.
const NAMES: usize = 16 * 1024 * 1024;

/// Lists the definitions of a text.
///
/// ```
/// use editd_syntax::{Language, ParseBudget, SymbolKind, outline};
///
/// let text = "class Shop:\n    def open(self):\n        pass\n";
/// let outline = outline(Language::Python, text, &ParseBudget::default())?;
/// let paths: Vec<_> = outline.symbols.iter().map(|symbol| symbol.path.as_str()).collect();
/// assert_eq!(paths, ["Shop", "Shop/open"]);
/// assert_eq!(outline.symbols[1].kind, SymbolKind::Method);
/// # Ok::<(), editd_syntax::ParseError>(())
/// ```
///
/// # Errors
/// The text is too long, its parse takes too long, or this build has no grammar of the language.
pub fn outline(language: Language, text: &str, budget: &ParseBudget) -> Result<Outline, ParseError> {
    TreeCache::default().outline(language, text, budget)
}

impl TreeCache {
    /// Returns the same as [`outline()`]. The tree of the text is used if it is kept, and kept otherwise.
    ///
    /// # Errors
    /// Those of [`outline()`].
    pub fn outline(
        &self,
        language: Language,
        text: &str,
        budget: &ParseBudget,
    ) -> Result<Outline, ParseError> {
        #[cfg(feature = "yaml")]
        if language == Language::Yaml {
            return crate::languages::yaml::outline(&lines(text), budget);
        }
        // All symbols are trimmed, so none ends behind the original text.
        let text = &*whole_lines(text, budget);
        let grammar = language.grammar().ok_or(ParseError::Unsupported(language.name()))?;
        let tree = self.tree(language, KnownText::new(text), None, budget)?.tree;
        // Every text is valid Markdown.
        let broken = language != Language::Markdown && tree.root_node().has_error();
        let mut found = DefinitionWalk {
            text,
            grammar,
            surroundings: Surroundings::new(text),
            drafts: Vec::new(),
            names: 0,
        };
        // In a tree with errors, a definition may lack the word, or the definition around it.
        let words = if tree.root_node().has_error() { &[] } else { grammar.words };
        found.walk(&tree, WordPlaces::of(text, words));
        #[cfg(feature = "markdown")]
        if language == Language::Markdown {
            crate::languages::markdown::spread(text, &mut found.drafts);
        }
        let DefinitionWalk { surroundings, drafts, .. } = found;
        let mut symbols = nest::symbols(text, grammar.file_comments, &surroundings, drafts);
        for symbol in &mut symbols {
            symbol.declares = declares(text, language, symbol);
        }
        Ok(Outline { symbols: paths::numbered(symbols), broken })
    }
}

/// Returns true for a function that is only declared: it has no body, or a Python decorator marks it as an overload.
fn declares(text: &str, language: Language, symbol: &Symbol) -> bool {
    if !matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor) {
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

/// A definition as described by its node alone.
pub(crate) struct SymbolDraft {
    pub(crate) rule: &'static DefinitionRule,
    pub(crate) name: SymbolName,
    /// The range of the node.
    pub(crate) inner: Range<usize>,
    /// The range of the node and its wrappers.
    pub(crate) outer: Range<usize>,
    /// Set if other nodes of its kind share the wrapper; they need not be definitions.
    pub(crate) beside: bool,
    pub(crate) body: Option<Range<usize>>,
}

struct DefinitionWalk<'s> {
    text: &'s str,
    grammar: &'static Grammar,
    surroundings: Surroundings<'s>,
    drafts: Vec<SymbolDraft>,
    /// Bytes of all names so far.
    names: usize,
}

/// The meaning of a node kind in a grammar.
#[derive(Clone, Copy, Default)]
struct KindMeaning {
    defines: Option<&'static DefinitionRule>,
    wraps: bool,
    is: NodeRole,
}

/// The role of a node that defines nothing. The children of a definition are always visited.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum NodeRole {
    #[default]
    Open,
    /// The definitions in it need not have one of the grammar's words.
    List,
    Closed,
    Comment,
    Attribute,
}

impl DefinitionWalk<'_> {
    /// Collects the definitions, and the comments and attributes that may belong to them. A node without any of the words
    /// is not entered: it neither begins nor ends with a comment, so there is other text between a comment in it and every
    /// definition.
    fn walk(&mut self, tree: &Tree, mut words: WordPlaces) {
        let meanings = meanings(self.grammar);
        let mut cursor = tree.walk();
        let mut around: Vec<Node<'_>> = Vec::new();
        // For each ancestor: its range and repeated children, if it is a wrapper.
        let mut wrapped: Vec<Option<Wrapper>> = Vec::new();
        // The number of siblings in front of the node, and the same for each ancestor.
        let mut before = 0;
        let mut counts: Vec<usize> = Vec::new();
        loop {
            let node = cursor.node();
            let meaning = meanings.get(usize::from(node.kind_id())).copied().unwrap_or_default();
            let wrapper = wrapped.last().and_then(Option::as_ref);
            match (meaning.defines, meaning.is) {
                (Some(rule), _) => {
                    let context = NodeContext { node, text: self.text, around: &around, before };
                    let as_what = (node.kind_id(), cursor.field_id());
                    self.define(rule, context, as_what, wrapper);
                }
                (None, NodeRole::Comment) => self.surroundings.comment(node.byte_range()),
                (None, NodeRole::Attribute) => self.surroundings.attribute(node.byte_range()),
                (None, NodeRole::Open | NodeRole::List | NodeRole::Closed) => {}
            }
            let counted = before + usize::from(node.is_named() && meaning.is != NodeRole::Comment);
            let enter = match meaning.is {
                _ if meaning.defines.is_some() => true,
                NodeRole::Open => words.are_in(&node.byte_range()),
                NodeRole::List => true,
                NodeRole::Closed | NodeRole::Comment | NodeRole::Attribute => false,
            };
            if enter && cursor.goto_first_child() {
                let inside = meaning.wraps.then(|| Wrapper::by(node, wrapper, &meanings));
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

    fn define(
        &mut self,
        rule: &'static DefinitionRule,
        context: NodeContext<'_, '_>,
        as_what: ChildRole,
        wrapper: Option<&Wrapper>,
    ) {
        let node = context.node;
        // An empty or missing node was made up by the parser and defines nothing.
        let is_none = node.is_missing() || node.byte_range().is_empty();
        if is_none || self.drafts.len() >= SYMBOLS || self.names >= NAMES {
            return;
        }
        let Some(name) = (rule.name)(context).filter(|name| !name.name.is_empty()) else { return };
        self.names += name.name.len() + name.under.iter().map(String::len).sum::<usize>();
        let until = |range: Range<usize>| range.start..range.end.max(name.until.unwrap_or(range.end));
        let inner = until(node.byte_range());
        let outer = until(wrapper.map_or(node.byte_range(), |wrapper| wrapper.whole.clone()));
        let beside = wrapper.is_some_and(|wrapper| wrapper.repeated.contains(&as_what));
        self.drafts.push(SymbolDraft { rule, name, inner, outer, beside, body: (rule.body)(context) });
    }
}

/// The kind of a node and its field in the parent.
type ChildRole = (u16, Option<NonZeroU16>);

/// The wrapper of a definition, such as a decorator or `export`.
struct Wrapper {
    /// The range of the outermost of the directly nested wrappers.
    whole: Range<usize>,
    /// The kinds of definitions that occur several times in the innermost wrapper, such as `a` and `b` in `let a, b;`.
    repeated: Vec<ChildRole>,
}

impl Wrapper {
    fn by(node: Node<'_>, outer: Option<&Self>, meanings: &[KindMeaning]) -> Self {
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

/// Returns the meaning of each node kind, by its number in the parser's tables. Several kinds may have the same name.
fn meanings(grammar: &'static Grammar) -> Vec<KindMeaning> {
    let language = (grammar.language)();
    let meaning = |id: usize| {
        let id = u16::try_from(id).ok().filter(|id| language.node_kind_is_named(*id))?;
        let node = language.node_kind_for_id(id)?;
        let is = if grammar.closed.contains(&node) {
            NodeRole::Closed
        } else if grammar.comments.contains(&node) {
            NodeRole::Comment
        } else if grammar.attributes.contains(&node) {
            NodeRole::Attribute
        } else if grammar.lists.contains(&node) {
            NodeRole::List
        } else {
            NodeRole::Open
        };
        let defines = grammar.definitions().find(|rule| rule.node == node);
        Some(KindMeaning { defines, wraps: grammar.wrappers.contains(&node), is })
    };
    (0..language.node_kind_count()).map(|id| meaning(id).unwrap_or_default()).collect()
}

#[cfg(all(test, feature = "rust"))]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::parse::parse;

    /// Comments and attributes at many places, and definitions that have no word of their own.
    const CROWDED: &str = "//! File.\n#![allow(a)]\n// above\n#[derive(A)] // beside\nstruct S /* in */ { // first\n    a: u8, // a\n    \
        /* b */ b: Vec<fn(u8) -> u8>,\n}\nenum E { A, /* x */ B { c: u8 }, C(u8) = 3, // c\n}\nfn f() {\n    g(); // not h\n    \
        // of h\n    fn h() {}\n    // behind\n    match 1 { _ => { const C: u8 = 1; } } // c\n    #[x] let y = || { struct Z; }; // z\n    \
        [/* in */ 1];\n}\nconst A: [u8; 1] = [{ fn i() -> u8 { 1 } i() }]; // end\nunion U { a: u8 }\nmacro_rules! m { (fn) => {}; }\n\
        extern \"C\" { fn k(); static L: u8; }\ntrait T { type V; const W: u8; fn x(&self) where Self: Sized; }\n// last\n";

    #[test]
    fn the_definitions_are_the_same_if_every_node_is_visited() {
        let grammar = Language::Rust.grammar().unwrap();
        let sources = [include_str!("walk.rs"), include_str!("trees.rs"), include_str!("errors/tree.rs")];
        for text in sources.into_iter().chain([CROWDED]) {
            let tree = parse(Language::Rust, text, &ParseBudget::default()).unwrap();
            assert!(!tree.root_node().has_error());
            let symbols = |words: &[&str]| {
                let surroundings = Surroundings::new(text);
                let mut found = DefinitionWalk { text, grammar, surroundings, drafts: Vec::new(), names: 0 };
                found.walk(&tree, WordPlaces::of(text, words));
                let DefinitionWalk { surroundings, drafts, .. } = found;
                paths::numbered(nest::symbols(text, grammar.file_comments, &surroundings, drafts))
            };
            let all = symbols(&[]);
            assert!(all.len() > 15);
            assert_eq!(symbols(grammar.words), all);
        }
    }
}
