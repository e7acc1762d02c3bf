//! Recognizes a text that is a part of the file with some changes. Its lines already have the file's indentation,
//! except the first, which lost the white space in front of the part.

use super::fitting::{may_go_deeper, trimmed};
use super::quotes::Quotes;
use crate::locate::{is_blank, lines, split_indent};
use crate::text::Breaks;

/// Returns true if `given` is `there` with some changes. `target` is the indentation of the outermost lines of `there`.
///
/// Either each line has the indentation of the line with the same number, or lines at the start or end are equal and
/// each line between them is indented at least as deep as `target`, unless it begins in a string.
pub(super) fn stands(there: &str, given: &str, target: &str, quotes: Quotes<'_>, breaks: Breaks) -> bool {
    let old = NonBlankLines::of(there, breaks);
    let new = NonBlankLines::of(given, breaks);
    let (Some(old_first), Some(new_first)) = (old.0.first(), new.0.first()) else { return false };
    let (lost, rest) = split_indent(new_first);
    if new.0.len() < 2 || !(lost.is_empty() || lost == target) {
        return false;
    }
    // A block is one step deeper than its opening line, unless the file already has it otherwise.
    if new.opens_at(target) && !old.opens_at(target) {
        return false;
    }
    old.same_shape(&new) || {
        let same_first = split_indent(old_first).1 == rest;
        let quoted = || quotes.lines(trimmed(given, breaks), breaks).unwrap_or_default();
        old.shares_ends(&new, same_first, target, quoted)
    }
}

/// Lines without their breaks, from the first to the last that is not blank.
struct NonBlankLines<'l>(Vec<&'l str>);

impl<'l> NonBlankLines<'l> {
    fn of(text: &'l str, breaks: Breaks) -> Self {
        Self(lines(trimmed(text, breaks), breaks).into_iter().map(|(line, _)| line).collect())
    }

    /// Returns the second line that is not blank.
    fn second(&self) -> Option<&'l str> {
        self.0.iter().skip(1).copied().find(|line| !is_blank(line))
    }

    /// Returns true if the first line may begin a block, and the second has the indentation `target`.
    fn opens_at(&self, target: &str) -> bool {
        let (Some(first), Some(second)) = (self.0.first(), self.second()) else { return false };
        let (indent, rest) = split_indent(second);
        indent == target && !target.is_empty() && may_go_deeper(first.trim(), rest.trim_end())
    }

    /// Returns true if each line but the first has the indentation of the line with the same number.
    fn same_shape(&self, new: &Self) -> bool {
        let alike = |(old, new): (&&str, &&str)| {
            is_blank(old) && is_blank(new) || split_indent(old).0 == split_indent(new).0
        };
        self.0.len() == new.0.len() && self.0.iter().zip(&new.0).skip(1).all(alike)
    }

    /// Returns true if lines at the start or end are equal, indented ones among them, and the others fit between.
    fn shares_ends(
        &self,
        new: &Self,
        same_first: bool,
        target: &str,
        quoted: impl Fn() -> Vec<bool>,
    ) -> bool {
        let pairs = self.0.iter().zip(&new.0).skip(1);
        let head = if same_first { 1 + pairs.take_while(|(old, new)| old == new).count() } else { 0 };
        let most = self.0.len().min(new.0.len()) - head.max(1);
        let pairs = self.0.iter().rev().zip(new.0.iter().rev()).take(most);
        let tail = pairs.take_while(|(old, new)| old == new).count();
        let indented = |line: &&str| !is_blank(line) && !split_indent(line).0.is_empty();
        let at_ends = |at: usize| (at > 0 && at < head) || at >= new.0.len() - tail;
        let mut ends = new.0.iter().enumerate().filter(|(at, _)| at_ends(*at)).map(|(_, line)| line);
        let second = |lines: &Self| lines.second().map(|line| split_indent(line).0);
        let is_known = ends.any(indented) || same_first && second(self) == second(new);
        let between = new.0.iter().enumerate().filter(|(at, _)| *at > 0 && !at_ends(*at));
        let mut outside = between.filter(|(_, line)| !is_blank(line) && !line.starts_with(target)).peekable();
        if !is_known || outside.peek().is_none() {
            return is_known;
        }
        let quoted = quoted();
        outside.all(|(at, _)| quoted.get(at).copied().unwrap_or(false))
    }
}
