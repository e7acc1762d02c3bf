//! The items of a file, and what of an unchanged one the parser needs.

use std::ops::Range;

use tree_sitter::Node;

/// An item of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Item {
    kind: u16,
    /// Its range in the text, in bytes.
    pub(crate) range: Range<usize>,
    body: Option<ItemBody>,
}

/// The text between the braces at the end of an item.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ItemBody {
    /// The kinds of the nodes from the item to that with the braces.
    kinds: Vec<u16>,
    inside: Range<usize>,
}

impl ItemBody {
    /// Returns the body of an item, if the item ends with one.
    fn of(item: &Node<'_>) -> Option<Self> {
        let (mut node, mut kinds) = (*item, Vec::new());
        loop {
            let mut children = node.walk();
            if !children.goto_last_child() || children.node().end_byte() != item.end_byte() {
                return None;
            }
            let last = children.node();
            if last.kind() == "}" {
                let open = node.children(&mut node.walk()).find(|child| child.kind() == "{")?;
                return Some(Self { kinds, inside: open.end_byte()..last.start_byte() });
            }
            kinds.push(last.kind_id());
            node = last;
        }
    }
}

/// Returns true if a node of a list may be an item: comments and line ends are none.
pub(crate) fn may_be_item(node: &Node<'_>) -> bool {
    node.is_named() && !node.is_extra() && !node.byte_range().is_empty()
}

impl Item {
    /// Returns a node as an item, if it is one: a node that an edit touched may be none.
    pub(crate) fn of(node: &Node<'_>) -> Option<Self> {
        let item = || Self { kind: node.kind_id(), range: node.byte_range(), body: ItemBody::of(node) };
        (may_be_item(node) && !node.has_changes()).then(item)
    }

    /// Returns the text without its body, in two pieces.
    pub(crate) fn pieces<'t>(&self, text: &'t str) -> [&'t str; 2] {
        let cut = |range: Range<usize>| text.get(range).unwrap_or_default();
        let Range { start, end } = self.range;
        match &self.body {
            Some(ItemBody { inside, .. }) => [cut(start..inside.start), cut(inside.end..end)],
            None => [cut(start..end), ""],
        }
    }

    /// Returns the length of the text without its body.
    pub(crate) fn length(&self) -> usize {
        self.range.len() - self.body.as_ref().map_or(0, |body| body.inside.len())
    }

    /// Returns true if an item of the part, which starts at `start`, is this one without its body.
    pub(crate) fn is(&self, other: &Self, start: usize) -> bool {
        let has_same_body = match (&self.body, &other.body) {
            (None, None) => true,
            (Some(body), Some(other)) => body.kinds == other.kinds && other.inside.is_empty(),
            _ => false,
        };
        self.kind == other.kind && other.range == (start..start + self.length()) && has_same_body
    }
}
