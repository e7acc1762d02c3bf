//! TypeScript with and without JSX elements: the definitions of JavaScript, interfaces, type aliases, enumerations and
//! namespaces.

use super::ecmascript::{FILE_COMMENTS, RULES, field, in_value, key, method};
use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, by_name, in_body, no_body, rule};

pub(crate) const TYPESCRIPT: Grammar =
    Grammar { language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), ..TSX };

pub(crate) const TSX: Grammar = Grammar {
    rules: &[
        rule("function_signature", SymbolKind::Function, by_name, no_body),
        rule("abstract_class_declaration", SymbolKind::Class, by_name, in_body),
        rule("interface_declaration", SymbolKind::Interface, by_name, in_body),
        rule("type_alias_declaration", SymbolKind::Type, by_name, in_value),
        rule("enum_declaration", SymbolKind::Enum, by_name, in_body),
        rule("enum_assignment", SymbolKind::Variant, variant, in_value),
        rule("property_identifier", SymbolKind::Variant, variant_alone, no_body),
        rule("string", SymbolKind::Variant, variant_alone, no_body),
        rule("internal_module", SymbolKind::Module, module, in_body),
        rule("module", SymbolKind::Module, module, in_body),
        rule("ambient_declaration", SymbolKind::Module, global, in_braces),
        rule("method_signature", SymbolKind::Method, member, no_body),
        rule("abstract_method_signature", SymbolKind::Method, method, no_body),
        rule("public_field_definition", SymbolKind::Field, field, in_value),
        rule("property_signature", SymbolKind::Field, member, no_body),
    ],
    shared_rules: RULES,
    wrappers: &[
        "export_statement",
        "ambient_declaration",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
    ],
    comments: &["comment", "html_comment"],
    // A decorator in front of a method is its sibling. In front of a class or a field it is a child.
    attributes: &["decorator"],
    file_comments: FILE_COMMENTS,
    strings: &["string", "template_string", "template_literal_type", "regex"],
    closed: &["import_statement", "regex"],
    ..Grammar::of(|| tree_sitter_typescript::LANGUAGE_TSX.into())
};

/// Maximum number of nested types that are followed.
const TYPES: usize = 16;

/// The name of an enum member with a value.
fn variant(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    Some(SymbolName { listed: true, ..key(context, context.field("name")?)? })
}

/// The name of an enum member without a value.
fn variant_alone(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    if context.above(1)?.kind() != "enum_body" {
        return None;
    }
    Some(SymbolName { listed: true, ..key(context, context.node)? })
}

/// The name of a namespace. `namespace A.B` is `A/B`.
fn module(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let node = context.field("name")?;
    let name = key(context, node)?;
    if node.kind() != "nested_identifier" {
        return Some(name);
    }
    let mut under: Vec<String> = name.name.split('.').map(|part| part.trim().to_owned()).collect();
    let own = under.pop()?;
    Some(SymbolName { name: own, under, ..name })
}

/// The name of `declare global { … }`.
fn global(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let mut cursor = context.node.walk();
    let word = context.node.children(&mut cursor).find(|child| child.kind() == "global")?;
    SymbolName::of(context, word)
}

fn in_braces(context: NodeContext<'_, '_>) -> Option<std::ops::Range<usize>> {
    let mut cursor = context.node.walk();
    let braces = context.node.children(&mut cursor).find(|child| child.kind() == "statement_block")?;
    Some(braces.byte_range())
}

/// The name of a method or property of an interface, a class or a named type. Members of other types are not listed.
fn member(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let is_in = |node: &Node<'_>| {
        matches!(node.kind(), "object_type" | "intersection_type" | "union_type" | "parenthesized_type")
    };
    let of = context.around.iter().rev().take(TYPES).find(|node| !is_in(node))?;
    if !matches!(of.kind(), "interface_body" | "class_body" | "type_alias_declaration") {
        return None;
    }
    let name = method(context)?;
    let behind = context.text.get(context.node.end_byte()..).unwrap_or_default();
    let listed = behind.trim_start().starts_with(',');
    let kind = if context.node.kind() == "property_signature" { Some(SymbolKind::Field) } else { name.kind };
    Some(SymbolName { kind, listed, ..name })
}
