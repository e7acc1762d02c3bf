//! Finds out whether an edit keeps a text correct by the part of the text around it. The tree of a large text takes
//! milliseconds to make, also from the tree of the text before: the parser visits each item of the file once more.
//!
//! A file of the languages that [`is_list`] names is a list of items: statements and definitions. The part begins with an
//! unchanged item in front of an edit and ends with one behind it. If a parse of the part alone finds no error, and both items
//! as before, then the parser of the whole text is in the same state at the last item as it was before the edit, and what
//! follows is unchanged. So the whole text has no error if it had none before.
//!
//! Only a token that begins in the part may reach behind it, such as a comment without an end. If the part may have one, if it
//! has an error, or if it is large, the whole text decides.

use std::ops::Range;

use tree_sitter::{InputEdit, Node, Point, Tree};

use crate::kept::{KeptText, TextKey, TreeMemory};
use crate::parse::parse;
use crate::trees::FormerText;
use crate::{Language, ParseBudget, TreeCache, delta, memory};

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

/// An item of a file: its kind and its range.
type Item = (u16, Range<usize>);

/// The part of a text that decides about edits of it.
#[derive(PartialEq, Eq, Debug)]
struct TextPart {
    range: Range<usize>,
    /// The unchanged item in front of the edits, unless the part begins the text.
    first: Option<Item>,
    /// The unchanged item behind the edits, unless the part ends the text.
    last: Option<Item>,
    /// The offsets and places between which the items may be other ones than before.
    between: [(usize, Point); 2],
}

/// Returns a node as an item, if it is one: comments and line ends are none, and a node that an edit touched may be none.
fn item(node: &Node<'_>) -> Option<Item> {
    (node.is_named() && !node.is_extra() && !node.has_changes() && !node.byte_range().is_empty())
        .then(|| (node.kind_id(), node.byte_range()))
}

impl TextPart {
    /// Returns the part around a changed range of a text. `tree` is a tree of the text before with the offsets of this text.
    fn around(text: &str, tree: &Tree, changed: &Range<usize>) -> Option<Self> {
        let most = text.len() / SHARE;
        let mut nodes = tree.walk();
        if nodes.goto_first_child_for_byte(changed.start).is_none() && !nodes.goto_last_child() {
            return None;
        }
        let root = tree.root_node();
        let mut between = [(0, Point::new(0, 0)), (root.end_byte(), root.end_position())];
        let mut behind = nodes.clone();
        let last = loop {
            let node = behind.node();
            if node.start_byte().saturating_sub(changed.end) > most {
                return None;
            }
            if let Some(item) = item(&node).filter(|(_, range)| range.start > changed.end) {
                between[1] = (node.start_byte(), node.start_position());
                break Some(item);
            }
            if !behind.goto_next_sibling() {
                break None;
            }
        };
        let first = loop {
            let node = nodes.node();
            if changed.start.saturating_sub(node.end_byte()) > most {
                return None;
            }
            if let Some(item) = item(&node).filter(|(_, range)| range.end < changed.start) {
                between[0] = (node.end_byte(), node.end_position());
                break Some(item);
            }
            if !nodes.goto_previous_sibling() {
                break None;
            }
        };
        let start = first.as_ref().map_or(0, |(_, range)| range.start);
        let range = start..last.as_ref().map_or(text.len(), |(_, range)| range.end);
        (range.len() <= most).then_some(Self { range, first, last, between })
    }

    /// Marks the items around the edits as changed: they may be parts of others now.
    fn mark(&self, tree: &mut Tree) {
        let [(start_byte, start_position), (end_byte, end_position)] = self.between;
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
        let mut found = (None, None);
        let mut more = nodes.goto_first_child();
        while more {
            if let Some(item) = item(&nodes.node()) {
                found.0 = found.0.or_else(|| Some(item.clone()));
                found.1 = Some(item);
            }
            more = nodes.goto_next_sibling();
        }
        let is_there = |wanted: &Option<Item>, found: Option<Item>| {
            let moved =
                |(kind, range): &Item| (*kind, range.start - self.range.start..range.end - self.range.start);
            wanted.as_ref().is_none_or(|wanted| found == Some(moved(wanted)))
        };
        is_there(&self.first, found.0) && is_there(&self.last, found.1)
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
        let changed = first.start..last.end;
        let Some(part) = TextPart::around(text, &tree, &changed) else { return false };
        let content = text.get(part.range.clone()).unwrap_or_default();
        if may_reach_on(content) {
            return false;
        }
        let correct = parse(language, content, budget).is_ok_and(|tree| {
            !tree.root_node().has_error() && part.has_its_items(&tree) && is_correct(content, &tree)
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
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::trees::KnownText;

    /// Returns true if the part around an edit, in which `from` becomes `to`, decides that a long text is correct.
    fn accepts(language: Language, lines: &str, from: &str, to: &str) -> bool {
        let filler = match language {
            Language::Rust => "fn g() {}\n",
            Language::C => "int g;\n",
            Language::Go => "func g() {\n}\n",
            _ => "g();\n",
        };
        let around = filler.repeat(40 * lines.len());
        let (old, new) =
            (format!("{around}{lines}{around}"), format!("{around}{}{around}", lines.replace(from, to)));
        let (trees, budget) = (TreeCache::new(usize::MAX), ParseBudget::default());
        let text = |text| KnownText { text, key: Some(TextKey::of(language, text)) };
        let kept = trees.tree(language, text(&old), None, &budget).unwrap();
        assert!(!kept.tree.root_node().has_error(), "{lines}");
        trees.faultless(kept.key);
        let (former, new) = (FormerText { text: text(&old), edits: None }, text(&new));
        let accepts = trees.is_correct_around(language, (new.text, new.key), former, &budget, |_, _| true);
        assert!(
            !accepts || !parse(language, new.text, &budget).unwrap().root_node().has_error(),
            "{lines} {to}"
        );
        accepts
    }

    #[test]
    fn a_part_decides_only_if_the_items_beside_it_stay() {
        let rust =
            |from, to| accepts(Language::Rust, "// a\nfn f() {\n  x();\n}\n/* b */ fn h() {}\n", from, to);
        assert!(rust("x();", "y(z);"));
        assert!(rust("fn h", "pub fn h"));
        assert!(rust("fn h() {}", ""));
        assert!(rust("/* b */ fn h() {}\n", "fn h() {}\nfn i() {}\n"));
        assert!(!rust("x();", "x(;"));
        assert!(!rust("fn f", "#!/bin/x\nfn f"));
        assert!(!rust("x();", "x() /* "));
        assert!(!rust("/* b", "/* b */ ]"));
        assert!(!rust("x();", "x!(r#\"a);\n  y(\"b\");"));
        assert!(!rust("x();", "x!(a /* /* */);"));
        let script = |lines, from, to| accepts(Language::JavaScript, lines, from, to);
        assert!(script("let a = b;\n// c\nd();\n", "a", "e"));
        assert!(!script("let a = b;\n// c\n[...d].f();\n", "b;", "b"));
        assert!(!script("// abc\n[...d].f();\n", "// abc", "abc"));
        assert!(!script("import a from 'a'\n// c\nfoo();\n", "foo();", "(async () => {})();"));
        assert!(!script("import a from 'b'\n++c;\n", "++c", "+c"));
        let python = |lines, from, to| accepts(Language::Python, lines, from, to);
        assert!(python("x = 1; i\ny = 2\n", "i", "j"));
        assert!(!python("x = 1; i\ny = 2\n", "i", "if a: pass"));
        assert!(!python("# abc \\\nx = 1\n", "# abc", "abc"));
        let go = |lines, from, to| accepts(Language::Go, lines, from, to);
        assert!(go("func q() {\n\ta()\n}\nvar b = 1\n", "a()", "b()"));
        assert!(!go("func q() {\n\ta()\n}\nvar b = 1\n", "func q() {\n", ""));
        assert!(!go("var a = 1\nvar b = 1\n", "var b", "}}}\nvar b"));
        assert!(!accepts(Language::C, "int a;\nint c() { return 1; }\n", "int a", "case 1: int a"));
    }

    #[test]
    fn the_former_tree_is_kept_while_the_part_is_correct() {
        let budget = ParseBudget::default();
        let texts: Vec<String> = ["a();", "b(c);", "b(c; d);", "b(d);"]
            .map(|call| format!("{0}fn f() {{ {call} }}\n{0}", "fn g() { h(i, j); }\n".repeat(200)))
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
