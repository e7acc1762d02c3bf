//! What defines something in Python.

use std::ops::Range;

use tree_sitter::Node;

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_python::LANGUAGE.into(),
    rules: &[
        Rule { node: "class_definition", kind: Kind::Class, name: by_name, body: suite },
        Rule { node: "function_definition", kind: Kind::Function, name: function, body: suite },
        Rule { node: "assignment", kind: Kind::Variable, name: assignment, body: value },
        Rule { node: "type_alias_statement", kind: Kind::Type, name: type_alias, body: alias_value },
    ],
    wrappers: &["decorated_definition"],
    comments: &["comment"],
    attributes: &[],
    aloof: &["#!", "# -*-", "# coding", "# vim:", "# type: ignore", "# mypy:", "# ruff:", "# pylint:"],
    strings: &["string"],
    closed: &["import_statement", "import_from_statement", "future_import_statement"],
};

/// Statements around a definition that are looked through, to see what it belongs to.
const STATEMENTS: usize = 64;

/// Statements whose definitions belong to what the statement stands in.
const TRANSPARENT: &[&str] = &[
    "expression_statement",
    "block",
    "decorated_definition",
    "if_statement",
    "elif_clause",
    "else_clause",
    "try_statement",
    "except_clause",
    "except_group_clause",
    "finally_clause",
    "with_statement",
];

/// What a definition belongs to: a module, a class or a function.
fn holder<'t>(seen: Seen<'t, '_>) -> Option<Node<'t>> {
    let around = seen.around.iter().rev().take(STATEMENTS);
    around.copied().find(|node| !TRANSPARENT.contains(&node.kind()))
}

fn function(seen: Seen<'_, '_>) -> Option<Name> {
    let name = by_name(seen)?;
    let in_class = holder(seen).is_some_and(|holder| holder.kind() == "class_definition");
    let kind = match name.name.as_str() {
        _ if !in_class => None,
        "__init__" | "__new__" | "__del__" => Some(Kind::Constructor),
        _ if is_property(seen) => Some(Kind::Property),
        _ => Some(Kind::Method),
    };
    Some(Name { kind, ..name })
}

/// Whether a decorator makes a property of it, or its setter or deleter.
fn is_property(seen: Seen<'_, '_>) -> bool {
    let Some(decorated) = seen.above(1).filter(|node| node.kind() == "decorated_definition") else {
        return false;
    };
    let mut cursor = decorated.walk();
    decorated.children(&mut cursor).filter(|child| child.kind() == "decorator").any(|decorator| {
        let says = seen.read(decorator).trim_start_matches('@').trim();
        matches!(says, "property" | "cached_property" | "functools.cached_property" | "abc.abstractproperty")
            || says.ends_with(".setter")
            || says.ends_with(".getter")
            || says.ends_with(".deleter")
    })
}

/// A block from its first comment on; one on the line of the `:` belongs to the header.
fn suite(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    let block = seen.field("body")?.byte_range();
    let mut cursor = seen.node.walk();
    let mut colon = None;
    let mut first = None;
    for child in seen.node.children(&mut cursor) {
        match child.kind() {
            ":" => colon = Some(child.start_position().row),
            "comment" if colon.is_some_and(|row| row < child.start_position().row) => {
                first = first.or(Some(child.start_byte()));
            }
            _ => {}
        }
    }
    Some(first.unwrap_or(block.start).min(block.start)..block.end)
}

/// A variable of a module or a class; in upper case it is a constant. Those of functions are none.
fn assignment(seen: Seen<'_, '_>) -> Option<Name> {
    let statement = seen.above(1).filter(|node| node.kind() == "expression_statement");
    let holder = statement.and_then(|_| holder(seen))?;
    let in_class = match holder.kind() {
        "module" => false,
        "class_definition" => true,
        _ => return None,
    };
    let mut names = Vec::new();
    for assigned in chain(seen.node) {
        let left = assigned.child_by_field_name("left")?;
        match left.kind() {
            "identifier" => names.push(left),
            "pattern_list" | "tuple_pattern" | "list_pattern" => {
                let mut cursor = left.walk();
                names.extend(left.named_children(&mut cursor).filter(|one| one.kind() == "identifier"));
            }
            _ => {}
        }
    }
    let name = Name::of_all(seen, &names)?;
    let says = seen.read(*names.first()?);
    let is_constant = says.chars().any(char::is_uppercase) && !says.chars().any(char::is_lowercase);
    let kind = match (is_constant, in_class) {
        (true, _) => Kind::Constant,
        (false, true) => Kind::Field,
        (false, false) => Kind::Variable,
    };
    Some(Name { kind: Some(kind), ..name })
}

/// `a = b = 1` is an assignment in an assignment.
fn chain(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    fn next<'t>(node: &Node<'t>) -> Option<Node<'t>> {
        node.child_by_field_name("right").filter(|node| node.kind() == "assignment")
    }
    std::iter::successors(Some(node), next).take(STATEMENTS)
}

fn value(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(chain(seen.node).last()?.child_by_field_name("right")?.byte_range())
}

/// `type X[T] = …`: its left side is a type in itself.
fn type_alias(seen: Seen<'_, '_>) -> Option<Name> {
    let inner = seen.field("left")?.named_child(0)?;
    Name::of(seen, if inner.kind() == "identifier" { inner } else { inner.named_child(0)? })
}

fn alias_value(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(seen.field("right")?.byte_range())
}
