//! What is said about a language: which nodes of its tree are definitions, and how each is called. It walks nothing.

use std::ops::Range;

use tree_sitter::Node;

use crate::Kind;

/// Bytes of one name; real ones have some ten, headers of implementations some hundred.
const NAME: usize = 2048;

/// A language, as its file in `languages` describes it.
pub(crate) struct Grammar {
    /// The parser's tables.
    pub(crate) language: fn() -> tree_sitter::Language,
    /// The definitions.
    pub(crate) rules: &'static [Rule],
    /// Nodes that stand around a definition and belong to it: decorators, `export`, `template`, a `;`.
    pub(crate) wrappers: &'static [&'static str],
    /// Comments.
    pub(crate) comments: &'static [&'static str],
    /// Nodes in front of a definition, as its siblings, that belong to it whatever stands between: attributes.
    pub(crate) attributes: &'static [&'static str],
    /// How comments begin that belong to the file or to what they stand in, never to what follows them.
    pub(crate) aloof: &'static [&'static str],
    /// Nodes in which white space and brackets are no code: strings, heredocs, characters, patterns.
    pub(crate) strings: &'static [&'static str],
    /// Nodes that hold no definition: they are not entered.
    pub(crate) closed: &'static [&'static str],
}

/// One kind of node that defines something.
pub(crate) struct Rule {
    /// The node.
    pub(crate) node: &'static str,
    /// What it defines.
    pub(crate) kind: Kind,
    /// How it is called; `None` where this one defines nothing.
    pub(crate) name: fn(Seen<'_, '_>) -> Option<Name>,
    /// What `replace_body` replaces, in bytes; trimmed by the walk.
    pub(crate) body: fn(Seen<'_, '_>) -> Option<Range<usize>>,
}

/// A node that is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'t, 's> {
    /// The node.
    pub(crate) node: Node<'t>,
    /// The text.
    pub(crate) text: &'s str,
    /// The nodes in which it lies, the outermost first. (A node itself finds its parent only from the root down.)
    pub(crate) around: &'s [Node<'t>],
    /// How many nodes stand before it in the one above: named ones that are no comments.
    pub(crate) before: usize,
}

/// How a definition is called.
pub(crate) struct Name {
    /// Its own name.
    pub(crate) name: String,
    /// Other names that mean it, where one definition gives several.
    pub(crate) also: Vec<String>,
    /// All names at once, where one definition gives several things a name each.
    pub(crate) whole: Option<String>,
    /// Another name that leads through it.
    pub(crate) alias: Option<String>,
    /// Names in front of its own that its place in the tree does not give: a receiver, a qualifier.
    pub(crate) under: Vec<String>,
    /// Where the name stands.
    pub(crate) at: Range<usize>,
    /// Where it ends, where that is behind its node: what a heredoc says, the value of a field.
    pub(crate) until: Option<usize>,
    /// What it is, where the node alone does not say: a function in a class.
    pub(crate) kind: Option<Kind>,
    /// Whether it stands in a list whose items are separated by commas.
    pub(crate) listed: bool,
}

impl Name {
    /// The plain name of a node.
    pub(crate) fn of(seen: Seen<'_, '_>, node: Node<'_>) -> Option<Self> {
        Self::plain(seen.read(node).to_owned(), node.byte_range())
    }

    /// A name that no node says as it is, and where it stands.
    pub(crate) fn plain(name: String, at: Range<usize>) -> Option<Self> {
        let is_one = !name.is_empty() && name.len() <= NAME;
        is_one.then_some(Self {
            name,
            also: Vec::new(),
            whole: None,
            alias: None,
            under: Vec::new(),
            at,
            until: None,
            kind: None,
            listed: false,
        })
    }

    /// The names of a definition that gives several, as `a, b`; each of them leads to it.
    pub(crate) fn of_all(seen: Seen<'_, '_>, nodes: &[Node<'_>]) -> Option<Self> {
        let first = Self::of(seen, *nodes.first()?)?;
        if nodes.len() == 1 {
            return Some(first);
        }
        let also: Vec<String> = nodes.iter().map(|node| seen.read(*node).to_owned()).collect();
        let name = also.join(", ");
        (name.len() <= NAME).then(|| Self { whole: Some(name.clone()), name, also, ..first })
    }
}

impl<'t, 's> Seen<'t, 's> {
    /// What a node says; nothing where that is longer than any name, so that names that lie in one another stay cheap.
    pub(crate) fn read(self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).filter(|says| says.len() <= NAME).unwrap_or_default()
    }

    /// A child by field.
    pub(crate) fn field(self, name: &str) -> Option<Node<'t>> {
        self.node.child_by_field_name(name)
    }

    /// The node so many levels above it, 1 for the one in which it lies directly.
    pub(crate) fn above(self, levels: usize) -> Option<Node<'t>> {
        self.around.get(self.around.len().checked_sub(levels)?).copied()
    }
}

/// The name in the field `name`.
pub(crate) fn by_name(seen: Seen<'_, '_>) -> Option<Name> {
    Name::of(seen, seen.field("name")?)
}

/// The same, as an item of a list that is separated by commas.
pub(crate) fn by_name_listed(seen: Seen<'_, '_>) -> Option<Name> {
    Some(Name { listed: true, ..by_name(seen)? })
}

/// The number of an item in its list: the first is called `[1]`.
pub(crate) fn by_number(seen: Seen<'_, '_>) -> Option<Name> {
    let start = seen.node.start_byte();
    Name::plain(format!("[{}]", seen.before + 1), start..start)
}

/// The node itself.
pub(crate) fn itself(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(seen.node.byte_range())
}

/// The field `body`.
pub(crate) fn in_body(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(seen.field("body")?.byte_range())
}

/// The field `value`.
pub(crate) fn in_value(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(seen.field("value")?.byte_range())
}

/// Nothing.
pub(crate) fn no_body(_: Seen<'_, '_>) -> Option<Range<usize>> {
    None
}

#[cfg(test)]
mod tests {
    use crate::Language;

    /// A kind of node that the parser does not know would never be met, and nothing else would say so.
    #[test]
    fn every_kind_of_node_that_is_named_is_one_of_the_parser() {
        for language in Language::all() {
            let Some(grammar) = language.grammar() else { continue };
            let rules = grammar.rules.iter().map(|rule| rule.node);
            let lists =
                [grammar.wrappers, grammar.comments, grammar.attributes, grammar.strings, grammar.closed];
            for node in rules.chain(lists.into_iter().flatten().copied()) {
                let id = (grammar.language)().id_for_node_kind(node, true);
                assert_ne!(id, 0, "{} has no {node}", language.name());
            }
        }
    }
}
