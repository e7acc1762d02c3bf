//! What defines something in Go.

use std::ops::Range;

use tree_sitter::Node;

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name, in_body};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_go::LANGUAGE.into(),
    rules: &[
        Rule { node: "function_declaration", kind: Kind::Function, name: by_name, body: in_body },
        Rule { node: "method_declaration", kind: Kind::Method, name: method, body: in_body },
        // Alone a declaration is its own definition; in brackets each of its lines is one.
        Rule { node: "type_declaration", kind: Kind::Type, name: alone, body: body_alone },
        Rule { node: "const_declaration", kind: Kind::Constant, name: alone, body: body_alone },
        Rule { node: "var_declaration", kind: Kind::Variable, name: alone, body: body_alone },
        Rule { node: "type_spec", kind: Kind::Type, name: grouped, body: body_of_grouped },
        Rule { node: "type_alias", kind: Kind::Type, name: grouped, body: body_of_grouped },
        Rule { node: "const_spec", kind: Kind::Constant, name: grouped, body: body_of_grouped },
        Rule { node: "var_spec", kind: Kind::Variable, name: grouped, body: body_of_grouped },
        Rule { node: "field_declaration", kind: Kind::Field, name: field, body: no_value },
        Rule { node: "method_elem", kind: Kind::Method, name: by_name, body: no_value },
    ],
    wrappers: &[],
    comments: &["comment"],
    attributes: &[],
    aloof: &["//go:build", "// +build", "//go:generate"],
    strings: &["interpreted_string_literal", "raw_string_literal", "rune_literal"],
    closed: &["import_declaration", "interpreted_string_literal", "raw_string_literal"],
};

fn no_value(_: Seen<'_, '_>) -> Option<Range<usize>> {
    None
}

/// Nodes in a receiver's type that are looked through: `*`, brackets and parameters.
const RECEIVER: usize = 16;

/// A method stands under the type of its receiver.
fn method(seen: Seen<'_, '_>) -> Option<Name> {
    let name = by_name(seen)?;
    let receiver = seen.field("receiver")?;
    let mut cursor = receiver.walk();
    let parameter = receiver.named_children(&mut cursor).find(|node| node.kind() != "comment")?;
    let mut of = parameter.child_by_field_name("type")?;
    for _ in 0..RECEIVER {
        of = match of.kind() {
            "generic_type" => of.child_by_field_name("type")?,
            "pointer_type" | "parenthesized_type" => of.named_child(0)?,
            _ => break,
        };
    }
    let under = seen.read(of).to_owned();
    Some(Name { under: (!under.is_empty()).then_some(under).into_iter().collect(), ..name })
}

/// The only thing that a declaration declares, where it is not in brackets.
fn only<'t>(declaration: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = declaration.walk();
    let mut children = declaration.children(&mut cursor).skip(1);
    children.find(|child| child.kind() != "comment").filter(Node::is_named).filter(is_spec)
}

fn is_spec(node: &Node<'_>) -> bool {
    matches!(node.kind(), "type_spec" | "type_alias" | "const_spec" | "var_spec")
}

fn alone(seen: Seen<'_, '_>) -> Option<Name> {
    let spec = only(seen.node)?;
    let at_top = seen.above(1).is_some_and(|node| node.kind() == "source_file");
    declared(seen, spec, at_top)
}

fn grouped(seen: Seen<'_, '_>) -> Option<Name> {
    let levels = if seen.above(1)?.kind() == "var_spec_list" { 2 } else { 1 };
    let declaration = seen.above(levels)?;
    if only(declaration).is_some() {
        return None;
    }
    let at_top = seen.above(levels + 1).is_some_and(|node| node.kind() == "source_file");
    declared(seen, seen.node, at_top)
}

/// Constants and variables of functions are none of a file's definitions; types in functions are.
fn declared(seen: Seen<'_, '_>, spec: Node<'_>, at_top: bool) -> Option<Name> {
    let is_type = matches!(spec.kind(), "type_spec" | "type_alias");
    if !is_type && !at_top {
        return None;
    }
    let name = Name::of_all(seen, &names(spec))?;
    let kind = match spec.child_by_field_name("type").map(|of| of.kind()) {
        Some("struct_type") if spec.kind() == "type_spec" => Some(Kind::Struct),
        Some("interface_type") if spec.kind() == "type_spec" => Some(Kind::Interface),
        _ => None,
    };
    Some(Name { kind, ..name })
}

fn names(spec: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = spec.walk();
    spec.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect()
}

fn body_alone(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    body_of(only(seen.node)?)
}

fn body_of_grouped(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    body_of(seen.node)
}

/// The braces of a struct or an interface; what another type stands for; the value of a constant or variable.
fn body_of(spec: Node<'_>) -> Option<Range<usize>> {
    if !matches!(spec.kind(), "type_spec" | "type_alias") {
        return Some(spec.child_by_field_name("value")?.byte_range());
    }
    let of = spec.child_by_field_name("type")?;
    match of.kind() {
        "struct_type" => of.named_child(0).map(|braces| braces.byte_range()),
        "interface_type" => {
            let mut cursor = of.walk();
            let brace = of.children(&mut cursor).find(|child| child.kind() == "{")?;
            Some(brace.start_byte()..of.end_byte())
        }
        _ => Some(of.byte_range()),
    }
}

/// A field of a named struct, or of a struct in one; an embedded type is called by its name.
fn field(seen: Seen<'_, '_>) -> Option<Name> {
    let of = seen.above(3)?.kind();
    if !matches!(of, "type_spec" | "type_alias" | "field_declaration" | "var_spec") {
        return None;
    }
    let names = names(seen.node);
    if !names.is_empty() {
        return Name::of_all(seen, &names);
    }
    let mut of = seen.field("type")?;
    for _ in 0..RECEIVER {
        of = match of.kind() {
            "generic_type" => of.child_by_field_name("type")?,
            "qualified_type" => of.child_by_field_name("name")?,
            _ => break,
        };
    }
    Name::of(seen, of)
}
