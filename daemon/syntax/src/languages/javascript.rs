//! JavaScript: functions, classes and their members, variables, assigned functions and default exports.

use super::ecmascript::{
    FILE_COMMENTS, assignment, declarator, export_default, field, in_expression, in_right, in_value, method,
    pair,
};
use crate::SymbolKind;
use crate::grammar::{Grammar, by_name, in_body, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_javascript::LANGUAGE.into(),
    rules: &[
        rule("function_declaration", SymbolKind::Function, by_name, in_body),
        rule("generator_function_declaration", SymbolKind::Function, by_name, in_body),
        rule("function_expression", SymbolKind::Function, in_expression, in_body),
        rule("class_declaration", SymbolKind::Class, by_name, in_body),
        rule("class", SymbolKind::Class, in_expression, in_body),
        rule("method_definition", SymbolKind::Method, method, in_body),
        rule("field_definition", SymbolKind::Field, field, in_value),
        rule("variable_declarator", SymbolKind::Variable, declarator, in_value),
        rule("assignment_expression", SymbolKind::Function, assignment, in_right),
        rule("pair", SymbolKind::Function, pair, in_value),
        rule("export_statement", SymbolKind::Constant, export_default, in_value),
    ],
    wrappers: &["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"],
    comments: &["comment", "html_comment"],
    attributes: &[],
    file_comments: FILE_COMMENTS,
    strings: &["string", "template_string", "regex"],
    closed: &["import_statement", "string", "regex", "decorator"],
};
