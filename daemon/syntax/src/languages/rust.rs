//! What defines something in Rust.

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name, by_name_listed, in_body, in_value, no_body};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_rust::LANGUAGE.into(),
    rules: &[
        Rule { node: "mod_item", kind: Kind::Module, name: by_name, body: in_body },
        Rule { node: "struct_item", kind: Kind::Struct, name: by_name, body: in_body },
        Rule { node: "union_item", kind: Kind::Struct, name: by_name, body: in_body },
        Rule { node: "enum_item", kind: Kind::Enum, name: by_name, body: in_body },
        Rule { node: "enum_variant", kind: Kind::Variant, name: by_name_listed, body: in_body },
        Rule { node: "field_declaration", kind: Kind::Field, name: by_name_listed, body: no_body },
        Rule { node: "trait_item", kind: Kind::Trait, name: by_name, body: in_body },
        Rule { node: "impl_item", kind: Kind::Impl, name: implementation, body: in_body },
        Rule { node: "function_item", kind: Kind::Function, name: function, body: in_body },
        Rule { node: "function_signature_item", kind: Kind::Function, name: function, body: no_body },
        Rule { node: "const_item", kind: Kind::Constant, name: by_name, body: in_value },
        Rule { node: "static_item", kind: Kind::Variable, name: by_name, body: in_value },
        Rule { node: "type_item", kind: Kind::Type, name: by_name, body: no_body },
        Rule { node: "associated_type", kind: Kind::Type, name: by_name, body: no_body },
        Rule { node: "macro_definition", kind: Kind::Macro, name: by_name, body: no_body },
    ],
    wrappers: &[],
    comments: &["line_comment", "block_comment"],
    attributes: &["attribute_item"],
    aloof: &["//!", "/*!", "#!"],
    closed: &["token_tree", "string_literal", "raw_string_literal", "use_declaration"],
};

/// A function of an implementation or a trait is a method.
fn function(seen: Seen<'_, '_>) -> Option<Name> {
    let is_method = seen.above(2).is_some_and(|node| matches!(node.kind(), "impl_item" | "trait_item"));
    Some(Name { kind: is_method.then_some(Kind::Method), ..by_name(seen)? })
}

/// `impl Type` or `impl Trait for Type`, without generic parameters of its own; `Type` leads through it.
fn implementation(seen: Seen<'_, '_>) -> Option<Name> {
    let of = seen.field("type")?;
    let base = of.child_by_field_name("type").unwrap_or(of);
    let type_name = seen.read(of);
    let name = match seen.field("trait") {
        Some(of_trait) => format!("impl {} for {type_name}", seen.read(of_trait)),
        None => format!("impl {type_name}"),
    };
    let alias = Some(seen.read(base).to_owned());
    Some(Name { name, alias, ..Name::of(seen, of)? })
}
