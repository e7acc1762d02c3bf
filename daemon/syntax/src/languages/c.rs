//! C: functions and their prototypes, types, globals and macros. Nothing inside of a function is listed.

use super::declarators::{declaration, declaration_body, declarator, defined, function, initial, record};
use crate::SymbolKind;
use crate::grammar::{Grammar, by_name_listed, in_body, in_value, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_c::LANGUAGE.into(),
    rules: &[
        rule("function_definition", SymbolKind::Function, function, in_body),
        rule("struct_specifier", SymbolKind::Struct, record, in_body),
        rule("union_specifier", SymbolKind::Struct, record, in_body),
        rule("enum_specifier", SymbolKind::Enum, record, in_body),
        rule("enumerator", SymbolKind::Variant, by_name_listed, in_value),
        rule("type_definition", SymbolKind::Type, declaration, declaration_body),
        rule("declaration", SymbolKind::Variable, declaration, declaration_body),
        rule("field_declaration", SymbolKind::Field, declaration, declaration_body),
        rule("identifier", SymbolKind::Variable, declarator, initial),
        rule("field_identifier", SymbolKind::Field, declarator, initial),
        rule("type_identifier", SymbolKind::Type, declarator, initial),
        rule("primitive_type", SymbolKind::Type, declarator, initial),
        rule("init_declarator", SymbolKind::Variable, declarator, initial),
        rule("pointer_declarator", SymbolKind::Variable, declarator, initial),
        rule("array_declarator", SymbolKind::Variable, declarator, initial),
        rule("function_declarator", SymbolKind::Function, declarator, initial),
        rule("parenthesized_declarator", SymbolKind::Variable, declarator, initial),
        rule("attributed_declarator", SymbolKind::Variable, declarator, initial),
        rule("preproc_def", SymbolKind::Macro, defined, in_value),
        rule("preproc_function_def", SymbolKind::Macro, defined, in_value),
    ],
    wrappers: &["declaration", "field_declaration", "type_definition", "linkage_specification"],
    comments: &["comment"],
    attributes: &[],
    file_comments: &[],
    strings: &["string_literal", "char_literal", "system_lib_string", "preproc_arg"],
    closed: &[
        "compound_statement",
        "initializer_list",
        "parameter_list",
        "string_literal",
        "preproc_include",
    ],
};
