//! Finds unmatched brackets by the tokens of a tree, since a parser often reports them far from their place. Used only
//! for texts that have errors.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::{FaultSubject, SOUGHT, SyntaxFault};
use crate::Language;
use crate::parse::NodeWalk;

/// The end of the message for a bracket that is not closed.
pub(super) const OPEN: &str = "is not closed";

/// The end of the message for a closing bracket without an opening one.
pub(super) const STRAY: &str = "closes nothing";

/// An open bracket.
struct OpenBracket {
    at: usize,
    bracket: char,
    /// The width of the indentation of its line.
    indent: usize,
}

/// The state of the scan over all tokens.
struct BracketScan<'s> {
    text: &'s str,
    open: Vec<OpenBracket>,
    /// The number of open brackets of each type.
    counts: [usize; 3],
    /// Brackets that were closed by one on a line with less indentation. If brackets are missing at the end, these are
    /// reported, since a missing bracket takes that of the enclosing block.
    suspects: Vec<SyntaxFault>,
    faults: Vec<SyntaxFault>,
    /// The offset up to which the text was scanned.
    seen: usize,
    /// The range of the indentation of the current line.
    line: Range<usize>,
}

/// Returns true if each closing bracket of a language matches an opening one. In Bash `case` closes some that were
/// never opened. The text of HTML and the plain scalars of YAML may contain any.
fn in_pairs(language: Language) -> bool {
    !matches!(language, Language::Bash | Language::Html | Language::Markdown | Language::Yaml)
}

/// Returns the unmatched brackets.
pub(super) fn faults(language: Language, text: &str, tree: &Tree) -> Vec<SyntaxFault> {
    if !in_pairs(language) {
        return Vec::new();
    }
    let mut checked = BracketScan {
        text,
        open: Vec::new(),
        counts: [0; 3],
        suspects: Vec::new(),
        faults: Vec::new(),
        seen: 0,
        line: 0..0,
    };
    let mut conditions = ConditionalBlocks::of(language, text);
    let is_token = |node: &Node<'_>| node.child_count() == 0 && !node.is_named() && !node.is_missing();
    for node in NodeWalk::of(tree).filter(is_token) {
        conditions.before(node.start_byte(), checked.open.len());
        checked.token(node.kind(), node.start_byte(), node.end_byte());
    }
    conditions.before(text.len(), checked.open.len());
    let mut faults = checked.end();
    if conditions.uneven {
        faults.iter_mut().for_each(|fault| fault.about = FaultSubject::Other);
    }
    faults
}

/// The brackets that are counted.
const PAIRS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];

/// Returns the bracket that closes another.
pub(super) fn closing(open: char) -> char {
    PAIRS.iter().find(|pair| pair.0 == open).map_or('}', |pair| pair.1)
}

/// Returns the bracket that another closes.
pub(super) fn opening(close: char) -> char {
    PAIRS.iter().find(|pair| pair.1 == close).map_or('{', |pair| pair.0)
}

/// Returns the type of a bracket as an index.
fn kind(bracket: char) -> usize {
    PAIRS.iter().position(|pair| pair.0 == bracket || pair.1 == bracket).unwrap_or(2)
}

impl BracketScan<'_> {
    /// Handles a token. It may end in an opening bracket, such as `${`, or consist of closing brackets.
    fn token(&mut self, token: &str, start: usize, end: usize) {
        let Some(last) = token.chars().last() else { return };
        if self.faults.len() >= SOUGHT {
            return;
        }
        if matches!(last, '(' | '[' | '{') {
            let indent = self.indent(start);
            if let Some(count) = self.counts.get_mut(kind(last)) {
                *count += 1;
            }
            self.open.push(OpenBracket { at: end.saturating_sub(1), bracket: last, indent });
        } else if matches!(last, ')' | ']' | '}') && token.chars().all(|letter| letter == last) {
            self.close(last, start);
        }
    }

    fn close(&mut self, closing: char, at: usize) {
        let wanted = kind(closing);
        if self.counts.get(wanted).is_none_or(|count| *count == 0) {
            let about = FaultSubject::Stray(closing);
            self.faults.push(SyntaxFault { at, message: format!("`{closing}` {STRAY}"), about });
            return;
        }
        let indent = self.indent(at);
        while let Some(top) = self.open.pop() {
            let own = kind(top.bracket);
            if let Some(count) = self.counts.get_mut(own) {
                *count = count.saturating_sub(1);
            }
            if own == wanted {
                let begins_line = self.line.end == at;
                if begins_line && indent < top.indent {
                    self.suspects.push(open(&top));
                }
                return;
            }
            self.faults.push(open(&top));
        }
    }

    /// Returns the indentation of the line of a token. Tokens must come in the order of the text.
    fn indent(&mut self, at: usize) -> usize {
        let between = self.text.get(self.seen..at).unwrap_or_default();
        let start = between.rfind('\n').map(|newline| self.seen + newline + 1);
        if let Some(start) = start.or((self.seen == 0).then_some(0)) {
            let line = self.text.get(start..at).unwrap_or_default();
            self.line = start..start + (line.len() - line.trim_start_matches([' ', '\t']).len());
        }
        self.seen = at.max(self.seen);
        self.line.len()
    }

    fn end(mut self) -> Vec<SyntaxFault> {
        let missing = self.open.len().min(SOUGHT);
        self.faults.extend(self.suspects.into_iter().take(missing));
        let left = missing.saturating_sub(self.faults.len());
        self.faults.extend(self.open.iter().rev().take(left).map(open));
        self.faults
    }
}

fn open(opened: &OpenBracket) -> SyntaxFault {
    let message = format!("`{}` {OPEN}", opened.bracket);
    SyntaxFault { at: opened.at, message, about: FaultSubject::Open(opened.bracket) }
}

/// The conditional compilation (`#if` and its like) of C, C++ and C#. The tree contains both branches, and each may
/// open a bracket that is closed once.
struct ConditionalBlocks {
    /// The directives, last first, each with its offset.
    lines: Vec<(usize, Directive)>,
    /// The number of open brackets at each open `#if`.
    open: Vec<usize>,
    /// Set if a branch changes the number of open brackets.
    uneven: bool,
}

/// A conditional directive.
#[derive(Clone, Copy)]
enum Directive {
    If,
    Else,
    End,
}

impl ConditionalBlocks {
    fn of(language: Language, text: &str) -> Self {
        let mut lines = Vec::new();
        if matches!(language, Language::C | Language::CSharp | Language::Cpp) {
            let mut at = 0;
            for line in text.split_inclusive('\n') {
                let word = line.trim_start().strip_prefix('#').unwrap_or_default().trim_start();
                let is = |begins: &str| word.starts_with(begins);
                let kind = match () {
                    () if is("if") => Some(Directive::If),
                    () if is("el") => Some(Directive::Else),
                    () if is("endif") => Some(Directive::End),
                    () => None,
                };
                lines.extend(kind.map(|kind| (at, kind)));
                at += line.len();
            }
        }
        lines.reverse();
        Self { lines, open: Vec::new(), uneven: false }
    }

    /// Handles all directives up to an offset, at which `brackets` are open.
    fn before(&mut self, at: usize, brackets: usize) {
        while let Some((_, line)) = self.lines.pop_if(|(start, _)| *start <= at) {
            match line {
                Directive::If => self.open.push(brackets),
                Directive::Else => self.uneven |= self.open.last().is_some_and(|open| *open != brackets),
                Directive::End => self.uneven |= self.open.pop().is_some_and(|open| open != brackets),
            }
        }
    }
}
