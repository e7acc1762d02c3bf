//! The entries of the cache of trees: which texts are kept, what they take, and which of them is removed next. Parses
//! nothing.

use std::collections::{BTreeMap, HashMap};

use tree_sitter::Tree;

use crate::{Language, memory};

/// Bytes that an entry takes beside its tree.
const ENTRY: usize = 512;

/// The factors that estimate the memory of a tree whose memory was not counted: bytes for each byte of the text, and for
/// each node. It is more than the tree takes; most take a quarter of it. Each token of Markdown has a copy of the state
/// of its scanner.
const PER_BYTE: usize = 100;
const PER_NODE: usize = 100;
const PER_NODE_OF_MARKDOWN: usize = 400;

/// The identity of a text in a language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TextKey(Language, [u8; 32]);

impl TextKey {
    pub(crate) fn of(language: Language, text: &str) -> Self {
        Self(language, *blake3::hash(text.as_bytes()).as_bytes())
    }

    /// Returns the key of a text whose BLAKE3 hash is known.
    pub(crate) fn known(language: Language, hash: [u8; 32]) -> Self {
        Self(language, hash)
    }
}

/// The memory of a tree in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TreeMemory {
    /// All of its nodes.
    whole: usize,
    /// The nodes that it does not share with the tree that it was made of.
    own: usize,
}

impl TreeMemory {
    /// The memory of an entry without a tree.
    pub(crate) const NONE: Self = Self { whole: 0, own: 0 };

    /// Returns the memory of a tree that shares no node. `counted` is what the parser allocated for it, if it counts.
    pub(crate) fn of_tree(language: Language, tree: &Tree, text: &str, counted: usize) -> Self {
        let whole = if memory::counts() {
            with_headers(counted)
        } else {
            estimate(language, text, tree.root_node().descendant_count())
        };
        Self { whole, own: whole }
    }

    /// Returns the memory of a tree that was made of another one, by the numbers of their nodes.
    pub(crate) fn beside(former: Self, former_nodes: usize, nodes: usize, counted: usize) -> Self {
        let whole = former.whole as u128 * nodes as u128 / former_nodes.max(1) as u128;
        let whole = usize::try_from(whole).unwrap_or(usize::MAX);
        let own = if memory::counts() { with_headers(counted) } else { whole };
        Self { whole: whole.max(own), own }
    }
}

/// Returns the memory that a tree takes at most, by the number of its nodes.
pub(crate) fn estimate(language: Language, text: &str, nodes: usize) -> usize {
    let per_node = if language == Language::Markdown { PER_NODE_OF_MARKDOWN } else { PER_NODE };
    text.len().saturating_mul(PER_BYTE).saturating_add(nodes.saturating_mul(per_node))
}

/// Adds the allocator's own header of each allocation, of which the counted sizes are silent: 8 bytes of about a hundred.
fn with_headers(counted: usize) -> usize {
    counted.saturating_add(counted / 8)
}

/// The part of a text that is kept.
#[derive(Clone, Debug)]
pub(crate) enum KeptText {
    /// Its tree.
    Parsed {
        /// The tree. If it has changes, it is that of an earlier text with the offsets of this one: each item without
        /// changes is one of this text, too.
        tree: Tree,
        /// Set if the text is known to have no fault.
        faultless: bool,
    },
    /// Nothing, since it has too many errors for a text in its language.
    Foreign {
        /// The number of errors when it was last parsed.
        errors: usize,
        /// The number of bytes that were changed since.
        changed: usize,
    },
}

#[derive(Debug)]
struct KeptEntry {
    text: KeptText,
    memory: TreeMemory,
    /// The entry with which it shares nodes that are charged there.
    from: Option<TextKey>,
    /// The entry that shares nodes of this one.
    made: Option<TextKey>,
    used: u64,
}

impl KeptEntry {
    fn charge(&self) -> usize {
        ENTRY + if self.from.is_some() { self.memory.own } else { self.memory.whole }
    }
}

/// The texts that are kept.
#[derive(Debug, Default)]
pub(crate) struct KeptTrees {
    entries: HashMap<TextKey, KeptEntry>,
    /// The entries by the time of their last use.
    order: BTreeMap<u64, TextKey>,
    uses: u64,
    bytes: usize,
}

impl KeptTrees {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns an entry, and notes its use.
    pub(crate) fn used(&mut self, key: &TextKey) -> Option<KeptText> {
        let entry = self.entries.get_mut(key)?;
        self.uses += 1;
        self.order.remove(&entry.used);
        self.order.insert(self.uses, *key);
        entry.used = self.uses;
        Some(entry.text.clone())
    }

    /// Returns the memory of an entry.
    pub(crate) fn memory(&self, key: &TextKey) -> Option<TreeMemory> {
        self.entries.get(key).map(|entry| entry.memory)
    }

    /// Notes that a text has no fault.
    pub(crate) fn faultless(&mut self, key: &TextKey) {
        if let Some(KeptEntry { text: KeptText::Parsed { faultless, .. }, .. }) = self.entries.get_mut(key) {
            *faultless = true;
        }
    }

    /// Adds an entry, and returns those that it removes: entries that were used longest ago until all take at most `most`
    /// bytes, the text before the one that it was `made_of`, and another one made of that.
    pub(crate) fn keep(
        &mut self,
        key: TextKey,
        text: KeptText,
        memory: TreeMemory,
        made_of: Option<TextKey>,
        most: usize,
    ) -> Vec<KeptText> {
        if memory.whole.saturating_add(ENTRY) > most {
            return vec![text];
        }
        let mut removed: Vec<KeptText> = self.remove(&key).into_iter().collect();
        let from = made_of.filter(|from| self.entries.contains_key(from));
        if let Some(former) = from.and_then(|from| self.entries.get_mut(&from)) {
            // An edit was made of the former text, so that text is in the file, and neither the one before it nor
            // another attempt at this edit is likely to come back.
            let (earlier, sibling) = (former.from, former.made.replace(key));
            for unlikely in earlier.into_iter().chain(sibling) {
                removed.extend(self.remove(&unlikely));
            }
        }
        self.uses += 1;
        let entry = KeptEntry { text, memory, from, made: None, used: self.uses };
        self.bytes += entry.charge();
        self.order.insert(entry.used, key);
        self.entries.insert(key, entry);
        removed.extend(self.shrink(most));
        removed
    }

    /// Gives an entry another tree that shares the same nodes with others, and returns what that removes.
    pub(crate) fn replace(
        &mut self,
        key: &TextKey,
        text: KeptText,
        memory: TreeMemory,
        most: usize,
    ) -> Vec<KeptText> {
        let Some(entry) = self.entries.get_mut(key) else { return vec![text] };
        self.bytes = self.bytes.saturating_sub(entry.charge());
        entry.memory = memory;
        self.bytes += entry.charge();
        let mut removed = vec![std::mem::replace(&mut entry.text, text)];
        removed.extend(self.shrink(most));
        removed
    }

    /// Removes the entries that were used longest ago until all take at most `most` bytes.
    fn shrink(&mut self, most: usize) -> Vec<KeptText> {
        let mut removed = Vec::new();
        while self.bytes > most
            && let Some(oldest) = self.order.first_key_value().map(|(_, key)| *key)
        {
            removed.extend(self.remove(&oldest));
        }
        removed
    }

    fn remove(&mut self, key: &TextKey) -> Option<KeptText> {
        let entry = self.entries.remove(key)?;
        self.order.remove(&entry.used);
        self.bytes = self.bytes.saturating_sub(entry.charge());
        let linked = |one: Option<TextKey>| one == Some(*key);
        if let Some(from) =
            entry.from.and_then(|from| self.entries.get_mut(&from)).filter(|from| linked(from.made))
        {
            from.made = None;
        }
        // The nodes that the two shared stay, and only the other entry has them now.
        if let Some(made) =
            entry.made.and_then(|made| self.entries.get_mut(&made)).filter(|made| linked(made.from))
        {
            self.bytes = self.bytes.saturating_sub(made.charge());
            made.from = None;
            self.bytes = self.bytes.saturating_add(made.charge());
        }
        Some(entry.text)
    }
}
