//! Brackets that have no partner, by the tokens of a tree: a parser tells of them far from where they stand. It is
//! asked only about a text that has errors.

use std::ops::Range;

use tree_sitter::Tree;

use super::{About, Fault, SOUGHT};
use crate::Language;

/// How a message about a bracket that is not closed ends.
pub(super) const OPEN: &str = "is not closed";

/// How a message about a bracket that closes none ends.
pub(super) const STRAY: &str = "closes nothing";

/// A bracket that was opened.
struct Opened {
    at: usize,
    bracket: char,
    /// The white space in front of its line.
    indent: usize,
}

/// What is open, and what looks wrong so far.
struct Checked<'s> {
    text: &'s str,
    open: Vec<Opened>,
    /// How many of each kind are open.
    counts: [usize; 3],
    /// Brackets that were closed by one on a line of another indentation: where some are never closed, these are
    /// meant, since a bracket that is missing takes that of the block around.
    suspects: Vec<Fault>,
    faults: Vec<Fault>,
    /// How far the text was looked at.
    seen: usize,
    /// The white space in front of the line that this is in.
    line: Range<usize>,
}

/// Whether brackets come in pairs in a language. In Bash `case` closes some that nothing opened; HTML's text and
/// YAML's plain scalars may hold any.
fn in_pairs(language: Language) -> bool {
    !matches!(language, Language::Bash | Language::Html | Language::Markdown | Language::Yaml)
}

/// The brackets without a partner.
pub(super) fn faults(language: Language, text: &str, tree: &Tree) -> Vec<Fault> {
    if !in_pairs(language) {
        return Vec::new();
    }
    let mut checked = Checked {
        text,
        open: Vec::new(),
        counts: [0; 3],
        suspects: Vec::new(),
        faults: Vec::new(),
        seen: 0,
        line: 0..0,
    };
    let mut conditions = Conditions::of(language, text);
    let mut cursor = tree.walk();
    loop {
        if cursor.goto_first_child() {
            continue;
        }
        let node = cursor.node();
        if !node.is_named() && !node.is_missing() {
            conditions.before(node.start_byte(), checked.open.len());
            checked.token(node.kind(), node.start_byte(), node.end_byte());
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                conditions.before(text.len(), checked.open.len());
                let mut faults = checked.end();
                if conditions.uneven {
                    faults.iter_mut().for_each(|fault| fault.about = About::Other);
                }
                return faults;
            }
        }
    }
}

/// The kind of a bracket, as a number.
fn kind(bracket: char) -> usize {
    match bracket {
        '(' | ')' => 0,
        '[' | ']' => 1,
        _ => 2,
    }
}

impl Checked<'_> {
    /// A token may end in a bracket that it opens, such as `${`, or be made of ones that it closes.
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
            self.open.push(Opened { at: end.saturating_sub(1), bracket: last, indent });
        } else if matches!(last, ')' | ']' | '}') && token.chars().all(|letter| letter == last) {
            self.close(last, start);
        }
    }

    fn close(&mut self, closing: char, at: usize) {
        let wanted = kind(closing);
        if self.counts.get(wanted).is_none_or(|count| *count == 0) {
            let about = About::Stray(closing);
            self.faults.push(Fault { at, message: format!("`{closing}` {STRAY}"), about });
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

    /// The indentation of the line of a token. Tokens come in the order of the text.
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

    fn end(mut self) -> Vec<Fault> {
        let missing = self.open.len().min(SOUGHT);
        self.faults.extend(self.suspects.into_iter().take(missing));
        let left = missing.saturating_sub(self.faults.len());
        self.faults.extend(self.open.iter().rev().take(left).map(open));
        self.faults
    }
}

fn open(opened: &Opened) -> Fault {
    let message = format!("`{}` {OPEN}", opened.bracket);
    Fault { at: opened.at, message, about: About::Open(opened.bracket) }
}

/// What `#if` and the like leave out or in, in C, C++ and C#: both branches stand in the tree, and each may open a
/// bracket that is closed once.
struct Conditions {
    /// Where each line of them begins, the last first, and how many it opens and closes.
    lines: Vec<(usize, Line)>,
    /// How many brackets were open at those that are open.
    open: Vec<usize>,
    /// Whether a branch leaves more or fewer brackets open than it found.
    uneven: bool,
}

/// A line of a condition.
#[derive(Clone, Copy)]
enum Line {
    If,
    Else,
    End,
}

impl Conditions {
    fn of(language: Language, text: &str) -> Self {
        let mut lines = Vec::new();
        if matches!(language, Language::C | Language::CSharp | Language::Cpp) {
            let mut at = 0;
            for line in text.split_inclusive('\n') {
                let word = line.trim_start().strip_prefix('#').unwrap_or_default().trim_start();
                let is = |begins: &str| word.starts_with(begins);
                let kind = match () {
                    () if is("if") => Some(Line::If),
                    () if is("el") => Some(Line::Else),
                    () if is("endif") => Some(Line::End),
                    () => None,
                };
                lines.extend(kind.map(|kind| (at, kind)));
                at += line.len();
            }
        }
        lines.reverse();
        Self { lines, open: Vec::new(), uneven: false }
    }

    /// Looks at all lines before a place, at which so many brackets are open.
    fn before(&mut self, at: usize, brackets: usize) {
        while let Some((_, line)) = self.lines.pop_if(|(start, _)| *start <= at) {
            match line {
                Line::If => self.open.push(brackets),
                Line::Else => self.uneven |= self.open.last().is_some_and(|open| *open != brackets),
                Line::End => self.uneven |= self.open.pop().is_some_and(|open| open != brackets),
            }
        }
    }
}
