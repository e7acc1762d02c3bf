//! What JavaScript and TypeScript share: names and bodies of what defines something in them. It has no table of its own.

use std::ops::Range;

use tree_sitter::Node;

use crate::Kind;
use crate::grammar::{Name, Seen};

/// Nodes around or in an expression that are looked through.
const LEVELS: usize = 16;

/// Comments that belong to the file.
pub(super) const ALOOF: &[&str] =
    &["#!", "/*!", "/// <", "// @flow", "// @ts-check", "// @ts-nocheck", "/* eslint", "/* global"];

/// Calls that give a component which the function in their brackets is the code of.
const COMPONENTS: &[&str] = &["memo", "forwardRef", "observer", "useCallback"];

/// A value that is code, with what it is.
fn code<'t>(seen: Seen<'t, '_>, value: Node<'t>) -> Option<(Kind, Node<'t>)> {
    let mut node = value;
    for _ in 0..LEVELS {
        node = match node.kind() {
            "arrow_function" | "function_expression" | "generator_function" => {
                return Some((Kind::Function, node));
            }
            "class" => return Some((Kind::Class, node)),
            "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "arguments" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).find(|child| child.kind() != "comment")?
            }
            "call_expression" => {
                let called = seen.read(node.child_by_field_name("function")?);
                let name = called.rsplit('.').next().filter(|name| COMPONENTS.contains(name));
                name.and(node.child_by_field_name("arguments"))?
            }
            _ => return None,
        };
    }
    None
}

/// The body of a value that is code, else the value.
fn body_of(seen: Seen<'_, '_>, value: Node<'_>) -> Range<usize> {
    let body = code(seen, value).and_then(|(_, code)| code.child_by_field_name("body"));
    body.unwrap_or(value).byte_range()
}

pub(super) fn in_value(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(body_of(seen, seen.field("value")?))
}

pub(super) fn in_right(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(body_of(seen, seen.field("right")?))
}

/// A variable of a file or a namespace; in a function only one whose value is code.
pub(super) fn declarator(seen: Seen<'_, '_>) -> Option<Name> {
    let kind = seen.field("value").and_then(|value| code(seen, value)).map(|(kind, _)| kind);
    if kind.is_none() && !at_top(seen) {
        return None;
    }
    let is_constant = || {
        let declaration = seen.above(1).and_then(|node| node.child_by_field_name("kind"));
        declaration.is_some_and(|node| node.kind() == "const")
    };
    let kind = kind.or_else(|| is_constant().then_some(Kind::Constant));
    Some(Name { kind, ..Name::of_all(seen, &declared(seen.field("name")?))? })
}

/// The names that a pattern gives directly.
fn declared(pattern: Node<'_>) -> Vec<Node<'_>> {
    if !matches!(pattern.kind(), "object_pattern" | "array_pattern") {
        return vec![pattern];
    }
    let mut cursor = pattern.walk();
    pattern.named_children(&mut cursor).filter_map(name_in_pattern).collect()
}

fn name_in_pattern(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    for _ in 0..LEVELS {
        node = match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => return Some(node),
            "pair_pattern" => node.child_by_field_name("value")?,
            "object_assignment_pattern" | "assignment_pattern" => node.child_by_field_name("left")?,
            "rest_pattern" => node.named_child(0)?,
            _ => return None,
        };
    }
    None
}

/// Whether a declarator is one of the file or of a namespace.
fn at_top(seen: Seen<'_, '_>) -> bool {
    let is_around = |node: &&Node<'_>| {
        matches!(
            node.kind(),
            "lexical_declaration" | "variable_declaration" | "export_statement" | "ambient_declaration"
        )
    };
    let mut around = seen.around.iter().rev().take(LEVELS).skip_while(is_around);
    match around.next().map(Node::kind) {
        Some("program") => true,
        Some("statement_block") => around
            .next()
            .is_some_and(|node| matches!(node.kind(), "internal_module" | "module" | "ambient_declaration")),
        _ => false,
    }
}

/// A key of an object or a class; one in quotes is called by what is in them.
pub(super) fn key(seen: Seen<'_, '_>, node: Node<'_>) -> Option<Name> {
    let name = Name::of(seen, node)?;
    if node.kind() != "string" {
        return Some(name);
    }
    let inside = name.name.get(1..name.name.len().saturating_sub(1)).filter(|inside| !inside.is_empty())?;
    Some(Name { name: inside.to_owned(), ..name })
}

pub(super) fn method(seen: Seen<'_, '_>) -> Option<Name> {
    let name = key(seen, seen.field("name")?)?;
    let in_object = seen.above(1).is_some_and(|node| node.kind() == "object");
    let kind = if is_accessor(seen) {
        Kind::Property
    } else if in_object {
        Kind::Function
    } else if name.name == "constructor" {
        Kind::Constructor
    } else {
        Kind::Method
    };
    Some(Name { kind: Some(kind), listed: in_object, ..name })
}

/// Whether `get` or `set` stands in front of its name.
fn is_accessor(seen: Seen<'_, '_>) -> bool {
    let name = seen.field("name").map(|node| node.start_byte());
    let mut cursor = seen.node.walk();
    let mut before = seen.node.children(&mut cursor).take_while(|child| Some(child.start_byte()) != name);
    before.any(|child| matches!(child.kind(), "get" | "set"))
}

/// A key whose value is code.
pub(super) fn pair(seen: Seen<'_, '_>) -> Option<Name> {
    let (kind, _) = code(seen, seen.field("value")?)?;
    Some(Name { kind: Some(kind), listed: true, ..key(seen, seen.field("key")?)? })
}

/// A field of a class; one whose value is a function is a method.
pub(super) fn field(seen: Seen<'_, '_>) -> Option<Name> {
    let name = key(seen, seen.field("name").or_else(|| seen.field("property"))?)?;
    let kind = match seen.field("value").and_then(|value| code(seen, value)) {
        Some((Kind::Class, _)) => Some(Kind::Class),
        Some(_) => Some(Kind::Method),
        None => None,
    };
    Some(Name { kind, ..name })
}

/// `exports.a = function () {}`, `A.prototype.b = () => {}`: it stands under what it is given to.
pub(super) fn assignment(seen: Seen<'_, '_>) -> Option<Name> {
    if seen.above(1)?.kind() != "expression_statement" {
        return None;
    }
    let (kind, _) = code(seen, seen.field("right")?)?;
    let left = seen.field("left")?;
    if left.kind() == "identifier" {
        return Some(Name { kind: Some(kind), ..Name::of(seen, left)? });
    }
    let property = left.child_by_field_name("property").filter(|_| left.kind() == "member_expression")?;
    let mut under = owners(seen, left.child_by_field_name("object")?)?;
    let is_prototype = under.last().is_some_and(|last| last == "prototype");
    under.retain(|name| name != "prototype");
    let exported = match under.first().map(String::as_str) {
        Some("exports" | "this") => 1,
        Some("module") if under.get(1).is_some_and(|name| name == "exports") => 2,
        Some("module") if seen.read(property) == "exports" => 1,
        _ => 0,
    };
    under.drain(..exported.min(under.len()));
    let kind = if is_prototype && kind == Kind::Function { Kind::Method } else { kind };
    Some(Name { kind: Some(kind), under, ..Name::of(seen, property)? })
}

/// The names of `a.b.c`, where it is only names.
fn owners(seen: Seen<'_, '_>, object: Node<'_>) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut node = object;
    for _ in 0..LEVELS {
        match node.kind() {
            "member_expression" => {
                names.push(seen.read(node.child_by_field_name("property")?).to_owned());
                node = node.child_by_field_name("object")?;
            }
            "identifier" | "this" => {
                names.push(seen.read(node).to_owned());
                names.reverse();
                return names.iter().all(|name| !name.is_empty()).then_some(names);
            }
            _ => return None,
        }
    }
    None
}

/// `export default` of something without a name of its own is called `default`.
pub(super) fn export_default(seen: Seen<'_, '_>) -> Option<Name> {
    let value = seen.field("value")?;
    let mut cursor = seen.node.walk();
    let word = seen.node.children(&mut cursor).find(|child| child.kind() == "default")?;
    let kind = code(seen, value).map(|(kind, _)| kind);
    Some(Name { kind, ..Name::of(seen, word)? })
}

/// A function or class in an expression that is returned or called at once; elsewhere what holds it names it.
pub(super) fn in_expression(seen: Seen<'_, '_>) -> Option<Name> {
    let around = seen.above(1)?.kind();
    let is_own = matches!(around, "return_statement" | "parenthesized_expression");
    is_own.then(|| Name::of(seen, seen.field("name")?)).flatten()
}
