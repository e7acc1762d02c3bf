//! TOML: tables, called as their header is (`[a.b]` is `a.b`), with their keys, and the tables in lists: the first is
//! called `[1]`.

use std::ops::Range;

use tree_sitter::Node;

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_number, itself};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_toml_ng::LANGUAGE.into(),
    rules: &[
        Rule { node: "table", kind: Kind::Table, name: key, body: below },
        Rule { node: "table_array_element", kind: Kind::Table, name: key, body: below },
        Rule { node: "pair", kind: Kind::Key, name: key, body: value },
        Rule { node: "inline_table", kind: Kind::Table, name: element, body: itself },
    ],
    wrappers: &[],
    comments: &["comment"],
    attributes: &[],
    aloof: &[],
    strings: &["string"],
    closed: &["string"],
};

fn is_key(node: &Node<'_>) -> bool {
    matches!(node.kind(), "bare_key" | "quoted_key" | "dotted_key")
}

fn key(seen: Seen<'_, '_>) -> Option<Name> {
    let key = seen.node.named_children(&mut seen.node.walk()).find(is_key)?;
    let listed = seen.above(1).is_some_and(|above| above.kind() == "inline_table");
    Some(Name { listed, ..Name::of(seen, key)? })
}

/// What stands below the header.
fn below(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    let range = seen.node.byte_range();
    let said = seen.text.get(range.clone())?;
    let line = said.find('\n')?;
    let is_blank = said.get(line..)?.trim().is_empty();
    (!is_blank).then_some(range.start + line..range.end)
}

fn value(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    let mut cursor = seen.node.walk();
    let not_value = |child: &Node<'_>| is_key(child) || child.kind() == "comment";
    let value = seen.node.named_children(&mut cursor).find(|child| !not_value(child))?;
    Some(value.byte_range())
}

/// A table in a list.
fn element(seen: Seen<'_, '_>) -> Option<Name> {
    let in_list = seen.above(1)?.kind() == "array";
    Some(Name { listed: true, ..in_list.then(|| by_number(seen)).flatten()? })
}
