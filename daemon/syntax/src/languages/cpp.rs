//! C++: the definitions of C, namespaces, classes and templates. A member that is defined outside of its class is
//! listed under the class.

use super::declarators::{RULES, declarator, initial, record};
use super::parts::qualified;
use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, by_name, in_body, no_body, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("namespace_definition", SymbolKind::Module, namespace, in_body),
        rule("class_specifier", SymbolKind::Class, record, in_body),
        rule("concept_definition", SymbolKind::Type, by_name, no_body),
        rule("alias_declaration", SymbolKind::Type, by_name, no_body),
        rule("namespace_alias_definition", SymbolKind::Module, by_name, no_body),
        rule("qualified_identifier", SymbolKind::Variable, declarator, initial),
        rule("reference_declarator", SymbolKind::Variable, declarator, initial),
        rule("operator_cast", SymbolKind::Method, declarator, no_body),
    ],
    shared_rules: RULES,
    wrappers: &[
        "template_declaration",
        "declaration",
        "field_declaration",
        "type_definition",
        "linkage_specification",
        "friend_declaration",
    ],
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
    ..Grammar::of(|| tree_sitter_cpp::LANGUAGE.into())
};

/// The name of a namespace. `a::b` is `b` under `a`, and so is `a::inline b`.
fn namespace(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = qualified(by_name(context)?, "::")?;
    let plain = |name: &str| name.trim_start_matches("inline ").to_owned();
    let under = name.under.iter().map(|name| plain(name)).collect();
    Some(SymbolName { name: plain(&name.name), under, ..name })
}
