//! Python: classes, functions, type aliases, and the variables of modules and classes.

use std::ops::Range;

use tree_sitter::Node;

use super::parts::is_loud;
use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, by_name, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("class_definition", SymbolKind::Class, by_name, suite),
        rule("function_definition", SymbolKind::Function, function, suite),
        rule("assignment", SymbolKind::Variable, assignment, value),
        rule("type_alias_statement", SymbolKind::Type, type_alias, |context| context.range_of("right")),
    ],
    wrappers: &["decorated_definition"],
    file_comments: &[
        "#!",
        "# -*-",
        "# coding",
        "# vim:",
        "# type: ignore",
        "# mypy:",
        "# ruff:",
        "# pylint:",
    ],
    strings: &["string"],
    closed: &["import_statement", "import_from_statement", "future_import_statement"],
    ..Grammar::of(|| tree_sitter_python::LANGUAGE.into())
};

/// Maximum number of enclosing statements that are skipped to find the owner of a definition.
const STATEMENTS: usize = 64;

/// Statements whose definitions belong to the enclosing scope.
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

/// Returns the owner of a definition: a module, a class or a function.
fn holder<'t>(context: NodeContext<'t, '_>) -> Option<Node<'t>> {
    let around = context.around.iter().rev().take(STATEMENTS);
    around.copied().find(|node| !TRANSPARENT.contains(&node.kind()))
}

fn function(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = by_name(context)?;
    let in_class = holder(context).is_some_and(|holder| holder.kind() == "class_definition");
    let kind = match name.name.as_str() {
        _ if !in_class => None,
        "__init__" | "__new__" | "__del__" => Some(SymbolKind::Constructor),
        _ if is_property(context) => Some(SymbolKind::Property),
        _ => Some(SymbolKind::Method),
    };
    Some(SymbolName { kind, ..name })
}

/// Returns true if a decorator makes the function a property, or its setter or deleter.
fn is_property(context: NodeContext<'_, '_>) -> bool {
    let Some(decorated) = context.above(1).filter(|node| node.kind() == "decorated_definition") else {
        return false;
    };
    let mut cursor = decorated.walk();
    decorated.children(&mut cursor).filter(|child| child.kind() == "decorator").any(|decorator| {
        let says = context.read(decorator).trim_start_matches('@').trim();
        matches!(says, "property" | "cached_property" | "functools.cached_property" | "abc.abstractproperty")
            || says.ends_with(".setter")
            || says.ends_with(".getter")
            || says.ends_with(".deleter")
    })
}

/// The range of a block, from its first comment on. A comment on the line of the `:` belongs to the header.
fn suite(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    let block = context.field("body")?.byte_range();
    let mut cursor = context.node.walk();
    let mut colon = None;
    let mut first = None;
    for child in context.node.children(&mut cursor) {
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

/// The names of a variable of a module or a class. In uppercase it is a constant. Variables of functions are not
/// listed.
fn assignment(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let statement = context.above(1).filter(|node| node.kind() == "expression_statement");
    let holder = statement.and_then(|_| holder(context))?;
    let in_class = match holder.kind() {
        "module" => false,
        "class_definition" => true,
        _ => return None,
    };
    let mut names = Vec::new();
    for assigned in chain(context.node) {
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
    let name = SymbolName::of_all(context, &names)?;
    let says = context.read(*names.first()?);
    let kind = match (is_loud(says), in_class) {
        (true, _) => SymbolKind::Constant,
        (false, true) => SymbolKind::Field,
        (false, false) => SymbolKind::Variable,
    };
    Some(SymbolName { kind: Some(kind), ..name })
}

/// Returns the nested assignments of a chain such as `a = b = 1`.
fn chain(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    fn next<'t>(node: &Node<'t>) -> Option<Node<'t>> {
        node.child_by_field_name("right").filter(|node| node.kind() == "assignment")
    }
    std::iter::successors(Some(node), next).take(STATEMENTS)
}

fn value(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    Some(chain(context.node).last()?.child_by_field_name("right")?.byte_range())
}

/// The name of `type X[T] = …`, whose left side is a type itself.
fn type_alias(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let inner = context.field("left")?.named_child(0)?;
    SymbolName::of(context, if inner.kind() == "identifier" { inner } else { inner.named_child(0)? })
}
