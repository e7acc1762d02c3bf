//! Keeps the trees of recent texts, so that a text that differs little from a recent one takes little time to parse.
//!
//! *Invariants*: the trees that are kept take at most the memory that the cache was created with; the trees that were
//! used longest ago are removed first. Two trees that share nodes are charged for them once. A tree that was made of
//! another one has no errors: a text in which an error is found is always parsed as a whole. A text that is kept always
//! gives the same tree. The tree of a text that was only checked in part (`part`) is made when it is asked for.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tree_sitter::Tree;

use crate::delta::{self, TextEdit};
use crate::errors::has_hidden_errors;
use crate::kept::{KeptText, KeptTrees, TextKey, TreeMemory};
use crate::parse::{parse, parse_from, whole_lines};
use crate::{Language, ParseBudget, ParseError, memory};

/// The trees of recent texts. The default keeps none.
#[derive(Debug, Default)]
pub struct TreeCache {
    most: usize,
    kept: Mutex<KeptTrees>,
}

/// The part of a text that edits may change before it is parsed again, if it had too many errors.
const CHANGED_PART: usize = 8;

/// A text with its key, if that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownText<'t> {
    pub(crate) text: &'t str,
    pub(crate) key: Option<TextKey>,
}

impl<'t> KnownText<'t> {
    /// Returns a text whose key is not known.
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, key: None }
    }
}

/// The text that another one was made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormerText<'t> {
    pub(crate) text: KnownText<'t>,
    /// The changes, if they are known.
    pub(crate) edits: Option<&'t [TextEdit]>,
}

/// The tree of a text.
pub(crate) struct KnownTree {
    pub(crate) tree: Tree,
    pub(crate) key: Option<TextKey>,
    /// Set if it was made of another tree, so that only a whole parse may find a fault.
    pub(crate) made: bool,
    /// Set if the text has no fault at all, also none that the tree does not show.
    pub(crate) faultless: bool,
    /// The ranges of the text outside of which its tree is that of a text without a fault, if they are known. They are
    /// only needed for a language whose trees hide errors.
    pub(crate) changed: Option<Vec<Range<usize>>>,
}

impl TreeCache {
    /// Creates a cache for trees that take at most this many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { most: bytes, kept: Mutex::default() }
    }

    /// Returns the bytes that the trees take.
    pub fn bytes(&self) -> usize {
        self.lock().bytes()
    }

    /// Removes all trees.
    pub fn clear(&self) {
        let removed = std::mem::take(&mut *self.lock());
        // To free a large tree takes milliseconds.
        drop(removed);
    }

    fn lock(&self) -> MutexGuard<'_, KeptTrees> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tree of a text whose lines end in `\n`: one that is kept, or one made of the tree of the former text
    /// if that is kept and neither has an error, or a new one.
    pub(crate) fn tree(
        &self,
        language: Language,
        KnownText { text, key }: KnownText<'_>,
        former: Option<FormerText<'_>>,
        budget: &ParseBudget,
    ) -> Result<KnownTree, ParseError> {
        if self.most == 0 {
            let tree = parse(language, text, budget)?;
            return Ok(KnownTree { tree, key: None, made: false, faultless: false, changed: None });
        }
        budget.allows(text)?;
        let key = key.unwrap_or_else(|| TextKey::of(language, text));
        let kept = self.used_with_memory(&key);
        if let Some((KeptText::Parsed { tree, faultless }, memory)) = kept {
            let tree = if tree.root_node().has_changes() {
                self.reparsed(language, (text, key), (tree, memory), budget)?
            } else {
                tree
            };
            return Ok(KnownTree { tree, key: Some(key), made: false, faultless, changed: None });
        }
        if let Some(former) = former
            && let Some(made) = self.made_of(language, (text, key), former, budget)
        {
            return Ok(made);
        }
        let tree = self.parsed(language, text, key, budget)?;
        Ok(KnownTree { tree, key: Some(key), made: false, faultless: false, changed: None })
    }

    /// Makes the tree of a text without faults from that of an earlier text with its offsets, and keeps it.
    fn reparsed(
        &self,
        language: Language,
        (text, key): (&str, TextKey),
        (old, whole): (Tree, TreeMemory),
        budget: &ParseBudget,
    ) -> Result<Tree, ParseError> {
        let nodes = old.root_node().descendant_count();
        let before = memory::held();
        let made = parse_from(language, text, Some(&old), budget).ok();
        let Some(tree) = made.filter(|tree| !tree.root_node().has_error()) else {
            return self.parsed(language, text, key, budget);
        };
        let own = memory::held().saturating_sub(before);
        let memory = TreeMemory::beside(whole, nodes, tree.root_node().descendant_count(), own);
        let kept = KeptText::Parsed { tree: tree.clone(), faultless: true };
        let removed = self.lock().replace(&key, kept, memory, self.most);
        drop(removed);
        Ok(tree)
    }

    /// Parses a text as a whole, and keeps its tree in place of any other.
    pub(crate) fn parsed(
        &self,
        language: Language,
        text: &str,
        key: TextKey,
        budget: &ParseBudget,
    ) -> Result<Tree, ParseError> {
        let before = memory::held();
        let tree = parse(language, text, budget)?;
        let memory = TreeMemory::of_tree(language, &tree, text, memory::held().saturating_sub(before));
        let kept = KeptText::Parsed { tree: tree.clone(), faultless: false };
        self.keep(key, kept, memory, None);
        Ok(tree)
    }

    /// Returns the tree made of that of the former text; `None` if there is none, or if it is uncertain.
    fn made_of(
        &self,
        language: Language,
        (text, key): (&str, TextKey),
        former: FormerText<'_>,
        budget: &ParseBudget,
    ) -> Option<KnownTree> {
        let from = former.text.key?;
        let (kept, whole) = self.used_with_memory(&from)?;
        let KeptText::Parsed { tree: mut old, faultless } = kept else { return None };
        if old.root_node().has_error() {
            return None;
        }
        let nodes = old.root_node().descendant_count();
        let edits = delta::edits(former.text.text, text, former.edits);
        let before = memory::held();
        for edit in delta::tree_edits(former.text.text, text, &edits) {
            old.edit(&edit);
        }
        let tree = parse_from(language, text, Some(&old), budget).ok()?;
        if tree.root_node().has_error() {
            return None;
        }
        // To compare two trees takes as long as to make the second of the first.
        let changed = (faultless && has_hidden_errors(language)).then(|| {
            let structure = old.changed_ranges(&tree).map(|range| range.start_byte..range.end_byte);
            delta::made(&edits).into_iter().chain(structure).collect()
        });
        drop(old);
        let own = memory::held().saturating_sub(before);
        let memory = TreeMemory::beside(whole, nodes, tree.root_node().descendant_count(), own);
        let kept = KeptText::Parsed { tree: tree.clone(), faultless: false };
        self.keep(key, kept, memory, Some(from));
        Some(KnownTree { tree, key: Some(key), made: true, faultless: false, changed })
    }

    /// Makes the tree of a text from that of the former one if that is kept: for the next outline, if the check of the
    /// language needs no tree.
    pub(crate) fn follow(
        &self,
        language: Language,
        text: KnownText<'_>,
        former: FormerText<'_>,
        budget: &ParseBudget,
    ) {
        let converted = whole_lines(former.text.text, budget);
        let former = FormerText { text: self.known(language, former.text, &converted), ..former };
        let is_kept = former.text.key.is_some_and(|key| self.lock().memory(&key).is_some());
        if !is_kept {
            return;
        }
        let converted = whole_lines(text.text, budget);
        let KnownText { text, key } = self.known(language, text, &converted);
        if let Some(key) = key.filter(|_| budget.allows(text).is_ok()) {
            self.made_of(language, (text, key), former, budget);
        }
    }

    /// Keeps an entry; `from` is the text that it was made of.
    pub(crate) fn keep(&self, key: TextKey, text: KeptText, memory: TreeMemory, from: Option<TextKey>) {
        let removed = self.lock().keep(key, text, memory, from, self.most);
        // To free a large tree takes milliseconds.
        drop(removed);
    }

    /// Returns an entry with its memory, and notes its use.
    pub(crate) fn used_with_memory(&self, key: &TextKey) -> Option<(KeptText, TreeMemory)> {
        let mut trees = self.lock();
        Some((trees.used(key)?, trees.memory(key)?))
    }

    /// Returns the converted form of a text with its key, or without a key if nothing is kept. The key of a text that needed
    /// no conversion may be known already.
    pub(crate) fn known<'t>(
        &self,
        language: Language,
        text: KnownText<'_>,
        converted: &'t str,
    ) -> KnownText<'t> {
        let known = text.key.filter(|_| std::ptr::eq(text.text, converted));
        let key = || known.unwrap_or_else(|| TextKey::of(language, converted));
        KnownText { text: converted, key: (self.most > 0).then(key) }
    }

    /// Returns the number of errors of the former text when it was last parsed, if they were too many, and most of it is
    /// still as it was then. A parser takes as long for each error as for hundreds of bytes of correct text.
    pub(crate) fn errors_before(&self, text: KnownText<'_>, former: FormerText<'_>) -> Option<usize> {
        let KeptText::Foreign { errors, changed } = self.lock().used(&former.text.key?)? else {
            return None;
        };
        let edits = delta::edits(former.text.text, text.text, former.edits);
        let more: usize = edits.iter().map(|edit| edit.old.max(edit.new)).sum();
        let changed = changed.saturating_add(more);
        let still = changed <= former.text.text.len() / CHANGED_PART;
        if still {
            self.set(text.key?, KeptText::Foreign { errors, changed });
        }
        still.then_some(errors)
    }

    /// Notes that a text has this many errors, too many for a text in its language.
    pub(crate) fn foreign(&self, key: Option<TextKey>, errors: usize) {
        if let Some(key) = key {
            self.set(key, KeptText::Foreign { errors, changed: 0 });
        }
    }

    fn set(&self, key: TextKey, text: KeptText) {
        self.keep(key, text, TreeMemory::NONE, None);
    }

    /// Notes that a text has no fault.
    pub(crate) fn faultless(&self, key: Option<TextKey>) {
        if let Some(key) = key {
            self.lock().faultless(&key);
        }
    }
}

#[cfg(all(
    test,
    target_os = "linux",
    feature = "rust",
    feature = "python",
    feature = "markdown",
    feature = "toml"
))]
#[expect(clippy::unwrap_used, clippy::format_collect, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn trees_are_compared_only_if_they_may_hide_errors() {
        let budget = ParseBudget::default();
        for (language, old, new) in [
            (Language::Rust, "fn f() {}\n", "fn f() { g() }\n"),
            (Language::Python, "def f():\n    pass\n", "def f():\n    g()\n"),
        ] {
            let cache = TreeCache::new(usize::MAX);
            let key = cache.tree(language, KnownText::new(old), None, &budget).unwrap().key;
            cache.faultless(key);
            let former = FormerText { text: KnownText { text: old, key }, edits: None };
            let made = cache.tree(language, KnownText::new(new), Some(former), &budget).unwrap();
            assert!(made.made);
            assert_eq!(made.changed.is_some(), language == Language::Python);
        }
    }

    /// The counts are those of one thread, so other tests do not change them.
    #[test]
    fn trees_are_charged_for_what_they_take() {
        memory::count_parser_memory();
        let budget = ParseBudget::default();
        for (language, text) in [
            (Language::Rust, "fn f(a: &str) -> usize { a.len() + g(1, \"b\") }\n".repeat(500)),
            (Language::Rust, "f(a[b{[c](".repeat(2000)),
            (Language::Rust, format!("const A: [u8; 9] = [{}];\n", "0, ".repeat(10_000))),
            (Language::Rust, format!("{}{}", "[".repeat(5000), "]".repeat(5000))),
            (Language::Python, "def f(a):\n    return [b for b in a if b]\n\n".repeat(500)),
            (Language::Markdown, "# A\n\n- b *c*\n- d\n\n> e\n\n".repeat(500)),
            (Language::Toml, (0..900).map(|n| format!("a{n} = [1, 2, 3]\n")).collect()),
        ] {
            let cache = TreeCache::new(usize::MAX);
            let before = memory::held();
            let tree = cache.tree(language, KnownText::new(&text), None, &budget).unwrap().tree;
            let mut texts = vec![text.clone()];
            for n in 0..20 {
                let old = texts.last().unwrap();
                let new = format!("{}\n{}", old.get(..n * 100).unwrap(), old.get(n * 100..).unwrap());
                let key = Some(TextKey::of(language, old));
                let former = FormerText { text: KnownText { text: old, key }, edits: None };
                cache.tree(language, KnownText::new(&new), Some(former), &budget).unwrap();
                texts.push(new);
            }
            let nodes = tree.root_node().descendant_count();
            drop(tree);
            let (taken, told) = (memory::held() - before, cache.bytes());
            let name = language.name();
            assert!(taken <= told && told <= taken * 3 / 2, "{name}: {told} bytes in place of {taken}");
            let one = TreeCache::new(usize::MAX);
            let before = memory::held();
            one.tree(language, KnownText::new(&text), None, &budget).unwrap();
            let taken = memory::held() - before;
            assert!(
                taken <= crate::kept::estimate(language, &text, nodes),
                "{name}: the estimate is below {taken}"
            );
            cache.clear();
            assert_eq!(cache.bytes(), 0);
        }
    }
}
