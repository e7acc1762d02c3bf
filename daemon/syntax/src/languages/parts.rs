//! What several languages ask of a node. It never asks a node for its parent or its neighbours, which are looked for
//! from the root down; the node above is given, and its children are found by their places.

use tree_sitter::{Node, TreeCursor};

use crate::grammar::{Name, Seen};

/// Children that are looked through for a part that has no field: in front of it stand some modifiers.
const PARTS: usize = 32;

/// The first child of some kind, among the first ones.
pub(super) fn part<'t>(node: Node<'t>, is: impl Fn(Node<'t>) -> bool) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(PARTS).find(|child| is(*child))
}

/// The child behind a token such as `=`, among the first ones.
pub(super) fn behind_token<'t>(node: Node<'t>, token: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(PARTS).skip_while(|child| child.kind() != token).nth(1)
}

/// Whether a node is that field of the node above.
pub(super) fn is_field(seen: Seen<'_, '_>, field: &str) -> bool {
    let Some(above) = seen.above(1) else { return false };
    let mut cursor = above.walk();
    let is_there = cursor.goto_first_child_for_byte(seen.node.start_byte()).is_some();
    is_there && cursor.field_name() == Some(field)
}

/// The nodes directly behind a node, in the one above.
pub(super) fn behind<'t>(seen: Seen<'t, '_>) -> Behind<'t> {
    let cursor = seen.above(1).map(|above| above.walk()).and_then(|mut cursor| {
        cursor.goto_first_child_for_byte(seen.node.end_byte())?;
        Some(cursor)
    });
    Behind { cursor }
}

/// See [`behind`].
pub(super) struct Behind<'t> {
    cursor: Option<TreeCursor<'t>>,
}

impl<'t> Iterator for Behind<'t> {
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

/// Whether a name is written as that of a constant or macro: letters, none of them small.
pub(super) fn is_loud(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

/// A name whose qualifier stands in front of it, as in `A::B`: it is called `B`, under `A`.
pub(super) fn qualified(name: Name, separator: &str) -> Option<Name> {
    let mut names: Vec<String> = name.name.split(separator).map(squeezed).collect();
    names.retain(|name| !name.is_empty());
    let last = names.pop()?;
    Some(Name { name: last, under: names, ..name })
}

/// A text without the white space that is only there for the eye: one blank between two words, none elsewhere but
/// behind a comma.
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
