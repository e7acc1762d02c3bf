//! C#: namespaces, types, their members and local functions. A namespace of a whole file is no symbol.

use std::ops::Range;

use tree_sitter::Node;

use super::parts::{behind_token, part, qualified, squeezed};
use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name, by_name_listed, in_body, in_value, no_body};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_c_sharp::LANGUAGE.into(),
    rules: &[
        Rule { node: "namespace_declaration", kind: Kind::Module, name: namespace, body: in_body },
        Rule { node: "class_declaration", kind: Kind::Class, name: by_name, body: in_body },
        Rule { node: "record_declaration", kind: Kind::Class, name: by_name, body: in_body },
        Rule { node: "struct_declaration", kind: Kind::Struct, name: by_name, body: in_body },
        Rule { node: "interface_declaration", kind: Kind::Interface, name: by_name, body: in_body },
        Rule { node: "enum_declaration", kind: Kind::Enum, name: by_name, body: in_body },
        Rule { node: "enum_member_declaration", kind: Kind::Variant, name: by_name_listed, body: in_value },
        Rule { node: "delegate_declaration", kind: Kind::Type, name: by_name, body: no_body },
        Rule { node: "method_declaration", kind: Kind::Method, name: member, body },
        Rule { node: "local_function_statement", kind: Kind::Function, name: by_name, body },
        Rule { node: "constructor_declaration", kind: Kind::Constructor, name: by_name, body },
        Rule { node: "destructor_declaration", kind: Kind::Constructor, name: destructor, body },
        Rule { node: "operator_declaration", kind: Kind::Method, name: operator, body },
        Rule { node: "conversion_operator_declaration", kind: Kind::Method, name: conversion, body },
        Rule { node: "property_declaration", kind: Kind::Property, name: member, body: accessors },
        Rule { node: "indexer_declaration", kind: Kind::Property, name: indexer, body: accessors },
        Rule { node: "event_declaration", kind: Kind::Property, name: member, body: accessors },
        Rule { node: "variable_declarator", kind: Kind::Field, name: field, body: initial },
    ],
    wrappers: &["field_declaration", "event_field_declaration", "variable_declaration", "global_statement"],
    comments: &["comment"],
    attributes: &[],
    aloof: &[],
    strings: &[
        "string_literal",
        "verbatim_string_literal",
        "raw_string_literal",
        "interpolated_string_expression",
        "character_literal",
    ],
    closed: &["using_directive", "attribute_list", "string_literal", "raw_string_literal"],
};

/// A namespace; `A.B` stands under `A`.
fn namespace(seen: Seen<'_, '_>) -> Option<Name> {
    qualified(by_name(seen)?, ".")
}

/// A member; one that is written for an interface has that in front.
fn member(seen: Seen<'_, '_>) -> Option<Name> {
    for_interface(seen, by_name(seen)?)
}

fn indexer(seen: Seen<'_, '_>) -> Option<Name> {
    for_interface(seen, Name::of(seen, part(seen.node, |child| child.kind() == "this")?)?)
}

fn for_interface(seen: Seen<'_, '_>, name: Name) -> Option<Name> {
    let of = part(seen.node, |child| child.kind() == "explicit_interface_specifier");
    let of = of.map(|of| squeezed(seen.read(of))).unwrap_or_default();
    Some(Name { name: format!("{of}{}", name.name), ..name })
}

fn destructor(seen: Seen<'_, '_>) -> Option<Name> {
    let name = by_name(seen)?;
    Some(Name { name: format!("~{}", name.name), ..name })
}

/// `operator +`, the word and the sign.
fn operator(seen: Seen<'_, '_>) -> Option<Name> {
    let sign = Name::of(seen, seen.field("operator")?)?;
    Some(Name { name: format!("operator {}", sign.name), ..sign })
}

/// `operator int`, the word and the type.
fn conversion(seen: Seen<'_, '_>) -> Option<Name> {
    let to = Name::of(seen, seen.field("type")?)?;
    Some(Name { name: format!("operator {}", squeezed(&to.name)), ..to })
}

/// A declarator of a field or an event, not of a local variable.
fn field(seen: Seen<'_, '_>) -> Option<Name> {
    let above = seen.above(2)?;
    let kind = match above.kind() {
        "field_declaration" => part(above, |child| seen.read(child) == "const").map(|_| Kind::Constant),
        "event_field_declaration" => Some(Kind::Property),
        _ => return None,
    };
    Some(Name { kind, ..by_name(seen)? })
}

/// A block, or the expression behind `=>`.
fn body(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    shown(seen.field("body")?)
}

fn accessors(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    shown(seen.field("accessors").or_else(|| seen.field("value"))?)
}

fn shown(node: Node<'_>) -> Option<Range<usize>> {
    let arrow = node.kind() == "arrow_expression_clause";
    let node = if arrow { behind_token(node, "=>")? } else { node };
    Some(node.byte_range())
}

/// What stands behind the `=` of a declarator.
fn initial(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(behind_token(seen.node, "=")?.byte_range())
}
