//! Finds out whether an edit keeps a text correct by the part of the text around it. The tree of a large text takes
//! milliseconds to make, also from the tree of the text before: the parser visits each item of the file once more.
//!
//! A file of the languages that [`is_list`] names is a list of items: statements and definitions. The part begins with an
//! unchanged item in front of an edit and ends with one behind it. If a parse of the part alone finds no error, and both items
//! as before, then the parser of the whole text is in the same state at the last item as it was before the edit, and what
//! follows is unchanged. So the whole text has no error if it had none before.
//!
//! Both items are parsed without the text between the braces at their ends, since a parser has the same state after an empty
//! body as after a full one, and none of the last item is needed but its start.
//!
//! Only a token that begins in the part may reach behind it, such as a comment without an end. If the part may have one, if it
//! has an error, or if it is large, the whole text decides.

use std::ops::Range;

use tree_sitter::{InputEdit, Node, Point, Tree};

use crate::item::{Item, may_be_item};
use crate::kept::{KeptText, TextKey, TreeMemory};
use crate::parse::parse;
use crate::trees::FormerText;
use crate::{Language, ParseBudget, TreeCache, delta, guard, memory};

/// The share of a text that the part may have, as a divisor. To parse a part anew takes as long as to make the tree of a
/// text of 20 times its size from another tree, and several times as long with parts that are new to the processor.
const SHARE: usize = 48;

/// Returns true for a language whose files are lists of items, of which each may be at each place.
const fn is_list(language: Language) -> bool {
    matches!(
        language,
        Language::C
            | Language::CSharp
            | Language::Cpp
            | Language::Go
            | Language::Java
            | Language::JavaScript
            | Language::Python
            | Language::Rust
            | Language::Tsx
            | Language::TypeScript
    )
}

/// The part of a text that decides about edits of it.
#[derive(PartialEq, Eq, Debug)]
struct TextPart {
    /// The range between the two items, or to the start or the end of the text.
    range: Range<usize>,
    /// The unchanged item in front of the edits, unless the part begins the text.
    first: Option<Item>,
    /// The unchanged item behind the edits, unless the part ends the text.
    last: Option<Item>,
    /// The ends of the first and the last item between the two, which may be other ones than before.
    between: Option<[(usize, Point); 2]>,
}

impl TextPart {
    /// Returns the part around a changed range of a text. `tree` is a tree of the text before with the offsets of this text.
    fn around(text: &str, tree: &Tree, changed: &Range<usize>) -> Option<Self> {
        let most = text.len() / SHARE;
        let mut nodes = tree.walk();
        if nodes.goto_first_child_for_byte(changed.start).is_none() && !nodes.goto_last_child() {
            return None;
        }
        let mut between: Option<[(usize, Point); 2]> = None;
        let mut note = |node: &Node<'_>| {
            let end = (node.end_byte(), node.end_position());
            if may_be_item(node) {
                let [first, last] = between.unwrap_or([end; 2]);
                between = Some([first.min(end), last.max(end)]);
            }
        };
        let mut behind = nodes.clone();
        let last = loop {
            let node = behind.node();
            if node.start_byte().saturating_sub(changed.end) > most {
                return None;
            }
            if node.start_byte() > changed.end
                && let Some(item) = Item::of(&node)
            {
                break Some(item);
            }
            note(&node);
            if !behind.goto_next_sibling() {
                break None;
            }
        };
        let first = loop {
            let node = nodes.node();
            if changed.start.saturating_sub(node.end_byte()) > most {
                return None;
            }
            if node.end_byte() < changed.start
                && let Some(item) = Item::of(&node)
            {
                break Some(item);
            }
            note(&node);
            if !nodes.goto_previous_sibling() {
                break None;
            }
        };
        let start = first.as_ref().map_or(0, |item| item.range.end);
        let range = start..last.as_ref().map_or(text.len(), |item| item.range.start);
        let part = Self { range, first, last, between };
        (part.length() <= most).then_some(part)
    }

    /// Returns the length of the text that is parsed.
    fn length(&self) -> usize {
        let length = |item: &Option<Item>| item.as_ref().map_or(0, Item::length);
        length(&self.first) + self.range.len() + length(&self.last)
    }

    /// Returns the text that is parsed.
    fn content(&self, text: &str) -> String {
        let pieces = |item: &Option<Item>| item.as_ref().map_or([""; 2], |item| item.pieces(text));
        let (first, last) = (pieces(&self.first), pieces(&self.last));
        [first[0], first[1], text.get(self.range.clone()).unwrap_or_default(), last[0], last[1]].concat()
    }

    /// Marks the items between the two as changed.
    fn mark(&self, tree: &mut Tree) {
        let Some([(start_byte, start_position), (end_byte, end_position)]) = self.between else { return };
        tree.edit(&InputEdit {
            start_byte,
            old_end_byte: end_byte,
            new_end_byte: end_byte,
            start_position,
            old_end_position: end_position,
            new_end_position: end_position,
        });
    }

    /// Returns true if a tree of the part alone has the unchanged items.
    fn has_its_items(&self, tree: &Tree) -> bool {
        let mut nodes = tree.walk();
        let (mut first, mut last) = (None, None);
        let mut more = nodes.goto_first_child();
        while more {
            if let Some(item) = Item::of(&nodes.node()) {
                first = first.or_else(|| Some(item.clone()));
                last = Some(item);
            }
            more = nodes.goto_next_sibling();
        }
        let is_there = |wanted: &Option<Item>, found: Option<Item>, start: usize| {
            let Some(wanted) = wanted else { return true };
            found.is_some_and(|found| wanted.is(&found, start))
        };
        let start_of_last = self.length() - self.last.as_ref().map_or(0, Item::length);
        is_there(&self.first, first, 0) && is_there(&self.last, last, start_of_last)
    }
}

/// Returns true if a token that begins in a part may end behind it, though the part has no error: without the end of a
/// comment, `/*` is two operators, and without that of a raw string (`r#"` of Rust, `R"(` of C++) its start is a name and
/// a string. Comments of Rust nest.
fn may_reach_on(part: &str) -> bool {
    let (opened, closed) = (part.matches("/*").count(), part.matches("*/").count());
    let is_open =
        part.rfind("/*").is_some_and(|at| part.get(at + 2..).is_none_or(|rest| !rest.contains("*/")));
    is_open || opened > closed || part.contains("#\"") || part.contains("R\"")
}

impl TreeCache {
    /// Returns true if a text has no fault since the former one has none and the part around the edits has none, which
    /// `is_correct` decides for a tree without errors. Keeps the former tree for the text then.
    pub(crate) fn is_correct_around(
        &self,
        language: Language,
        (text, key): (&str, Option<TextKey>),
        former: FormerText<'_>,
        budget: &ParseBudget,
        is_correct: impl Fn(&str, &Tree) -> bool,
    ) -> bool {
        let (Some(key), Some(from)) = (key, former.text.key) else { return false };
        if !is_list(language) || budget.allows(text).is_err() || guard::allows(language, text).is_err() {
            return false;
        }
        if let Some((KeptText::Parsed { faultless, .. }, _)) = self.used_with_memory(&key) {
            return faultless;
        }
        let Some((kept, memory)) = self.used_with_memory(&from) else { return false };
        let KeptText::Parsed { mut tree, faultless: true, .. } = kept else { return false };
        let edits = delta::edits(former.text.text, text, former.edits);
        let made = delta::made(&edits);
        let (Some(first), Some(last)) = (made.first(), made.last()) else { return false };
        let before = memory::held();
        for edit in delta::tree_edits(former.text.text, text, &edits) {
            tree.edit(&edit);
        }
        let own = memory::held().saturating_sub(before);
        let changed = first.start..last.end;
        let Some(part) = TextPart::around(text, &tree, &changed) else { return false };
        let content = part.content(text);
        if may_reach_on(&content) {
            return false;
        }
        let correct = parse(language, &content, budget).is_ok_and(|tree| {
            !tree.root_node().has_error() && part.has_its_items(&tree) && is_correct(&content, &tree)
        });
        if correct {
            part.mark(&mut tree);
            let nodes = tree.root_node().descendant_count();
            let memory = TreeMemory::beside(memory, nodes, nodes, own);
            self.keep(key, KeptText::Parsed { tree, faultless: true }, memory, Some(from));
        }
        correct
    }
}

#[cfg(all(
    test,
    feature = "c",
    feature = "go",
    feature = "javascript",
    feature = "python",
    feature = "rust"
))]
mod tests;
