//! HTML: elements with an `id`, and those that give a document its parts. An element is called `tag` or `tag#id`.

use std::ops::Range;

use tree_sitter::Node;

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_html::LANGUAGE.into(),
    rules: &[
        Rule { node: "element", kind: Kind::Element, name: element, body: inside },
        Rule { node: "script_element", kind: Kind::Element, name: element, body: inside },
        Rule { node: "style_element", kind: Kind::Element, name: element, body: inside },
    ],
    wrappers: &[],
    comments: &["comment"],
    attributes: &[],
    aloof: &[],
    strings: &["quoted_attribute_value"],
    closed: &["start_tag", "end_tag", "self_closing_tag"],
};

/// Elements that are listed without an `id`.
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

fn element(seen: Seen<'_, '_>) -> Option<Name> {
    let opening = opening(seen.node)?;
    let tag = child(opening, &["tag_name"])?;
    let name = seen.read(tag).to_ascii_lowercase();
    let id = opening
        .named_children(&mut opening.walk())
        .filter(|attribute| attribute.kind() == "attribute")
        .find_map(|attribute| id(seen, attribute));
    let name = match id {
        Some(id) => format!("{name}#{id}"),
        None => PARTS.contains(&name.as_str()).then_some(name)?,
    };
    Some(Name { name, ..Name::of(seen, tag)? })
}

/// The value of an attribute, where it is the `id`.
fn id<'s>(seen: Seen<'_, 's>, attribute: Node<'_>) -> Option<&'s str> {
    let name = child(attribute, &["attribute_name"])?;
    if !seen.read(name).eq_ignore_ascii_case("id") {
        return None;
    }
    let value = child(attribute, &["quoted_attribute_value", "attribute_value"])?;
    let value = seen.read(value).trim_matches(['"', '\'']).trim();
    (!value.is_empty()).then_some(value)
}

/// What stands between the tags.
fn inside(seen: Seen<'_, '_>) -> Option<Range<usize>> {
    let opening = opening(seen.node).filter(|tag| tag.kind() == "start_tag")?;
    let last = seen.node.named_child(u32::try_from(seen.node.named_child_count()).ok()?.checked_sub(1)?)?;
    let end = if last.kind() == "end_tag" { last.start_byte() } else { seen.node.end_byte() };
    Some(opening.end_byte()..end)
}
