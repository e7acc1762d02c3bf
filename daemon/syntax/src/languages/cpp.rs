//! C++: what C has, with namespaces, classes and templates; a member that is defined outside its class stands under it.

use super::declarators::{declaration, declaration_body, declarator, defined, function, initial, record};
use super::parts::qualified;
use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name, by_name_listed, in_body, in_value, no_body};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_cpp::LANGUAGE.into(),
    rules: &[
        Rule { node: "namespace_definition", kind: Kind::Module, name: namespace, body: in_body },
        Rule { node: "function_definition", kind: Kind::Function, name: function, body: in_body },
        Rule { node: "class_specifier", kind: Kind::Class, name: record, body: in_body },
        Rule { node: "struct_specifier", kind: Kind::Struct, name: record, body: in_body },
        Rule { node: "union_specifier", kind: Kind::Struct, name: record, body: in_body },
        Rule { node: "enum_specifier", kind: Kind::Enum, name: record, body: in_body },
        Rule { node: "enumerator", kind: Kind::Variant, name: by_name_listed, body: in_value },
        Rule { node: "concept_definition", kind: Kind::Type, name: by_name, body: no_body },
        Rule { node: "alias_declaration", kind: Kind::Type, name: by_name, body: no_body },
        Rule { node: "namespace_alias_definition", kind: Kind::Module, name: by_name, body: no_body },
        Rule { node: "type_definition", kind: Kind::Type, name: declaration, body: declaration_body },
        Rule { node: "declaration", kind: Kind::Variable, name: declaration, body: declaration_body },
        Rule { node: "field_declaration", kind: Kind::Field, name: declaration, body: declaration_body },
        Rule { node: "identifier", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "qualified_identifier", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "field_identifier", kind: Kind::Field, name: declarator, body: initial },
        Rule { node: "type_identifier", kind: Kind::Type, name: declarator, body: initial },
        Rule { node: "primitive_type", kind: Kind::Type, name: declarator, body: initial },
        Rule { node: "init_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "pointer_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "reference_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "array_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "function_declarator", kind: Kind::Function, name: declarator, body: initial },
        Rule { node: "parenthesized_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "attributed_declarator", kind: Kind::Variable, name: declarator, body: initial },
        Rule { node: "operator_cast", kind: Kind::Method, name: declarator, body: no_body },
        Rule { node: "preproc_def", kind: Kind::Macro, name: defined, body: in_value },
        Rule { node: "preproc_function_def", kind: Kind::Macro, name: defined, body: in_value },
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
    aloof: &[],
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

/// A namespace; `a::b` stands under `a`, and so does `a::inline b`.
fn namespace(seen: Seen<'_, '_>) -> Option<Name> {
    let name = qualified(by_name(seen)?, "::")?;
    let plain = |name: &str| name.trim_start_matches("inline ").to_owned();
    let under = name.under.iter().map(|name| plain(name)).collect();
    Some(Name { name: plain(&name.name), under, ..name })
}
