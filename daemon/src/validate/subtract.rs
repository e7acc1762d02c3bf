//! Finds the issues that an edit introduced: those of the new content without those of the old one. Pure.
//!
//! First it removes pairs with the same message if the old line, followed through the edit, is the new line; numbers
//! in a message are ignored then, since they may name lines that moved. From the rest it removes pairs on lines that
//! the edit changed, if the new line replaces the old one and the messages are equal except for numbers and quoted
//! names: the line was wrong before and still is. Then it removes as many issues of each message, numbers included,
//! as there were on changed lines before: they moved with those lines. An old issue on an unchanged line removes no
//! other new issue. A validator that only failed, before and after, introduces nothing.

use std::collections::HashMap;
use std::ops::Range;

use editd_engine::Splice;
use editd_proto::path::FilePath;

use super::issues::ParsedIssue;

/// Subtracts the old issues from the new ones.
pub(super) fn introduced(
    new: Vec<ParsedIssue>,
    before: &[ParsedIssue],
    lines: &LineMapping,
) -> Vec<ParsedIssue> {
    let mut at: HashMap<(IssueKey, Option<u64>), Vec<usize>> = HashMap::new();
    for (index, found) in new.iter().enumerate().rev() {
        at.entry((key(found), found.line)).or_default().push(index);
    }
    let mut left: Vec<Option<ParsedIssue>> = new.into_iter().map(Some).collect();
    let mut changed: Vec<&ParsedIssue> = Vec::new();
    for old in before {
        let line = match (&old.elsewhere, old.line) {
            (None, Some(line)) => lines.follow(line),
            (_, line) => line,
        };
        let pair = at.get_mut(&(key(old), line)).filter(|_| line.is_some() || old.line.is_none());
        match pair.and_then(Vec::pop).and_then(|index| left.get_mut(index)) {
            Some(found) => *found = None,
            None if line.is_none() => changed.push(old),
            None => {}
        }
    }
    still_broken(&mut left, &mut changed, lines);
    let mut moved: HashMap<IssueKey, usize> = HashMap::new();
    for old in changed {
        *moved.entry(exact(old)).or_default() += 1;
    }
    for found in &mut left {
        let known = found.as_ref().map(exact).and_then(|key| moved.get_mut(&key)).filter(|count| **count > 0);
        if let Some(count) = known {
            *count -= 1;
            *found = None;
        }
    }
    left.into_iter().flatten().collect()
}

/// Removes pairs of an old and a new issue on a changed line at the same place.
fn still_broken(left: &mut [Option<ParsedIssue>], changed: &mut Vec<&ParsedIssue>, lines: &LineMapping) {
    let local = |found: &ParsedIssue| found.elsewhere.is_none() && !found.bare;
    let facing: Vec<(Vec<u64>, String)> = changed
        .iter()
        .map(|old| {
            let line = old.line.filter(|_| local(old));
            (line.map(|line| lines.facing(line)).unwrap_or_default(), shape(&old.message))
        })
        .collect();
    let mut taken = vec![false; changed.len()];
    for found in left.iter_mut() {
        let Some(line) = found.as_ref().filter(|one| local(one)).and_then(|one| one.line) else { continue };
        let new = found.as_ref().map(|one| shape(&one.message)).unwrap_or_default();
        let fits = |(at, (lines, old)): (usize, &(Vec<u64>, String))| {
            taken.get(at) == Some(&false) && lines.contains(&line) && *old == new
        };
        let Some(at) = facing.iter().enumerate().position(fits) else { continue };
        if let Some(taken) = taken.get_mut(at) {
            *taken = true;
        }
        *found = None;
    }
    let mut taken = taken.into_iter();
    changed.retain(|_| taken.next() != Some(true));
}

/// Adds a letter. A number becomes a single `0`.
fn push_unnumbered(out: &mut String, letter: char) {
    if !letter.is_ascii_digit() {
        out.push(letter);
    } else if !out.ends_with('0') {
        out.push('0');
    }
}

/// Returns a message without the parts that an edit of its line may change: numbers and quoted text.
fn shape(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message.chars();
    while let Some(letter) = rest.next() {
        push_unnumbered(&mut out, letter);
        if matches!(letter, '\'' | '"' | '`') {
            let after = rest.as_str();
            if let Some(end) = after.find(letter) {
                out.push(letter);
                rest = after.get(end + 1..).unwrap_or_default().chars();
            }
        }
    }
    out
}

type IssueKey = (Option<FilePath>, String);

fn exact(found: &ParsedIssue) -> IssueKey {
    (found.elsewhere.clone(), found.message.clone())
}

/// Returns the key of an issue, without the numbers in its message.
fn key(found: &ParsedIssue) -> IssueKey {
    if found.bare {
        return (None, String::new());
    }
    (found.elsewhere.clone(), unnumbered(&found.message))
}

/// Returns a message with `0` in place of each number: numbers may name lines, which move.
pub fn unnumbered(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    message.chars().for_each(|letter| push_unnumbered(&mut out, letter));
    out
}

/// The mapping of old to new lines.
#[derive(Debug, Default)]
pub(super) struct LineMapping {
    /// The changed lines of the old content (from 1), in order, and the lines that replace them.
    changed: Vec<(Range<u64>, Range<u64>)>,
}

impl LineMapping {
    /// Creates the mapping from the splices of an edit.
    pub(super) fn of(old: &[u8], splices: &[Splice]) -> Self {
        let breaks = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count() as u64;
        let (mut at, mut line, mut shift) = (0, 1_u64, 0_i64);
        let mut changed = Vec::with_capacity(splices.len());
        for splice in splices {
            let start = usize::try_from(splice.at).unwrap_or(usize::MAX);
            line += breaks(old.get(at..start).unwrap_or_default());
            let (gone, come) = (breaks(&splice.old), breaks(&splice.new));
            let first_new = line.saturating_add_signed(shift);
            // Whole lines that are inserted before a line leave it unchanged.
            let starts_line = start == 0 || old.get(start.wrapping_sub(1)) == Some(&b'\n');
            let whole = starts_line
                && [&splice.old, &splice.new].iter().all(|part| part.is_empty() || part.ends_with(b"\n"));
            let last = u64::from(!whole);
            changed.push((line..line + gone + last, first_new..first_new + come + last));
            shift = shift.saturating_add_unsigned(come).saturating_sub_unsigned(gone);
            line += gone;
            at = start.saturating_add(splice.old.len());
        }
        Self { changed }
    }

    /// Returns the lines that replace a changed line: counted from the first line of the change, and from the last.
    fn facing(&self, line: u64) -> Vec<u64> {
        let Some((old, new)) = self.changed.iter().find(|(old, _)| old.contains(&line)) else {
            return Vec::new();
        };
        let first = new.start + (line - old.start);
        let last = (new.end + line).checked_sub(old.end);
        let mut facing: Vec<u64> =
            std::iter::once(first).chain(last).filter(|line| new.contains(line)).collect();
        facing.dedup();
        facing
    }

    /// Returns the new number of an unchanged line.
    fn follow(&self, line: u64) -> Option<u64> {
        let next = self.changed.partition_point(|(old, _)| old.end <= line);
        if self.changed.get(next).is_some_and(|(old, _)| old.contains(&line)) {
            return None;
        }
        match next.checked_sub(1).and_then(|last| self.changed.get(last)) {
            Some((old, new)) => Some(new.end + (line - old.end)),
            None => Some(line),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<ParsedIssue> {
        let each = text.split(", ").filter(|one| !one.is_empty()).map(|one| {
            let (line, message) = one.split_once(' ').unwrap();
            ParsedIssue {
                elsewhere: None,
                line: line.parse().ok(),
                column: None,
                message: message.to_owned(),
                bare: message == "!",
            }
        });
        each.collect()
    }

    #[test]
    fn lines_are_followed_through_an_edit() {
        let old = b"one\ntwo\nthree\nfour\nfive\n";
        let splice = |at: u64, old: &str, new: &str| Splice { at, old: old.into(), new: new.into() };
        let whole = LineMapping::of(old, &[splice(0, "", "zero\n"), splice(8, "three\n", "3\n3\n")]);
        assert_eq!(
            [1, 2, 3, 4, 5].map(|line| whole.follow(line)),
            [Some(2), Some(3), None, Some(6), Some(7)]
        );
        let within = LineMapping::of(old, &[splice(1, "n", "N"), splice(9, "hree\nfou", "")]);
        assert_eq!([1, 2, 3, 4, 5].map(|line| within.follow(line)), [None, Some(2), None, None, Some(4)]);
        assert_eq!(LineMapping::default().follow(7), Some(7));
        let gone = LineMapping::of(old, &[splice(0, "one\ntwo\nthree\nfour\n", "")]);
        assert_eq!([4, 5].map(|line| gone.follow(line)), [None, Some(1)]);
    }

    #[test]
    fn only_what_is_new_is_left() {
        // A line is inserted at the start; the old line 3 changes.
        let old = b"1\n2\n3\n4\n";
        let splices = [
            Splice { at: 0, old: vec![], new: b"0\n".to_vec() },
            Splice { at: 4, old: b"3".to_vec(), new: b"x".to_vec() },
        ];
        let lines = LineMapping::of(old, &splices);
        for (before, after, left) in [
            ("", "2 a", "2 a"),
            ("1 a", "2 a", ""),
            ("1 a", "2 a, 3 a", "3 a"),
            ("3 a", "4 a", ""),
            ("3 a", "4 a, 2 a", "2 a"),
            ("3 a, 1 b", "4 c, 2 b", "4 c"),
            ("2 see line 1", "3 see line 22", ""),
            ("- a, - a", "- a, - a, - a", "- a"),
            ("3 a1", "2 a1", ""),
            ("3 a1", "2 a2", "2 a2"),
            // The changed line had an issue before, and still has.
            ("3 a1", "4 a2", ""),
            ("3 no `x`", "4 no `yy`", ""),
            ("3 can't a", "4 can't b", "4 can't b"),
            ("3 no `x`", "4 no `x`, 4 no `y`", "4 no `y`"),
            ("3 no `x`", "2 no `y`", "2 no `y`"),
            ("3 no `x`", "4 bad `x`", "4 bad `x`"),
            ("2 no `x`", "4 no `y`", "4 no `y`"),
            ("2 a", "4 a", "4 a"),
            ("- a1", "2 a1", ""),
            ("- a1", "2 a2", "2 a2"),
            ("- !", "- !", ""),
            ("", "- !", "- !"),
            ("1 a", "- !", "- !"),
        ] {
            let left_over = introduced(found(after), &found(before), &lines);
            let shown = found(left);
            assert_eq!(left_over.len(), shown.len(), "{before} | {after}");
            assert!(left_over.iter().all(|one| shown.contains(one)), "{before} | {after}: {left_over:?}");
        }
    }

    #[test]
    fn another_file_keeps_its_lines() {
        let elsewhere =
            |line| ParsedIssue { elsewhere: Some("b".into()), ..found(&format!("{line} a")).remove(0) };
        let lines = LineMapping::of(b"1\n", &[Splice { at: 0, old: vec![], new: b"0\n".to_vec() }]);
        assert!(introduced(vec![elsewhere(1)], &[elsewhere(1)], &lines).is_empty());
        assert_eq!(introduced(vec![elsewhere(1)], &found("1 a"), &lines).len(), 1);
    }
}
