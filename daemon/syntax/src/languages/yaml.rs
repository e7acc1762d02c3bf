//! YAML: its keys, and the items of block sequences that hold keys: the first is called `[1]`.

use std::ops::Range;

use tree_sitter::Node;

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_number, in_value};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_yaml::LANGUAGE.into(),
    rules: &[
        Rule { node: "block_mapping_pair", kind: Kind::Key, name: key, body: in_value },
        Rule { node: "flow_pair", kind: Kind::Key, name: key_listed, body: in_value },
        Rule { node: "block_sequence_item", kind: Kind::Table, name: item, body: of_item },
    ],
    wrappers: &[],
    comments: &["comment"],
    attributes: &[],
    aloof: &["%"],
    closed: &["plain_scalar", "single_quote_scalar", "double_quote_scalar", "block_scalar"],
};

fn key(seen: Seen<'_, '_>) -> Option<Name> {
    let name = Name::of(seen, seen.field("key")?)?;
    let quoted = ['"', '\''].iter().find_map(|quote| name.name.strip_prefix(*quote)?.strip_suffix(*quote));
    let bare = quoted.unwrap_or(&name.name).to_owned();
    (!bare.is_empty() && !bare.contains('\n')).then_some(Name { name: bare, ..name })
}

fn key_listed(seen: Seen<'_, '_>) -> Option<Name> {
    Some(Name { listed: true, ..key(seen)? })
}

/// What an item holds.
fn held<'t>(seen: Seen<'t, '_>) -> Option<Node<'t>> {
    seen.node.named_children(&mut seen.node.walk()).find(|child| child.kind() != "comment")
}

/// An item that holds a mapping or another sequence, by its number.
fn item(seen: Seen<'_, '_>) -> Option<Name> {
    let held = held(seen).filter(|held| held.kind() == "block_node")?;
    let scalar = held.named_children(&mut held.walk()).any(|child| child.kind() == "block_scalar");
    (!scalar).then(|| by_number(seen)).flatten()
}

fn of_item(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(held(seen)?.byte_range())
}
