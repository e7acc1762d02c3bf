//! Java: types, their members and the constants of enumerations. A method of an anonymous class has no name path.

use super::parts::is_loud;
use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, by_name, by_name_listed, in_body, in_value};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_java::LANGUAGE.into(),
    rules: &[
        Rule { node: "module_declaration", kind: Kind::Module, name: by_name, body: in_body },
        Rule { node: "class_declaration", kind: Kind::Class, name: by_name, body: in_body },
        Rule { node: "record_declaration", kind: Kind::Class, name: by_name, body: in_body },
        Rule { node: "interface_declaration", kind: Kind::Interface, name: by_name, body: in_body },
        Rule { node: "annotation_type_declaration", kind: Kind::Interface, name: by_name, body: in_body },
        Rule {
            node: "annotation_type_element_declaration",
            kind: Kind::Method,
            name: by_name,
            body: in_value,
        },
        Rule { node: "enum_declaration", kind: Kind::Enum, name: by_name, body: in_body },
        Rule { node: "enum_constant", kind: Kind::Variant, name: by_name_listed, body: in_body },
        Rule { node: "method_declaration", kind: Kind::Method, name: by_name, body: in_body },
        Rule { node: "constructor_declaration", kind: Kind::Constructor, name: by_name, body: in_body },
        Rule {
            node: "compact_constructor_declaration",
            kind: Kind::Constructor,
            name: by_name,
            body: in_body,
        },
        Rule { node: "variable_declarator", kind: Kind::Field, name: field, body: in_value },
    ],
    wrappers: &["field_declaration", "constant_declaration"],
    comments: &["line_comment", "block_comment"],
    attributes: &[],
    aloof: &[],
    strings: &["string_literal", "character_literal"],
    closed: &["import_declaration", "object_creation_expression", "string_literal"],
};

/// A declarator of a field; those of interfaces are constants, and those that are written as constants.
fn field(seen: Seen<'_, '_>) -> Option<Name> {
    let constant = match seen.above(1)?.kind() {
        "constant_declaration" => true,
        "field_declaration" => false,
        _ => return None,
    };
    let name = by_name(seen)?;
    let constant = constant || is_loud(&name.name);
    Some(Name { kind: constant.then_some(Kind::Constant), ..name })
}
