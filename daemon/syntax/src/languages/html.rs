//! HTML: elements with an `id`, and the elements that structure a document. An element is called `tag` or `tag#id`.

use std::ops::Range;

use tree_sitter::Node;

use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, rule};

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("element", SymbolKind::Element, element, inside),
        rule("script_element", SymbolKind::Element, element, inside),
        rule("style_element", SymbolKind::Element, element, inside),
    ],
    strings: &["quoted_attribute_value"],
    closed: &["start_tag", "end_tag", "self_closing_tag"],
    ..Grammar::of(|| tree_sitter_html::LANGUAGE.into())
};

/// Elements that are listed even without an `id`.
const PARTS: &[&str] = &[
    "html", "head", "title", "style", "script", "template", "body", "header", "nav", "main", "section",
    "article", "aside", "footer", "dialog", "form", "table", "h1", "h2", "h3", "h4", "h5", "h6",
];

fn child<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    node.named_children(&mut node.walk()).find(|child| kinds.contains(&child.kind()))
}

fn opening<'t>(node: Node<'t>) -> Option<Node<'t>> {
    node.named_child(0).filter(|tag| matches!(tag.kind(), "start_tag" | "self_closing_tag"))
}

fn element(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let opening = opening(context.node)?;
    let tag = child(opening, &["tag_name"])?;
    let name = context.read(tag).to_ascii_lowercase();
    let id = opening
        .named_children(&mut opening.walk())
        .filter(|attribute| attribute.kind() == "attribute")
        .find_map(|attribute| id(context, attribute));
    let name = match id {
        Some(id) => format!("{name}#{id}"),
        None => PARTS.contains(&name.as_str()).then_some(name)?,
    };
    Some(SymbolName { name, ..SymbolName::of(context, tag)? })
}

/// Returns the value of an attribute if it is the `id`.
fn id<'s>(context: NodeContext<'_, 's>, attribute: Node<'_>) -> Option<&'s str> {
    let name = child(attribute, &["attribute_name"])?;
    if !context.read(name).eq_ignore_ascii_case("id") {
        return None;
    }
    let value = child(attribute, &["quoted_attribute_value", "attribute_value"])?;
    let value = context.read(value).trim_matches(['"', '\'']).trim();
    (!value.is_empty()).then_some(value)
}

/// The range between the tags.
fn inside(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    let opening = opening(context.node).filter(|tag| tag.kind() == "start_tag")?;
    let last =
        context.node.named_child(u32::try_from(context.node.named_child_count()).ok()?.checked_sub(1)?)?;
    let end = if last.kind() == "end_tag" { last.start_byte() } else { context.node.end_byte() };
    Some(opening.end_byte()..end)
}
