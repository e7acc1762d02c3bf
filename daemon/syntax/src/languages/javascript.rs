//! JavaScript: functions, classes and their members, variables, assigned functions and default exports.

use super::ecmascript::{FILE_COMMENTS, RULES, field, in_value};
use crate::SymbolKind;
use crate::grammar::{Grammar, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[rule("field_definition", SymbolKind::Field, field, in_value)],
    shared_rules: RULES,
    wrappers: &["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"],
    comments: &["comment", "html_comment"],
    file_comments: FILE_COMMENTS,
    strings: &["string", "template_string", "regex"],
    closed: &["import_statement", "string", "regex", "decorator"],
    ..Grammar::of(|| tree_sitter_javascript::LANGUAGE.into())
};
