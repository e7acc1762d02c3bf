//! Java: types, their members and enum constants. Methods of anonymous classes are not listed.

use super::parts::is_loud;
use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, by_name, by_name_listed, in_body, in_value, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("module_declaration", SymbolKind::Module, by_name, in_body),
        rule("class_declaration", SymbolKind::Class, by_name, in_body),
        rule("record_declaration", SymbolKind::Class, by_name, in_body),
        rule("interface_declaration", SymbolKind::Interface, by_name, in_body),
        rule("annotation_type_declaration", SymbolKind::Interface, by_name, in_body),
        rule("annotation_type_element_declaration", SymbolKind::Method, by_name, in_value),
        rule("enum_declaration", SymbolKind::Enum, by_name, in_body),
        rule("enum_constant", SymbolKind::Variant, by_name_listed, in_body),
        rule("method_declaration", SymbolKind::Method, by_name, in_body),
        rule("constructor_declaration", SymbolKind::Constructor, by_name, in_body),
        rule("compact_constructor_declaration", SymbolKind::Constructor, by_name, in_body),
        rule("variable_declarator", SymbolKind::Field, field, in_value),
    ],
    wrappers: &["field_declaration", "constant_declaration"],
    comments: &["line_comment", "block_comment"],
    strings: &["string_literal", "character_literal"],
    closed: &["import_declaration", "object_creation_expression", "string_literal"],
    ..Grammar::of(|| tree_sitter_java::LANGUAGE.into())
};

/// The name of a field. Fields of interfaces and fields in uppercase are constants.
fn field(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let constant = match context.above(1)?.kind() {
        "constant_declaration" => true,
        "field_declaration" => false,
        _ => return None,
    };
    let name = by_name(context)?;
    let constant = constant || is_loud(&name.name);
    Some(SymbolName { kind: constant.then_some(SymbolKind::Constant), ..name })
}
