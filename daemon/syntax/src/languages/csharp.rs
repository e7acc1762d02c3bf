//! C#: namespaces, types, their members and local functions. A file-scoped namespace is no symbol.

use std::ops::Range;

use tree_sitter::Node;

use super::parts::{behind_equals, behind_token, part, qualified, squeezed};
use crate::SymbolKind;
use crate::grammar::{
    Grammar, NodeContext, SymbolName, by_name, by_name_listed, in_body, in_value, no_body, rule,
};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("namespace_declaration", SymbolKind::Module, namespace, in_body),
        rule("class_declaration", SymbolKind::Class, by_name, in_body),
        rule("record_declaration", SymbolKind::Class, by_name, in_body),
        rule("struct_declaration", SymbolKind::Struct, by_name, in_body),
        rule("interface_declaration", SymbolKind::Interface, by_name, in_body),
        rule("enum_declaration", SymbolKind::Enum, by_name, in_body),
        rule("enum_member_declaration", SymbolKind::Variant, by_name_listed, in_value),
        rule("delegate_declaration", SymbolKind::Type, by_name, no_body),
        rule("method_declaration", SymbolKind::Method, member, body),
        rule("local_function_statement", SymbolKind::Function, by_name, body),
        rule("constructor_declaration", SymbolKind::Constructor, by_name, body),
        rule("destructor_declaration", SymbolKind::Constructor, destructor, body),
        rule("operator_declaration", SymbolKind::Method, operator, body),
        rule("conversion_operator_declaration", SymbolKind::Method, conversion, body),
        rule("property_declaration", SymbolKind::Property, member, accessors),
        rule("indexer_declaration", SymbolKind::Property, indexer, accessors),
        rule("event_declaration", SymbolKind::Property, member, accessors),
        rule("variable_declarator", SymbolKind::Field, field, behind_equals),
    ],
    wrappers: &["field_declaration", "event_field_declaration", "variable_declaration", "global_statement"],
    strings: &[
        "string_literal",
        "verbatim_string_literal",
        "raw_string_literal",
        "interpolated_string_expression",
        "character_literal",
    ],
    closed: &["using_directive", "attribute_list", "string_literal", "raw_string_literal"],
    ..Grammar::of(|| tree_sitter_c_sharp::LANGUAGE.into())
};

/// The name of a namespace. `A.B` is `B` under `A`.
fn namespace(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    qualified(by_name(context)?, ".")
}

/// The name of a member. An explicit implementation has its interface in front.
fn member(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    for_interface(context, by_name(context)?)
}

fn indexer(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    for_interface(context, SymbolName::of(context, part(context.node, |child| child.kind() == "this")?)?)
}

fn for_interface(context: NodeContext<'_, '_>, name: SymbolName) -> Option<SymbolName> {
    let of = part(context.node, |child| child.kind() == "explicit_interface_specifier");
    let of = of.map(|of| squeezed(context.read(of))).unwrap_or_default();
    Some(SymbolName { name: format!("{of}{}", name.name), ..name })
}

fn destructor(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = by_name(context)?;
    Some(SymbolName { name: format!("~{}", name.name), ..name })
}

/// The name of an operator, such as `operator +`.
fn operator(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let sign = SymbolName::of(context, context.field("operator")?)?;
    Some(SymbolName { name: format!("operator {}", sign.name), ..sign })
}

/// The name of a conversion, such as `operator int`.
fn conversion(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let to = SymbolName::of(context, context.field("type")?)?;
    Some(SymbolName { name: format!("operator {}", squeezed(&to.name)), ..to })
}

/// The name of a field or an event. A local variable has none.
fn field(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let above = context.above(2)?;
    let kind = match above.kind() {
        "field_declaration" => {
            part(above, |child| context.read(child) == "const").map(|_| SymbolKind::Constant)
        }
        "event_field_declaration" => Some(SymbolKind::Property),
        _ => return None,
    };
    Some(SymbolName { kind, ..by_name(context)? })
}

/// The range of a block, or of the expression behind `=>`.
fn body(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    shown(context.field("body")?)
}

fn accessors(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    shown(context.field("accessors").or_else(|| context.field("value"))?)
}

fn shown(node: Node<'_>) -> Option<Range<usize>> {
    let arrow = node.kind() == "arrow_expression_clause";
    let node = if arrow { behind_token(node, "=>")? } else { node };
    Some(node.byte_range())
}
