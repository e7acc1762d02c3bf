//! CSS: rules by their selectors, at-rules with a block by what stands in front of it, and custom properties.

use std::ops::Range;

use tree_sitter::Node;

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_css::LANGUAGE.into(),
    rules: &[
        Rule { node: "rule_set", kind: Kind::Rule, name: head, body: block },
        Rule { node: "media_statement", kind: Kind::Rule, name: head, body: block },
        Rule { node: "supports_statement", kind: Kind::Rule, name: head, body: block },
        Rule { node: "scope_statement", kind: Kind::Rule, name: head, body: block },
        Rule { node: "keyframes_statement", kind: Kind::Rule, name: head, body: block },
        Rule { node: "keyframe_block", kind: Kind::Rule, name: head, body: block },
        Rule { node: "at_rule", kind: Kind::Rule, name: head, body: block },
        Rule { node: "declaration", kind: Kind::Variable, name: custom, body: value },
    ],
    wrappers: &[],
    comments: &["comment", "js_comment"],
    attributes: &[],
    aloof: &["@charset"],
    strings: &["string_value"],
    closed: &["selectors", "string_value", "call_expression"],
};

/// The block of a rule: the last thing in it.
fn last(node: Node<'_>) -> Option<Node<'_>> {
    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
    node.named_child(last).filter(|child| matches!(child.kind(), "block" | "keyframe_block_list"))
}

/// What stands in front of the block, with one blank for any white space.
fn head(seen: Seen<'_, '_>) -> Option<Name> {
    let range = seen.node.start_byte()..last(seen.node)?.start_byte();
    let head = seen.text.get(range.clone())?;
    let name = head.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = range.start..range.start + head.trim_end().len();
    Name::plain(name, at)
}

fn block(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(last(seen.node)?.byte_range())
}

/// A custom property, such as `--accent`.
fn custom(seen: Seen<'_, '_>) -> Option<Name> {
    let name = seen.node.named_child(0).filter(|child| child.kind() == "property_name")?;
    seen.read(name).starts_with("--").then(|| Name::of(seen, name)).flatten()
}

/// What stands behind the colon of a declaration.
fn value(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    let name = seen.node.named_child(0)?;
    let range = name.end_byte()..seen.node.end_byte();
    let rest = seen.text.get(range.clone())?;
    let colon = rest.find(':')?;
    let end = rest.trim_end_matches(';').len();
    (colon < end).then(|| range.start + colon + 1..range.start + end)
}
