//! Bash: functions, and the variables and aliases that are set at the top level of a file.

use std::ops::Range;

use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, by_name, in_body, in_value, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("function_definition", SymbolKind::Function, by_name, in_body),
        rule("variable_assignment", SymbolKind::Variable, variable, in_value),
        rule("command", SymbolKind::Variable, alias, alias_value),
    ],
    wrappers: &["declaration_command"],
    file_comments: &["#!"],
    strings: &[
        "string",
        "raw_string",
        "ansi_c_string",
        "translated_string",
        "heredoc_redirect",
        "expansion",
        "regex",
    ],
    closed: &["string", "raw_string", "heredoc_body", "heredoc_redirect", "array", "test_command"],
    ..Grammar::of(|| tree_sitter_bash::LANGUAGE.into())
};

/// A variable that is set at the top level of the file, alone or with `export`, `declare` and their like.
fn variable(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let levels = if context.above(1)?.kind() == "declaration_command" { 2 } else { 1 };
    if context.above(levels)?.kind() != "program" {
        return None;
    }
    SymbolName::of(context, context.field("name").filter(|name| name.kind() == "variable_name")?)
}

/// `alias name=...` at the top level of the file.
fn alias(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    if context.above(1)?.kind() != "program" || context.read(context.field("name")?) != "alias" {
        return None;
    }
    let set = SymbolName::of(context, context.field("argument")?)?;
    let (name, _) = set.name.split_once('=')?;
    let at = set.at.start..set.at.start + name.len();
    Some(SymbolName { name: name.to_owned(), at, ..set })
}

fn alias_value(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    let set = context.field("argument")?;
    let equals = context.read(set).find('=')?;
    Some(set.start_byte() + equals + 1..set.end_byte())
}
