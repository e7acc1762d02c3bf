//! Ruby: modules, classes, methods and constants. Calls that define methods (`attr_accessor`, `describe` of a test) are
//! not evaluated.

use std::ops::Range;

use tree_sitter::Node;

use super::parts::{behind, qualified};
use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, by_name, rule};

/// Maximum number of constants in one assignment.
const SEVERAL: usize = 32;

/// Maximum number of nodes behind a statement that are searched for its heredocs.
const NEAR: usize = 8;

/// Maximum number of ancestors of a method that are searched for its owner.
const LEVELS: usize = 8;

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("module", SymbolKind::Module, module, inside),
        rule("class", SymbolKind::Class, module, inside),
        rule("singleton_class", SymbolKind::Class, singleton_class, inside),
        rule("method", SymbolKind::Method, method, inside),
        rule("singleton_method", SymbolKind::Method, singleton_method, inside),
        rule("assignment", SymbolKind::Constant, assignment, right),
    ],
    // `private def ...` and its like, and `A = 1 unless defined?(A)`.
    wrappers: &["call", "argument_list", "if_modifier", "unless_modifier"],
    file_comments: &[
        "#!",
        "# frozen_string_literal",
        "# -*-",
        "# encoding",
        "# coding",
        "# typed",
        "# warn_indent",
    ],
    strings: &["string", "heredoc_body", "subshell", "regex", "delimited_symbol", "character"],
    closed: &["string", "heredoc_body", "regex", "uninterpreted"],
    ..Grammar::of(|| tree_sitter_ruby::LANGUAGE.into())
};

/// The name of a module or class. `A::B` is `B` under `A`.
fn module(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    qualified(by_name(context)?, "::")
}

/// The name of `class << self`. `self` selects its members too.
fn singleton_class(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let of = SymbolName::of(context, context.field("value")?)?;
    Some(SymbolName { name: format!("class << {}", of.name), alias: Some(of.name.clone()), ..of })
}

fn method(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = by_name(context)?;
    let is_member = (1..=LEVELS)
        .map_while(|levels| context.above(levels))
        .any(|node| matches!(node.kind(), "class" | "module" | "singleton_class" | "do_block" | "block"));
    let kind = match (is_member, name.name.as_str()) {
        (false, _) => SymbolKind::Function,
        (true, "initialize") => SymbolKind::Constructor,
        (true, _) => SymbolKind::Method,
    };
    Some(SymbolName { kind: Some(kind), until: until(context), ..name })
}

/// Returns the end of a method without `end`, if it is behind the node.
fn until(context: NodeContext<'_, '_>) -> Option<usize> {
    end(context).is_none().then(|| heredoc(context)).flatten()
}

/// The name of `self.name`. `name` selects it too.
fn singleton_method(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = by_name(context)?;
    let of = SymbolName::of(context, context.field("object")?)?;
    Some(SymbolName {
        name: format!("{}.{}", of.name, name.name),
        also: vec![name.name.clone()],
        until: until(context),
        ..name
    })
}

/// The names of a constant, a class variable, or a global variable at the top level of the file. A multiple assignment
/// is one definition.
fn assignment(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let left = context.field("left")?;
    let above = context.above(1)?.kind();
    let in_class = above == "body_statement"
        && context.above(2).is_some_and(|node| matches!(node.kind(), "class" | "module" | "singleton_class"));
    let (name, kind) = match left.kind() {
        "constant" => (SymbolName::of(context, left)?, SymbolKind::Constant),
        "scope_resolution" => (qualified(SymbolName::of(context, left)?, "::")?, SymbolKind::Constant),
        "left_assignment_list" => {
            let mut cursor = left.walk();
            let all: Vec<_> = left.named_children(&mut cursor).take(SEVERAL + 1).collect();
            if all.len() > SEVERAL || all.iter().any(|node| node.kind() != "constant") {
                return None;
            }
            (SymbolName::of_all(context, &all)?, SymbolKind::Constant)
        }
        "class_variable" | "instance_variable" if in_class => {
            (SymbolName::of(context, left)?, SymbolKind::Field)
        }
        "global_variable" if above == "program" => (SymbolName::of(context, left)?, SymbolKind::Variable),
        _ => return None,
    };
    Some(SymbolName { kind: Some(kind), until: heredoc(context), ..name })
}

/// Returns the end of the heredocs that a statement opens. They follow its line, so they are behind its node.
fn heredoc(context: NodeContext<'_, '_>) -> Option<usize> {
    let line = context.node.end_position().row;
    let near = behind(context).take(NEAR).skip_while(|node| node.kind() != "heredoc_body");
    let mut bodies = near.take_while(|node| node.kind() == "heredoc_body");
    let first = bodies.next().filter(|first| first.start_position().row == line)?;
    Some(bodies.last().unwrap_or(first).end_byte())
}

/// Returns the range of a value, with the heredocs that it opens.
fn value(context: NodeContext<'_, '_>, node: Node<'_>) -> Range<usize> {
    node.start_byte()..heredoc(context).unwrap_or(node.end_byte())
}

fn right(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    Some(value(context, context.field("right")?))
}

/// Returns the `end` of a definition. Some methods have none.
fn end<'t>(context: NodeContext<'t, '_>) -> Option<Node<'t>> {
    let last = context.node.child_count().checked_sub(1)?;
    context.node.child(last).filter(|last| last.kind() == "end")
}

/// The range between the signature, with the comment on its line, and `end`. The body of a method without `end` is its
/// value.
fn inside(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    let Some(end) = end(context) else { return Some(value(context, context.field("body")?)) };
    let parts = ["parameters", "superclass", "name", "value"];
    let signature = parts.into_iter().find_map(|field| context.field(field))?;
    let behind = context.text.get(signature.end_byte()..end.start_byte())?;
    let rest = behind.trim_start_matches([' ', '\t', ';']);
    let rest = if rest.starts_with('#') { rest.get(rest.find('\n')?..)? } else { rest };
    // An empty body has no range: text put behind the signature would become part of it.
    let says = !rest.trim().is_empty();
    says.then(|| end.start_byte() - rest.len()..end.start_byte())
}
