//! Declarations of C and C++. A declaration defines one name per declarator, and the name is the innermost part of its
//! declarator.

use std::ops::Range;

use tree_sitter::Node;

use super::parts::{behind, is_field, is_loud, part, squeezed};
use crate::SymbolKind;
use crate::grammar::{
    DefinitionRule, NodeContext, SymbolName, by_name, by_name_listed, in_body, in_value, rule,
};

/// Maximum number of ancestors that are searched for the enclosing scope. Most of the skipped ones are conditionals.
const LEVELS: usize = 24;

/// Maximum number of further declarators that give a type a name.
const OTHERS: usize = 16;

/// Maximum size in bytes of the arguments of a function-like macro in its name.
const CALL: usize = 160;

/// The definitions of C, which C++ has, too.
pub(super) const RULES: &[DefinitionRule] = &[
    rule("function_definition", SymbolKind::Function, function, in_body),
    rule("struct_specifier", SymbolKind::Struct, record, in_body),
    rule("union_specifier", SymbolKind::Struct, record, in_body),
    rule("enum_specifier", SymbolKind::Enum, record, in_body),
    rule("enumerator", SymbolKind::Variant, by_name_listed, in_value),
    rule("type_definition", SymbolKind::Type, declaration, declaration_body),
    rule("declaration", SymbolKind::Variable, declaration, declaration_body),
    rule("field_declaration", SymbolKind::Field, declaration, declaration_body),
    rule("identifier", SymbolKind::Variable, declarator, initial),
    rule("field_identifier", SymbolKind::Field, declarator, initial),
    rule("type_identifier", SymbolKind::Type, declarator, initial),
    rule("primitive_type", SymbolKind::Type, declarator, initial),
    rule("init_declarator", SymbolKind::Variable, declarator, initial),
    rule("pointer_declarator", SymbolKind::Variable, declarator, initial),
    rule("array_declarator", SymbolKind::Variable, declarator, initial),
    rule("function_declarator", SymbolKind::Function, declarator, initial),
    rule("parenthesized_declarator", SymbolKind::Variable, declarator, initial),
    rule("attributed_declarator", SymbolKind::Variable, declarator, initial),
    rule("preproc_def", SymbolKind::Macro, by_name, in_value),
    rule("preproc_function_def", SymbolKind::Macro, by_name, in_value),
];

/// The scope of a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeLevel<'t> {
    /// In the file or a namespace.
    File,
    /// In a class or struct, with its node.
    Class(Node<'t>),
    /// In a function.
    Local,
}

/// Returns the scope of a node, searching from the ancestor `from` levels above it.
pub(super) fn level<'t>(context: NodeContext<'t, '_>, from: usize) -> ScopeLevel<'t> {
    for at in from..from + LEVELS {
        let Some(node) = context.above(at) else { return ScopeLevel::File };
        match node.kind() {
            "translation_unit" | "declaration_list" => return ScopeLevel::File,
            "field_declaration_list" => {
                return context.above(at + 1).map_or(ScopeLevel::Local, ScopeLevel::Class);
            }
            "compound_statement" => {
                return match context.above(at + 1) {
                    Some(above) if unseen_class(above).is_some() => ScopeLevel::Class(above),
                    _ => ScopeLevel::Local,
                };
            }
            "template_declaration"
            | "linkage_specification"
            | "friend_declaration"
            | "labeled_statement"
            | "ERROR" => {}
            kind if kind.starts_with("preproc_") => {}
            _ => return ScopeLevel::Local,
        }
    }
    ScopeLevel::Local
}

/// Returns the name of a class that the grammar takes for a function, since a macro is in front of its name: `class
/// EXPORT Name { ... }`.
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

/// The result of following a declarator to its name.
struct DeclaredName<'t> {
    /// The node of the name.
    name: Node<'t>,
    /// The qualifiers in front of the name.
    under: Vec<String>,
    /// Set if it declares a function.
    calls: bool,
}

/// Follows a declarator inwards to its name.
fn declared<'t>(context: NodeContext<'t, '_>, declarator: Node<'t>) -> Option<DeclaredName<'t>> {
    let mut node = declarator;
    let mut under = Vec::new();
    let mut calls = false;
    loop {
        node = match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" | "operator_name"
            | "destructor_name" => return Some(DeclaredName { name: node, under, calls }),
            "operator_cast" => return Some(DeclaredName { name: node, under, calls: true }),
            "qualified_identifier" => {
                under.extend(scope(context, node));
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

/// Returns the qualifier of a qualified name.
fn scope(context: NodeContext<'_, '_>, qualified: Node<'_>) -> Option<String> {
    let scope = qualified.child_by_field_name("scope")?;
    Some(squeezed(context.read(scope.child_by_field_name("name").unwrap_or(scope))))
}

fn is_declarator(node: Node<'_>) -> bool {
    node.kind().ends_with("declarator") || node.kind().ends_with("identifier")
}

/// Returns the name that a declarator declares.
fn name(context: NodeContext<'_, '_>, declared: &DeclaredName<'_>) -> Option<SymbolName> {
    let node = declared.name;
    let says = context.read(node);
    let name = match node.kind() {
        // `operator bool() const` is a single node.
        "operator_cast" => squeezed(says.split_once('(').map_or(says, |(front, _)| front)),
        "operator_name" | "destructor_name" => squeezed(says),
        _ => says.to_owned(),
    };
    Some(SymbolName { name, under: declared.under.clone(), ..SymbolName::of(context, node)? })
}

/// Returns the kind of a function in its scope.
fn function_kind(context: NodeContext<'_, '_>, level: ScopeLevel<'_>, name: &SymbolName) -> SymbolKind {
    let class = match level {
        ScopeLevel::Class(class) => {
            let of = unseen_class(class).or_else(|| class.child_by_field_name("name"));
            let of = of.map(|of| of.child_by_field_name("name").unwrap_or(of));
            Some(of.map_or("", |of| context.read(of)))
        }
        ScopeLevel::File | ScopeLevel::Local => name.under.last().map(String::as_str),
    };
    match class {
        None => SymbolKind::Function,
        Some(class) if name.name == class || name.name.starts_with('~') => SymbolKind::Constructor,
        Some(_) => SymbolKind::Method,
    }
}

/// The name of a function with a body, or of a class that the grammar takes for a function.
fn function(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let level = level(context, 1);
    if level == ScopeLevel::Local {
        return None;
    }
    if let Some(class) = unseen_class(context.node) {
        return Some(SymbolName { kind: Some(SymbolKind::Class), ..SymbolName::of(context, class)? });
    }
    let declarator = context.field("declarator")?;
    let declared = declared(context, declarator)?;
    if !declared.calls {
        // `MACRO name(void) { ... }`: the grammar takes the name for a type.
        let of = context
            .field("type")
            .filter(|of| declarator.kind() == "parenthesized_declarator" && of.kind() == "type_identifier")?;
        return SymbolName::of(context, of);
    }
    let mut name = name(context, &declared)?;
    let kind = function_kind(context, level, &name);
    // `TEST(Suite, SymbolName) { ... }`: a macro call, whose arguments distinguish it from the others.
    if kind == SymbolKind::Function && is_loud(&name.name) && context.field("type").is_none() {
        let call = context.read(declarator);
        if call.len() <= CALL {
            name.name = squeezed(call);
        }
    }
    Some(SymbolName { kind: Some(kind), ..name })
}

/// The name of one declarator of a declaration, field declaration or type definition.
pub(super) fn declarator(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let above = context.above(1)?;
    let is_type = match above.kind() {
        "declaration" | "field_declaration" => false,
        "type_definition" => true,
        _ => return None,
    };
    let level = level(context, 2);
    let node = context.node;
    if level == ScopeLevel::Local || !is_field(context, "declarator") || gives(above).is_some() {
        return None;
    }
    let declared = declared(context, node)?;
    let name = name(context, &declared)?;
    let kind = if is_type {
        SymbolKind::Type
    } else if declared.calls {
        function_kind(context, level, &name)
    } else if matches!(level, ScopeLevel::Class(_)) {
        SymbolKind::Field
    } else {
        SymbolKind::Variable
    };
    let (bits, value) = behind_field(context);
    let until = value.or(bits).map(|last| last.end_byte());
    Some(SymbolName { kind: Some(kind), until, ..name })
}

/// The range of the value of a declarator.
pub(super) fn initial(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    Some(context.field("value").or_else(|| behind_field(context).1)?.byte_range())
}

/// Returns the bits and the value behind the declarator of a field, such as `= 3` or `{3}`. A function has no value,
/// although `= 0` may follow it.
fn behind_field<'t>(context: NodeContext<'t, '_>) -> (Option<Node<'t>>, Option<Node<'t>>) {
    let is_field = context.above(1).is_some_and(|above| above.kind() == "field_declaration");
    if context.node.kind() == "function_declarator" || !is_field {
        return (None, None);
    }
    let mut next = behind(context);
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

/// Returns the type that a declaration defines under the name of its first declarator: `typedef struct {...} Name`,
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

/// The name of a declaration that names a type or an anonymous type's only variable.
fn declaration(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let of = gives(context.node)?;
    let level = level(context, 1);
    if level == ScopeLevel::Local && context.node.kind() != "type_definition" {
        return None;
    }
    let declared = declared(context, context.field("declarator")?)?;
    let name = name(context, &declared)?;
    let kind = match (context.node.kind(), of.kind(), level) {
        ("type_definition", "enum_specifier", _) => SymbolKind::Enum,
        ("type_definition", ..) => SymbolKind::Struct,
        (_, _, ScopeLevel::Class(_)) => SymbolKind::Field,
        _ => SymbolKind::Variable,
    };
    let others = others(context).map(|node| context.read(node).to_owned());
    let others: Vec<String> = others.filter(|other| *other != name.name).collect();
    let whole = (!others.is_empty()).then(|| format!("{}, {}", name.name, others.join(", ")));
    let tag = of.child_by_field_name("name").map(|tag| context.read(tag).to_owned());
    let also = tag.filter(|tag| *tag != name.name).into_iter().chain(others).chain(whole.clone());
    Some(SymbolName { kind: Some(kind), also: also.collect(), whole, ..name })
}

/// Returns the names of all declarators but the first.
fn others<'t>(context: NodeContext<'t, '_>) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = context.node.walk();
    let declarators: Vec<_> =
        context.node.children_by_field_name("declarator", &mut cursor).take(OTHERS).collect();
    declarators.into_iter().skip(1).filter_map(move |node| Some(declared(context, node)?.name))
}

/// The range of the body of the type that a declaration defines.
fn declaration_body(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    Some(gives(context.node)?.child_by_field_name("body")?.byte_range())
}

/// The name of a struct, union, class or enumeration with a body, unless a declaration names it.
pub(super) fn record(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    context.field("body")?;
    let above = context.above(1);
    if above.is_some_and(|above| above.kind() == "type_definition") {
        return None;
    }
    let mut of = context.field("name")?;
    let mut under = Vec::new();
    while of.kind() == "qualified_identifier" {
        under.extend(scope(context, of));
        of = of.child_by_field_name("name")?;
    }
    Some(SymbolName { name: squeezed(context.read(of)), under, ..SymbolName::of(context, of)? })
}
