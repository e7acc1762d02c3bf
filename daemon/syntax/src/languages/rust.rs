//! Rust: modules, types, fields, traits, implementations, functions, constants and macros.

use std::ops::Range;

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{
    Grammar, NodeContext, SymbolName, by_name, by_name_listed, in_body, in_value, no_body, rule,
};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("mod_item", SymbolKind::Module, by_name, in_body),
        rule("struct_item", SymbolKind::Struct, by_name, in_body),
        rule("union_item", SymbolKind::Struct, by_name, in_body),
        rule("enum_item", SymbolKind::Enum, by_name, in_body),
        rule("enum_variant", SymbolKind::Variant, by_name_listed, of_variant),
        rule("field_declaration", SymbolKind::Field, by_name_listed, no_body),
        rule("trait_item", SymbolKind::Trait, by_name, in_body),
        rule("impl_item", SymbolKind::Impl, implementation, in_body),
        rule("function_item", SymbolKind::Function, function, in_body),
        rule("function_signature_item", SymbolKind::Function, function, no_body),
        rule("const_item", SymbolKind::Constant, by_name, in_value),
        rule("static_item", SymbolKind::Variable, by_name, in_value),
        rule("type_item", SymbolKind::Type, by_name, |context| context.range_of("type")),
        rule("associated_type", SymbolKind::Type, by_name, no_body),
        rule("macro_definition", SymbolKind::Macro, by_name, of_macro),
    ],
    comments: &["line_comment", "block_comment"],
    attributes: &["attribute_item"],
    file_comments: &["//!", "/*!", "#!"],
    strings: &["string_literal", "raw_string_literal", "char_literal"],
    closed: &["token_tree", "string_literal", "raw_string_literal", "use_declaration"],
    words: &[
        "mod",
        "struct",
        "union",
        "enum",
        "trait",
        "impl",
        "fn",
        "const",
        "static",
        "type",
        "macro_rules",
    ],
    lists: &["field_declaration_list", "enum_variant_list"],
    ..Grammar::of(|| tree_sitter_rust::LANGUAGE.into())
};

/// The name of a function. In an implementation or a trait it is a method.
fn function(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let is_method = context.above(2).is_some_and(|node| matches!(node.kind(), "impl_item" | "trait_item"));
    Some(SymbolName { kind: is_method.then_some(SymbolKind::Method), ..by_name(context)? })
}

/// The name `impl Type` or `impl Trait for Type`, without the generic parameters of the implementation. The name of the
/// type selects its members too.
fn implementation(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let of = context.field("type")?;
    let on_one_line = |node| context.read(node).split_whitespace().collect::<Vec<_>>().join(" ");
    let name = match context.field("trait") {
        Some(of_trait) => format!("impl {} for {}", on_one_line(of_trait), on_one_line(of)),
        None => format!("impl {}", on_one_line(of)),
    };
    Some(SymbolName { name, alias: Some(context.read(base(of)).to_owned()), ..SymbolName::of(context, of)? })
}

/// Maximum number of nodes that are followed in a type.
const TYPE: usize = 16;

/// Returns the type without its parameters, its path, and `&` and `dyn` in front.
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

fn of_variant(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    in_body(context).or_else(|| in_value(context))
}

/// The range of the rules of a macro, with the brackets around them.
fn of_macro(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    let mut cursor = context.node.walk();
    let mut children = context.node.children(&mut cursor).skip_while(|child| child.kind() != "identifier");
    let open = children.find(|child| matches!(child.kind(), "{" | "(" | "["))?;
    let close = children.filter(|child| matches!(child.kind(), "}" | ")" | "]")).last()?;
    Some(open.start_byte()..close.end_byte())
}
