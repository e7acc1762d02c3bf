//! C++: the definitions of C, namespaces, classes and templates. A member that is defined outside of its class is
//! listed under the class.

use super::declarators::{declaration, declaration_body, declarator, defined, function, initial, record};
use super::parts::qualified;
use crate::SymbolKind;
use crate::grammar::{
    Grammar, NodeContext, SymbolName, by_name, by_name_listed, in_body, in_value, no_body, rule,
};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_cpp::LANGUAGE.into(),
    rules: &[
        rule("namespace_definition", SymbolKind::Module, namespace, in_body),
        rule("function_definition", SymbolKind::Function, function, in_body),
        rule("class_specifier", SymbolKind::Class, record, in_body),
        rule("struct_specifier", SymbolKind::Struct, record, in_body),
        rule("union_specifier", SymbolKind::Struct, record, in_body),
        rule("enum_specifier", SymbolKind::Enum, record, in_body),
        rule("enumerator", SymbolKind::Variant, by_name_listed, in_value),
        rule("concept_definition", SymbolKind::Type, by_name, no_body),
        rule("alias_declaration", SymbolKind::Type, by_name, no_body),
        rule("namespace_alias_definition", SymbolKind::Module, by_name, no_body),
        rule("type_definition", SymbolKind::Type, declaration, declaration_body),
        rule("declaration", SymbolKind::Variable, declaration, declaration_body),
        rule("field_declaration", SymbolKind::Field, declaration, declaration_body),
        rule("identifier", SymbolKind::Variable, declarator, initial),
        rule("qualified_identifier", SymbolKind::Variable, declarator, initial),
        rule("field_identifier", SymbolKind::Field, declarator, initial),
        rule("type_identifier", SymbolKind::Type, declarator, initial),
        rule("primitive_type", SymbolKind::Type, declarator, initial),
        rule("init_declarator", SymbolKind::Variable, declarator, initial),
        rule("pointer_declarator", SymbolKind::Variable, declarator, initial),
        rule("reference_declarator", SymbolKind::Variable, declarator, initial),
        rule("array_declarator", SymbolKind::Variable, declarator, initial),
        rule("function_declarator", SymbolKind::Function, declarator, initial),
        rule("parenthesized_declarator", SymbolKind::Variable, declarator, initial),
        rule("attributed_declarator", SymbolKind::Variable, declarator, initial),
        rule("operator_cast", SymbolKind::Method, declarator, no_body),
        rule("preproc_def", SymbolKind::Macro, defined, in_value),
        rule("preproc_function_def", SymbolKind::Macro, defined, in_value),
    ],
    wrappers: &[
        "template_declaration",
        "declaration",
        "field_declaration",
        "type_definition",
        "linkage_specification",
        "friend_declaration",
    ],
    comments: &["comment"],
    attributes: &[],
    file_comments: &[],
    strings: &["string_literal", "raw_string_literal", "char_literal", "system_lib_string", "preproc_arg"],
    closed: &[
        "template_instantiation",
        "lambda_expression",
        "initializer_list",
        "argument_list",
        "parameter_list",
        "template_parameter_list",
        "string_literal",
        "raw_string_literal",
        "preproc_include",
    ],
};

/// The name of a namespace. `a::b` is `b` under `a`, and so is `a::inline b`.
fn namespace(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = qualified(by_name(context)?, "::")?;
    let plain = |name: &str| name.trim_start_matches("inline ").to_owned();
    let under = name.under.iter().map(|name| plain(name)).collect();
    Some(SymbolName { name: plain(&name.name), under, ..name })
}
