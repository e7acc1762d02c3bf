//! JSON: keys, and the elements of lists that may contain keys. The first element is called `[1]`.

use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, by_number, in_value, itself, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("pair", SymbolKind::Key, key, in_value),
        rule("object", SymbolKind::Table, by_number, itself),
        rule("array", SymbolKind::Table, list, itself),
    ],
    strings: &["string"],
    closed: &["string"],
    ..Grammar::of(|| tree_sitter_json::LANGUAGE.into())
};

fn key(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = SymbolName::of(context, context.field("key")?)?;
    let bare = name.name.strip_prefix('"')?.strip_suffix('"')?.to_owned();
    (!bare.is_empty()).then_some(SymbolName { name: bare, listed: true, ..name })
}

/// The number of a list in a list, if it contains more than plain values.
fn list(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let first = context.node.named_child(0)?;
    matches!(first.kind(), "object" | "array").then(|| by_number(context)).flatten()
}
