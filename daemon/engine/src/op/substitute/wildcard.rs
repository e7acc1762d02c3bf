//! The wildcards of a pattern: the pattern is rewritten with a group around each, so that a match shows the text that
//! they matched. It finds no match.

use std::cell::RefCell;
use std::collections::HashMap;

use fancy_regex::{Assertion, Expr, LookAround};

/// Bytes of a rewritten pattern.
const REWRITTEN_SIZE: usize = 64 * 1024;

/// Letters and digits, some of which a wildcard must match.
const WORD: &str = "aZ5_é";
/// Other characters, of which it must match one, too.
const OTHER: &str = " \t\n.,;:-(){}<>\"'/=";
/// The characters that end a line or separate words.
const BLANK: &str = " \t\n\r";

/// The minimum that every match of an expression holds.
#[derive(Clone, Copy)]
pub(super) struct MatchMinimum {
    /// A character.
    any: bool,
    /// One that is not white space.
    solid: bool,
}

impl MatchMinimum {
    pub(super) const NONE: Self = Self { any: false, solid: false };
    const ALL: Self = Self { any: true, solid: true };

    fn and(self, other: Self) -> Self {
        Self { any: self.any || other.any, solid: self.solid || other.solid }
    }

    fn or(self, other: Self) -> Self {
        Self { any: self.any && other.any, solid: self.solid && other.solid }
    }
}

/// The character classes of a pattern, each compiled once.
#[derive(Default)]
struct Classes {
    /// The classes by their text and whether case is ignored; `None` if a class does not compile alone.
    known: RefCell<HashMap<(String, bool), Option<regex::Regex>>>,
}

impl Classes {
    /// Returns the minimum that every match of an expression contains.
    fn minimum(&self, expr: &Expr) -> MatchMinimum {
        match expr {
            Expr::Empty
            | Expr::Assertion(_)
            | Expr::KeepOut
            | Expr::ContinueFromPreviousMatchEnd
            | Expr::LookAround(_, LookAround::LookAheadNeg | LookAround::LookBehindNeg) => MatchMinimum::NONE,
            Expr::Any { .. } => MatchMinimum { any: true, solid: false },
            Expr::Literal { val, .. } => {
                let solid = val.contains(|letter: char| !letter.is_whitespace());
                MatchMinimum { any: !val.is_empty(), solid }
            }
            Expr::Delegate { .. } => MatchMinimum { any: true, solid: !self.can(expr, BLANK) },
            Expr::Concat(children) => {
                children.iter().map(|child| self.minimum(child)).fold(MatchMinimum::NONE, MatchMinimum::and)
            }
            Expr::Alt(children) => {
                children.iter().map(|child| self.minimum(child)).fold(MatchMinimum::ALL, MatchMinimum::or)
            }
            Expr::Group(child) => self.minimum(child),
            Expr::AtomicGroup(child) | Expr::LookAround(child, _) => self.minimum(child),
            Expr::Repeat { lo: 0, .. } => MatchMinimum::NONE,
            Expr::Repeat { child, .. } => self.minimum(child),
            // A back-reference or an unknown expression counts as containing everything, so that more is refused.
            _ => MatchMinimum::ALL,
        }
    }

    /// Returns true if an expression can match some letter of a set.
    fn can(&self, expr: &Expr, letters: &str) -> bool {
        match expr {
            Expr::Any { newline, .. } => letters.chars().any(|letter| *newline || letter != '\n'),
            Expr::Literal { val, .. } => {
                val.chars().any(|letter| letters.contains(letter) || same_kind(letter, letters))
            }
            Expr::Delegate { inner, casei } => self.class(inner, *casei, letters),
            Expr::Concat(children) | Expr::Alt(children) => {
                children.iter().any(|child| self.can(child, letters))
            }
            Expr::Group(child) => self.can(child, letters),
            Expr::AtomicGroup(child) | Expr::Repeat { child, .. } => self.can(child, letters),
            Expr::Empty | Expr::Assertion(_) | Expr::LookAround(..) | Expr::KeepOut => false,
            _ => true,
        }
    }

    fn class(&self, class: &str, casei: bool, letters: &str) -> bool {
        if let Some(holds) = shorthand(class) {
            return letters.chars().any(holds);
        }
        let mut known = self.known.borrow_mut();
        let compiled = known.entry((class.to_owned(), casei)).or_insert_with(|| {
            let flag = if casei { "(?i)" } else { "" };
            regex::Regex::new(&format!("{flag}^(?:{class})$")).ok()
        });
        // A class that does not compile alone counts as matching everything.
        let Some(compiled) = compiled else { return true };
        letters.chars().any(|letter| compiled.is_match(letter.encode_utf8(&mut [0; 4])))
    }
}

/// Returns the test for a class with a name. Compiling such a class takes a millisecond.
fn shorthand(class: &str) -> Option<fn(char) -> bool> {
    let word = |letter: char| letter.is_alphanumeric() || letter == '_';
    Some(match class {
        r"\w" => word,
        r"\W" => |letter| !(letter.is_alphanumeric() || letter == '_'),
        r"\d" => char::is_numeric,
        r"\D" => |letter| !letter.is_numeric(),
        r"\s" => char::is_whitespace,
        r"\S" => |letter| !letter.is_whitespace(),
        _ => return None,
    })
}

/// Returns true if a letter is of the kind of which `letters` are samples.
fn same_kind(letter: char, letters: &str) -> bool {
    let word = |letter: char| letter.is_alphanumeric() || letter == '_';
    match letters {
        WORD => word(letter),
        OTHER => !word(letter),
        _ => false,
    }
}

/// Writes an expression again, with a group around each wildcard.
#[derive(Default)]
pub(super) struct PatternWriter {
    /// Groups so far.
    groups: usize,
    /// The new number of each group of the pattern.
    renamed: Vec<usize>,
    /// The numbers of the groups around wildcards.
    pub(super) wildcards: Vec<usize>,
    classes: Classes,
}

impl PatternWriter {
    /// Writes an expression with its wildcards as groups. `before` and `after` are the minima of a match
    /// around the expression. Returns `None` if the expression cannot be rewritten; its wildcards are recorded
    /// anyway.
    pub(super) fn write(
        &mut self,
        expr: &Expr,
        before: MatchMinimum,
        after: MatchMinimum,
        out: &mut String,
    ) -> Option<()> {
        match expr {
            Expr::Concat(children) => self.write_each(children, (before, after), out),
            Expr::Alt(children) => {
                out.push_str("(?:");
                let mut done = Some(());
                for (at, child) in children.iter().enumerate() {
                    out.push_str(if at > 0 { "|" } else { "" });
                    done = self.write(child, before, after, out).and(done);
                }
                out.push(')');
                done
            }
            Expr::Group(child) => {
                self.groups += 1;
                self.renamed.push(self.groups);
                self.within("(", child, (before, after), out)
            }
            Expr::AtomicGroup(child) => self.within("(?>", child, (before, after), out),
            Expr::Repeat { child, lo, hi, greedy } => {
                self.write_repeat(child, (*lo, *hi, *greedy), (before, after), out)
            }
            Expr::LookAround(child, kind) => {
                let open = match kind {
                    LookAround::LookAhead => "(?=",
                    LookAround::LookAheadNeg => "(?!",
                    LookAround::LookBehind => "(?<=",
                    LookAround::LookBehindNeg => "(?<!",
                };
                // Look-around matches no text, so it swallows nothing.
                self.within(open, child, (MatchMinimum::NONE, MatchMinimum::NONE), out)
            }
            Expr::Backref { group, casei: false } => {
                let renamed = self.renamed.get(group.checked_sub(1)?)?;
                out.push_str(&format!("(?:\\{renamed})"));
                Some(())
            }
            Expr::KeepOut => {
                out.push_str("\\K");
                Some(())
            }
            // The crate cannot write it.
            Expr::Assertion(Assertion::EndTextIgnoreTrailingNewlines { crlf }) => {
                out.push_str("\\Z");
                (!crlf).then_some(())
            }
            Expr::Empty
            | Expr::Assertion(_)
            | Expr::Any { .. }
            | Expr::Literal { .. }
            | Expr::Delegate { .. } => {
                expr.to_str(out, 3);
                (out.len() <= REWRITTEN_SIZE).then_some(())
            }
            _ => None,
        }
    }

    fn write_each(
        &mut self,
        children: &[Expr],
        (mut before, after): (MatchMinimum, MatchMinimum),
        out: &mut String,
    ) -> Option<()> {
        // The minimum that follows each child, from the last child to the first.
        let mut behind = vec![after];
        for child in children.iter().skip(1).rev() {
            let nearer = behind.last().copied().unwrap_or(after);
            behind.push(nearer.and(self.classes.minimum(child)));
        }
        let mut done = Some(());
        for (child, after) in children.iter().zip(behind.into_iter().rev()) {
            let minimum = self.classes.minimum(child);
            done = self.within("(?:", child, (before, after), out).and(done);
            before = before.and(minimum);
        }
        done
    }

    fn write_repeat(
        &mut self,
        child: &Expr,
        (lo, hi, greedy): (usize, usize, bool),
        (before, after): (MatchMinimum, MatchMinimum),
        out: &mut String,
    ) -> Option<()> {
        let tail = after.solid || (after.any && self.classes.can(child, "\n"));
        let wraps =
            hi > lo && before.any && tail && self.classes.can(child, WORD) && self.classes.can(child, OTHER);
        if wraps {
            self.groups += 1;
            self.wildcards.push(self.groups);
            out.push('(');
        }
        let done = self.within("(?:", child, (before, after), out);
        let most = if hi == usize::MAX { String::new() } else { hi.to_string() };
        out.push_str(&format!("{{{lo},{most}}}{}", if greedy { "" } else { "?" }));
        out.push_str(if wraps { ")" } else { "" });
        done
    }

    fn within(
        &mut self,
        open: &str,
        child: &Expr,
        around: (MatchMinimum, MatchMinimum),
        out: &mut String,
    ) -> Option<()> {
        out.push_str(open);
        let done = self.write(child, around.0, around.1, out);
        out.push(')');
        done
    }
}
