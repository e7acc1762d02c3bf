//! TOML: tables by their header (`[a.b]` is `a.b`), their keys, and the tables in lists. The first table of a list is
//! called `[1]`.

use std::ops::Range;

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, by_number, itself, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("table", SymbolKind::Table, key, below),
        rule("table_array_element", SymbolKind::Table, key, below),
        rule("pair", SymbolKind::Key, key, value),
        rule("inline_table", SymbolKind::Table, by_number, itself),
    ],
    strings: &["string"],
    closed: &["string"],
    ..Grammar::of(|| tree_sitter_toml_ng::LANGUAGE.into())
};

fn is_key(node: &Node<'_>) -> bool {
    matches!(node.kind(), "bare_key" | "quoted_key" | "dotted_key")
}

fn key(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let key = context.node.named_children(&mut context.node.walk()).find(is_key)?;
    let listed = context.above(1).is_some_and(|above| above.kind() == "inline_table");
    Some(SymbolName { listed, ..SymbolName::of(context, key)? })
}

/// The range of the lines below the header.
fn below(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    let range = context.node.byte_range();
    let said = context.text.get(range.clone())?;
    let line = said.find('\n')?;
    let is_blank = said.get(line..)?.trim().is_empty();
    (!is_blank).then_some(range.start + line..range.end)
}

fn value(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    let mut cursor = context.node.walk();
    let not_value = |child: &Node<'_>| is_key(child) || child.kind() == "comment";
    let value = context.node.named_children(&mut cursor).find(|child| !not_value(child))?;
    Some(value.byte_range())
}
