//! CSS: rules by their selectors, at-rules with a block by the text in front of it, and custom properties.

use std::ops::Range;

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("rule_set", SymbolKind::Rule, head, block),
        rule("media_statement", SymbolKind::Rule, head, block),
        rule("supports_statement", SymbolKind::Rule, head, block),
        rule("scope_statement", SymbolKind::Rule, head, block),
        rule("keyframes_statement", SymbolKind::Rule, head, block),
        rule("keyframe_block", SymbolKind::Rule, head, block),
        rule("at_rule", SymbolKind::Rule, head, block),
        rule("declaration", SymbolKind::Variable, custom, value),
    ],
    comments: &["comment", "js_comment"],
    file_comments: &["@charset"],
    strings: &["string_value"],
    closed: &["selectors", "string_value", "call_expression"],
    ..Grammar::of(|| tree_sitter_css::LANGUAGE.into())
};

/// Returns the block of a rule, which is its last child.
fn last(node: Node<'_>) -> Option<Node<'_>> {
    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
    node.named_child(last).filter(|child| matches!(child.kind(), "block" | "keyframe_block_list"))
}

/// The name of a rule: the text in front of the block, with white space normalised to single blanks.
fn head(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let range = context.node.start_byte()..last(context.node)?.start_byte();
    let head = context.text.get(range.clone())?;
    let name = head.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = range.start..range.start + head.trim_end().len();
    SymbolName::plain(name, at)
}

fn block(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    Some(last(context.node)?.byte_range())
}

/// The name of a custom property, such as `--accent`.
fn custom(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = context.node.named_child(0).filter(|child| child.kind() == "property_name")?;
    context.read(name).starts_with("--").then(|| SymbolName::of(context, name)).flatten()
}

/// The range of the value behind the colon of a declaration.
fn value(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    let name = context.node.named_child(0)?;
    let range = name.end_byte()..context.node.end_byte();
    let rest = context.text.get(range.clone())?;
    let colon = rest.find(':')?;
    let end = rest.trim_end_matches(';').len();
    (colon < end).then(|| range.start + colon + 1..range.start + end)
}
