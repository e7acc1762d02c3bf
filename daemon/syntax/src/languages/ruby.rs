//! Ruby: modules, classes, methods and constants. What a method of another name does when called (`attr_accessor`, a
//! test's `describe`) is not looked at.

use std::ops::Range;

use tree_sitter::Node;

use super::parts::{behind, qualified};
use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name};

/// Constants that one assignment may give names to.
const SEVERAL: usize = 32;

/// Nodes behind a statement that are looked at for its heredocs.
const NEAR: usize = 8;

/// Nodes above a method that are looked at for what it belongs to.
const LEVELS: usize = 8;

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_ruby::LANGUAGE.into(),
    rules: &[
        Rule { node: "module", kind: Kind::Module, name: module, body: inside },
        Rule { node: "class", kind: Kind::Class, name: module, body: inside },
        Rule { node: "singleton_class", kind: Kind::Class, name: singleton_class, body: inside },
        Rule { node: "method", kind: Kind::Method, name: method, body: inside },
        Rule { node: "singleton_method", kind: Kind::Method, name: singleton_method, body: inside },
        Rule { node: "assignment", kind: Kind::Constant, name: assignment, body: right },
    ],
    // `private def ...` and its like; `A = 1 unless defined?(A)`.
    wrappers: &["call", "argument_list", "if_modifier", "unless_modifier"],
    comments: &["comment"],
    attributes: &[],
    aloof: &["#!", "# frozen_string_literal", "# -*-", "# encoding", "# coding", "# typed", "# warn_indent"],
    strings: &["string", "heredoc_body", "subshell", "regex", "delimited_symbol", "character"],
    closed: &["string", "heredoc_body", "regex", "uninterpreted"],
};

/// A module or class; `A::B` stands under `A`.
fn module(seen: Seen<'_, '_>) -> Option<Name> {
    qualified(by_name(seen)?, "::")
}

/// `class << self`, which also `self` leads through.
fn singleton_class(seen: Seen<'_, '_>) -> Option<Name> {
    let of = Name::of(seen, seen.field("value")?)?;
    Some(Name { name: format!("class << {}", of.name), alias: Some(of.name.clone()), ..of })
}

fn method(seen: Seen<'_, '_>) -> Option<Name> {
    let name = by_name(seen)?;
    let is_member = (1..=LEVELS)
        .map_while(|levels| seen.above(levels))
        .any(|node| matches!(node.kind(), "class" | "module" | "singleton_class" | "do_block" | "block"));
    let kind = match (is_member, name.name.as_str()) {
        (false, _) => Kind::Function,
        (true, "initialize") => Kind::Constructor,
        (true, _) => Kind::Method,
    };
    Some(Name { kind: Some(kind), until: until(seen), ..name })
}

/// Where a method without `end` ends.
fn until(seen: Seen<'_, '_>) -> Option<usize> {
    end(seen).is_none().then(|| heredoc(seen)).flatten()
}

/// `self.name`, which `name` means too.
fn singleton_method(seen: Seen<'_, '_>) -> Option<Name> {
    let name = by_name(seen)?;
    let of = Name::of(seen, seen.field("object")?)?;
    Some(Name {
        name: format!("{}.{}", of.name, name.name),
        also: vec![name.name.clone()],
        until: until(seen),
        ..name
    })
}

/// A constant, a class variable, or a global variable at the top of the file; several at once are one definition.
fn assignment(seen: Seen<'_, '_>) -> Option<Name> {
    let left = seen.field("left")?;
    let above = seen.above(1)?.kind();
    let in_class = above == "body_statement"
        && seen.above(2).is_some_and(|node| matches!(node.kind(), "class" | "module" | "singleton_class"));
    let (name, kind) = match left.kind() {
        "constant" => (Name::of(seen, left)?, Kind::Constant),
        "scope_resolution" => (qualified(Name::of(seen, left)?, "::")?, Kind::Constant),
        "left_assignment_list" => {
            let mut cursor = left.walk();
            let all: Vec<_> = left.named_children(&mut cursor).take(SEVERAL + 1).collect();
            if all.len() > SEVERAL || all.iter().any(|node| node.kind() != "constant") {
                return None;
            }
            (Name::of_all(seen, &all)?, Kind::Constant)
        }
        "class_variable" | "instance_variable" if in_class => (Name::of(seen, left)?, Kind::Field),
        "global_variable" if above == "program" => (Name::of(seen, left)?, Kind::Variable),
        _ => return None,
    };
    Some(Name { kind: Some(kind), until: heredoc(seen), ..name })
}

/// Where the heredocs end that a statement begins: they stand behind its line, and so behind its node.
fn heredoc(seen: Seen<'_, '_>) -> Option<usize> {
    let line = seen.node.end_position().row;
    let near = behind(seen).take(NEAR).skip_while(|node| node.kind() != "heredoc_body");
    let mut bodies = near.take_while(|node| node.kind() == "heredoc_body");
    let first = bodies.next().filter(|first| first.start_position().row == line)?;
    Some(bodies.last().unwrap_or(first).end_byte())
}

/// A value, with the heredocs that it begins.
fn value(seen: Seen<'_, '_>, node: Node<'_>) -> Range<usize> {
    node.start_byte()..heredoc(seen).unwrap_or(node.end_byte())
}

fn right(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(value(seen, seen.field("right")?))
}

/// The `end` of a definition; some methods have none.
fn end<'t>(seen: Seen<'t, '_>) -> Option<Node<'t>> {
    let last = seen.node.child_count().checked_sub(1)?;
    seen.node.child(last).filter(|last| last.kind() == "end")
}

/// What stands between the signature, with a comment on its line, and `end`; of a method without `end`, its value.
fn inside(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    let Some(end) = end(seen) else { return Some(value(seen, seen.field("body")?)) };
    let parts = ["parameters", "superclass", "name", "value"];
    let signature = parts.into_iter().find_map(|field| seen.field(field))?;
    let behind = seen.text.get(signature.end_byte()..end.start_byte())?;
    let rest = behind.trim_start_matches([' ', '\t', ';']);
    let rest = if rest.starts_with('#') { rest.get(rest.find('\n')?..)? } else { rest };
    // An empty one has no place of its own: what is put behind the signature would become a part of it.
    let says = !rest.trim().is_empty();
    says.then(|| end.start_byte() - rest.len()..end.start_byte())
}
