//! Go: functions, methods, types, constants, variables, fields and interface methods.

use std::ops::Range;

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, by_name, in_body, no_body, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("function_declaration", SymbolKind::Function, by_name, in_body),
        rule("method_declaration", SymbolKind::Method, method, in_body),
        // A single declaration is its own definition. In brackets each specification is one.
        rule("type_declaration", SymbolKind::Type, alone, body_alone),
        rule("const_declaration", SymbolKind::Constant, alone, body_alone),
        rule("var_declaration", SymbolKind::Variable, alone, body_alone),
        rule("type_spec", SymbolKind::Type, grouped, |context| body_of(context.node)),
        rule("type_alias", SymbolKind::Type, grouped, |context| body_of(context.node)),
        rule("const_spec", SymbolKind::Constant, grouped, |context| body_of(context.node)),
        rule("var_spec", SymbolKind::Variable, grouped, |context| body_of(context.node)),
        rule("field_declaration", SymbolKind::Field, field, no_body),
        rule("method_elem", SymbolKind::Method, by_name, no_body),
    ],
    file_comments: &["//go:build", "// +build", "//go:generate"],
    strings: &["interpreted_string_literal", "raw_string_literal", "rune_literal"],
    closed: &["import_declaration", "interpreted_string_literal", "raw_string_literal"],
    ..Grammar::of(|| tree_sitter_go::LANGUAGE.into())
};

/// Maximum number of nodes that are followed in the type of a receiver: `*`, brackets and parameters.
const RECEIVER: usize = 16;

/// The name of a method, under the type of its receiver.
fn method(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = by_name(context)?;
    let receiver = context.field("receiver")?;
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
    let under = context.read(of).to_owned();
    Some(SymbolName { under: (!under.is_empty()).then_some(under).into_iter().collect(), ..name })
}

/// Returns the specification of a declaration without brackets.
fn only<'t>(declaration: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = declaration.walk();
    let mut children = declaration.children(&mut cursor).skip(1);
    children.find(|child| child.kind() != "comment").filter(Node::is_named).filter(is_spec)
}

fn is_spec(node: &Node<'_>) -> bool {
    matches!(node.kind(), "type_spec" | "type_alias" | "const_spec" | "var_spec")
}

fn alone(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let spec = only(context.node)?;
    let at_top = context.above(1).is_some_and(|node| node.kind() == "source_file");
    declared(context, spec, at_top)
}

fn grouped(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let levels = if context.above(1)?.kind() == "var_spec_list" { 2 } else { 1 };
    let declaration = context.above(levels)?;
    if only(declaration).is_some() {
        return None;
    }
    let at_top = context.above(levels + 1).is_some_and(|node| node.kind() == "source_file");
    declared(context, context.node, at_top)
}

/// The names of a specification. Constants and variables inside of functions are not listed; types are.
fn declared(context: NodeContext<'_, '_>, spec: Node<'_>, at_top: bool) -> Option<SymbolName> {
    let is_type = matches!(spec.kind(), "type_spec" | "type_alias");
    if !is_type && !at_top {
        return None;
    }
    let name = SymbolName::of_all(context, &names(spec))?;
    let kind = match spec.child_by_field_name("type").map(|of| of.kind()) {
        Some("struct_type") if spec.kind() == "type_spec" => Some(SymbolKind::Struct),
        Some("interface_type") if spec.kind() == "type_spec" => Some(SymbolKind::Interface),
        _ => None,
    };
    Some(SymbolName { kind, ..name })
}

fn names(spec: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = spec.walk();
    spec.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect()
}

fn body_alone(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    body_of(only(context.node)?)
}

/// The range of the braces of a struct or an interface, of any other aliased type, or of the value of a constant or
/// variable.
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

/// The names of a field of a named or nested struct. An embedded field has the name of its type.
fn field(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let of = context.above(3)?.kind();
    if !matches!(of, "type_spec" | "type_alias" | "field_declaration" | "var_spec") {
        return None;
    }
    let names = names(context.node);
    if !names.is_empty() {
        return SymbolName::of_all(context, &names);
    }
    let mut of = context.field("type")?;
    for _ in 0..RECEIVER {
        of = match of.kind() {
            "generic_type" => of.child_by_field_name("type")?,
            "qualified_type" => of.child_by_field_name("name")?,
            _ => break,
        };
    }
    SymbolName::of(context, of)
}
