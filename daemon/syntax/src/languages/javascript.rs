//! What defines something in JavaScript.

use super::ecmascript::{
    ALOOF, assignment, declarator, export_default, field, in_expression, in_right, in_value, method, pair,
};
use crate::Kind;
use crate::grammar::{Grammar, Rule, by_name, in_body};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_javascript::LANGUAGE.into(),
    rules: &[
        Rule { node: "function_declaration", kind: Kind::Function, name: by_name, body: in_body },
        Rule { node: "generator_function_declaration", kind: Kind::Function, name: by_name, body: in_body },
        Rule { node: "function_expression", kind: Kind::Function, name: in_expression, body: in_body },
        Rule { node: "class_declaration", kind: Kind::Class, name: by_name, body: in_body },
        Rule { node: "class", kind: Kind::Class, name: in_expression, body: in_body },
        Rule { node: "method_definition", kind: Kind::Method, name: method, body: in_body },
        Rule { node: "field_definition", kind: Kind::Field, name: field, body: in_value },
        Rule { node: "variable_declarator", kind: Kind::Variable, name: declarator, body: in_value },
        Rule { node: "assignment_expression", kind: Kind::Function, name: assignment, body: in_right },
        Rule { node: "pair", kind: Kind::Function, name: pair, body: in_value },
        Rule { node: "export_statement", kind: Kind::Constant, name: export_default, body: in_value },
    ],
    wrappers: &["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"],
    comments: &["comment", "html_comment"],
    attributes: &[],
    aloof: ALOOF,
    strings: &["string", "template_string", "regex"],
    closed: &["import_statement", "string", "regex", "decorator"],
};
