//! Names and bodies of definitions in JavaScript and TypeScript.

use std::ops::Range;

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{DefinitionRule, NodeContext, SymbolName, by_name, in_body, rule};

/// Maximum number of nodes that are followed around or inside of an expression.
const LEVELS: usize = 16;

/// Prefixes of comments that belong to the file.
pub(super) const FILE_COMMENTS: &[&str] =
    &["#!", "/*!", "/// <", "// @flow", "// @ts-check", "// @ts-nocheck", "/* eslint", "/* global"];

/// Calls that return a component whose code is the function in their arguments.
const COMPONENTS: &[&str] = &["memo", "forwardRef", "observer", "useCallback"];

/// The definitions of JavaScript, which TypeScript has, too.
pub(super) const RULES: &[DefinitionRule] = &[
    rule("function_declaration", SymbolKind::Function, by_name, in_body),
    rule("generator_function_declaration", SymbolKind::Function, by_name, in_body),
    rule("function_expression", SymbolKind::Function, in_expression, in_body),
    rule("class_declaration", SymbolKind::Class, by_name, in_body),
    rule("class", SymbolKind::Class, in_expression, in_body),
    rule("method_definition", SymbolKind::Method, method, in_body),
    rule("variable_declarator", SymbolKind::Variable, declarator, in_value),
    rule("assignment_expression", SymbolKind::Function, assignment, in_right),
    rule("pair", SymbolKind::Function, pair, in_value),
    rule("export_statement", SymbolKind::Constant, export_default, in_value),
];

/// Returns the kind and the node of a value that is code.
fn code<'t>(context: NodeContext<'t, '_>, value: Node<'t>) -> Option<(SymbolKind, Node<'t>)> {
    let mut node = value;
    for _ in 0..LEVELS {
        node = match node.kind() {
            "arrow_function" | "function_expression" | "generator_function" => {
                return Some((SymbolKind::Function, node));
            }
            "class" => return Some((SymbolKind::Class, node)),
            "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "arguments" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).find(|child| child.kind() != "comment")?
            }
            "call_expression" => {
                let called = context.read(node.child_by_field_name("function")?);
                let name = called.rsplit('.').next().filter(|name| COMPONENTS.contains(name));
                name.and(node.child_by_field_name("arguments"))?
            }
            _ => return None,
        };
    }
    None
}

/// Returns the body of a value that is code, else the range of the value.
fn body_of(context: NodeContext<'_, '_>, value: Node<'_>) -> Range<usize> {
    let body = code(context, value).and_then(|(_, code)| code.child_by_field_name("body"));
    body.unwrap_or(value).byte_range()
}

pub(super) fn in_value(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    Some(body_of(context, context.field("value")?))
}

fn in_right(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    Some(body_of(context, context.field("right")?))
}

/// The names of a variable at the top level or in a namespace. In a function only variables whose value is code are
/// listed.
fn declarator(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let kind = context.field("value").and_then(|value| code(context, value)).map(|(kind, _)| kind);
    if kind.is_none() && !at_top(context) {
        return None;
    }
    let is_constant = || {
        let declaration = context.above(1).and_then(|node| node.child_by_field_name("kind"));
        declaration.is_some_and(|node| node.kind() == "const")
    };
    let kind = kind.or_else(|| is_constant().then_some(SymbolKind::Constant));
    Some(SymbolName { kind, ..SymbolName::of_all(context, &declared(context.field("name")?))? })
}

/// Returns the names that a pattern binds directly.
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

/// Returns true if a declarator is at the top level or in a namespace.
fn at_top(context: NodeContext<'_, '_>) -> bool {
    let is_around = |node: &&Node<'_>| {
        matches!(
            node.kind(),
            "lexical_declaration" | "variable_declaration" | "export_statement" | "ambient_declaration"
        )
    };
    let mut around = context.around.iter().rev().take(LEVELS).skip_while(is_around);
    match around.next().map(Node::kind) {
        Some("program") => true,
        Some("statement_block") => around
            .next()
            .is_some_and(|node| matches!(node.kind(), "internal_module" | "module" | "ambient_declaration")),
        _ => false,
    }
}

/// The name of a key of an object or a class, without quotes.
pub(super) fn key(context: NodeContext<'_, '_>, node: Node<'_>) -> Option<SymbolName> {
    let name = SymbolName::of(context, node)?;
    if node.kind() != "string" {
        return Some(name);
    }
    let inside = name.name.get(1..name.name.len().saturating_sub(1)).filter(|inside| !inside.is_empty())?;
    Some(SymbolName { name: inside.to_owned(), ..name })
}

pub(super) fn method(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = key(context, context.field("name")?)?;
    let in_object = context.above(1).is_some_and(|node| node.kind() == "object");
    let kind = if is_accessor(context) {
        SymbolKind::Property
    } else if in_object {
        SymbolKind::Function
    } else if name.name == "constructor" {
        SymbolKind::Constructor
    } else {
        SymbolKind::Method
    };
    Some(SymbolName { kind: Some(kind), listed: in_object, ..name })
}

/// Returns true if `get` or `set` is in front of the name.
fn is_accessor(context: NodeContext<'_, '_>) -> bool {
    let name = context.field("name").map(|node| node.start_byte());
    let mut cursor = context.node.walk();
    let mut before = context.node.children(&mut cursor).take_while(|child| Some(child.start_byte()) != name);
    before.any(|child| matches!(child.kind(), "get" | "set"))
}

/// The name of a key whose value is code.
fn pair(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let (kind, _) = code(context, context.field("value")?)?;
    Some(SymbolName { kind: Some(kind), listed: true, ..key(context, context.field("key")?)? })
}

/// The name of a field of a class. If its value is a function, it is a method.
pub(super) fn field(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = key(context, context.field("name").or_else(|| context.field("property"))?)?;
    let kind = match context.field("value").and_then(|value| code(context, value)) {
        Some((SymbolKind::Class, _)) => Some(SymbolKind::Class),
        Some(_) => Some(SymbolKind::Method),
        None => None,
    };
    Some(SymbolName { kind, ..name })
}

/// The name in `exports.a = function () {}` or `A.prototype.b = () => {}`, under the object that it is assigned to.
fn assignment(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    if context.above(1)?.kind() != "expression_statement" {
        return None;
    }
    let (kind, _) = code(context, context.field("right")?)?;
    let left = context.field("left")?;
    if left.kind() == "identifier" {
        return Some(SymbolName { kind: Some(kind), ..SymbolName::of(context, left)? });
    }
    let property = left.child_by_field_name("property").filter(|_| left.kind() == "member_expression")?;
    let mut under = owners(context, left.child_by_field_name("object")?)?;
    let is_prototype = under.last().is_some_and(|last| last == "prototype");
    under.retain(|name| name != "prototype");
    let exported = match under.first().map(String::as_str) {
        Some("exports" | "this") => 1,
        Some("module") if under.get(1).is_some_and(|name| name == "exports") => 2,
        Some("module") if context.read(property) == "exports" => 1,
        _ => 0,
    };
    under.drain(..exported.min(under.len()));
    let kind = if is_prototype && kind == SymbolKind::Function { SymbolKind::Method } else { kind };
    Some(SymbolName { kind: Some(kind), under, ..SymbolName::of(context, property)? })
}

/// Returns the names of `a.b.c`, or `None` if the object is any other expression.
fn owners(context: NodeContext<'_, '_>, object: Node<'_>) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut node = object;
    for _ in 0..LEVELS {
        match node.kind() {
            "member_expression" => {
                names.push(context.read(node.child_by_field_name("property")?).to_owned());
                node = node.child_by_field_name("object")?;
            }
            "identifier" | "this" => {
                names.push(context.read(node).to_owned());
                names.reverse();
                return names.iter().all(|name| !name.is_empty()).then_some(names);
            }
            _ => return None,
        }
    }
    None
}

/// The name of an unnamed `export default`, which is `default`.
fn export_default(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let value = context.field("value")?;
    let mut cursor = context.node.walk();
    let word = context.node.children(&mut cursor).find(|child| child.kind() == "default")?;
    let kind = code(context, value).map(|(kind, _)| kind);
    Some(SymbolName { kind, ..SymbolName::of(context, word)? })
}

/// The name of a function or class expression that is returned or called directly. Elsewhere the enclosing definition
/// gives it a name.
fn in_expression(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let around = context.above(1)?.kind();
    let is_own = matches!(around, "return_statement" | "parenthesized_expression");
    is_own.then(|| SymbolName::of(context, context.field("name")?)).flatten()
}
