//! Parses one text into a tree, within its budget. Independent of the language.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree, TreeCursor};

use crate::{Language, ParseBudget, guard, memory};

/// Bytes that the parser gets per read.
const CHUNK: usize = 256;

/// Reads that cost as much as one step.
const READS: u64 = 16;

/// Minimum number of steps that any text may take, however short it is.
const FEWEST: u64 = 5_000;

/// Bytes of text for each further step. Dense code takes a step for every 60 bytes. With this limit a text of 200 KB
/// takes at most about 320 MB of memory.
const BYTES_PER_STEP: u64 = 32;

/// The reason why a text has no tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseError {
    /// The text has more bytes than the budget allows.
    #[error("it has {bytes} bytes, more than the {limit} that are parsed")]
    TooLarge {
        /// Bytes of the text.
        bytes: usize,
        /// The maximum number of bytes.
        limit: usize,
    },
    /// The steps of the budget are used up.
    #[error("parsing it takes too long")]
    StepLimit,
    /// The memory of the budget is used up.
    #[error("parsing it takes too much memory")]
    MemoryLimit,
    /// The text is nested deeper than the limit.
    #[error("it is nested too deeply")]
    TooDeep,
    /// The text is nearly that of another file, which had too many errors for a file in its language.
    #[error("it had {errors} syntax errors when it was last parsed, so it is not taken for {language}")]
    Foreign {
        /// The number of these errors.
        errors: usize,
        /// The name of the language.
        language: &'static str,
    },
    /// This build has no grammar of the language.
    #[error("this build does not support {0}")]
    Unsupported(&'static str),
}

/// Returns the text as the grammars and this crate read it: if it has no `\n`, each `\r` becomes `\n`. Offsets do not
/// change.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    let has = |byte| memchr::memchr(byte, text.as_bytes()).is_some();
    if has(b'\r') && !has(b'\n') { text.replace('\r', "\n").into() } else { text.into() }
}

/// Returns the same text with a newline at the end of the last line, which some grammars require.
pub(crate) fn whole_lines<'t>(text: &'t str, budget: &ParseBudget) -> Cow<'t, str> {
    let text = lines(text);
    if text.is_empty() || text.ends_with('\n') || text.len() >= budget.bytes { text } else { text + "\n" }
}

/// Parses a text whose lines end in `\n` (see [`lines`]).
pub(crate) fn parse(language: Language, text: &str, budget: &ParseBudget) -> Result<Tree, ParseError> {
    parse_from(language, text, None, budget)
}

/// Parses a text by the tree of another text that was edited to fit. The result may differ from that of [`parse`] if it
/// has errors.
pub(crate) fn parse_from(
    language: Language,
    text: &str,
    former: Option<&Tree>,
    budget: &ParseBudget,
) -> Result<Tree, ParseError> {
    budget.allows(text)?;
    guard::allows(language, text)?;
    let grammar = language.grammar().ok_or(ParseError::Unsupported(language.name()))?;
    let mut parser = Parser::new();
    if parser.set_language(&(grammar.language)()).is_err() {
        return Err(ParseError::Unsupported(language.name()));
    }
    // A scanner that looks far ahead for each token works outside of the counted steps, but it must read the text that
    // it looks at.
    let most = FEWEST + text.len() as u64 / BYTES_PER_STEP;
    let left = Cell::new(budget.steps.min(most).saturating_mul(READS));
    let spend = |reads: u64| {
        left.set(left.get().saturating_sub(reads));
        left.get() == 0
    };
    let most_held = memory::held().saturating_add(budget.memory_for(text));
    let exceeded = Cell::new(false);
    let mut progress = |_: &ParseState| {
        exceeded.set(memory::held() > most_held);
        if exceeded.get() || spend(READS) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| {
        let end = if spend(1) { at } else { bytes.len().min(at.saturating_add(CHUNK)) };
        bytes.get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, former, Some(options));
    if exceeded.get() {
        return Err(ParseError::MemoryLimit);
    }
    tree.filter(|_| left.get() > 0).ok_or(ParseError::StepLimit)
}

/// The nodes of a tree, each before its children.
pub(crate) struct NodeWalk<'t> {
    cursor: TreeCursor<'t>,
    depth: usize,
    begun: bool,
    skips: bool,
}

impl<'t> NodeWalk<'t> {
    pub(crate) fn of(tree: &'t Tree) -> Self {
        Self { cursor: tree.walk(), depth: 0, begun: false, skips: false }
    }

    /// Returns the number of ancestors of the last node.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the field of its parent that the last node is.
    pub(crate) fn field_name(&self) -> Option<&'t str> {
        self.cursor.field_name()
    }

    /// Leaves out the children of the last node.
    pub(crate) fn skip_children(&mut self) {
        self.skips = true;
    }
}

impl<'t> Iterator for NodeWalk<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if !std::mem::replace(&mut self.begun, true) {
            return Some(self.cursor.node());
        }
        if !std::mem::take(&mut self.skips) && self.cursor.goto_first_child() {
            self.depth += 1;
            return Some(self.cursor.node());
        }
        while !self.cursor.goto_next_sibling() {
            if !self.cursor.goto_parent() {
                return None;
            }
            self.depth -= 1;
        }
        Some(self.cursor.node())
    }
}
