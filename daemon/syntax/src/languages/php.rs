//! PHP: namespaces with braces, types, their members and functions. Text outside of PHP code is not listed, and a
//! namespace without braces is no symbol.

use super::parts::{behind_equals, part, qualified};
use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, by_name, in_body, in_value, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("namespace_definition", SymbolKind::Module, namespace, in_body),
        rule("class_declaration", SymbolKind::Class, by_name, in_body),
        rule("interface_declaration", SymbolKind::Interface, by_name, in_body),
        rule("trait_declaration", SymbolKind::Trait, by_name, in_body),
        rule("enum_declaration", SymbolKind::Enum, by_name, in_body),
        rule("enum_case", SymbolKind::Variant, by_name, in_value),
        rule("function_definition", SymbolKind::Function, by_name, in_body),
        rule("method_declaration", SymbolKind::Method, method, in_body),
        rule("const_element", SymbolKind::Constant, constant, behind_equals),
        rule("property_element", SymbolKind::Field, property, |context| context.range_of("default_value")),
    ],
    wrappers: &["const_declaration", "property_declaration"],
    file_comments: &["#!"],
    strings: &["string", "encapsed_string", "heredoc", "nowdoc", "shell_command_expression", "text"],
    closed: &[
        "attribute_list",
        "namespace_use_declaration",
        "text",
        "string",
        "encapsed_string",
        "heredoc",
        "nowdoc",
    ],
    ..Grammar::of(|| tree_sitter_php::LANGUAGE_PHP.into())
};

/// The name of a namespace with braces. Definitions below one without braces are its siblings. `A\B` is `B` under `A`.
fn namespace(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    context.field("body")?;
    qualified(by_name(context)?, "\\")
}

/// The name of a property, such as `$name`. `name` selects it too.
fn property(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = by_name(context)?;
    let also = name.name.strip_prefix('$').map(str::to_owned).into_iter().collect();
    Some(SymbolName { also, ..name })
}

fn method(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let name = by_name(context)?;
    let makes = matches!(name.name.to_ascii_lowercase().as_str(), "__construct" | "__destruct");
    Some(SymbolName { kind: makes.then_some(SymbolKind::Constructor), ..name })
}

fn constant(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    SymbolName::of(context, part(context.node, |child| child.kind() == "name")?)
}
