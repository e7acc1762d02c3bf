//! What C and C++ share: a declaration gives as many names as it has declarators, each inside out. It lists nothing.

use std::ops::Range;

use tree_sitter::Node;

use super::parts::{behind, is_field, is_loud, part, squeezed};
use crate::Kind;
use crate::grammar::{Name, Seen, by_name};

/// Nodes that are looked at above a declaration for the one that says where it stands: conditionals, mostly.
const LEVELS: usize = 24;

/// Declarators whose names a type may have.
const OTHERS: usize = 16;

/// Bytes of the parameters of a macro that looks like a function, as they are shown in its name.
const CALL: usize = 160;

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level<'t> {
    /// In the file or a namespace.
    File,
    /// In a class or struct, which is this node.
    Class(Node<'t>),
    /// In a function.
    Local,
}

/// Where a node stands, `from` levels above it.
pub(super) fn level<'t>(seen: Seen<'t, '_>, from: usize) -> Level<'t> {
    for at in from..from + LEVELS {
        let Some(node) = seen.above(at) else { return Level::File };
        match node.kind() {
            "translation_unit" | "declaration_list" => return Level::File,
            "field_declaration_list" => return seen.above(at + 1).map_or(Level::Local, Level::Class),
            "compound_statement" => {
                return match seen.above(at + 1) {
                    Some(above) if unseen_class(above).is_some() => Level::Class(above),
                    _ => Level::Local,
                };
            }
            "template_declaration"
            | "linkage_specification"
            | "friend_declaration"
            | "labeled_statement"
            | "ERROR" => {}
            kind if kind.starts_with("preproc_") => {}
            _ => return Level::Local,
        }
    }
    Level::Local
}

/// The name of a class that the grammar takes for a function, since a macro stands in front of its name:
/// `class EXPORT Name { ... }`.
pub(super) fn unseen_class(node: Node<'_>) -> Option<Node<'_>> {
    if node.kind() != "function_definition" {
        return None;
    }
    let of = part(node, |child| matches!(child.kind(), "class_specifier" | "struct_specifier"))?;
    if part(of, |child| child.kind() == "field_declaration_list").is_some() {
        return None;
    }
    part(node, |child| child.kind() == "identifier")
}

/// What a declarator gives.
struct Declared<'t> {
    /// The node of the name.
    name: Node<'t>,
    /// The names in front of it.
    under: Vec<String>,
    /// Whether it is a function.
    calls: bool,
}

/// Follows a declarator to its name.
fn declared<'t>(seen: Seen<'t, '_>, declarator: Node<'t>) -> Option<Declared<'t>> {
    let mut node = declarator;
    let mut under = Vec::new();
    let mut calls = false;
    loop {
        node = match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" | "operator_name"
            | "destructor_name" => return Some(Declared { name: node, under, calls }),
            "operator_cast" => return Some(Declared { name: node, under, calls: true }),
            "qualified_identifier" => {
                if let Some(scope) = node.child_by_field_name("scope") {
                    let base = scope.child_by_field_name("name").unwrap_or(scope);
                    under.push(squeezed(seen.read(base)));
                }
                node.child_by_field_name("name")?
            }
            "structured_binding_declarator" => return None,
            "template_function" | "template_method" => node.child_by_field_name("name")?,
            kind => {
                match kind {
                    "function_declarator" => calls = true,
                    "pointer_declarator" | "array_declarator" | "reference_declarator" => calls = false,
                    _ => {}
                }
                match node.child_by_field_name("declarator") {
                    Some(inner) => inner,
                    None => part(node, is_declarator)?,
                }
            }
        };
    }
}

fn is_declarator(node: Node<'_>) -> bool {
    node.kind().ends_with("declarator") || node.kind().ends_with("identifier")
}

/// The name of what a declarator declares.
fn name(seen: Seen<'_, '_>, declared: &Declared<'_>) -> Option<Name> {
    let node = declared.name;
    let says = seen.read(node);
    let name = match node.kind() {
        // `operator bool() const` is one node.
        "operator_cast" => squeezed(says.split_once('(').map_or(says, |(front, _)| front)),
        "operator_name" | "destructor_name" => squeezed(says),
        _ => says.to_owned(),
    };
    Some(Name { name, under: declared.under.clone(), ..Name::of(seen, node)? })
}

/// What a function is where it stands.
fn function_kind(seen: Seen<'_, '_>, level: Level<'_>, name: &Name) -> Kind {
    let class = match level {
        Level::Class(class) => {
            let of = unseen_class(class).or_else(|| class.child_by_field_name("name"));
            let of = of.map(|of| of.child_by_field_name("name").unwrap_or(of));
            Some(of.map_or("", |of| seen.read(of)))
        }
        Level::File | Level::Local => name.under.last().map(String::as_str),
    };
    match class {
        None => Kind::Function,
        Some(class) if name.name == class || name.name.starts_with('~') => Kind::Constructor,
        Some(_) => Kind::Method,
    }
}

/// A function with its body, or a class that the grammar takes for one.
pub(super) fn function(seen: Seen<'_, '_>) -> Option<Name> {
    let level = level(seen, 1);
    if level == Level::Local {
        return None;
    }
    if let Some(class) = unseen_class(seen.node) {
        return Some(Name { kind: Some(Kind::Class), ..Name::of(seen, class)? });
    }
    let declarator = seen.field("declarator")?;
    let declared = declared(seen, declarator)?;
    if !declared.calls {
        // `MACRO name(void) { ... }`, where the grammar takes the name for a type.
        let of = seen
            .field("type")
            .filter(|of| declarator.kind() == "parenthesized_declarator" && of.kind() == "type_identifier")?;
        return Name::of(seen, of);
    }
    let mut name = name(seen, &declared)?;
    let kind = function_kind(seen, level, &name);
    // `TEST(Suite, Name) { ... }`: a macro, whose parameters tell one from another.
    if kind == Kind::Function && is_loud(&name.name) && seen.field("type").is_none() {
        let call = seen.read(declarator);
        if call.len() <= CALL {
            name.name = squeezed(call);
        }
    }
    Some(Name { kind: Some(kind), ..name })
}

/// One declarator of a declaration, of fields or of a type definition.
pub(super) fn declarator(seen: Seen<'_, '_>) -> Option<Name> {
    let above = seen.above(1)?;
    let is_type = match above.kind() {
        "declaration" | "field_declaration" => false,
        "type_definition" => true,
        _ => return None,
    };
    let level = level(seen, 2);
    let node = seen.node;
    if level == Level::Local || !is_field(seen, "declarator") || gives(above).is_some() {
        return None;
    }
    let declared = declared(seen, node)?;
    let name = name(seen, &declared)?;
    let kind = if is_type {
        Kind::Type
    } else if declared.calls {
        function_kind(seen, level, &name)
    } else if matches!(level, Level::Class(_)) {
        Kind::Field
    } else {
        Kind::Variable
    };
    let (bits, value) = behind_field(seen);
    let until = value.or(bits).map(|last| last.end_byte());
    Some(Name { kind: Some(kind), until, ..name })
}

/// The value of a declarator.
pub(super) fn initial(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(seen.field("value").or_else(|| behind_field(seen).1)?.byte_range())
}

/// What belongs to the declarator of a field behind it: its bits, and its value as in `= 3` or `{3}`. A function has no
/// value, though `= 0` may follow it.
fn behind_field<'t>(seen: Seen<'t, '_>) -> (Option<Node<'t>>, Option<Node<'t>>) {
    let is_field = seen.above(1).is_some_and(|above| above.kind() == "field_declaration");
    if seen.node.kind() == "function_declarator" || !is_field {
        return (None, None);
    }
    let mut next = behind(seen);
    let mut first = next.next();
    let bits = first.filter(|node| node.kind() == "bitfield_clause");
    if bits.is_some() {
        first = next.next();
    }
    let value = first.and_then(|first| match first.kind() {
        "=" => next.next(),
        "initializer_list" => Some(first),
        _ => None,
    });
    (bits, value)
}

/// The type with a body that a declaration gives under the name of its first declarator: `typedef struct {...} Name`,
/// `struct {...} name`.
fn gives(node: Node<'_>) -> Option<Node<'_>> {
    let is_type = |child: Node<'_>| {
        matches!(child.kind(), "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier")
    };
    let of = part(node, is_type)?;
    let body = part(of, |child| matches!(child.kind(), "field_declaration_list" | "enumerator_list"));
    let named =
        node.kind() != "type_definition" && part(of, |child| child.kind() == "type_identifier").is_some();
    (body.is_some() && !named).then_some(of)
}

/// A declaration that gives a type its name, or is the only one of it.
pub(super) fn declaration(seen: Seen<'_, '_>) -> Option<Name> {
    let of = gives(seen.node)?;
    let level = level(seen, 1);
    if level == Level::Local && seen.node.kind() != "type_definition" {
        return None;
    }
    let declared = declared(seen, seen.field("declarator")?)?;
    let name = name(seen, &declared)?;
    let kind = match (seen.node.kind(), of.kind(), level) {
        ("type_definition", "enum_specifier", _) => Kind::Enum,
        ("type_definition", ..) => Kind::Struct,
        (_, _, Level::Class(_)) => Kind::Field,
        _ => Kind::Variable,
    };
    let others = others(seen).map(|node| seen.read(node).to_owned());
    let others: Vec<String> = others.filter(|other| *other != name.name).collect();
    let whole = (!others.is_empty()).then(|| format!("{}, {}", name.name, others.join(", ")));
    let tag = of.child_by_field_name("name").map(|tag| seen.read(tag).to_owned());
    let also = tag.filter(|tag| *tag != name.name).into_iter().chain(others).chain(whole.clone());
    Some(Name { kind: Some(kind), also: also.collect(), whole, ..name })
}

/// The names that a declaration gives behind its first.
fn others<'t>(seen: Seen<'t, '_>) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = seen.node.walk();
    let declarators: Vec<_> =
        seen.node.children_by_field_name("declarator", &mut cursor).take(OTHERS).collect();
    declarators.into_iter().skip(1).filter_map(move |node| Some(declared(seen, node)?.name))
}

/// The body of the type that a declaration gives.
pub(super) fn declaration_body(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(gives(seen.node)?.child_by_field_name("body")?.byte_range())
}

/// A struct, union, class or enumeration with a body, and not one that a declaration names.
pub(super) fn record(seen: Seen<'_, '_>) -> Option<Name> {
    seen.field("body")?;
    let above = seen.above(1);
    if above.is_some_and(|above| above.kind() == "type_definition") {
        return None;
    }
    let mut of = seen.field("name")?;
    let mut under = Vec::new();
    while of.kind() == "qualified_identifier" {
        if let Some(scope) = of.child_by_field_name("scope") {
            let base = scope.child_by_field_name("name").unwrap_or(scope);
            under.push(squeezed(seen.read(base)));
        }
        of = of.child_by_field_name("name")?;
    }
    Some(Name { name: squeezed(seen.read(of)), under, ..Name::of(seen, of)? })
}

/// A macro.
pub(super) fn defined(seen: Seen<'_, '_>) -> Option<Name> {
    by_name(seen)
}
