//! PHP: namespaces with braces, types, their members and functions. What stands around the code is left alone, and a
//! namespace without braces is no symbol.

use std::ops::Range;

use super::parts::{behind_token, part, qualified};
use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name, in_body, in_value};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_php::LANGUAGE_PHP.into(),
    rules: &[
        Rule { node: "namespace_definition", kind: Kind::Module, name: namespace, body: in_body },
        Rule { node: "class_declaration", kind: Kind::Class, name: by_name, body: in_body },
        Rule { node: "interface_declaration", kind: Kind::Interface, name: by_name, body: in_body },
        Rule { node: "trait_declaration", kind: Kind::Trait, name: by_name, body: in_body },
        Rule { node: "enum_declaration", kind: Kind::Enum, name: by_name, body: in_body },
        Rule { node: "enum_case", kind: Kind::Variant, name: by_name, body: in_value },
        Rule { node: "function_definition", kind: Kind::Function, name: by_name, body: in_body },
        Rule { node: "method_declaration", kind: Kind::Method, name: method, body: in_body },
        Rule { node: "const_element", kind: Kind::Constant, name: constant, body: constant_value },
        Rule { node: "property_element", kind: Kind::Field, name: property, body: initial },
    ],
    wrappers: &["const_declaration", "property_declaration"],
    comments: &["comment"],
    attributes: &[],
    aloof: &["#!"],
    strings: &["string", "encapsed_string", "heredoc", "nowdoc", "shell_command_expression", "text"],
    closed: &[
        "attribute_list",
        "namespace_use_declaration",
        "text",
        "string",
        "encapsed_string",
        "heredoc",
        "nowdoc",
    ],
};

/// One with braces: what lies in the others are its neighbours. `A\B` stands under `A`.
fn namespace(seen: Seen<'_, '_>) -> Option<Name> {
    seen.field("body")?;
    qualified(by_name(seen)?, "\\")
}

/// `$name`, which `name` means too.
fn property(seen: Seen<'_, '_>) -> Option<Name> {
    let name = by_name(seen)?;
    let also = name.name.strip_prefix('$').map(str::to_owned).into_iter().collect();
    Some(Name { also, ..name })
}

fn method(seen: Seen<'_, '_>) -> Option<Name> {
    let name = by_name(seen)?;
    let makes = matches!(name.name.to_ascii_lowercase().as_str(), "__construct" | "__destruct");
    Some(Name { kind: makes.then_some(Kind::Constructor), ..name })
}

fn constant(seen: Seen<'_, '_>) -> Option<Name> {
    Name::of(seen, part(seen.node, |child| child.kind() == "name")?)
}

fn constant_value(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(behind_token(seen.node, "=")?.byte_range())
}

fn initial(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(seen.field("default_value")?.byte_range())
}
