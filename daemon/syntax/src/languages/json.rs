//! JSON: its keys, and the elements of lists that may hold keys: the first is called `[1]`.

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_number, in_value, itself};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_json::LANGUAGE.into(),
    rules: &[
        Rule { node: "pair", kind: Kind::Key, name: key, body: in_value },
        Rule { node: "object", kind: Kind::Table, name: element, body: itself },
        Rule { node: "array", kind: Kind::Table, name: list, body: itself },
    ],
    wrappers: &[],
    comments: &["comment"],
    attributes: &[],
    aloof: &[],
    strings: &["string"],
    closed: &["string"],
};

fn key(seen: Seen<'_, '_>) -> Option<Name> {
    let name = Name::of(seen, seen.field("key")?)?;
    let bare = name.name.strip_prefix('"')?.strip_suffix('"')?.to_owned();
    (!bare.is_empty()).then_some(Name { name: bare, listed: true, ..name })
}

fn element(seen: Seen<'_, '_>) -> Option<Name> {
    let in_list = seen.above(1)?.kind() == "array";
    Some(Name { listed: true, ..in_list.then(|| by_number(seen)).flatten()? })
}

/// A list in a list, where it holds more than plain values.
fn list(seen: Seen<'_, '_>) -> Option<Name> {
    let first = seen.node.named_child(0)?;
    matches!(first.kind(), "object" | "array").then(|| element(seen)).flatten()
}
