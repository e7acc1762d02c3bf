//! C: functions and their prototypes, types, globals and macros. Nothing inside of a function is listed.

use super::declarators::RULES;
use crate::grammar::Grammar;

pub(crate) const GRAMMAR: Grammar = Grammar {
    shared_rules: RULES,
    wrappers: &["declaration", "field_declaration", "type_definition", "linkage_specification"],
    strings: &["string_literal", "char_literal", "system_lib_string", "preproc_arg"],
    closed: &[
        "compound_statement",
        "initializer_list",
        "parameter_list",
        "string_literal",
        "preproc_include",
    ],
    ..Grammar::of(|| tree_sitter_c::LANGUAGE.into())
};
