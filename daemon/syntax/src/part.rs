//! Finds out whether an edit keeps a text correct by the part of the text around it. The tree of a large text takes
//! milliseconds to make, also from the tree of the text before: the parser visits each item of the file once more.
//!
//! A file of the languages that [`is_list`] names is a list of items: statements, definitions and comments. If the items around
//! an edit are a correct list by themselves, they are one between the unchanged items, too. The part begins and ends where
//! no token reaches across:
//!
//! * It begins with an item whose first byte is unchanged, and it ends with one whose last byte is, at the end of a line.
//! * A parser that inserts semicolons looks at the token behind an item, so it gets one more item.
//!
//! Otherwise, or if an error is found, the whole text decides.

use std::ops::Range;

use tree_sitter::Tree;

use crate::kept::{KeptText, TextKey, TreeMemory};
use crate::parse::parse;
use crate::trees::FormerText;
use crate::{Language, ParseBudget, TreeCache, delta, memory};

/// The share of a text that the part may have, as a divisor. To parse a part anew takes as long as to make the tree of a
/// text of about 20 times its size from another tree.
const SHARE: usize = 16;

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

/// Returns true for a language whose statements need no semicolon, depending on the next token.
const fn inserts_semicolons(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::Tsx | Language::TypeScript)
}

/// Returns the part of a text that decides about edits of it. `tree` is a tree of the text before with the offsets of this
/// text, and `changed` is the range of this text that the edits made.
fn part_around(language: Language, text: &str, tree: &Tree, changed: Range<usize>) -> Option<Range<usize>> {
    let mut items = tree.walk();
    if items.goto_first_child_for_byte(changed.start.saturating_sub(1)).is_none() && !items.goto_last_child()
    {
        return None;
    }
    let mut start = items.node().start_byte();
    if changed.start <= start {
        let mut before = items.clone();
        start = if before.goto_previous_sibling() { before.node().start_byte() } else { 0 };
    }
    let mut more = inserts_semicolons(language);
    let end = loop {
        let item = items.node().byte_range();
        if item.end.saturating_sub(start) > text.len() / SHARE {
            return None;
        }
        if item.end > changed.end {
            let line = text.get(item.end..)?.split('\n').next().unwrap_or_default();
            let ends_line = line.trim_start().is_empty();
            if ends_line && !(more && item.start < changed.end) {
                break text.len().min(item.end + line.len() + 1);
            }
            more &= !ends_line || item.start >= changed.end;
        }
        if !items.goto_next_sibling() {
            break text.len();
        }
    };
    let part = text.get(start..end)?;
    // Only the first line of a file is one for the system.
    let is_first_line = start > 0 && part.starts_with("#!");
    (!is_first_line && part.len() <= text.len() / SHARE).then_some(start..end)
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
        if !is_list(language) || budget.allows(text).is_err() {
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
        let Some(part) = part_around(language, text, &tree, first.start..last.end) else { return false };
        let part = text.get(part).unwrap_or_default();
        let correct = parse(language, part, budget)
            .is_ok_and(|tree| !tree.root_node().has_error() && is_correct(part, &tree));
        if correct {
            let nodes = tree.root_node().descendant_count();
            let memory = TreeMemory::beside(memory, nodes, nodes, own);
            self.keep(key, KeptText::Parsed { tree, faultless: true, edited: true }, memory, Some(from));
        }
        correct
    }
}

#[cfg(all(test, feature = "rust", feature = "javascript", feature = "python"))]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::trees::KnownText;

    /// Returns the part that decides about an edit, in which `from` becomes `to`.
    fn part(language: Language, old: &str, from: &str, to: &str) -> Option<String> {
        // Below the limit of its share, every part counts.
        let rest = "a = 1;\n".repeat(20 * old.len());
        let old =
            if language == Language::Rust { rest.replace("a =", "const A: u8 =") + old } else { rest + old };
        let new = old.replace(from, to);
        let mut tree = parse(language, &old, &ParseBudget::default()).unwrap();
        assert!(!tree.root_node().has_error(), "{language:?}");
        let edits = delta::edits(&old, &new, None);
        delta::tree_edits(&old, &new, &edits).iter().for_each(|edit| tree.edit(edit));
        let made = delta::made(&edits);
        let part = part_around(language, &new, &tree, made.first()?.start..made.last()?.end)?;
        Some(new.get(part).unwrap().to_owned())
    }

    #[test]
    fn a_part_has_the_items_that_an_edit_touches() {
        let rust = |from, to| {
            part(Language::Rust, "fn f() {\n  x();\n}\n\nfn g() {}\nfn h() {} // h\nfn i() {}\n", from, to)
        };
        assert_eq!(rust("x();", "y(z);").unwrap(), "fn f() {\n  y(z);\n}\n");
        assert_eq!(rust("x();", "y(z); } //").unwrap(), "fn f() {\n  y(z); } //\n}\n");
        assert_eq!(rust("fn g", "pub fn g").unwrap(), "fn f() {\n  x();\n}\n\npub fn g() {}\n");
        assert_eq!(rust("fn g() {}", "fn g() {};").unwrap(), "fn g() {};\nfn h() {} // h\n");
        assert_eq!(rust("fn g() {}\n", "").unwrap(), "fn h() {} // h\n");
        assert_eq!(rust("fn h() {", "fn h() { x").unwrap(), "fn h() { x} // h\n");
        assert_eq!(rust("fn i() {}\n", "fn i() {}\nfn j() {}\n").unwrap(), "fn i() {}\nfn j() {}\n");
        assert_eq!(rust("fn g", "#!/bin/x\nfn g").unwrap(), "fn f() {\n  x();\n}\n\n#!/bin/x\nfn g() {}\n");
        let script =
            |from, to| part(Language::JavaScript, "f = g(1)\nh(2)\n(i)\nj(3); k(4)\nl(5)\n", from, to);
        assert_eq!(script("g(1", "g(2").unwrap(), "f = g(2)\nh(2)\n(i)\n");
        assert_eq!(script("j(3", "j(6").unwrap(), "j(6); k(4)\n");
        let python = |from, to| part(Language::Python, "def f():\n    x\n\ndef g():\n    y\n", from, to);
        assert_eq!(python("    x", "    z\n").unwrap(), "def f():\n    z\n\n\ndef g():\n    y\n");
    }

    #[test]
    fn the_former_tree_is_kept_while_the_part_is_correct() {
        let budget = ParseBudget::default();
        let texts: Vec<String> = ["a();", "b(c);", "b(c; d);", "b(d);"]
            .map(|call| format!("{0}fn f() {{ {call} }}\n{0}", "fn g() { h(i, j); }\n".repeat(100)))
            .into();
        let trees = TreeCache::new(usize::MAX);
        let key = |text: &str| Some(TextKey::of(Language::Rust, text));
        let decided = |old: &str, new: &str| {
            let former = FormerText { text: KnownText { text: old, key: key(old) }, edits: None };
            trees.is_correct_around(Language::Rust, (new, key(new)), former, &budget, |_, _| true)
        };
        let [a, b, broken, d] = texts.as_slice() else { unreachable!() };
        assert!(!decided(a, b), "no tree is kept");
        trees.tree(Language::Rust, KnownText::new(a), None, &budget).unwrap();
        assert!(!decided(a, b), "it may have faults");
        trees.faultless(key(a));
        assert!(decided(a, b) && decided(b, d) && decided(d, d));
        assert!(!decided(d, broken));
        let made = trees.tree(Language::Rust, KnownText::new(d), None, &budget).unwrap();
        let whole = parse(Language::Rust, d, &budget).unwrap();
        assert_eq!(made.tree.root_node().to_sexp(), whole.root_node().to_sexp());
        assert!(made.faultless && !made.tree.root_node().has_changes());
    }
}
