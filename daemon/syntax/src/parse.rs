//! One text becomes a tree, within its budget. It knows no language.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::{Budget, Language, guard};

/// Bytes that the parser is given at once.
const CHUNK: usize = 256;

/// How many of those cost what a step does.
const READS: u64 = 16;

/// Steps that every text may take, however small.
const FEWEST: u64 = 5_000;

/// Bytes for each further step: dense code takes one for every 60. So 200 KB take at most some 320 MB.
const BYTES_PER_STEP: u64 = 32;

/// Why there is no tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unparsed {
    /// The text is longer than the budget's bytes.
    #[error("it has {bytes} bytes, and syntax is looked at in files of up to {limit}")]
    TooLarge {
        /// Bytes of the text.
        bytes: usize,
        /// Bytes that it may have.
        limit: usize,
    },
    /// The budget's steps ran out.
    #[error("parsing it takes too long")]
    Spent,
    /// Its parts lie in each other deeper than is looked at.
    #[error("its parts lie in each other too deep")]
    Deep,
    /// This build has no grammar of the language.
    #[error("this build knows no syntax of {0}")]
    Absent(&'static str),
}

/// A text as grammars and this crate read it: where no `\n` stands, a line ends at `\r`. Places stay the same.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') && !text.contains('\n') { text.replace('\r', "\n").into() } else { text.into() }
}

/// The same with an end for the last line too, which some grammars want.
pub(crate) fn whole_lines<'t>(text: &'t str, budget: &Budget) -> Cow<'t, str> {
    let text = lines(text);
    if text.is_empty() || text.ends_with('\n') || text.len() >= budget.bytes { text } else { text + "\n" }
}

/// Parses a text whose lines end in `\n` (see [`lines`]).
pub(crate) fn parse(language: Language, text: &str, budget: &Budget) -> Result<Tree, Unparsed> {
    budget.allows(text)?;
    guard::allows(language, text)?;
    let grammar = language.grammar().ok_or(Unparsed::Absent(language.name()))?;
    let mut parser = Parser::new();
    if parser.set_language(&(grammar.language)()).is_err() {
        return Err(Unparsed::Absent(language.name()));
    }
    // What looks far ahead for each token spends its time outside of steps, but it must read what it looks at.
    let most = FEWEST + text.len() as u64 / BYTES_PER_STEP;
    let left = Cell::new(budget.steps.min(most).saturating_mul(READS));
    let spend = |reads: u64| {
        left.set(left.get().saturating_sub(reads));
        left.get() == 0
    };
    let mut progress =
        |_: &ParseState| if spend(READS) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let bytes = text.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| {
        let end = if spend(1) { at } else { bytes.len().min(at.saturating_add(CHUNK)) };
        bytes.get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.filter(|_| left.get() > 0).ok_or(Unparsed::Spent)
}
