//! What defines something in TypeScript, with and without elements in its code (TSX).

use super::ecmascript::{
    ALOOF, assignment, declarator, export_default, field, in_expression, in_right, in_value, key, method,
    pair,
};
use tree_sitter::Node;

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name, in_body, no_body};

pub(crate) const TYPESCRIPT: Grammar =
    Grammar { language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), ..TSX };

pub(crate) const TSX: Grammar = Grammar {
    language: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    rules: &[
        Rule { node: "function_declaration", kind: Kind::Function, name: by_name, body: in_body },
        Rule { node: "generator_function_declaration", kind: Kind::Function, name: by_name, body: in_body },
        Rule { node: "function_signature", kind: Kind::Function, name: by_name, body: no_body },
        Rule { node: "function_expression", kind: Kind::Function, name: in_expression, body: in_body },
        Rule { node: "class_declaration", kind: Kind::Class, name: by_name, body: in_body },
        Rule { node: "abstract_class_declaration", kind: Kind::Class, name: by_name, body: in_body },
        Rule { node: "class", kind: Kind::Class, name: in_expression, body: in_body },
        Rule { node: "interface_declaration", kind: Kind::Interface, name: by_name, body: in_body },
        Rule { node: "type_alias_declaration", kind: Kind::Type, name: by_name, body: in_value },
        Rule { node: "enum_declaration", kind: Kind::Enum, name: by_name, body: in_body },
        Rule { node: "enum_assignment", kind: Kind::Variant, name: variant, body: in_value },
        Rule { node: "property_identifier", kind: Kind::Variant, name: variant_alone, body: no_body },
        Rule { node: "string", kind: Kind::Variant, name: variant_alone, body: no_body },
        Rule { node: "internal_module", kind: Kind::Module, name: module, body: in_body },
        Rule { node: "module", kind: Kind::Module, name: module, body: in_body },
        Rule { node: "ambient_declaration", kind: Kind::Module, name: global, body: in_braces },
        Rule { node: "method_definition", kind: Kind::Method, name: method, body: in_body },
        Rule { node: "method_signature", kind: Kind::Method, name: member, body: no_body },
        Rule { node: "abstract_method_signature", kind: Kind::Method, name: method, body: no_body },
        Rule { node: "public_field_definition", kind: Kind::Field, name: field, body: in_value },
        Rule { node: "property_signature", kind: Kind::Field, name: member, body: no_body },
        Rule { node: "variable_declarator", kind: Kind::Variable, name: declarator, body: in_value },
        Rule { node: "assignment_expression", kind: Kind::Function, name: assignment, body: in_right },
        Rule { node: "pair", kind: Kind::Function, name: pair, body: in_value },
        Rule { node: "export_statement", kind: Kind::Constant, name: export_default, body: in_value },
    ],
    wrappers: &[
        "export_statement",
        "ambient_declaration",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
    ],
    comments: &["comment", "html_comment"],
    // In front of a method; in front of a class or a field they lie in it.
    attributes: &["decorator"],
    aloof: ALOOF,
    strings: &["string", "template_string", "template_literal_type", "regex"],
    closed: &["import_statement", "regex"],
};

/// Types in types that are looked through.
const TYPES: usize = 16;

/// A case of an enumeration with a value.
fn variant(seen: Seen<'_, '_>) -> Option<Name> {
    Some(Name { listed: true, ..key(seen, seen.field("name")?)? })
}

/// One without a value is only its name.
fn variant_alone(seen: Seen<'_, '_>) -> Option<Name> {
    if seen.above(1)?.kind() != "enum_body" {
        return None;
    }
    Some(Name { listed: true, ..key(seen, seen.node)? })
}

/// `namespace A.B` is called `A/B`.
fn module(seen: Seen<'_, '_>) -> Option<Name> {
    let node = seen.field("name")?;
    let name = key(seen, node)?;
    if node.kind() != "nested_identifier" {
        return Some(name);
    }
    let mut under: Vec<String> = name.name.split('.').map(|part| part.trim().to_owned()).collect();
    let own = under.pop()?;
    Some(Name { name: own, under, ..name })
}

/// `declare global { … }`
fn global(seen: Seen<'_, '_>) -> Option<Name> {
    let mut cursor = seen.node.walk();
    let word = seen.node.children(&mut cursor).find(|child| child.kind() == "global")?;
    Name::of(seen, word)
}

fn in_braces(seen: Seen<'_, '_>) -> Option<std::ops::Range<usize>> {
    let mut cursor = seen.node.walk();
    let braces = seen.node.children(&mut cursor).find(|child| child.kind() == "statement_block")?;
    Some(braces.byte_range())
}

/// A method or a property of an interface, a class, or a type with a name; those of other types are none.
fn member(seen: Seen<'_, '_>) -> Option<Name> {
    let is_in = |node: &Node<'_>| {
        matches!(node.kind(), "object_type" | "intersection_type" | "union_type" | "parenthesized_type")
    };
    let of = seen.around.iter().rev().take(TYPES).find(|node| !is_in(node))?;
    if !matches!(of.kind(), "interface_body" | "class_body" | "type_alias_declaration") {
        return None;
    }
    let name = method(seen)?;
    let behind = seen.text.get(seen.node.end_byte()..).unwrap_or_default();
    let listed = behind.trim_start().starts_with(',');
    let kind = if seen.node.kind() == "property_signature" { Some(Kind::Field) } else { name.kind };
    Some(Name { kind, listed, ..name })
}
