//! What defines something in Rust.

use std::ops::Range;

use tree_sitter::Node;

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name, by_name_listed, in_body, in_value, no_body};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_rust::LANGUAGE.into(),
    rules: &[
        Rule { node: "mod_item", kind: Kind::Module, name: by_name, body: in_body },
        Rule { node: "struct_item", kind: Kind::Struct, name: by_name, body: in_body },
        Rule { node: "union_item", kind: Kind::Struct, name: by_name, body: in_body },
        Rule { node: "enum_item", kind: Kind::Enum, name: by_name, body: in_body },
        Rule { node: "enum_variant", kind: Kind::Variant, name: by_name_listed, body: of_variant },
        Rule { node: "field_declaration", kind: Kind::Field, name: by_name_listed, body: no_body },
        Rule { node: "trait_item", kind: Kind::Trait, name: by_name, body: in_body },
        Rule { node: "impl_item", kind: Kind::Impl, name: implementation, body: in_body },
        Rule { node: "function_item", kind: Kind::Function, name: function, body: in_body },
        Rule { node: "function_signature_item", kind: Kind::Function, name: function, body: no_body },
        Rule { node: "const_item", kind: Kind::Constant, name: by_name, body: in_value },
        Rule { node: "static_item", kind: Kind::Variable, name: by_name, body: in_value },
        Rule { node: "type_item", kind: Kind::Type, name: by_name, body: of_type },
        Rule { node: "associated_type", kind: Kind::Type, name: by_name, body: no_body },
        Rule { node: "macro_definition", kind: Kind::Macro, name: by_name, body: of_macro },
    ],
    wrappers: &[],
    comments: &["line_comment", "block_comment"],
    attributes: &["attribute_item"],
    aloof: &["//!", "/*!", "#!"],
    strings: &["string_literal", "raw_string_literal", "char_literal"],
    closed: &["token_tree", "string_literal", "raw_string_literal", "use_declaration"],
};

/// A function of an implementation or a trait is a method.
fn function(seen: Seen<'_, '_>) -> Option<Name> {
    let is_method = seen.above(2).is_some_and(|node| matches!(node.kind(), "impl_item" | "trait_item"));
    Some(Name { kind: is_method.then_some(Kind::Method), ..by_name(seen)? })
}

/// `impl Type` or `impl Trait for Type`, without generic parameters of its own; the name of the type leads through it.
fn implementation(seen: Seen<'_, '_>) -> Option<Name> {
    let of = seen.field("type")?;
    let on_one_line = |node| seen.read(node).split_whitespace().collect::<Vec<_>>().join(" ");
    let name = match seen.field("trait") {
        Some(of_trait) => format!("impl {} for {}", on_one_line(of_trait), on_one_line(of)),
        None => format!("impl {}", on_one_line(of)),
    };
    Some(Name { name, alias: Some(seen.read(base(of)).to_owned()), ..Name::of(seen, of)? })
}

/// Nodes in a type that are looked through.
const TYPE: usize = 16;

/// The type itself, without its parameters, its path, and `&` and `dyn` in front.
fn base(of: Node<'_>) -> Node<'_> {
    fn inner<'t>(node: &Node<'t>) -> Option<Node<'t>> {
        match node.kind() {
            "generic_type" | "reference_type" | "pointer_type" => node.child_by_field_name("type"),
            "scoped_type_identifier" => node.child_by_field_name("name"),
            "dynamic_type" => node.child_by_field_name("trait"),
            _ => None,
        }
    }
    std::iter::successors(Some(of), inner).take(TYPE).last().unwrap_or(of)
}

fn of_variant(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    in_body(seen).or_else(|| in_value(seen))
}

fn of_type(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    Some(seen.field("type")?.byte_range())
}

/// The rules of a macro with the brackets around them.
fn of_macro(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    let mut cursor = seen.node.walk();
    let mut children = seen.node.children(&mut cursor).skip_while(|child| child.kind() != "identifier");
    let open = children.find(|child| matches!(child.kind(), "{" | "(" | "["))?;
    let close = children.filter(|child| matches!(child.kind(), "}" | ")" | "]")).last()?;
    Some(open.start_byte()..close.end_byte())
}
