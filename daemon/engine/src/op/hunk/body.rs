//! Reads the lines of a hunk and sorts them by their first character. It finds no place.

use std::ops::Range;

use crate::Refusal;
use crate::cut::{Cut, Span};
use crate::locate::InsertionPoint;
use crate::refusal::{malformed, on_line};
use crate::text::Text;

/// Lines that change together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LineGroup {
    /// The lines since the group before that stay, in [`HunkBody::old`].
    pub(super) kept: Range<usize>,
    /// The lines that are removed, in [`HunkBody::old`].
    pub(super) removed: Range<usize>,
    /// The lines that are added, in [`HunkBody::new`].
    pub(super) added: Range<usize>,
}

/// The end of the content after a hunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// The same as before.
    Kept,
    /// Without a break.
    Open,
    /// In a break.
    Closed,
}

impl Ending {
    /// Returns true if the content ends in a break after the hunk exactly if it does so before.
    pub(super) fn keeps(self, text: &Text<'_>) -> bool {
        match self {
            Self::Kept => true,
            Self::Open => !text.ends_with_break(),
            Self::Closed => text.ends_with_break(),
        }
    }
}

/// The lines of a hunk.
#[derive(Clone, Debug)]
pub(super) struct HunkBody {
    /// The lines that stay or are removed, each with its break.
    pub(super) old: String,
    /// The lines that stay or are added, each with its break.
    pub(super) new: String,
    /// The changes, from the top.
    pub(super) groups: Vec<LineGroup>,
    /// The end of the content after the hunk.
    pub(super) ending: Ending,
    /// True if the hunk states that the content ends with it.
    pub(super) last: bool,
}

/// The kind of a hunk's line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HunkLineKind {
    Kept,
    Gone,
    Come,
    /// The line above has no break.
    Open,
}

fn kind(line: &str) -> Option<(HunkLineKind, &str)> {
    let rest = || line.cut(1..line.len());
    match line.as_bytes().first()? {
        b' ' => Some((HunkLineKind::Kept, rest())),
        b'-' => Some((HunkLineKind::Gone, rest())),
        b'+' => Some((HunkLineKind::Come, rest())),
        b'\\' => Some((HunkLineKind::Open, rest())),
        // Editors and models drop the single blank of an empty line of context.
        b'\n' => Some((HunkLineKind::Kept, line)),
        b'\r' if line == "\r\n" => Some((HunkLineKind::Kept, line)),
        _ => None,
    }
}

impl HunkBody {
    /// Returns the points of the block at which lines are added.
    pub(super) fn points(&self) -> Vec<InsertionPoint> {
        let point = |group: &LineGroup| {
            let [removed, added] = [&group.removed, &group.added].map(|range| Span::new(range.clone()));
            InsertionPoint { removed, added }
        };
        self.groups.iter().map(point).collect()
    }

    /// Reads the lines of a hunk.
    ///
    /// # Errors
    /// `malformed` with the line of the hunk.
    pub(super) fn read(text: &str) -> Result<Self, Refusal> {
        let mut body = Self {
            old: String::with_capacity(text.len()),
            new: String::with_capacity(text.len()),
            groups: Vec::new(),
            ending: Ending::Kept,
            last: false,
        };
        let (mut kept, mut above, mut open) = (0, None, [false; 2]);
        for (number, line) in (1u64..).zip(text.split_inclusive('\n')) {
            let Some((kind, rest)) = kind(line) else {
                return Err(at(number, "starts with none of ` `, `-`, `+`"));
            };
            let sides = [kind != HunkLineKind::Come, kind != HunkLineKind::Gone];
            let closed = sides.iter().zip(open).any(|(on, open)| *on && open);
            match (kind, above) {
                (HunkLineKind::Open, Some(above)) => {
                    open = [open[0] || above != HunkLineKind::Come, open[1] || above != HunkLineKind::Gone];
                }
                (HunkLineKind::Open, None) => {
                    return Err(at(number, "speaks of the line above, and there is none"));
                }
                _ if closed => return Err(at(number, "follows a line that ends the file")),
                _ => body.take(kind, rest, &mut kept),
            }
            above = Some(kind).filter(|kind| *kind != HunkLineKind::Open);
        }
        body.last = open[0] || open[1];
        body.ending = match open {
            [_, true] => Ending::Open,
            [true, false] => Ending::Closed,
            [false, false] => Ending::Kept,
        };
        Ok(body)
    }

    /// Adds a line; `kept` is the offset at which the kept lines began.
    fn take(&mut self, kind: HunkLineKind, line: &str, kept: &mut usize) {
        let (old, new) = (self.old.len(), self.new.len());
        let side = if kind == HunkLineKind::Come { &mut self.new } else { &mut self.old };
        side.push_str(line);
        if !line.ends_with('\n') {
            side.push('\n');
        }
        if kind == HunkLineKind::Kept {
            return;
        }
        let begun = self.groups.last().is_some_and(|group| group.removed.end == old);
        if !begun {
            self.groups.push(LineGroup { kept: *kept..old, removed: old..old, added: new..new });
        }
        if let Some(group) = self.groups.last_mut() {
            group.removed.end = self.old.len();
            group.added.end = self.new.len();
            *kept = group.removed.end;
        }
    }

    /// Returns the lines without the blank context line at the end of the block, or `None` if there is no such
    /// line.
    pub(super) fn without_last_blank(&self) -> Option<Self> {
        let from = self.groups.last().map_or(0, |group| group.removed.end);
        let shorter = self.old.strip_suffix('\n')?;
        let last = shorter.rfind('\n').map_or(0, |at| at + 1);
        if last < from || last == 0 || self.last || !shorter.cut(last..shorter.len()).trim().is_empty() {
            return None;
        }
        let (old, new) = (self.old.cut(0..last).to_owned(), self.new.clone());
        Some(Self { old, new, groups: self.groups.clone(), ending: self.ending, last: self.last })
    }

    /// Returns the lines after the hunk, including those that stay.
    pub(super) fn after(&self) -> String {
        let mut after = String::with_capacity(self.old.len() + self.new.len());
        let mut from = 0;
        for group in &self.groups {
            after.push_str(self.old.cut(from..group.kept.end));
            after.push_str(self.new.cut(group.added.clone()));
            from = group.removed.end;
        }
        after.push_str(self.old.cut(from..self.old.len()));
        after
    }
}

fn at(line: u64, what: &str) -> Refusal {
    on_line(line, malformed(format!("line {line} of the hunk {what}; correct it")))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn lines_are_told_apart_and_grouped() {
        let body = HunkBody::read(" a\n-b\n+B\n\n c\n+d\n-e\n").unwrap();
        assert_eq!((&*body.old, &*body.new), ("a\nb\n\nc\ne\n", "B\nd\n"));
        assert_eq!(body.after(), "a\nB\n\nc\nd\n");
        assert_eq!(body.groups.len(), 2);
        assert_eq!((body.ending, body.last), (Ending::Kept, false));
    }

    #[test]
    fn a_line_without_a_break_must_be_the_last_of_its_side() {
        let ending = |text: &str| HunkBody::read(text).map(|body| (body.ending, body.last));
        assert_eq!(ending("-a\n\\ No newline\n+b\n").unwrap(), (Ending::Closed, true));
        assert_eq!(ending("-a\n+b\n\\ No newline\n").unwrap(), (Ending::Open, true));
        assert_eq!(ending(" a\n\\").unwrap(), (Ending::Open, true));
        assert_eq!(ending(" a\n\\ x\n-b\n").unwrap_err().line, Some(3));
        assert_eq!(ending("-a\n\\ x\n b\n").unwrap_err().line, Some(3));
        assert_eq!(ending("+a\n\\ x\n+b\n").unwrap_err().line, Some(3));
        assert_eq!(ending("\\ x\n").unwrap_err().line, Some(1));
        assert_eq!(ending(" a\nb\n").unwrap_err().line, Some(2));
    }
}
