//! The description of a language: the nodes that are definitions, and functions that return their names. Walks no tree.

use std::ops::Range;

use tree_sitter::Node;

use crate::SymbolKind;

/// Maximum length of a name in bytes. Usual names have about ten, implementation headers about a hundred.
const NAME: usize = 2048;

/// The description of a language. Each file in `languages` has one.
pub(crate) struct Grammar {
    /// The tables of the parser.
    pub(crate) language: fn() -> tree_sitter::Language,
    /// The nodes that are definitions.
    pub(crate) rules: &'static [DefinitionRule],
    /// Those that another language has, too.
    pub(crate) shared_rules: &'static [DefinitionRule],
    /// Nodes that enclose a definition and belong to it: decorators, `export`, `template`, a `;`.
    pub(crate) wrappers: &'static [&'static str],
    /// Nodes that are comments.
    pub(crate) comments: &'static [&'static str],
    /// Nodes that are siblings in front of a definition and always belong to it: attributes.
    pub(crate) attributes: &'static [&'static str],
    /// Prefixes of comments that belong to the file or to the enclosing item, never to the next definition.
    pub(crate) file_comments: &'static [&'static str],
    /// Nodes in which white space and brackets are not code: strings, heredocs, characters, regular expressions.
    pub(crate) strings: &'static [&'static str],
    /// Nodes that contain no definition. Their children are not visited.
    pub(crate) closed: &'static [&'static str],
    /// Words of which each definition has one, except for those directly in `lists`. The children of other nodes without any
    /// of them are not visited, unless the node is a definition. Empty if definitions may lack such a word.
    pub(crate) words: &'static [&'static str],
    /// Nodes with definitions that have none of the words.
    pub(crate) lists: &'static [&'static str],
}

impl Grammar {
    /// Returns a grammar without definitions, with comments alone. A language adds its own nodes.
    pub(crate) const fn of(language: fn() -> tree_sitter::Language) -> Self {
        Self {
            language,
            rules: &[],
            shared_rules: &[],
            wrappers: &[],
            comments: &["comment"],
            attributes: &[],
            file_comments: &[],
            strings: &[],
            closed: &[],
            words: &[],
            lists: &[],
        }
    }

    /// Returns the nodes that are definitions, its own and the shared ones.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &'static DefinitionRule> {
        self.rules.iter().chain(self.shared_rules)
    }
}

/// A node kind that defines something.
pub(crate) struct DefinitionRule {
    /// The name of the node kind.
    pub(crate) node: &'static str,
    /// The kind of symbol that it defines.
    pub(crate) kind: SymbolKind,
    /// Returns the name of the definition, or `None` if this node defines nothing.
    pub(crate) name: fn(NodeContext<'_, '_>) -> Option<SymbolName>,
    /// Returns the range of the body in bytes. The walk trims it.
    pub(crate) body: fn(NodeContext<'_, '_>) -> Option<Range<usize>>,
}

/// Returns a rule; short, since each language has a table of them.
pub(crate) const fn rule(
    node: &'static str,
    kind: SymbolKind,
    name: fn(NodeContext<'_, '_>) -> Option<SymbolName>,
    body: fn(NodeContext<'_, '_>) -> Option<Range<usize>>,
) -> DefinitionRule {
    DefinitionRule { node, kind, name, body }
}

/// A node with its ancestors.
#[derive(Clone, Copy)]
pub(crate) struct NodeContext<'t, 's> {
    /// The node.
    pub(crate) node: Node<'t>,
    /// The whole text.
    pub(crate) text: &'s str,
    /// The ancestors of the node, outermost first. (tree-sitter finds the parent of a node only by walking down from
    /// the root.)
    pub(crate) around: &'s [Node<'t>],
    /// The number of named siblings in front of the node that are not comments.
    pub(crate) before: usize,
}

/// The names of a definition.
pub(crate) struct SymbolName {
    /// The name itself.
    pub(crate) name: String,
    /// Further names that select the definition, if it gives several.
    pub(crate) also: Vec<String>,
    /// All names joined, if the definition gives several.
    pub(crate) whole: Option<String>,
    /// A second name that selects only the members of the definition.
    pub(crate) alias: Option<String>,
    /// Qualifiers in front of the name that do not follow from the place in the tree, such as the receiver of a method.
    pub(crate) under: Vec<String>,
    /// The range of the name in the text.
    pub(crate) at: Range<usize>,
    /// The end of the definition, if it is behind the end of its node: the end of a heredoc, or the value of a field.
    pub(crate) until: Option<usize>,
    /// The kind, if the node alone does not determine it, such as a function in a class.
    pub(crate) kind: Option<SymbolKind>,
    /// Set for an item of a comma-separated list.
    pub(crate) listed: bool,
}

impl SymbolName {
    /// Returns the text of a node as a name.
    pub(crate) fn of(context: NodeContext<'_, '_>, node: Node<'_>) -> Option<Self> {
        Self::plain(context.read(node).to_owned(), node.byte_range())
    }

    /// Returns a name that no node contains as it is, with its range.
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

    /// Returns the names of a definition that gives several, as `a, b`. Each of them selects the definition.
    pub(crate) fn of_all(context: NodeContext<'_, '_>, nodes: &[Node<'_>]) -> Option<Self> {
        let first = Self::of(context, *nodes.first()?)?;
        if nodes.len() == 1 {
            return Some(first);
        }
        let also: Vec<String> = nodes.iter().map(|node| context.read(*node).to_owned()).collect();
        let name = also.join(", ");
        (name.len() <= NAME).then(|| Self { whole: Some(name.clone()), name, also, ..first })
    }
}

impl<'t, 's> NodeContext<'t, 's> {
    /// Returns the text of a node, or an empty text if it is longer than any name. The limit bounds the cost of nested
    /// names.
    pub(crate) fn read(self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).filter(|says| says.len() <= NAME).unwrap_or_default()
    }

    /// Returns a child by field.
    pub(crate) fn field(self, name: &str) -> Option<Node<'t>> {
        self.node.child_by_field_name(name)
    }

    /// Returns the range of a child by field.
    pub(crate) fn range_of(self, field: &str) -> Option<Range<usize>> {
        Some(self.field(field)?.byte_range())
    }

    /// Returns the ancestor `levels` above the node. Level 1 is the parent.
    pub(crate) fn above(self, levels: usize) -> Option<Node<'t>> {
        self.around.get(self.around.len().checked_sub(levels)?).copied()
    }
}

/// Returns the name in the field `name`.
pub(crate) fn by_name(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    SymbolName::of(context, context.field("name")?)
}

/// Returns the name in the field `name`, for an item of a comma-separated list.
pub(crate) fn by_name_listed(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    Some(SymbolName { listed: true, ..by_name(context)? })
}

/// Returns the number of an element of an array. The first is called `[1]`.
pub(crate) fn by_number(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    if context.above(1)?.kind() != "array" {
        return None;
    }
    let start = context.node.start_byte();
    let name = SymbolName::plain(format!("[{}]", context.before + 1), start..start)?;
    Some(SymbolName { listed: true, ..name })
}

/// Returns the range of the node itself.
pub(crate) fn itself(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    Some(context.node.byte_range())
}

/// Returns the range of the field `body`.
pub(crate) fn in_body(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    context.range_of("body")
}

/// Returns the range of the field `value`.
pub(crate) fn in_value(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    context.range_of("value")
}

/// Returns no body.
pub(crate) fn no_body(_: NodeContext<'_, '_>) -> Option<Range<usize>> {
    None
}

#[cfg(test)]
mod tests {
    use crate::Language;

    /// The walk would never meet a node kind that the parser does not have, and no other test would fail.
    #[test]
    fn every_kind_of_node_that_is_named_is_one_of_the_parser() {
        for language in Language::all() {
            let Some(grammar) = language.grammar() else { continue };
            let rules = grammar.definitions().map(|rule| rule.node);
            let lists = [
                grammar.wrappers,
                grammar.comments,
                grammar.attributes,
                grammar.strings,
                grammar.closed,
                grammar.lists,
            ];
            for node in rules.chain(lists.into_iter().flatten().copied()) {
                let id = (grammar.language)().id_for_node_kind(node, true);
                assert_ne!(id, 0, "{} has no {node}", language.name());
            }
        }
    }
}
