//! C: functions and their prototypes, types, globals and macros; nothing in a function is listed.

use super::declarators::{declaration, declaration_body, declarator, defined, function, initial, record};
use crate::Kind;
use crate::grammar::{Grammar, Rule, by_name_listed, in_body, in_value};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_c::LANGUAGE.into(),
    rules: &[
        Rule { node: "function_definition", kind: Kind::Function, name: function, body: in_body },
        Rule { node: "struct_specifier", kind: Kind::Struct, name: record, body: in_body },
        Rule { node: "union_specifier", kind: Kind::Struct, name: record, body: in_body },
        Rule { node: "enum_specifier", kind: Kind::Enum, name: record, body: in_body },
        Rule { node: "enumerator", kind: Kind::Variant, name: by_name_listed, body: in_value },
        Rule { node: "type_definition", kind: Kind::Type, name: declaration, body: declaration_body },
        Rule { node: "declaration", kind: Kind::Variable, name: declaration, body: declaration_body },
        Rule { node: "field_declaration", kind: Kind::Field, name: declaration, body: declaration_body },
        Rule { node: "identifier", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "field_identifier", kind: Kind::Field, name: declarator, body: initial },
        Rule { node: "type_identifier", kind: Kind::Type, name: declarator, body: initial },
        Rule { node: "primitive_type", kind: Kind::Type, name: declarator, body: initial },
        Rule { node: "init_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "pointer_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "array_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "function_declarator", kind: Kind::Function, name: declarator, body: initial },
        Rule { node: "parenthesized_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "attributed_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "preproc_def", kind: Kind::Macro, name: defined, body: in_value },
        Rule { node: "preproc_function_def", kind: Kind::Macro, name: defined, body: in_value },
    ],
    wrappers: &["declaration", "field_declaration", "type_definition", "linkage_specification"],
    comments: &["comment"],
    attributes: &[],
    aloof: &[],
    strings: &["string_literal", "char_literal", "system_lib_string", "preproc_arg"],
    closed: &[
        "compound_statement",
        "initializer_list",
        "parameter_list",
        "string_literal",
        "preproc_include",
    ],
};
