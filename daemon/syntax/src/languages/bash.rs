//! Bash: functions, and the variables and aliases that the top of a file sets.

use std::ops::Range;

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name, in_body, in_value};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_bash::LANGUAGE.into(),
    rules: &[
        Rule { node: "function_definition", kind: Kind::Function, name: by_name, body: in_body },
        Rule { node: "variable_assignment", kind: Kind::Variable, name: variable, body: in_value },
        Rule { node: "command", kind: Kind::Variable, name: alias, body: alias_value },
    ],
    wrappers: &["declaration_command"],
    comments: &["comment"],
    attributes: &[],
    aloof: &["#!"],
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
};

/// A variable that is set at the top of the file, alone or by `export`, `declare` and their like.
fn variable(seen: Seen<'_, '_>) -> Option<Name> {
    let levels = if seen.above(1)?.kind() == "declaration_command" { 2 } else { 1 };
    if seen.above(levels)?.kind() != "program" {
        return None;
    }
    Name::of(seen, seen.field("name").filter(|name| name.kind() == "variable_name")?)
}

/// `alias name=...`, at the top of the file.
fn alias(seen: Seen<'_, '_>) -> Option<Name> {
    if seen.above(1)?.kind() != "program" || seen.read(seen.field("name")?) != "alias" {
        return None;
    }
    let set = Name::of(seen, seen.field("argument")?)?;
    let (name, _) = set.name.split_once('=')?;
    let at = set.at.start..set.at.start + name.len();
    Some(Name { name: name.to_owned(), at, ..set })
}

fn alias_value(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    let set = seen.field("argument")?;
    let equals = seen.read(set).find('=')?;
    Some(set.start_byte() + equals + 1..set.end_byte())
}
