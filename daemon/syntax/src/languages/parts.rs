//! Helper functions for several languages. None asks a node for its parent or siblings, since tree-sitter finds those
//! by walking down from the root. The parent is passed in, and its children are found by offset.

use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use crate::grammar::{NodeContext, SymbolName};

/// Maximum number of children that are searched for one without a field. A few modifiers may be in front of it.
const PARTS: usize = 32;

/// Returns the first child that satisfies `is`, among the first [`PARTS`].
pub(super) fn part<'t>(node: Node<'t>, is: impl Fn(Node<'t>) -> bool) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(PARTS).find(|child| is(*child))
}

/// Returns the child behind a token such as `=`, among the first [`PARTS`].
pub(super) fn behind_token<'t>(node: Node<'t>, token: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(PARTS).skip_while(|child| child.kind() != token).nth(1)
}

/// Returns the range of the value behind the `=` of a declarator.
pub(super) fn behind_equals(context: NodeContext<'_, '_>) -> Option<Range<usize>> {
    Some(behind_token(context.node, "=")?.byte_range())
}

/// Returns true if the node is the given field of its parent.
pub(super) fn is_field(context: NodeContext<'_, '_>, field: &str) -> bool {
    let Some(above) = context.above(1) else { return false };
    let mut cursor = above.walk();
    let is_there = cursor.goto_first_child_for_byte(context.node.start_byte()).is_some();
    is_there && cursor.field_name() == Some(field)
}

/// Returns the siblings behind the node.
pub(super) fn behind<'t>(context: NodeContext<'t, '_>) -> FollowingNodes<'t> {
    let cursor = context.above(1).map(|above| above.walk()).and_then(|mut cursor| {
        cursor.goto_first_child_for_byte(context.node.end_byte())?;
        Some(cursor)
    });
    FollowingNodes { cursor }
}

/// The iterator of [`behind`].
pub(super) struct FollowingNodes<'t> {
    cursor: Option<TreeCursor<'t>>,
}

impl<'t> Iterator for FollowingNodes<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        let cursor = self.cursor.as_mut()?;
        let node = cursor.node();
        if !cursor.goto_next_sibling() {
            self.cursor = None;
        }
        Some(node)
    }
}

/// Returns true if a name is written like a constant or macro: with uppercase and without lowercase letters.
pub(super) fn is_loud(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

/// Splits a qualified name such as `A::B` into the name `B` and the qualifier `A`.
pub(super) fn qualified(name: SymbolName, separator: &str) -> Option<SymbolName> {
    let mut names: Vec<String> = name.name.split(separator).map(squeezed).collect();
    names.retain(|name| !name.is_empty());
    let last = names.pop()?;
    Some(SymbolName { name: last, under: names, ..name })
}

/// Returns the text without redundant white space. One blank stays between two words and behind a comma.
pub(super) fn squeezed(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut gap = false;
    for letter in text.chars() {
        if letter.is_whitespace() {
            gap = true;
            continue;
        }
        let last = said.chars().next_back();
        if last == Some(',') || (gap && is_word(letter) && last.is_some_and(is_word)) {
            said.push(' ');
        }
        said.push(letter);
        gap = false;
    }
    said
}
